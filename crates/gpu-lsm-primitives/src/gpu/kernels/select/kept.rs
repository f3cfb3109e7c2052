//! Which keys stay: the same question in both shapes of `select`.

use crate::gpu::axes::Tiles;
use crate::gpu::kernels::shared::marks::marks_from;
use crate::gpu::kernels::shared::queries::{next_query, query_of};
use crate::tuning::ITEMS;
use cubecl::prelude::*;

/// One bit for each of a unit's keys, set if it is the last of its equal keys in its list and is not to be dropped.
/// `keys` has some of all `len` keys, from key `first` on. Reads no element past the last one.
#[cube]
pub(super) fn stays<K: Int>(
    keys: &[K],
    first: usize,
    len: usize,
    dropped: &[u32],
    offsets: &[u32],
    start: usize,
    end: usize,
    #[comptime] lists: bool,
    #[comptime] tiles: Tiles,
) -> u32 {
    let mut list = 0u32;
    let mut list_end = len;
    if lists {
        list = query_of(offsets, 1u32, start as u32);
        list_end = offsets[list as usize + 1] as usize;
    }
    let mut stays = 0u32;
    let mut key = keys[start - first];
    #[unroll(!lists)]
    for item in 0..comptime!(tiles.items(ITEMS)) {
        let i = start + item as usize;
        if i < end {
            if lists && i == list_end && (list as usize) + 2 < offsets.len() {
                list = next_query(offsets, 1u32, list, i as u32);
                list_end = offsets[list as usize + 1] as usize;
            }
            let next = keys[min(i + 1, len - 1) - first];
            stays |= u32::cast_from(i + 1 == list_end || next != key) << item;
            key = next;
        }
    }
    stays & !bits_of(dropped, start, end, tiles)
}

/// The bits of a unit's keys; zero if there are no bits. In direct tiles they lie in one word.
#[cube]
pub(super) fn bits_of(bits: &[u32], start: usize, end: usize, #[comptime] tiles: Tiles) -> u32 {
    let mut mine = 0u32;
    if comptime!(tiles == Tiles::Staged) {
        mine = marks_from(bits, 0, start as u32);
    } else if start / 32 < bits.len() {
        mine = bits[start / 32] >> (start % 32) as u32;
    }
    mine & ((1u32 << (end - start) as u32) - 1)
}
