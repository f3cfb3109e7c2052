//! The placement of runs on levels: pure arithmetic on lengths, without a device.
//!
//! Level `i` holds at most one run of at most `b * 2^i` entries. Level 0 is the newest. `lens[i]` is the length of the
//! run on level `i`, zero if the level is empty.

/// The lowest level `i` for which `incoming` entries and all entries on levels `0..=i` fit into `b * 2^i`.
///
/// `incoming` is the number of operations in the batch. It is at least the length of the batch's run, and known without
/// waiting for the device.
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

/// Whether a level can hold `len` entries.
pub(crate) fn fits(len: u64, level: usize, b: u64) -> bool {
    u128::from(len) <= u128::from(b) << level.min(64)
}

/// Whether so many entries are stale that all runs must be merged.
///
/// At least `oldest - tombstones` entries are live, where `tombstones` counts those above the oldest run. So at most
/// `2.5 live + 4 b` entries remain.
pub(crate) fn wants_cleanup(entries: u64, oldest: u64, tombstones: u64, b: u64) -> bool {
    let live = u128::from(oldest.saturating_sub(tombstones));
    2 * u128::from(entries) > 5 * live + 8 * u128::from(b)
}

/// The number of entries that deletes and cleanups work on at a time if memory is short: a small part of all.
pub(crate) fn frugal_chunk(entries: u64) -> u64 {
    (entries / 64).clamp(256, 1 << 20)
}

/// The most entries that a dictionary with `positive` entries that are not tombstones can have after deletes, before or
/// after the space rule is applied.
///
/// With `n0` entries in the oldest run, `p` other positive ones and `t` tombstones, the space rule says `n0 + p + t <=
/// 2.5 (n0 - t) + 4 b`. So `t <= (1.5 n0 - p + 4 b) / 3.5`, which is largest if all positive entries are in the oldest
/// run. If that run has at most `b` entries, everything is on level 0, where no tombstone stays.
pub(crate) fn most_after_deletes(positive: u64, b: u64) -> u64 {
    let (positive, b) = (u128::from(positive), u128::from(b));
    let tombstones = if positive <= b { 0 } else { (3 * positive + 8 * b).div_ceil(7) };
    u64::try_from(positive + tombstones).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests;
