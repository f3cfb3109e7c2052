//! A merge of four sorted lists in staged tiles, in one pass over memory where merges of two need two or three.
//!
//! The lists are called A, B, C, D; of equal keys, those of A come first. A cube merges A with B and C with D in shared
//! memory, and then both results. Notes of both steps tell where each output comes from.

use super::merging::{key_at, older_before};
use super::staged_merging::{MergeTile, UnitMerge, staged_len};
use super::staging::{note, noted, staged_at, tile_len};
use crate::tuning::STAGED_ITEMS;
use cubecl::prelude::*;

/// The bytes of shared memory for keys of `bits` bits, notes of both steps, and the ends of the tile.
pub(crate) fn four_bytes(units: u32, bits: u32) -> u32 {
    staged_len(units) * bits / 8 + (2 * units + 8) * 4
}

/// Where each list starts, and how many keys it has.
#[derive(CubeType)]
pub(crate) struct Four {
    pub(crate) a: u32,
    pub(crate) b: u32,
    pub(crate) c: u32,
    pub(crate) d: u32,
    pub(crate) a_len: u32,
    pub(crate) b_len: u32,
    pub(crate) c_len: u32,
    pub(crate) d_len: u32,
}

/// How many keys of each list are among the first of all.
#[derive(CubeType)]
pub(crate) struct Split {
    a: u32,
    b: u32,
    c: u32,
    d: u32,
}

#[cube]
impl Four {
    pub(crate) fn len(&self) -> u32 {
        self.a_len + self.b_len + self.c_len + self.d_len
    }

    /// Finds how many keys of each list are among the first `step` of all.
    ///
    /// The number of each list lies in a range, whose middle key is looked at. If the largest of these keys were among
    /// the first, so were all keys up to the middles. If these are too many, the upper half of its range is out. If they
    /// are not, the smallest of the middle keys is among the first, and the lower half of its range is out.
    pub(crate) fn split<K: Int>(&self, a: &[K], b: &[K], c: &[K], d: &[K], step: u32) -> Split {
        let mut starts = Array::<u32>::new(4usize);
        let mut low = Array::<u32>::new(4usize);
        let mut high = Array::<u32>::new(4usize);
        let mut middle = Array::<K>::new(4usize);
        starts[0] = self.a;
        starts[1] = self.b;
        starts[2] = self.c;
        starts[3] = self.d;
        high[0] = self.a_len;
        high[1] = self.b_len;
        high[2] = self.c_len;
        high[3] = self.d_len;
        let all = self.len();
        #[unroll]
        for list in 0..4usize {
            let others = all - high[list];
            low[list] = step - min(step, others);
            high[list] = min(step, high[list]);
        }
        middle[0] = key_at::<K>(a, starts[0] + middle_of(low[0], high[0]));
        middle[1] = key_at::<K>(b, starts[1] + middle_of(low[1], high[1]));
        middle[2] = key_at::<K>(c, starts[2] + middle_of(low[2], high[2]));
        middle[3] = key_at::<K>(d, starts[3] + middle_of(low[3], high[3]));
        let mut open = true.runtime();
        while open {
            let mut up_to_middles = 0u32;
            let mut smallest = 4u32;
            let mut largest = 4u32;
            let mut smallest_key = K::max_value();
            let mut largest_key = K::min_value();
            #[unroll]
            for list in 0..4usize {
                let key = middle[list];
                let is_open = low[list] < high[list];
                up_to_middles += middle_of(low[list], high[list]) + u32::cast_from(is_open);
                if is_open && (smallest == 4 || key < smallest_key) {
                    smallest = u32::cast_from(list);
                    smallest_key = key;
                }
                if is_open && (largest == 4 || key >= largest_key) {
                    largest = u32::cast_from(list);
                    largest_key = key;
                }
            }
            open = smallest < 4;
            let is_too_many = step < up_to_middles;
            let changed = select(is_too_many, largest, smallest);
            let mut at = 0u32;
            #[unroll]
            for list in 0..4usize {
                if changed == u32::cast_from(list) {
                    let half = middle_of(low[list], high[list]);
                    low[list] = select(is_too_many, low[list], half + 1);
                    high[list] = select(is_too_many, half, high[list]);
                    at = starts[list] + middle_of(low[list], high[list]);
                }
            }
            let key = key_of::<K>(a, b, c, d, changed, at);
            #[unroll]
            for list in 0..4usize {
                if changed == u32::cast_from(list) {
                    middle[list] = key;
                }
            }
        }
        Split { a: low[0], b: low[1], c: low[2], d: low[3] }
    }
}

#[cube]
impl Split {
    /// Writes the numbers to `ends`, from `at` on.
    pub(crate) fn leave(&self, ends: &mut [u32], at: u32) {
        ends[at as usize] = self.a;
        ends[(at + 1) as usize] = self.b;
        ends[(at + 2) as usize] = self.c;
        ends[(at + 3) as usize] = self.d;
    }
}

/// The middle of a range. Its ends together may not fit 32 bits.
#[cube]
fn middle_of(low: u32, high: u32) -> u32 {
    low + (high - low) / 2
}

/// Key `at` of a list, or the largest key behind its end.
#[cube]
fn key_of<K: Int>(a: &[K], b: &[K], c: &[K], d: &[K], list: u32, at: u32) -> K {
    if list < 2 {
        if list == 0 { key_at::<K>(a, at) } else { key_at::<K>(b, at) }
    } else {
        if list == 2 { key_at::<K>(c, at) } else { key_at::<K>(d, at) }
    }
}

/// A tile of the output: its length, where its keys of each list start, and how many of each there are, except of B,
/// which has the rest.
#[derive(CubeType)]
pub(crate) struct FourTile {
    pub(crate) len: u32,
    pub(crate) a_at: u32,
    pub(crate) b_at: u32,
    pub(crate) c_at: u32,
    pub(crate) d_at: u32,
    pub(crate) a: u32,
    pub(crate) c: u32,
    pub(crate) d: u32,
    /// The number of units in a cube.
    #[cube(comptime)]
    pub(crate) units: u32,
}

/// Where an entry is: in A or B, or else in C or D; in the second of these two; and where there.
#[derive(CubeType)]
pub(crate) struct Place {
    pub(crate) is_older: bool,
    pub(crate) is_second: bool,
    pub(crate) at: u32,
}

#[cube]
impl FourTile {
    /// The tile between two splits.
    pub(crate) fn between(four: &Four, ends: &[u32], len: u32, #[comptime] units: u32) -> FourTile {
        FourTile {
            len,
            a_at: four.a + ends[0],
            b_at: four.b + ends[1],
            c_at: four.c + ends[2],
            d_at: four.d + ends[3],
            a: ends[4] - ends[0],
            c: ends[6] - ends[2],
            d: ends[7] - ends[3],
            units,
        }
    }

    /// Brings the tile's keys to shared memory: those of C, D, A and B. A barrier must follow.
    pub(crate) fn stage<K: Int>(&self, a: &[K], b: &[K], c: &[K], d: &[K], staged: &mut [K]) {
        for item in 0..STAGED_ITEMS {
            let k = staged_at(item, self.units) as u32;
            if k < self.len {
                let place = self.unmerged(k);
                staged[k as usize] = one_of::<K>(&place, a, b, c, d, place.at);
            }
        }
    }

    /// Where staged key `k` comes from.
    fn unmerged(&self, k: u32) -> Place {
        let pair = self.c + self.d;
        let is_older = k >= pair;
        let firsts = select(is_older, pair + self.a, self.c);
        let is_second = k >= firsts;
        let before = select(is_older, self.d, 0);
        self.place(k, is_second, select(is_second, before + (k - min(k, firsts)), before))
    }

    /// Where key `k` of the merged pairs comes from, first those of C and D, if `seconds` keys of D and B come before it.
    fn place(&self, k: u32, is_second: bool, seconds: u32) -> Place {
        let is_older = k >= self.c + self.d;
        let firsts = k - seconds;
        let older = select(is_second, self.b_at + (seconds - self.d), self.a_at + (firsts - self.c));
        let newer = select(is_second, self.d_at + seconds, self.c_at + firsts);
        Place { is_older, is_second, at: select(is_older, older, newer) }
    }

    /// Merges C with D, and A with B; then both results. Leaves notes of both steps, and the keys as the second step finds
    /// them. With `counts`, it counts equal keys, for which the key before the tile must be staged. A barrier must follow.
    pub(crate) fn merge<K: Int>(
        &self,
        staged: &mut [K],
        pair_notes: &mut [u32],
        notes: &mut [u32],
        #[comptime] counts: bool,
    ) -> UnitMerge {
        let mut own = Array::<K>::new(comptime!(STAGED_ITEMS as usize));
        pair_notes[UNIT_POS as usize] = self.merge_pairs::<K>(&*staged, &mut own);
        sync_cube();
        let pairs = self.pairs();
        let first = UNIT_POS * STAGED_ITEMS;
        #[unroll]
        for item in 0..STAGED_ITEMS {
            let k = first + item;
            if k < pairs.newer_len {
                staged[k as usize] = own[item as usize];
            } else if k < self.len {
                staged[pairs.older_slot(k - pairs.newer_len) as usize] = own[item as usize];
            }
        }
        sync_cube();
        pairs.merge::<K>(&*staged, notes, counts)
    }

    /// The second step, as a merge of two lists.
    fn pairs(&self) -> MergeTile {
        let units = self.units;
        MergeTile {
            start: 0,
            len: self.len,
            newer: 0,
            newer_len: self.c + self.d,
            older: 0,
            units,
            status: 0u32,
        }
    }

    /// Merges the unit's part of C with D, and of A with B, and returns the note on it.
    fn merge_pairs<K: Int>(&self, staged: &[K], own: &mut Array<K>) -> u32 {
        let pair = self.c + self.d;
        let step = min(UNIT_POS * STAGED_ITEMS, self.len);
        let is_older = step >= pair;
        let first_start = select(is_older, pair, 0);
        let mut second_start = select(is_older, pair + self.a, self.c);
        let mut end = select(is_older, self.len, pair);
        let taken = older_before::<K>(
            staged,
            staged,
            second_start,
            end - second_start,
            first_start,
            second_start - first_start,
            step - first_start,
        );
        let mut i = first_start + taken;
        let mut j = second_start + (step - first_start - taken);
        let before = select(is_older, self.d, 0) + (j - second_start);
        let last = comptime!(tile_len(self.units));
        let mut first_key = staged[min(i, last) as usize];
        let mut second_key = staged[min(j, last) as usize];
        let mut bits = 0u32;
        #[unroll]
        for item in 0..STAGED_ITEMS {
            if step + item == pair {
                i = pair;
                j = pair + self.a;
                second_start = j;
                end = self.len;
                first_key = staged[min(i, last) as usize];
                second_key = staged[min(j, last) as usize];
            }
            let is_second = j < end && (i == second_start || second_key < first_key);
            own[item as usize] = select(is_second, second_key, first_key);
            bits |= u32::cast_from(is_second) << item;
            i += u32::cast_from(!is_second);
            j += u32::cast_from(is_second);
            let next = staged[min(select(is_second, j, i), last) as usize];
            first_key = select(is_second, first_key, next);
            second_key = select(is_second, next, second_key);
        }
        note(bits, before)
    }

    /// Where output `k` comes from.
    pub(crate) fn source(&self, pair_notes: &[u32], notes: &[u32], k: u32) -> Place {
        let (is_older, before) = noted(notes, k);
        let merged = select(is_older, self.c + self.d + before, k - before);
        let (is_second, seconds) = noted(pair_notes, merged);
        self.place(merged, is_second, seconds)
    }

    /// The key of output `k`, as [`merge`](Self::merge) left it.
    pub(crate) fn key<K: Int>(&self, staged: &[K], notes: &[u32], k: u32) -> K {
        let (is_older, before) = noted(notes, k);
        self.pairs().key::<K>(staged, is_older, k, before)
    }
}

/// Element `at` of the list of a place.
#[cube]
pub(crate) fn one_of<T: CubePrimitive>(place: &Place, a: &[T], b: &[T], c: &[T], d: &[T], at: u32) -> T {
    if place.is_older {
        if place.is_second { b[at as usize] } else { a[at as usize] }
    } else {
        if place.is_second { d[at as usize] } else { c[at as usize] }
    }
}
