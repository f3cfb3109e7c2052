//! How many bytes a kernel moves where it picks places from a buffer, as far as a launch tells.
//!
//! A kernel streams through most of its buffers: each counts once, as much of it as is bound. Not so where it picks places:
//! a step of a search counts as one sector, as if no cache helped, and what is gathered counts as often as it is written.
//! A search by an index counts as if keys were spread evenly over the parts, and most of those for keys that a run does not
//! have as ending at its filter. Searches by which neighbouring units find their way through what is streamed do not count:
//! in merges, and but for one step in the making of an index. An index that is not made, because entries turned out to be
//! hidden, counts as if it were: the launch does not know.

use crate::tuning::INDEX_KEYS;

/// The least that a GPU reads from its memory.
pub(super) const SECTOR: u64 = 32;

/// One search by an index for each query: where its part starts and ends, which is in two records, then the part's keys.
pub(super) fn index_searches(queries: u64) -> u64 {
    queries * SECTOR * (2 + steps(INDEX_KEYS))
}

/// Lookups in one run. Every filter is read. As if the key were in one run, and one filter in sixteen wrong about it, the keys
/// are searched, and one value and one mark are read at the end.
pub(super) fn filtered_searches(queries: usize, is_first_run: bool) -> u64 {
    let queries = queries as u64;
    let passing = if is_first_run { queries } else { queries / 16 };
    queries * SECTOR + index_searches(passing) + passing * SECTOR * 2
}

/// How many entries a binary search looks at.
pub(super) fn steps(len: usize) -> u64 {
    u64::from(usize::BITS - len.leading_zeros())
}
