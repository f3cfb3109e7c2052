//! expand: the entries in each query's interval, one query after the other.
//!
//! Input    keys of a run, with their values as words; starts: where each query's interval starts; offsets: the running
//!          sums of the intervals' lengths
//! Output   out_keys, out_values, as many as there is room for; or out_marks, one bit per entry
//! Launch   direct, and for marks: one unit per MERGE_ITEMS outputs; staged: one cube per tile of the output. Work is
//!          spread evenly over entries, however unequal the queries are
//! Steps    a binary search for the first output's query; when a query's entries end, a short search ahead for the
//!          next. In staged tiles a unit leaves the sources of its outputs in shared memory
//! Cost     reads and writes every key and value once
//! Twin     host/expand.rs

use super::shared::queries::{next_query, query_of};
use super::shared::staging::{staged_at, tile_len};
use super::shared::values::copy_value;
use crate::gpu::axes::Tiles;
use crate::tuning::{MERGE_ITEMS, STAGED_ITEMS};
use cubecl::prelude::*;

#[cube(launch_unchecked, create_dummy_kernel)]
pub(crate) fn expand<K: Int>(
    keys: &[K],
    values: &[u32],
    starts: &[u32],
    offsets: &[u32],
    out_keys: &mut [K],
    out_values: &mut [u32],
    #[comptime] words: u32,
    #[comptime] units: u32,
    #[comptime] tiles: Tiles,
) {
    let total = min(offsets[offsets.len() - 1] as usize, out_keys.len());
    if comptime!(tiles == Tiles::Staged) {
        expand_staged::<K>(keys, values, starts, offsets, out_keys, out_values, total, words, units);
    } else {
        let first = ABSOLUTE_POS * MERGE_ITEMS as usize;
        if first < total {
            let mut sources = Sources::at(starts, offsets, first as u32);
            for item in 0..MERGE_ITEMS {
                let out = first + item as usize;
                if out < total {
                    let source = sources.of(starts, offsets, out as u32);
                    out_keys[out] = keys[source as usize];
                    copy_value(values, source, out_values, out as u32, words);
                }
            }
        }
    }
}

#[cube]
fn expand_staged<K: Int>(
    keys: &[K],
    values: &[u32],
    starts: &[u32],
    offsets: &[u32],
    out_keys: &mut [K],
    out_values: &mut [u32],
    total: usize,
    #[comptime] words: u32,
    #[comptime] units: u32,
) {
    let mut tile = Shared::<[u32]>::new_slice(comptime!(tile_len(units) as usize));
    let start = CUBE_POS * comptime!(tile_len(units) as usize);
    let mine = (UNIT_POS * STAGED_ITEMS) as usize;
    if start + mine < total {
        let mut sources = Sources::at(starts, offsets, (start + mine) as u32);
        for item in 0..STAGED_ITEMS {
            let k = mine + item as usize;
            if start + k < total {
                tile[k] = sources.of(starts, offsets, (start + k) as u32);
            }
        }
    }
    sync_cube();
    let len = min(total - min(start, total), comptime!(tile_len(units) as usize)) as u32;
    for round in 0..len.div_ceil(units) {
        let k = staged_at(round, units);
        if start + k < total {
            out_keys[start + k] = keys[tile[k] as usize];
        }
    }
    if comptime!(words > 0) {
        for round in 0..(len * words).div_ceil(units) {
            let word = staged_at(round, units);
            let k = word / comptime!(words as usize);
            if start + k < total {
                let at = tile[k] as usize * comptime!(words as usize) + word % comptime!(words as usize);
                out_values[start * comptime!(words as usize) + word] = values[at];
            }
        }
    }
}

/// The marks of the entries that [`expand`] lays out. Each unit writes one word of them: that is side by side. It reads
/// most marks together with their neighbours, as a word.
#[cube(launch_unchecked, create_dummy_kernel)]
pub(crate) fn expand_marks(bits: &[u32], starts: &[u32], offsets: &[u32], out_marks: &mut [u32]) {
    let first = ABSOLUTE_POS * MERGE_ITEMS as usize;
    let total = min(offsets[offsets.len() - 1] as usize, 32 * out_marks.len());
    if first < total {
        let mut sources = Sources::at(starts, offsets, first as u32);
        let mut at = sources.of(starts, offsets, first as u32) / 32;
        let mut word = bits[at as usize];
        let mut mine = 0u32;
        for bit in 0..MERGE_ITEMS {
            let out = first + bit as usize;
            if out < total {
                let source = sources.of(starts, offsets, out as u32);
                if source / 32 != at {
                    at = source / 32;
                    word = bits[at as usize];
                }
                mine |= ((word >> (source % 32)) & 1) << bit;
            }
        }
        out_marks[ABSOLUTE_POS] = mine;
    }
}

/// The sources of neighbouring outputs, one after the other: the query of the last one, where its entries end in the
/// output, and how far its sources are from its outputs.
#[derive(CubeType)]
struct Sources {
    query: u32,
    end: u32,
    distance: u32,
}

#[cube]
impl Sources {
    /// From output `first` on.
    fn at(starts: &[u32], offsets: &[u32], first: u32) -> Sources {
        let query = query_of(offsets, 1u32, first);
        let distance = starts[query as usize] - offsets[query as usize];
        Sources { query, end: offsets[query as usize + 1], distance }
    }

    /// The source of output `out`, the first one or the one after the last.
    fn of(&mut self, starts: &[u32], offsets: &[u32], out: u32) -> u32 {
        if self.end <= out {
            self.query = next_query(offsets, 1u32, self.query, out);
            self.end = offsets[self.query as usize + 1];
            self.distance = starts[self.query as usize] - offsets[self.query as usize];
        }
        self.distance + out
    }
}
