//! outside: marks the points that are outside of their rectangle, and joins the intervals of each rectangle.
//!
//! Input    keys: codes of points, those of one interval after the other; marks: one bit per point, or none; offsets: where
//!          each interval's points start, and where the last one's end; lower, upper: the corners of each rectangle, as
//!          codes
//! Output   out: the same for each rectangle; or the marks, with one for each point outside, and for those past the last
//! Launch   for offsets one unit per rectangle and one more; for marks, direct: one unit per word; staged: one cube per tile
//!          of points
//! Steps    for marks, a binary search for the first point's rectangle; when a rectangle's points end, a short search ahead
//!          for the next. In staged tiles a unit leaves the rectangles of its points in shared memory
//! Cost     reads every point once, and writes a bit for it
//! Twin     host/outside.rs

use super::shared::marks::mark_at;
use super::shared::packing::store_flags;
use super::shared::points::is_in;
use super::shared::queries::{next_query, query_of};
use super::shared::staging::{staged_at, tile_len};
use crate::gpu::axes::Tiles;
use crate::tuning::{COVER_INTERVALS, MERGE_ITEMS, STAGED_ITEMS};
use cubecl::prelude::*;

#[cube(launch_unchecked, create_dummy_kernel)]
pub(crate) fn outside_offsets(offsets: &[u32], out: &mut [u32]) {
    if ABSOLUTE_POS < out.len() {
        out[ABSOLUTE_POS] = offsets[ABSOLUTE_POS * COVER_INTERVALS];
    }
}

/// `offsets`: where each rectangle's points start, and where the last one's end.
#[cube(launch_unchecked, create_dummy_kernel)]
pub(crate) fn outside_marks<K: Int>(
    keys: &[K],
    marks: &[u32],
    offsets: &[u32],
    lower: &[K],
    upper: &[K],
    out: &mut [u32],
    #[comptime] units: u32,
    #[comptime] tiles: Tiles,
) {
    let total = min(offsets[offsets.len() - 1] as usize, keys.len());
    if comptime!(tiles == Tiles::Staged) {
        outside_staged::<K>(keys, marks, offsets, lower, upper, out, total, units);
    } else if ABSOLUTE_POS < out.len() {
        let first = ABSOLUTE_POS * MERGE_ITEMS as usize;
        let mut mine = 0u32;
        if ABSOLUTE_POS < marks.len() {
            mine = marks[ABSOLUTE_POS];
        }
        let mut owner = Owner::at(offsets, first, total);
        for bit in 0..MERGE_ITEMS {
            let i = first + bit as usize;
            if i < total {
                let rectangle = owner.of(offsets, i) as usize;
                let is_in = is_in::<K>(keys[i], lower[rectangle], upper[rectangle]);
                mine |= u32::cast_from(!is_in) << bit;
            } else if i < keys.len() {
                mine |= 1 << bit;
            }
        }
        out[ABSOLUTE_POS] = mine;
    }
}

#[cube]
fn outside_staged<K: Int>(
    keys: &[K],
    marks: &[u32],
    offsets: &[u32],
    lower: &[K],
    upper: &[K],
    out: &mut [u32],
    total: usize,
    #[comptime] units: u32,
) {
    // First the rectangle of each point, then its flag.
    let mut tile = Shared::<[u32]>::new_slice(comptime!(tile_len(units) as usize));
    let start = CUBE_POS * comptime!(tile_len(units) as usize);
    let mine = (UNIT_POS * STAGED_ITEMS) as usize;
    let mut owner = Owner::at(offsets, start + mine, total);
    for item in 0..STAGED_ITEMS {
        let k = mine + item as usize;
        if start + k < total {
            tile[k] = owner.of(offsets, start + k);
        }
    }
    sync_cube();
    #[unroll]
    for item in 0..STAGED_ITEMS {
        let k = staged_at(item, units);
        let i = start + k;
        let mut flag = u32::cast_from(i < keys.len());
        if i < total {
            let rectangle = tile[k] as usize;
            let is_in = is_in::<K>(keys[i], lower[rectangle], upper[rectangle]);
            flag = u32::cast_from(!is_in) | mark_at(marks, i as u32);
        }
        tile[k] = flag;
    }
    store_flags(&tile, out, units);
}

/// The rectangles of neighbouring points, one after the other: that of the last one, and where its points end.
#[derive(CubeType)]
struct Owner {
    rectangle: u32,
    end: usize,
}

#[cube]
impl Owner {
    /// From point `first` on. If it is past the last one, no point may be asked for.
    fn at(offsets: &[u32], first: usize, total: usize) -> Owner {
        let mut rectangle = 0u32;
        let mut end = 0;
        if first < total {
            rectangle = query_of(offsets, 1u32, first as u32);
            end = offsets[rectangle as usize + 1] as usize;
        }
        Owner { rectangle, end }
    }

    /// The rectangle of point `i`, the first one or the one after the last.
    fn of(&mut self, offsets: &[u32], i: usize) -> u32 {
        if self.end <= i {
            self.rectangle = next_query(offsets, 1u32, self.rectangle, i as u32);
            self.end = offsets[self.rectangle as usize + 1] as usize;
        }
        self.rectangle
    }
}
