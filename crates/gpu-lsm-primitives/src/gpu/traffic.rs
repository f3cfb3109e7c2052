//! Estimates the bytes that a kernel moves in buffers from which it reads scattered places.
//!
//! Most buffers are streamed: each counts once, with its bound length. In a picked buffer, a step of a search counts as
//! one sector, as if there were no cache, and gathered bytes count as often as they are written. A search with an index
//! counts as if the keys were spread evenly over the parts, and as if most searches for absent keys ended at the
//! filter. Searches by which neighbouring units find their way through streamed data do not count. These occur in
//! merges and, except for one step, in building an index. An index that was not built because entries turned out to be
//! hidden is counted all the same: the launch cannot know.

use super::axes::Tiles;
use crate::tuning::INDEX_KEYS;

/// The smallest unit in which a GPU reads its memory.
pub(super) const SECTOR: u64 = 32;

/// One search with an index per query: two records, for the start and the end of the part, and then keys of the part.
/// In the staged shape, the place of a key is guessed.
pub(super) fn index_searches(queries: u64, tiles: Tiles) -> u64 {
    let looks = match tiles {
        Tiles::Direct => steps(INDEX_KEYS),
        Tiles::Staged => GUESSED,
    };
    queries * SECTOR * (2 + looks)
}

/// The number of keys that a search by guesses reads, if keys are spread evenly: from 2.4 if the key is there and parts have
/// 32 keys, to 3.4 if it is not and they have 64.
const GUESSED: u64 = 3;

/// Lookups in one run. Every query reads a filter. Each key is assumed to be in the first run; in other runs, one
/// filter in sixteen is assumed to pass by mistake. If a filter passes, the keys are searched, and then one value and
/// one mark are read.
pub(super) fn filtered_searches(queries: usize, is_first_run: bool, tiles: Tiles) -> u64 {
    let queries = queries as u64;
    let passing = if is_first_run { queries } else { queries / 16 };
    queries * SECTOR + index_searches(passing, tiles) + passing * SECTOR * 2
}

/// The number of entries that a binary search reads.
pub(super) fn steps(len: usize) -> u64 {
    u64::from(usize::BITS - len.leading_zeros())
}
