//! unite: merges the lists of each query into one, by a segmented merge sort. This is one pass of it.
//!
//! Input    keys, values: candidates in groups of `width` lists, each group sorted; list_of: the list that was at each
//!          position before the first pass; offsets: where each list started, and where the last one ended
//! Output   out_keys, out_values: pairs of groups, merged; of equal keys, those of the first group come first
//! Launch   direct: one unit per MERGE_ITEMS outputs; staged: one cube per tile of outputs; the pass is repeated with
//!          doubled groups until each query has one
//! Steps    find an output's two groups by its list, and its position in both (merge path); then merge; staged: the same
//!          for the tile's ends, then for each unit in shared memory
//! Cost     a pass reads and writes each candidate once; there are log2(lists per query) passes
//! Twin     host/baselines/unite.rs      Source  paper, section 4.3, step 4

mod pair;
mod staged;

use super::shared::{is_older_next, newer_before};
use crate::gpu::axes::Tiles;
use crate::gpu::kernels::shared::merging::Heads;
use crate::tuning::MERGE_ITEMS;
use cubecl::prelude::*;
use pair::pair_of;
pub(crate) use staged::staged_bytes;
use staged::unite_staged;

/// `lists`: the number of lists per query.
#[cube(launch_unchecked, create_dummy_kernel)]
pub(crate) fn unite(
    keys: &[u32],
    values: &[u32],
    list_of: &[u32],
    offsets: &[u32],
    out_keys: &mut [u32],
    out_values: &mut [u32],
    lists: u32,
    width: u32,
    #[comptime] has_values: bool,
    #[comptime] units: u32,
    #[comptime] tiles: Tiles,
) {
    if comptime!(tiles == Tiles::Staged) {
        unite_staged(keys, values, list_of, offsets, out_keys, out_values, lists, width, has_values, units);
    } else {
        let total = keys.len() as u32;
        let start = min(ABSOLUTE_POS as u32 * MERGE_ITEMS, total);
        let last = start + min(MERGE_ITEMS, total - start);
        let mut heads = Heads::<u32>::at(keys, keys, 0, 0);
        let mut second = 0u32;
        let mut end = 0u32;
        for out in start..last {
            if out == start || out == end {
                let pair = pair_of(offsets, list_of[out as usize], lists, width);
                second = pair.second;
                end = pair.end;
                let before = newer_before(keys, keys, pair.first, second, second, end, out - pair.first);
                heads.move_newer(keys, pair.first + before);
                heads.move_older(keys, second + (out - pair.first - before));
            }
            let is_second = is_older_next(&heads, second, end);
            out_keys[out as usize] = heads.key(is_second);
            if has_values {
                out_values[out as usize] = values[heads.place(is_second) as usize];
            }
            heads.advance(keys, keys, is_second);
        }
    }
}
