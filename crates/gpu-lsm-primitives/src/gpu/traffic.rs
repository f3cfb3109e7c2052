//! Estimates the bytes that a kernel moves in buffers from which it reads scattered places.
//!
//! Most buffers are streamed: each counts once, with its bound length. In a picked buffer, a step of a search counts as
//! one sector, as if there were no cache, and gathered bytes count as often as they are written. A search with an index
//! counts as if the keys were spread evenly over the parts, and as if most searches for absent keys ended at the
//! filter. Searches by which neighbouring units find their way through streamed data do not count. These occur in
//! merges and, except for one step, in building an index. An index that was not built because entries turned out to be
//! hidden is counted all the same: the launch cannot know.

use crate::tuning::INDEX_KEYS;

/// The smallest unit in which a GPU reads its memory.
pub(super) const SECTOR: u64 = 32;

/// One search with an index per query: two records, for the start and the end of the part, and then keys of the part.
pub(super) fn index_searches(queries: u64) -> u64 {
    queries * SECTOR * (2 + steps(INDEX_KEYS))
}

/// Lookups in one run. Every query reads a filter. Each key is assumed to be in the first run; in other runs, one
/// filter in sixteen is assumed to pass by mistake. If a filter passes, the keys are searched, and then one value and
/// one mark are read.
pub(super) fn filtered_searches(queries: usize, is_first_run: bool) -> u64 {
    let queries = queries as u64;
    let passing = if is_first_run { queries } else { queries / 16 };
    queries * SECTOR + index_searches(passing) + passing * SECTOR * 2
}

/// The number of entries that a binary search reads.
pub(super) fn steps(len: usize) -> u64 {
    u64::from(usize::BITS - len.leading_zeros())
}
