//! overlay: merges a run's entries in each query's interval with those of newer runs; all entries stay.
//!
//! Input    newer: the entries of one query after the other, sorted within each; older: a run; segments: for each
//!          query, and one past the last, the number of all entries and of newer entries of the queries before it, and
//!          where its older entries start in the run
//! Output   out, out_values: the entries of one query after the other, sorted; of equal keys, the older come first
//! Launch   direct: one unit per MERGE_ITEMS outputs; staged: one cube per tile of outputs. So work is spread evenly over
//!          entries, however unequal the queries are
//! Steps    direct: find the query of the unit's first output and its position in both inputs (merge path), then step
//!          through them; staged: find the same for the tile's ends, bring the tile to shared memory, and merge it there
//! Cost     reads and writes every key and value once
//! Twin     host/overlay.rs

mod staged;

use super::shared::marks::mark_at;
use super::shared::merging::{Heads, older_before};
use super::shared::queries::{next_query, query_of};
use super::shared::values::copy_one;
use crate::gpu::axes::Tiles;
use crate::tuning::MERGE_ITEMS;
use cubecl::prelude::*;
use staged::overlay_staged;
pub(crate) use staged::staged_bytes;

/// With `marks`, the values are one bit per entry, or absent on one side. The kernel then writes marks, and no keys.
#[cube(launch_unchecked, create_dummy_kernel)]
pub(crate) fn overlay<K: Int>(
    newer: &[K],
    newer_values: &[u32],
    older: &[K],
    older_values: &[u32],
    segments: &[u32],
    out: &mut [K],
    out_values: &mut [u32],
    #[comptime] words: u32,
    #[comptime] marks: bool,
    #[comptime] units: u32,
    #[comptime] tiles: Tiles,
) {
    let mut room = out.len() as u32;
    if marks {
        room = 32 * out_values.len() as u32;
    }
    let total = min(segments[segments.len() - 3], room);
    if comptime!(tiles == Tiles::Staged) {
        overlay_staged::<K>(
            newer,
            newer_values,
            older,
            older_values,
            segments,
            out,
            out_values,
            total,
            words,
            marks,
            units,
        );
    } else {
        overlay_direct::<K>(
            newer,
            newer_values,
            older,
            older_values,
            segments,
            out,
            out_values,
            total,
            words,
            marks,
        );
    }
}

#[cube]
fn overlay_direct<K: Int>(
    newer: &[K],
    newer_values: &[u32],
    older: &[K],
    older_values: &[u32],
    segments: &[u32],
    out: &mut [K],
    out_values: &mut [u32],
    total: u32,
    #[comptime] words: u32,
    #[comptime] marks: bool,
) {
    let start = min(ABSOLUTE_POS as u32 * MERGE_ITEMS, total);
    let end = start + min(MERGE_ITEMS, total - start);
    if start < end {
        let mut query = query_of(segments, 3u32, start);
        let mut segment = 3 * query as usize;
        let mut query_end = segments[segment + 3];
        let mut newer_end = segments[segment + 4];
        let (i, j) = (segments[segment + 1], segments[segment + 2]);
        let step = start - segments[segment];
        let mut older_end = j + (query_end - segments[segment]) - (newer_end - i);
        let older_steps = older_before::<K>(newer, older, i, newer_end - i, j, older_end - j, step);
        let mut heads = Heads::<K>::at(newer, older, i + step - older_steps, j + older_steps);
        let mut mine = 0u32;
        for at in start..end {
            if at == query_end {
                query = next_query(segments, 3u32, query, at);
                segment = 3 * query as usize;
                query_end = segments[segment + 3];
                newer_end = segments[segment + 4];
                heads.move_older(older, segments[segment + 2]);
                older_end = heads.j + (query_end - at) - (newer_end - heads.i);
            }
            let is_older = heads.is_older_next(newer_end, older_end);
            let place = heads.place(is_older);
            if marks {
                let mut mark = mark_at(newer_values, place);
                if is_older {
                    mark = mark_at(older_values, place);
                }
                mine |= mark << (at - start);
            } else {
                out[at as usize] = heads.key(is_older);
                copy_one(is_older, older_values, newer_values, place, out_values, at, words);
            }
            heads.advance(newer, older, is_older);
        }
        if marks {
            out_values[ABSOLUTE_POS] = mine;
        }
    }
}

/// Computes the segments, and where each query's entries start in the output.
#[cube(launch_unchecked, create_dummy_kernel)]
pub(crate) fn overlay_segments(
    newer_offsets: &[u32],
    older_offsets: &[u32],
    older_starts: &[u32],
    segments: &mut [u32],
    offsets: &mut [u32],
) {
    let q = ABSOLUTE_POS;
    if q < offsets.len() {
        let mut start = 0u32;
        if q < older_starts.len() {
            start = older_starts[q];
        }
        let offset = newer_offsets[q] + older_offsets[q];
        segments[3 * q] = offset;
        segments[3 * q + 1] = newer_offsets[q];
        segments[3 * q + 2] = start;
        offsets[q] = offset;
    }
}
