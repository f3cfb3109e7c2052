//! Where a run goes: pure arithmetic on lengths, no device.
//!
//! Level `i` holds at most one run of at most `b * 2^i` entries; level 0 is the newest. `lens[i]` is the length of the
//! run on level `i`, zero where there is none.

/// The lowest level `i` for which `incoming` entries and all those on levels `0..=i` fit into `b * 2^i`.
///
/// `incoming` is the number of operations in the batch: at least the length of its run, and known without waiting for
/// the device.
pub(crate) fn merge_through(lens: &[u64], incoming: u64, b: u64) -> usize {
    let mut sum = incoming;
    let mut level = 0;
    loop {
        sum += lens.get(level).copied().unwrap_or(0);
        if fits(sum, level, b) {
            return level;
        }
        level += 1;
    }
}

/// The lowest level that holds a run of `len` entries.
pub(crate) fn level_for(len: u64, b: u64) -> usize {
    merge_through(&[], len, b)
}

/// Whether `len` entries may stand on a level.
pub(crate) fn fits(len: u64, level: usize, b: u64) -> bool {
    u128::from(len) <= u128::from(b) << level.min(64)
}

/// Whether the runs hold so much that is stale that all of them must be merged.
///
/// At least `oldest - tombstones` entries are live, `tombstones` being those above the oldest run. So what stays is at
/// most `2.5 live + 4 b`.
pub(crate) fn wants_cleanup(entries: u64, oldest: u64, tombstones: u64, b: u64) -> bool {
    let live = u128::from(oldest.saturating_sub(tombstones));
    2 * u128::from(entries) > 5 * live + 8 * u128::from(b)
}

#[cfg(test)]
mod tests;
