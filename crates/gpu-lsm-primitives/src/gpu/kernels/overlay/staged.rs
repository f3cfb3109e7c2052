//! overlay in staged tiles. A tile takes a stretch of the newer entries, and a stretch of the *older list*: the older
//! entries of one query after the other. The units merge the tile query by query.

use crate::gpu::kernels::shared::marks::mark_at;
use crate::gpu::kernels::shared::merging::older_before;
use crate::gpu::kernels::shared::queries::{next_query, query_between, query_of};
use crate::gpu::kernels::shared::staged_merging::{MergeTile, StagedHeads, staged_len};
use crate::gpu::kernels::shared::staging::{joined, note, noted, staged_at, tile_len};
use crate::gpu::kernels::shared::values::word_of;
use crate::tuning::STAGED_ITEMS;
use cubecl::prelude::*;

/// The bytes of shared memory for keys of `bits` bits.
pub(crate) fn staged_bytes(units: u32, bits: u32) -> u32 {
    staged_len(units) * bits / 8 + (3 * units + 4) * 4
}

#[cube]
pub(super) fn overlay_staged<K: Int>(
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
    #[comptime] units: u32,
) {
    let mut staged = Shared::<[K]>::new_slice(comptime!(staged_len(units) as usize));
    let mut notes = Shared::<[u32]>::new_slice(comptime!(units as usize));
    // The first query of each unit, and its shift. The last two queries are those of the tile's end and of its start; in
    // place of their shifts stands how many entries of the older list come before them.
    let mut queries = Shared::<[u32]>::new_slice(comptime!(units as usize + 2));
    let mut shifts = Shared::<[u32]>::new_slice(comptime!(units as usize + 2));

    let tile = find::<K>(newer, older, segments, total, &mut queries, &mut shifts, units);
    stage::<K>(&tile, newer, older, segments, &queries, &mut staged);
    sync_cube();
    let step = min(UNIT_POS * STAGED_ITEMS, tile.len);
    let mut query = Query::of(segments, &tile, &queries, step);
    queries[UNIT_POS as usize] = query.number;
    shifts[UNIT_POS as usize] = query.shift;
    let before = query.older_before::<K>(segments, &tile, &staged, step);
    let mut heads = StagedHeads::<K>::at(&tile, &staged, step - before, before);
    let mut bits = 0u32;
    for item in 0..min(STAGED_ITEMS, tile.len - step) {
        if step + item == query.end {
            query.advance(segments, &tile, step + item);
        }
        let is_older = heads.is_older_next(&tile, query.newer_end, query.older_end);
        let mut bit = u32::cast_from(is_older);
        if marks {
            bit = mark_at(newer_values, tile.newer + heads.i);
            if is_older {
                bit = mark_at(older_values, tile.older + heads.j + query.shift);
            }
        }
        bits |= bit << item;
        heads.advance(&tile, &staged, is_older);
    }
    if marks {
        notes[UNIT_POS as usize] = bits;
        sync_cube();
        if 32 * UNIT_POS < tile.len {
            out_values[(tile.start / 32 + UNIT_POS) as usize] = joined(&notes, UNIT_POS);
        }
    } else {
        notes[UNIT_POS as usize] = note(bits, before);
        sync_cube();
        for item in 0..STAGED_ITEMS {
            let k = staged_at(item, units) as u32;
            if k < tile.len {
                let (is_older, before) = noted(&notes, k);
                out[(tile.start + k) as usize] = tile.key::<K>(&staged, is_older, k, before);
            }
        }
        if comptime!(words > 0) {
            for item in 0..comptime!(STAGED_ITEMS * words) {
                let word = staged_at(item, units) as u32;
                let k = word / words;
                if k < tile.len {
                    let (is_older, before) = noted(&notes, k);
                    let mut source = tile.newer + (k - before);
                    if is_older {
                        source = tile.older + before + shift_at(segments, &queries, &shifts, tile.start, k);
                    }
                    out_values[(tile.start * words + word) as usize] =
                        word_of(is_older, older_values, newer_values, source * words + word % words);
                }
            }
        }
    }
}

/// The cube's tile. Two units find its ends in both lists, and the queries there. All units of the cube must call it.
#[cube]
fn find<K: Int>(
    newer: &[K],
    older: &[K],
    segments: &[u32],
    total: u32,
    queries: &mut [u32],
    shifts: &mut [u32],
    #[comptime] units: u32,
) -> MergeTile {
    let start = min(CUBE_POS as u32 * comptime!(tile_len(units)), total);
    let len = min(comptime!(tile_len(units)), total - start);
    if UNIT_POS < 2 {
        // The query of the tile's last output, and that of its first.
        let at = start + (1 - UNIT_POS) * len;
        let query = query_of(segments, 3u32, at - min(at, 1 - UNIT_POS));
        let segment = 3 * query as usize;
        let newer_len = segments[segment + 4] - segments[segment + 1];
        let older_len = segments[segment + 3] - segments[segment] - newer_len;
        queries[(units + UNIT_POS) as usize] = query;
        shifts[(units + UNIT_POS) as usize] = older_offset(segments, query)
            + older_before::<K>(
                newer,
                older,
                segments[segment + 1],
                newer_len,
                segments[segment + 2],
                older_len,
                at - segments[segment],
            );
    }
    sync_cube();
    let end = shifts[comptime!(units as usize)];
    let before = shifts[comptime!(units as usize + 1)];
    MergeTile {
        start,
        len,
        newer: start - before,
        newer_len: len - (end - before),
        older: before,
        units,
        status: 0u32,
    }
}

/// Brings the tile's keys to shared memory. A barrier must follow.
#[cube]
fn stage<K: Int>(
    tile: &MergeTile,
    newer: &[K],
    older: &[K],
    segments: &[u32],
    queries: &[u32],
    staged: &mut [K],
) {
    let last = queries[comptime!(tile.units as usize)];
    let first = queries[comptime!(tile.units as usize + 1)];
    for item in 0..STAGED_ITEMS {
        let k = staged_at(item, tile.units) as u32;
        if k < tile.newer_len {
            staged[k as usize] = newer[(tile.newer + k) as usize];
        } else if k < tile.len {
            let j = k - tile.newer_len;
            let number = tile.older + j;
            let place = number + shift_of(segments, query_of_older(segments, first, last, number));
            staged[tile.older_slot(j) as usize] = older[place as usize];
        }
    }
}

/// The query of entry `number` of the older list, from `first` to `last`.
#[cube]
fn query_of_older(segments: &[u32], first: u32, last: u32, number: u32) -> u32 {
    let mut low = first;
    let mut high = last + 1;
    while low + 1 < high {
        let middle = low + (high - low) / 2;
        if older_offset(segments, middle) <= number {
            low = middle;
        } else {
            high = middle;
        }
    }
    low
}

/// The number of older entries of all queries before one.
#[cube]
fn older_offset(segments: &[u32], query: u32) -> u32 {
    segments[3 * query as usize] - segments[3 * query as usize + 1]
}

/// What leads from a number in the older list to the entry's place in the run. It may be negative, and wraps around.
#[cube]
fn shift_of(segments: &[u32], query: u32) -> u32 {
    segments[3 * query as usize + 2] - older_offset(segments, query)
}

/// The shift of the query that output `k` of a tile belongs to. The query is between the first of its unit and the first
/// of the next unit.
#[cube]
fn shift_at(segments: &[u32], queries: &[u32], shifts: &[u32], start: u32, k: u32) -> u32 {
    let unit = (k / STAGED_ITEMS) as usize;
    let mut shift = shifts[unit];
    if queries[unit] < queries[unit + 1] {
        let query = query_between(segments, 3u32, queries[unit], queries[unit + 1] + 1, start + k);
        shift = shift_of(segments, query);
    }
    shift
}

/// The query that a unit merges. Its ends are counted from the tile's start.
#[derive(CubeType)]
struct Query {
    number: u32,
    end: u32,
    newer_end: u32,
    older_end: u32,
    shift: u32,
}

#[cube]
impl Query {
    /// The query of the tile's output `step`.
    fn of(segments: &[u32], tile: &MergeTile, queries: &[u32], step: u32) -> Query {
        let last = queries[comptime!(tile.units as usize)];
        let first = queries[comptime!(tile.units as usize + 1)];
        let number = query_between(segments, 3u32, first, last + 1, tile.start + step);
        let mut query = Query { number, end: 0, newer_end: 0, older_end: 0, shift: 0 };
        query.enter(segments, tile);
        query
    }

    /// Continues with the query of output `step`, which is the first of its query.
    fn advance(&mut self, segments: &[u32], tile: &MergeTile, step: u32) {
        self.number = next_query(segments, 3u32, self.number, tile.start + step);
        self.enter(segments, tile);
    }

    fn enter(&mut self, segments: &[u32], tile: &MergeTile) {
        let next = 3 * (self.number + 1) as usize;
        self.end = segments[next] - tile.start;
        self.newer_end = min(segments[next + 1] - tile.newer, tile.newer_len);
        self.older_end = min(older_offset(segments, self.number + 1) - tile.older, tile.len - tile.newer_len);
        self.shift = shift_of(segments, self.number);
    }

    /// How many of the tile's first `step` outputs are older entries, if output `step` belongs to the query.
    fn older_before<K: Int>(&self, segments: &[u32], tile: &MergeTile, staged: &[K], step: u32) -> u32 {
        let segment = 3 * self.number as usize;
        let start = max(segments[segment], tile.start) - tile.start;
        let newer_start = max(segments[segment + 1], tile.newer) - tile.newer;
        let older_start = start - newer_start;
        let (newer_len, older_len) = (self.newer_end - newer_start, self.older_end - older_start);
        older_start
            + tile.older_before::<K>(staged, newer_start, newer_len, older_start, older_len, step - start)
    }
}
