//! A merge of two sorted lists in staged tiles: a cube brings its tile's part of both lists to shared memory, and merges
//! there.
//!
//! The newer keys ascend from the start of the shared array, and the older ones descend from its end. So the keys of
//! neighbouring outputs lie in different banks, from whichever lists they come: of 32 outputs, the newer ones take some
//! banks upwards, and the older ones the others downwards, as the tile has a multiple of 32 keys.
//!
//! A unit's note on its outputs says which of them are older entries. From the notes every unit can tell which entry
//! becomes which output, so all units write the tile side by side.
//!
//! Source  Green, McColl, Bader 2012; Berney, Sitchinava 2025, for the opposite directions

use super::merging::{older_before_by, rank};
use super::staging::{note, noted, staged_at, tile_len};
use super::values::word_of;
use crate::tuning::STAGED_ITEMS;
use cubecl::prelude::*;

/// The length of the shared array of a tile's keys. The last one is the key before the tile.
pub(crate) fn staged_len(units: u32) -> u32 {
    tile_len(units) + 1
}

/// The length of the shared array of notes. The last two are the tile's ends.
pub(crate) fn notes_len(units: u32) -> u32 {
    units + 2
}

/// The bytes of shared memory for keys of `bits` bits and notes.
pub(crate) fn staged_bytes(units: u32, bits: u32) -> u32 {
    staged_len(units) * bits / 8 + notes_len(units) * 4
}

/// Two stretches that are merged: where they start, and where their merged entries start in the output.
#[derive(CubeType)]
pub(crate) struct Stretches {
    pub(crate) newer: u32,
    pub(crate) newer_len: u32,
    pub(crate) older: u32,
    pub(crate) older_len: u32,
    pub(crate) out: u32,
}

/// A tile of the output: where it starts there, where its entries start in both lists, and how many these are.
#[derive(CubeType)]
pub(crate) struct MergeTile {
    pub(crate) start: u32,
    pub(crate) len: u32,
    pub(crate) newer: u32,
    pub(crate) newer_len: u32,
    pub(crate) older: u32,
    /// The number of units in a cube.
    #[cube(comptime)]
    pub(crate) units: u32,
    /// The number of lower bits by which keys are not ordered.
    #[cube(comptime)]
    pub(crate) status: u32,
}

/// A unit's part of a tile: how many newer and older entries of the tile come before it, which of its outputs are older
/// entries, a bit each, and how many equal the output before.
#[derive(CubeType)]
pub(crate) struct UnitMerge {
    pub(crate) newer: u32,
    pub(crate) older: u32,
    pub(crate) bits: u32,
    pub(crate) equal: u32,
}

#[cube]
impl MergeTile {
    /// The tile that starts at output `start`, or at the end. Two units find its ends in both stretches. All units of the
    /// cube must call it.
    pub(crate) fn find<K: Int>(
        newer: &[K],
        older: &[K],
        stretches: &Stretches,
        start: u32,
        notes: &mut [u32],
        #[comptime] units: u32,
        #[comptime] status: u32,
    ) -> MergeTile {
        let end = stretches.out + stretches.newer_len + stretches.older_len;
        let start = min(start, end);
        let len = min(comptime!(tile_len(units)), end - start);
        let step = start - stretches.out;
        if UNIT_POS < 2 {
            notes[(units + UNIT_POS) as usize] = older_before_by::<K>(
                newer,
                older,
                stretches.newer,
                stretches.newer_len,
                stretches.older,
                stretches.older_len,
                step + UNIT_POS * len,
                status,
            );
        }
        sync_cube();
        let before = notes[comptime!(units as usize)];
        let older_len = notes[comptime!(units as usize + 1)] - before;
        MergeTile {
            start,
            len,
            newer: stretches.newer + (step - before),
            newer_len: len - older_len,
            older: stretches.older + before,
            units,
            status,
        }
    }

    /// Brings the tile's keys to shared memory. A barrier must follow.
    pub(crate) fn stage<K: Int>(&self, newer: &[K], older: &[K], staged: &mut [K]) {
        for item in 0..STAGED_ITEMS {
            let k = staged_at(item, self.units) as u32;
            if k < self.newer_len {
                staged[k as usize] = newer[(self.newer + k) as usize];
            } else if k < self.len {
                let j = k - self.newer_len;
                staged[self.older_slot(j) as usize] = older[(self.older + j) as usize];
            }
        }
    }

    /// Merges the unit's part of the tile, and leaves a note on it. With `counts`, it counts equal keys, for which the
    /// key before the tile must be staged. A barrier must follow.
    pub(crate) fn merge<K: Int>(
        &self,
        staged: &[K],
        notes: &mut [u32],
        #[comptime] counts: bool,
    ) -> UnitMerge {
        let older_len = self.len - self.newer_len;
        let step = min(UNIT_POS * STAGED_ITEMS, self.len);
        let first = self.older_before::<K>(staged, 0, self.newer_len, 0, older_len, step);
        let mut heads = StagedHeads::<K>::at(self, staged, step - first, first);
        let mut before = K::max_value();
        if counts {
            before = self.key_before::<K>(staged, step - first, first);
        }
        let mut bits = 0u32;
        let mut equal = 0u32;
        #[unroll]
        for item in 0..STAGED_ITEMS {
            let is_older = heads.is_older_next(self, self.newer_len, older_len);
            if counts {
                let key = select(is_older, heads.older, heads.newer);
                equal += u32::cast_from(step + item < self.len && key == before);
                before = key;
            }
            bits |= u32::cast_from(is_older) << item;
            heads.advance(self, staged, is_older);
        }
        notes[UNIT_POS as usize] = note(bits, first);
        UnitMerge { newer: step - first, older: first, bits, equal }
    }

    /// Writes the tile's keys.
    pub(crate) fn write_keys<K: Int>(&self, staged: &[K], notes: &[u32], out: &mut [K]) {
        for item in 0..STAGED_ITEMS {
            let k = staged_at(item, self.units) as u32;
            if k < self.len {
                let (is_older, before) = noted(notes, k);
                out[(self.start + k) as usize] = self.key::<K>(staged, is_older, k, before);
            }
        }
    }

    /// Writes the tile's values, word by word.
    pub(crate) fn write_values(
        &self,
        notes: &[u32],
        newer: &[u32],
        older: &[u32],
        out: &mut [u32],
        #[comptime] words: u32,
    ) {
        if comptime!(words > 0) {
            for item in 0..comptime!(STAGED_ITEMS * words) {
                let word = staged_at(item, self.units) as u32;
                let k = word / words;
                if k < self.len {
                    let (is_older, before) = noted(notes, k);
                    let source = self.source(is_older, k, before) * words + word % words;
                    out[(self.start * words + word) as usize] = word_of(is_older, older, newer, source);
                }
            }
        }
    }

    /// The key of output `k`, if `before` older entries of the tile come before it.
    pub(crate) fn key<K: Int>(&self, staged: &[K], is_older: bool, k: u32, before: u32) -> K {
        staged[select(is_older, self.older_slot(before), k - before) as usize]
    }

    /// Where output `k` is in its list, if `before` older entries of the tile come before it.
    pub(crate) fn source(&self, is_older: bool, k: u32, before: u32) -> u32 {
        select(is_older, self.older + before, self.newer + (k - before))
    }

    /// Where the tile's older key `j` is staged.
    pub(crate) fn older_slot(&self, j: u32) -> u32 {
        comptime!(tile_len(self.units) - 1) - j
    }

    /// How many of the first `step` outputs of two stretches of the tile are older entries.
    pub(crate) fn older_before<K: Int>(
        &self,
        staged: &[K],
        newer_start: u32,
        newer_len: u32,
        older_start: u32,
        older_len: u32,
        step: u32,
    ) -> u32 {
        let mut low = step - min(step, newer_len);
        let mut high = min(step, older_len);
        while low < high {
            let middle = low + (high - low) / 2;
            let newer_key = staged[(newer_start + (step - 1 - middle)) as usize];
            let older_key = staged[self.older_slot(older_start + middle) as usize];
            if rank::<K>(older_key, self.status) <= rank::<K>(newer_key, self.status) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        low
    }

    /// The largest of the tile's first `i` newer and `j` older keys. If both are 0, the key before the tile.
    fn key_before<K: Int>(&self, staged: &[K], i: u32, j: u32) -> K {
        let mut before = staged[comptime!(tile_len(self.units) as usize)];
        if i > 0 {
            before = staged[(i - 1) as usize];
        }
        if j > 0 {
            let last = staged[self.older_slot(j - 1) as usize];
            before = select(i == 0 || last > before, last, before);
        }
        before
    }

    /// The marks of a unit's outputs, given those of both sides from the unit's first entries on.
    pub(crate) fn marks(&self, mine: &UnitMerge, newer: u32, older: u32) -> u32 {
        let mut newer = newer;
        let mut older = older;
        let mut marks = 0u32;
        let end = self.len - (mine.newer + mine.older);
        #[unroll]
        for item in 0..STAGED_ITEMS {
            let is_older = (mine.bits >> item) & 1;
            let mark = select(is_older == 1, older, newer) & 1;
            marks |= select(item < end, mark, 0) << item;
            older >>= is_older;
            newer >>= 1 - is_older;
        }
        marks
    }
}

/// The positions of a merge in a staged tile, and the keys there, so that each step reads only one key.
#[derive(CubeType)]
pub(crate) struct StagedHeads<K: Int> {
    pub(crate) i: u32,
    pub(crate) j: u32,
    pub(crate) newer: K,
    pub(crate) older: K,
}

#[cube]
impl<K: Int> StagedHeads<K> {
    /// After `i` newer and `j` older entries of the tile.
    pub(crate) fn at(tile: &MergeTile, staged: &[K], i: u32, j: u32) -> StagedHeads<K> {
        let newer = staged[within(tile, i) as usize];
        let older = staged[within(tile, tile.older_slot(j)) as usize];
        StagedHeads::<K> { i, j, newer, older }
    }

    /// Whether the next entry is an older one: if its key is not larger than the newer one's, or no newer entry is left.
    pub(crate) fn is_older_next(&self, tile: &MergeTile, newer_end: u32, older_end: u32) -> bool {
        let is_not_larger = rank::<K>(self.older, tile.status) <= rank::<K>(self.newer, tile.status);
        self.j < older_end && (self.i == newer_end || is_not_larger)
    }

    pub(crate) fn advance(&mut self, tile: &MergeTile, staged: &[K], is_older: bool) {
        self.i += u32::cast_from(!is_older);
        self.j += u32::cast_from(is_older);
        let next = staged[within(tile, select(is_older, tile.older_slot(self.j), self.i)) as usize];
        self.newer = select(is_older, self.newer, next);
        self.older = select(is_older, next, self.older);
    }
}

/// A place in the shared array. A key past the end of its list is never used, so any place will do for it.
#[cube]
fn within(tile: &MergeTile, place: u32) -> u32 {
    min(place, comptime!(tile_len(tile.units)))
}
