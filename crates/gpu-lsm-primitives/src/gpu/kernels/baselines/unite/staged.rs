//! `unite` in staged tiles. The outputs of a pair of groups take the positions of its inputs. So a tile's inputs are at
//! the positions of its outputs, except for the pairs at its ends, of which only a part may be in the tile.

use super::pair::{Pair, pair_of};
use crate::gpu::kernels::baselines::shared::{STATUS_BITS, newer_before};
use crate::gpu::kernels::shared::merging::{older_before_by, rank};
use crate::gpu::kernels::shared::queries::{next_query, query_between};
use crate::gpu::kernels::shared::staging::{staged_at, tile_len};
use crate::tuning::STAGED_ITEMS;
use cubecl::prelude::*;

/// The number of words with the sources of a unit's outputs, two in each.
const SOURCE_WORDS: u32 = STAGED_ITEMS.div_ceil(2);

/// The bytes of shared memory of a cube.
pub(crate) fn staged_bytes(units: u32) -> u32 {
    (tile_len(units) + units * SOURCE_WORDS + 4) * 4
}

#[cube]
pub(super) fn unite_staged(
    keys: &[u32],
    values: &[u32],
    list_of: &[u32],
    offsets: &[u32],
    out_keys: &mut [u32],
    out_values: &mut [u32],
    lists: u32,
    width: u32,
    #[comptime] has_values: bool,
    #[comptime] units: u32,
) {
    let mut staged = Shared::<[u32]>::new_slice(comptime!(tile_len(units) as usize));
    let mut sources = Shared::<[u32]>::new_slice(comptime!((units * SOURCE_WORDS) as usize));
    // The lists of the tile's first and last output, and how many entries of their pairs' first groups come before the
    // tile's start and its end.
    let mut ends = Shared::<[u32]>::new_slice(4usize);
    let total = keys.len() as u32;
    let start = min(CUBE_POS as u32 * comptime!(tile_len(units)), total);
    let len = min(comptime!(tile_len(units)), total - start);
    if UNIT_POS < 2 {
        let at = start + UNIT_POS * len;
        let output = start + UNIT_POS * (len - min(len, 1));
        let list = list_of[min(output, total - 1) as usize];
        let pair = pair_of(offsets, list, lists, width);
        ends[UNIT_POS as usize] = list;
        ends[(UNIT_POS + 2) as usize] =
            newer_before(keys, keys, pair.first, pair.second, pair.second, pair.end, at - pair.first);
    }
    sync_cube();
    let head = pair_of(offsets, ends[0], lists, width);
    let tail = pair_of(offsets, ends[1], lists, width);
    let tile = UniteTile::of(&head, &tail, start, len, ends[2], ends[3]);
    for item in 0..STAGED_ITEMS {
        let k = staged_at(item, units);
        if k < len as usize {
            staged[k] = keys[tile.source(k as u32) as usize];
        }
    }
    sync_cube();
    let step = UNIT_POS * STAGED_ITEMS;
    if step < len {
        let mut list = query_between(offsets, 1u32, ends[0], ends[1] + 1, start + step);
        let mut part = tile.part_of(&pair_of(offsets, list, lists, width));
        let (firsts, seconds) = (part.second - part.first, part.end - part.second);
        let taken = older_before_by::<u32>(
            &staged,
            &staged,
            part.second,
            seconds,
            part.first,
            firsts,
            step - part.first,
            STATUS_BITS,
        );
        let mut i = part.first + taken;
        let mut j = part.second + (step - part.first - taken);
        let mut two = 0u32;
        for item in 0..min(STAGED_ITEMS, len - step) {
            if step + item == part.end {
                list = next_query(offsets, 1u32, list, start + step + item);
                let next = tile.part_of(&pair_of(offsets, list, lists, width));
                part.second = next.second;
                part.end = next.end;
                i = next.first;
                j = next.second;
            }
            let takes_second = j < part.end && (i == part.second || is_smaller(&staged, j, i, units));
            two |= select(takes_second, j, i) << (item % 2 * 16);
            i += u32::cast_from(!takes_second);
            j += u32::cast_from(takes_second);
            if item % 2 == 1 || step + item + 1 == len || item + 1 == STAGED_ITEMS {
                sources[(UNIT_POS * SOURCE_WORDS + item / 2) as usize] = two;
                two = 0u32.runtime();
            }
        }
    }
    sync_cube();
    for item in 0..STAGED_ITEMS {
        let k = staged_at(item, units) as u32;
        if k < len {
            let (unit, item) = (k / STAGED_ITEMS, k % STAGED_ITEMS);
            let two = sources[(unit * SOURCE_WORDS + item / 2) as usize];
            let source = (two >> (item % 2 * 16)) & 0xffff;
            out_keys[(start + k) as usize] = staged[source as usize];
            if has_values {
                out_values[(start + k) as usize] = values[tile.source(source) as usize];
            }
        }
    }
}

/// Whether the key at `j` is smaller than the one at `i`.
#[cube]
fn is_smaller(staged: &[u32], j: u32, i: u32, #[comptime] units: u32) -> bool {
    let last = comptime!(tile_len(units) - 1);
    rank::<u32>(staged[min(j, last) as usize], STATUS_BITS)
        < rank::<u32>(staged[min(i, last) as usize], STATUS_BITS)
}

/// Where a tile's inputs are. The first `head` of them belong to the pair of its first output, those from `tail` on to
/// the pair of its last output. Of the head's first group the tile has `head_firsts` entries from `head_first` on, then
/// those of its second group from `head_second` on; of the tail, `tail_firsts` from `tail` on, then those from
/// `tail_second` on. What is of the head counts from the tile's start, what is of the tail from the array's.
#[derive(CubeType)]
struct UniteTile {
    start: u32,
    len: u32,
    head: u32,
    head_first: u32,
    head_firsts: u32,
    head_second: u32,
    tail: u32,
    tail_firsts: u32,
    tail_second: u32,
}

#[cube]
impl UniteTile {
    /// `before_start` entries of the first group of `head` come before the tile's start, and `before_end` of `tail`
    /// before its end.
    fn of(head: &Pair, tail: &Pair, start: u32, len: u32, before_start: u32, before_end: u32) -> UniteTile {
        let is_one_pair = head.first == tail.first && head.end == tail.end;
        let firsts = select(is_one_pair, before_end, head.second - head.first);
        UniteTile {
            start,
            len,
            head: min(head.end - start, len),
            head_first: head.first + before_start,
            head_firsts: firsts - before_start,
            head_second: head.second + (start - head.first - before_start),
            tail: select(is_one_pair, start + len, tail.first),
            tail_firsts: before_end,
            tail_second: tail.second,
        }
    }

    /// Where input `k` of the tile is.
    fn source(&self, k: u32) -> u32 {
        let at = self.start + k;
        let mut source = at;
        if k < self.head {
            source =
                select(k < self.head_firsts, self.head_first + k, self.head_second + (k - self.head_firsts));
        } else if at >= self.tail + self.tail_firsts {
            source = self.tail_second + (at - self.tail - self.tail_firsts);
        }
        source
    }

    /// The part of a pair that is in the tile.
    fn part_of(&self, pair: &Pair) -> Pair {
        let first = max(pair.first, self.start) - self.start;
        let mut second = pair.second - self.start;
        if first == 0 {
            second = self.head_firsts;
        } else if pair.first == self.tail {
            second = first + self.tail_firsts;
        }
        Pair { first, second, end: min(pair.end - self.start, self.len) }
    }
}
