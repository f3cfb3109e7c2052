//! One sorted vector, merged with each batch; sort, merge and queries are parallel.

use crate::{Entries, Found, Result, Rival, parallel};
use rayon::prelude::*;
use std::ops::Range;

/// A sorted `Vec` of pairs.
#[derive(Debug, Default)]
pub struct SortedVec {
    entries: Vec<(u32, u32)>,
    /// The memory of the entries before the last batch, reused by the next merge: fresh memory would cost more than the
    /// merge.
    spare: Vec<(u32, u32)>,
}

/// The smallest number of entries that is worth a separate task.
const TILE: usize = 1 << 13;

impl Rival for SortedVec {
    const NAME: &'static str = "sorted_vec";

    fn update(&mut self, keys: &[u32], values: &[u32], deletes: &[u32]) -> Result<()> {
        let operations = keys.par_iter().chain(deletes).enumerate();
        // Key and position in one number: equal keys stay in order, so an unstable sort is as good as a stable one.
        let mut sorted: Vec<_> =
            operations.map(|(at, &key)| u64::from(key) << u32::BITS | at as u64).collect();
        sorted.par_sort_unstable();
        let all = sorted.len() + self.entries.len();
        if self.spare.len() < all {
            self.spare.resize(all, (0, 0));
        }
        let batch = Batch { sorted: &sorted, values };
        let tile = TILE.max(all / (4 * rayon::current_num_threads()));
        let kept = merge(batch, &self.entries, &mut self.spare[..all], tile);
        std::mem::swap(&mut self.entries, &mut self.spare);
        self.entries.truncate(kept);
        Ok(())
    }

    fn slide(&mut self, keys: &[u32], values: &[u32], lower: u32, upper: u32) -> Result<()> {
        let deleted = self.places(lower, upper);
        self.entries.drain(deleted);
        self.update(keys, values, &[])
    }

    fn lookup(&self, keys: &[u32]) -> Result<Found> {
        let find = |key: u32| self.entries.binary_search_by_key(&key, |entry| entry.0).ok();
        Ok(parallel::lookup(keys, |key| find(key).map(|at| self.entries[at].1)))
    }

    fn count(&self, lower: &[u32], upper: &[u32]) -> Result<Vec<u32>> {
        let intervals = lower.par_iter().zip(upper);
        Ok(intervals.map(|(&lower, &upper)| self.between(lower, upper).len() as u32).collect())
    }

    fn range(&self, lower: &[u32], upper: &[u32]) -> Result<Entries> {
        let intervals = lower.par_iter().zip(upper);
        let found: Vec<_> = intervals.map(|(&lower, &upper)| self.between(lower, upper)).collect();
        let offsets = parallel::offsets(found.iter().map(|entries| entries.len()));
        let mut all = Entries::with_len(offsets[found.len()] as usize);
        parallel::write(&offsets, &mut all.keys, &mut all.values, &|query, keys, values| {
            for ((key, value), entry) in keys.iter_mut().zip(values).zip(found[query]) {
                (*key, *value) = *entry;
            }
        });
        Ok(Entries { offsets, ..all })
    }

    fn len(&self) -> Result<u64> {
        Ok(self.entries.len() as u64)
    }
}

impl SortedVec {
    fn between(&self, lower: u32, upper: u32) -> &[(u32, u32)] {
        &self.entries[self.places(lower, upper)]
    }

    fn places(&self, lower: u32, upper: u32) -> Range<usize> {
        let start = self.entries.partition_point(|entry| entry.0 < lower);
        let end = self.entries.partition_point(|entry| entry.0 <= upper);
        start..end.max(start)
    }
}

/// Operations in the order of their keys, each with its position. Positions past the values are deletes.
#[derive(Clone, Copy)]
struct Batch<'a> {
    sorted: &'a [u64],
    values: &'a [u32],
}

impl Batch<'_> {
    fn key(self, at: usize) -> u32 {
        key_of(self.sorted[at])
    }

    /// Whether a later operation has the same key, and so decides.
    fn is_replaced(self, at: usize) -> bool {
        self.sorted.get(at + 1).is_some_and(|&next| key_of(next) == self.key(at))
    }

    /// The value; `None` for a delete.
    fn value(self, at: usize) -> Option<u32> {
        self.values.get(self.sorted[at] as u32 as usize).copied()
    }

    fn split_at(self, at: usize) -> (Self, Self) {
        let (left, right) = self.sorted.split_at(at);
        (Self { sorted: left, ..self }, Self { sorted: right, ..self })
    }
}

fn key_of(operation: u64) -> u32 {
    (operation >> u32::BITS) as u32
}

/// Writes the entries after a batch to `out`, which has room for both inputs together, and returns their number. Splits
/// both inputs at the middle key of the longer one until they are tiles, and merges the tiles in parallel.
fn merge(batch: Batch<'_>, entries: &[(u32, u32)], out: &mut [(u32, u32)], tile: usize) -> usize {
    if out.len() <= tile {
        return merge_tile(batch, entries, out);
    }
    let pivot = match batch.sorted.len() > entries.len() {
        true => batch.key(batch.sorted.len() / 2),
        false => entries[entries.len() / 2].0,
    };
    let cut_batch = batch.sorted.partition_point(|&operation| key_of(operation) < pivot);
    let cut_entries = entries.partition_point(|entry| entry.0 < pivot);
    let cut = cut_batch + cut_entries;
    if cut == 0 {
        return merge_tile(batch, entries, out);
    }
    let (smaller, larger) = batch.split_at(cut_batch);
    let (left, right) = out.split_at_mut(cut);
    let (kept, more) = rayon::join(
        || merge(smaller, &entries[..cut_entries], left, tile),
        || merge(larger, &entries[cut_entries..], right, tile),
    );
    if kept < cut {
        out.copy_within(cut..cut + more, kept);
    }
    kept + more
}

fn merge_tile(batch: Batch<'_>, entries: &[(u32, u32)], out: &mut [(u32, u32)]) -> usize {
    let (mut older, mut kept) = (0, 0);
    for at in (0..batch.sorted.len()).filter(|&at| !batch.is_replaced(at)) {
        let key = batch.key(at);
        while older < entries.len() && entries[older].0 < key {
            out[kept] = entries[older];
            (older, kept) = (older + 1, kept + 1);
        }
        if older < entries.len() && entries[older].0 == key {
            older += 1;
        }
        if let Some(value) = batch.value(at) {
            out[kept] = (key, value);
            kept += 1;
        }
    }
    let rest = &entries[older..];
    out[kept..kept + rest.len()].copy_from_slice(rest);
    kept + rest.len()
}

#[cfg(test)]
mod tests {
    use super::{Batch, merge};

    /// Many keys are replaced, deleted, or repeated in the batch. Tiles are so small that they split everywhere.
    #[test]
    fn a_merge_in_tiles_is_a_merge_in_one() {
        let entries: Vec<_> = (0..1000u32).map(|i| (3 * i, i)).collect();
        let keys: Vec<_> = (0..900u64).map(|i| i * 7919 % 2000).collect();
        let mut sorted: Vec<_> = keys.iter().zip(0..).map(|(key, at)| key << 32 | at).collect();
        sorted.sort_unstable();
        let values: Vec<_> = (0..600).map(|i| 10_000 + i).collect();
        let batch = Batch { sorted: &sorted, values: &values };
        let run = |tile| {
            let mut out = vec![(0, 0); entries.len() + sorted.len()];
            let kept = merge(batch, &entries, &mut out, tile);
            out.truncate(kept);
            out
        };
        let mut expected: std::collections::BTreeMap<_, _> = entries.iter().copied().collect();
        for (at, &key) in keys.iter().enumerate() {
            match values.get(at) {
                Some(&value) => expected.insert(key as u32, value),
                None => expected.remove(&(key as u32)),
            };
        }
        let expected: Vec<_> = expected.into_iter().collect();
        for tile in [usize::MAX, 100, 7, 1] {
            assert_eq!(run(tile), expected, "{tile}");
        }
        let same: Vec<_> = (0..50).map(|at| 5 << 32 | at).collect();
        let mut out = vec![(0, 0); 50];
        assert_eq!(
            merge(Batch { sorted: &same, values: &values }, &[], &mut out, 1),
            1,
            "one key, many times"
        );
        assert_eq!(out[0], (5, 10_049));
    }
}
