//! One sorted vector, merged with each batch; sort and queries are parallel.

use crate::{Entries, Result, Rival};
use rayon::prelude::*;

/// A sorted `Vec` of pairs.
#[derive(Debug, Default)]
pub struct SortedVec {
    entries: Vec<(u32, u32)>,
}

/// An operation of a batch: a key, its position, and the value where it is not a delete.
type Operation = (u32, u32, Option<u32>);

impl Rival for SortedVec {
    const NAME: &'static str = "sorted_vec";

    fn update(&mut self, keys: &[u32], values: &[u32], deletes: &[u32]) -> Result<()> {
        let inserts = keys.iter().zip(values).map(|(&key, &value)| (key, Some(value)));
        let deletes = deletes.iter().map(|&key| (key, None));
        let numbered = inserts.chain(deletes).zip(0..);
        let mut batch: Vec<Operation> = numbered.map(|((key, value), at)| (key, at, value)).collect();
        // Positions tell equal keys apart, so the unstable sort is as good as a stable one.
        batch.par_sort_unstable_by_key(|&(key, at, _)| (key, at));
        self.entries = merged(&batch, &self.entries);
        Ok(())
    }

    fn lookup(&self, keys: &[u32]) -> Result<Vec<Option<u32>>> {
        let find = |key: &u32| self.entries.binary_search_by_key(key, |entry| entry.0).ok();
        Ok(keys.par_iter().map(|key| find(key).map(|at| self.entries[at].1)).collect())
    }

    fn count(&self, lower: &[u32], upper: &[u32]) -> Result<Vec<u32>> {
        let intervals = lower.par_iter().zip(upper);
        Ok(intervals.map(|(&lower, &upper)| self.between(lower, upper).len() as u32).collect())
    }

    fn range(&self, lower: &[u32], upper: &[u32]) -> Result<Entries> {
        let found: Vec<_> =
            lower.par_iter().zip(upper).map(|(&lower, &upper)| self.between(lower, upper)).collect();
        let mut offsets = vec![0];
        offsets.extend(found.iter().scan(0, |sum, entries| {
            *sum += entries.len() as u32;
            Some(*sum)
        }));
        let (keys, values) = found.par_iter().flat_map_iter(|entries| entries.iter().copied()).unzip();
        Ok(Entries { offsets, keys, values })
    }

    fn len(&self) -> Result<u64> {
        Ok(self.entries.len() as u64)
    }
}

impl SortedVec {
    fn between(&self, lower: u32, upper: u32) -> &[(u32, u32)] {
        let start = self.entries.partition_point(|entry| entry.0 < lower);
        let end = self.entries.partition_point(|entry| entry.0 <= upper);
        &self.entries[start..end.max(start)]
    }
}

/// The entries after a sorted batch, the last operation on a key deciding.
fn merged(batch: &[Operation], entries: &[(u32, u32)]) -> Vec<(u32, u32)> {
    let mut result = Vec::with_capacity(entries.len() + batch.len());
    let mut rest = entries;
    for operations in batch.chunk_by(|one, next| one.0 == next.0) {
        let (key, _, value) = operations[operations.len() - 1];
        let (smaller, others) = rest.split_at(rest.partition_point(|entry| entry.0 < key));
        result.extend_from_slice(smaller);
        rest = if others.first().is_some_and(|entry| entry.0 == key) { &others[1..] } else { others };
        result.extend(value.map(|value| (key, value)));
    }
    result.extend_from_slice(rest);
    result
}
