//! `merge` of four lists, or of three, in two launches: first the keys, then the values, as the sources say that the
//! first leaves. More buffers than eight would be needed to move both at once.

use crate::gpu::kernels::shared::four::{Four, FourTile, one_of};
use crate::gpu::kernels::shared::merging::key_at;
use crate::gpu::kernels::shared::staged_merging::staged_len;
use crate::gpu::kernels::shared::staging::{note, staged_at, tile_len};
use crate::gpu::kernels::shared::summing::{sum_before, sums_len};
use crate::tuning::STAGED_ITEMS;
use cubecl::prelude::*;

/// The words at the start of a tile's sources: how many entries it has, where they start in each list, and how many come
/// from A, C and D.
const HEADER: u32 = 8;

/// The number of words of one tile's sources: its header, and a word for each unit with two bits for each output.
pub(crate) fn sources_len(units: u32) -> u32 {
    HEADER + units
}

/// The bytes of shared memory that the values' launch needs.
pub(crate) fn values_bytes(units: u32) -> u32 {
    (2 * units + sums_len(units)) * 4
}

/// Merges keys. The lists are given oldest first. Sources are left if there is room for them. `hidden` is as in a merge of
/// two lists.
#[cube(launch_unchecked, create_dummy_kernel)]
pub(crate) fn merge_four<K: Int>(
    a: &[K],
    b: &[K],
    c: &[K],
    d: &[K],
    out: &mut [K],
    sources: &mut [u32],
    hidden: &mut [Atomic<u32>],
    #[comptime] units: u32,
) {
    let mut staged = Shared::<[K]>::new_slice(comptime!(staged_len(units) as usize));
    let mut pair_notes = Shared::<[u32]>::new_slice(comptime!(units as usize));
    let mut notes = Shared::<[u32]>::new_slice(comptime!(units as usize));
    let mut ends = Shared::<[u32]>::new_slice(8usize);
    let equal = Shared::<[Atomic<u32>]>::new_slice(1usize);
    let (a_len, b_len, c_len, d_len) = (a.len() as u32, b.len() as u32, c.len() as u32, d.len() as u32);
    let four = Four { a: 0u32, b: 0u32, c: 0u32, d: 0u32, a_len, b_len, c_len, d_len };
    let start = min(CUBE_POS as u32 * comptime!(tile_len(units)), four.len());
    let len = min(comptime!(tile_len(units)), four.len() - start);
    if UNIT_POS < 2 {
        four.split::<K>(a, b, c, d, start + UNIT_POS * len).leave(&mut ends, 4 * UNIT_POS);
    }
    sync_cube();
    let tile = FourTile::between(&four, &ends, len, units);
    tile.stage::<K>(a, b, c, d, &mut staged);
    if UNIT_POS == 0 {
        staged[comptime!(tile_len(units) as usize)] = key_before::<K>(a, b, c, d, &tile);
        equal[0].store(0u32);
    }
    sync_cube();
    let mine = tile.merge::<K>(&mut staged, &mut pair_notes, &mut notes, true);
    if mine.equal > 0 {
        equal[0].fetch_add(mine.equal);
    }
    sync_cube();
    if UNIT_POS == 0 && hidden.len() == 1 && equal[0].load() > 0 {
        hidden[0].fetch_add(equal[0].load());
    }
    let end_of_sources = (CUBE_POS as u32 + 1) * comptime!(sources_len(units));
    if len > 0 && sources.len() as u32 >= end_of_sources {
        leave_sources(&tile, mine.bits, pair_notes[UNIT_POS as usize], sources);
    }
    for item in 0..STAGED_ITEMS {
        let k = staged_at(item, units) as u32;
        if k < len {
            out[(start + k) as usize] = tile.key::<K>(&staged, &notes, k);
        }
    }
}

/// The key before a tile. Before the first one, a key that differs from the first.
#[cube]
fn key_before<K: Int>(a: &[K], b: &[K], c: &[K], d: &[K], tile: &FourTile) -> K {
    let mut before = K::min_value();
    if tile.a_at > 0 {
        before = max(before, a[(tile.a_at - 1) as usize]);
    }
    if tile.b_at > 0 {
        before = max(before, b[(tile.b_at - 1) as usize]);
    }
    if tile.c_at > 0 {
        before = max(before, c[(tile.c_at - 1) as usize]);
    }
    if tile.d_at > 0 {
        before = max(before, d[(tile.d_at - 1) as usize]);
    }
    if tile.a_at + tile.b_at + tile.c_at + tile.d_at == 0 {
        let older = min(key_at::<K>(a, 0), key_at::<K>(b, 0));
        before = !min(older, min(key_at::<K>(c, 0), key_at::<K>(d, 0)));
    }
    before
}

/// Writes the sources of this cube's tile.
#[cube]
fn leave_sources(tile: &FourTile, bits: u32, pair_note: u32, sources: &mut [u32]) {
    let at = CUBE_POS as u32 * comptime!(sources_len(tile.units));
    if UNIT_POS == 0 {
        sources[at as usize] = tile.len;
        sources[(at + 1) as usize] = tile.a_at;
        sources[(at + 2) as usize] = tile.b_at;
        sources[(at + 3) as usize] = tile.c_at;
        sources[(at + 4) as usize] = tile.d_at;
        sources[(at + 5) as usize] = tile.a;
        sources[(at + 6) as usize] = tile.c;
        sources[(at + 7) as usize] = tile.d;
    }
    let pair_bits = pair_note & comptime!((1u32 << STAGED_ITEMS) - 1);
    sources[(at + HEADER + UNIT_POS) as usize] = bits | (pair_bits << STAGED_ITEMS);
}

/// Moves values of `words` words to where the keys went.
#[cube(launch_unchecked, create_dummy_kernel)]
pub(crate) fn merge_four_values(
    a: &[u32],
    b: &[u32],
    c: &[u32],
    d: &[u32],
    sources: &[u32],
    out: &mut [u32],
    #[comptime] words: u32,
    #[comptime] units: u32,
) {
    let mut sums = Shared::<[u32]>::new_slice(comptime!(sums_len(units) as usize));
    let mut pair_notes = Shared::<[u32]>::new_slice(comptime!(units as usize));
    let mut notes = Shared::<[u32]>::new_slice(comptime!(units as usize));
    let entries = out.len() as u32 / words;
    let start = min(CUBE_POS as u32 * comptime!(tile_len(units)), entries);
    let at = CUBE_POS as u32 * comptime!(sources_len(units));
    let mut mine = 0u32;
    if start < entries {
        mine = sources[(at + HEADER + UNIT_POS) as usize];
    }
    let bits = mine & comptime!((1u32 << STAGED_ITEMS) - 1);
    let pair_bits = mine >> STAGED_ITEMS;
    // Both sums at once: neither exceeds 16 bits.
    let before = sum_before(&mut sums, bits.count_ones() | (pair_bits.count_ones() << 16), units);
    notes[UNIT_POS as usize] = note(bits, before & 0xffff);
    pair_notes[UNIT_POS as usize] = note(pair_bits, before >> 16);
    sync_cube();
    if start < entries {
        let tile = left_tile(sources, at, units);
        for item in 0..comptime!(STAGED_ITEMS * words) {
            let word = staged_at(item, units) as u32;
            let k = word / words;
            if k < tile.len {
                let place = tile.source(&pair_notes, &notes, k);
                let from = place.at * words + word % words;
                out[(start * words + word) as usize] = one_of::<u32>(&place, a, b, c, d, from);
            }
        }
    }
}

/// The tile that the keys' launch has left.
#[cube]
fn left_tile(sources: &[u32], at: u32, #[comptime] units: u32) -> FourTile {
    FourTile {
        len: sources[at as usize],
        a_at: sources[(at + 1) as usize],
        b_at: sources[(at + 2) as usize],
        c_at: sources[(at + 3) as usize],
        d_at: sources[(at + 4) as usize],
        a: sources[(at + 5) as usize],
        c: sources[(at + 6) as usize],
        d: sources[(at + 7) as usize],
        units,
    }
}
