//! unite: each query's lists in one, a segmented sort by merging: one pass of it.
//!
//! Input    keys, values: candidates, in groups of `width` lists that are each in order; list_of: the list that a
//!          position belonged to at first; offsets: where each list started, and where the last one ended
//! Output   out_keys, out_values: groups of two such groups, in order; of equal keys those of the first group first
//! Launch   one unit per MERGE_ITEMS outputs, once for each doubling of the groups until each query has one
//! Steps    find the two groups of an output by its list, and where it stands in both (merge path); then merge
//! Cost     a pass reads and writes each candidate once; log2 of the lists of a query passes
//! Twin     host/baselines/unite.rs      Source  paper, section 4.3, step 4

use super::shared::{is_older_next, newer_before};
use crate::gpu::kernels::shared::merging::Heads;
use crate::tuning::MERGE_ITEMS;
use cubecl::prelude::*;

/// `lists`: how many a query has.
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
