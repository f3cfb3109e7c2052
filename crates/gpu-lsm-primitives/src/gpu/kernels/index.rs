//! index: divides a run's key range into equal parts, and says where the keys of each part start, so that a search
//! begins close to its key. Each part has a filter, so that most searches for absent keys read no key at all.
//!
//! Input    keys: strictly ascending; count: how many of them there are; or, with `only_if`, the condition; or none
//! Output   index: see `entries.rs`
//! Launch   for each part, and one more: one unit or, in staged tiles, one unit per word of a record
//! Steps    search for the start and the end of the part, then add its keys to the filter. If they are too many for a
//!          filter, this is skipped, so that no unit works for long. In staged tiles the units of a part take turns with
//!          its keys, and then each puts one word together
//! Cost     reads every key once, and about log2 of all keys per part, mostly the same ones for neighbouring units;
//!          writes INDEX_WORDS words per part
//! Twin     host/index.rs      Source  Bloom 1970

use super::shared::filter::{filter_bits, filter_word, hash};
use super::shared::searching::lower_bound_within;
use crate::entries::{FILTER_WORDS, INDEX_WORDS};
use crate::gpu::axes::Tiles;
use crate::tuning::FILTER_KEYS;
use cubecl::prelude::*;

/// As `only_if`: there is no condition, and the count is the number of keys.
pub(crate) const ANY: u32 = u32::MAX;

/// The bytes of shared memory of a cube that builds staged.
pub(crate) fn shared_bytes(units: u32) -> u32 {
    (parts_of_cube(units) + 1 + units * FILTER_WORDS) * 4
}

fn parts_of_cube(units: u32) -> u32 {
    units / INDEX_WORDS
}

/// `only_if`: if the count is a different number, nothing is written. `parts`: the most parts that there may be, at
/// least 2.
#[cube(launch_unchecked, create_dummy_kernel)]
pub(crate) fn index<K: Int>(
    keys: &[K],
    count: &[u32],
    index: &mut [u32],
    count_at: u32,
    only_if: u32,
    parts: u32,
    #[comptime] units: u32,
    #[comptime] tiles: Tiles,
) {
    let mut len = keys.len() as u32;
    let mut is_needed = true;
    if (count_at as usize) < count.len() {
        if only_if == ANY {
            len = count[count_at as usize];
        } else {
            is_needed = count[count_at as usize] == only_if;
        }
    }
    if comptime!(tiles == Tiles::Staged) {
        build_staged::<K>(keys, len, index, parts, is_needed, units);
    } else {
        build_direct::<K>(keys, len, index, parts, is_needed);
    }
}

#[cube]
fn build_direct<K: Int>(keys: &[K], len: u32, index: &mut [u32], parts: u32, is_needed: bool) {
    let part = ABSOLUTE_POS as u32;
    if is_needed && part <= parts {
        let division = Division::<K>::of(keys, len, parts);
        let start = division.start(keys, part);
        let mut end = len;
        if part < division.last {
            end = next_bound::<K>(keys, division.bound(part + 1), start, len);
        }
        let mut filter = Array::<u32>::new(comptime!(FILTER_WORDS as usize));
        collect::<K>(keys, start, end, 0u32, &mut filter, 1u32);
        index[((part + 1) * INDEX_WORDS) as usize] = start;
        #[unroll]
        for word in 0..FILTER_WORDS {
            index[((part + 1) * INDEX_WORDS + 1 + word) as usize] = filter[word as usize];
        }
        if part == 0 {
            write_head(index, division.shift);
        }
    }
}

#[cube]
fn build_staged<K: Int>(
    keys: &[K],
    len: u32,
    index: &mut [u32],
    parts: u32,
    is_needed: bool,
    #[comptime] units: u32,
) {
    let each = comptime!(parts_of_cube(units));
    let mut starts = Shared::<[u32]>::new_slice(comptime!(each as usize + 1));
    let mut filters = Shared::<[u32]>::new_slice(comptime!((units * FILTER_WORDS) as usize));
    let first = CUBE_POS as u32 * each;
    if is_needed && UNIT_POS <= each {
        let division = Division::<K>::of(keys, len, parts);
        starts[UNIT_POS as usize] = division.start(keys, first + UNIT_POS);
        if first + UNIT_POS == 0 {
            write_head(index, division.shift);
        }
    }
    sync_cube();
    let group = UNIT_POS / INDEX_WORDS;
    let member = UNIT_POS % INDEX_WORDS;
    let part = first + group;
    if is_needed && part <= parts {
        let mut filter = Array::<u32>::new(comptime!(FILTER_WORDS as usize));
        let (start, end) = (starts[group as usize], starts[group as usize + 1]);
        collect::<K>(keys, start, end, member, &mut filter, INDEX_WORDS);
        #[unroll]
        for word in 0..FILTER_WORDS {
            filters[(UNIT_POS * FILTER_WORDS + word) as usize] = filter[word as usize];
        }
    }
    sync_cube();
    if is_needed && part <= parts {
        let mut mine = starts[group as usize];
        if member > 0 {
            mine = 0u32.runtime();
            #[unroll]
            for other in 0..INDEX_WORDS {
                mine |= filters[((group * INDEX_WORDS + other) * FILTER_WORDS + member - 1) as usize];
            }
        }
        index[((part + 1) * INDEX_WORDS + member) as usize] = mine;
    }
}

/// How a key range is divided into parts: `last` is the last part that has keys.
#[derive(CubeType)]
struct Division<K: Int> {
    len: u32,
    first: K,
    shift: u32,
    last: u32,
}

#[cube]
impl<K: Int> Division<K> {
    /// Of the first `len` keys.
    fn of(keys: &[K], len: u32, parts: u32) -> Division<K> {
        let mut first = K::cast_from(0u32);
        let mut shift = 0u32;
        let mut last = 0u32;
        if len > 0 {
            first = keys[0];
            let span = keys[(len - 1) as usize] - first;
            while span >> K::cast_from(shift) >= K::cast_from(parts) {
                shift += 1;
            }
            last = u32::cast_from(span >> K::cast_from(shift));
        }
        Division::<K> { len, first, shift, last }
    }

    /// The smallest key that may be in a part.
    fn bound(&self, part: u32) -> K {
        self.first + (K::cast_from(part) << K::cast_from(self.shift))
    }

    /// How many keys are before a part.
    fn start(&self, keys: &[K], part: u32) -> u32 {
        let mut start = self.len;
        if part <= self.last {
            start = lower_bound_within::<K>(keys, self.bound(part), 0, self.len);
        }
        start
    }
}

/// How many keys are smaller than `query`, given that at least `before` are. Looks ahead in doubling steps, then
/// searches the last step.
#[cube]
fn next_bound<K: Int>(keys: &[K], query: K, before: u32, len: u32) -> u32 {
    let mut reach = FILTER_KEYS.runtime();
    while reach < len - before && keys[(before + min(reach, len - before - 1)) as usize] < query {
        reach += min(reach, len - before - reach);
    }
    lower_bound_within::<K>(keys, query, before, before + min(reach, len - before))
}

/// The filter of a part's keys, or of every `step`-th of them after the first `skipped`.
#[cube]
fn collect<K: Int>(
    keys: &[K],
    start: u32,
    end: u32,
    skipped: u32,
    filter: &mut Array<u32>,
    #[comptime] step: u32,
) {
    let is_full = end - start > FILTER_KEYS;
    #[unroll]
    for word in 0..FILTER_WORDS {
        filter[word as usize] = select(is_full, u32::MAX, 0u32);
    }
    let mut filtered = end;
    if is_full {
        filtered = start;
    }
    for i in range_stepped(start + skipped, filtered, step) {
        let hash = hash::<K>(keys[i as usize]);
        #[unroll]
        for word in 0..FILTER_WORDS {
            filter[word as usize] |= select(filter_word(hash) == word, filter_bits(hash), 0u32);
        }
    }
}

/// Writes the record of the index itself.
#[cube]
fn write_head(index: &mut [u32], shift: u32) {
    index[0] = shift;
    #[unroll]
    for word in 1..INDEX_WORDS {
        index[word as usize] = 0;
    }
}
