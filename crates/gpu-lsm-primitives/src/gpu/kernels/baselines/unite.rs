//! unite: merges the lists of each query into one, by a segmented merge sort. This is one pass of it.
//!
//! Input    keys, values: candidates in groups of `width` lists, each group sorted; list_of: the list that was at each
//!          position before the first pass; offsets: where each list started, and where the last one ended
//! Output   out_keys, out_values: pairs of groups, merged; of equal keys, those of the first group come first
//! Launch   one unit per MERGE_ITEMS outputs; the pass is repeated with doubled groups until each query has one
//! Steps    find an output's two groups by its list, and its position in both (merge path); then merge
//! Cost     a pass reads and writes each candidate once; there are log2(lists per query) passes
//! Twin     host/baselines/unite.rs      Source  paper, section 4.3, step 4

use super::shared::{is_older_next, newer_before};
use crate::gpu::kernels::shared::merging::Heads;
use crate::tuning::MERGE_ITEMS;
use cubecl::prelude::*;

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
) {
    let total = keys.len() as u32;
    let start = min(ABSOLUTE_POS as u32 * MERGE_ITEMS, total);
    let last = start + min(MERGE_ITEMS, total - start);
    let mut heads = Heads::<u32>::at(keys, keys, 0, 0);
    let mut middle = 0u32;
    let mut end = 0u32;
    for out in start..last {
        if out == start || out == end {
            let list = list_of[out as usize];
            let query = list / lists * lists;
            let group = (list - query) / (2 * width) * (2 * width);
            let first = offsets[(query + group) as usize];
            middle = offsets[(query + min(group + width, lists)) as usize];
            end = offsets[(query + min(group + 2 * width, lists)) as usize];
            let before = newer_before(keys, keys, first, middle, middle, end, out - first);
            heads.move_newer(keys, first + before);
            heads.move_older(keys, middle + (out - first - before));
        }
        let is_second = is_older_next(&heads, middle, end);
        out_keys[out as usize] = heads.key(is_second);
        if has_values {
            out_values[out as usize] = values[heads.place(is_second) as usize];
        }
        heads.advance(keys, keys, is_second);
    }
}
