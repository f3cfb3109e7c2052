//! gather: values and marks follow their keys.
//!
//! Input    first, second: values as words, or a bit per entry; sources: where each output comes from, below `split`
//!          the first input, else the second, counted from `split`; as many as `count` says
//! Output   out: values, zero past the end of an input, or left as they are; or bits, zero past the last entry
//! Launch   values: one unit per ITEMS entries; marks: one unit per word of 32 entries
//! Cost     reads each source once and what it points at, writes the result once
//! Twin     host/gather.rs

use super::merge::is_marked;
use crate::tuning::ITEMS;
use cubecl::prelude::*;

/// Values of `words` words each. `keep`: where the source is the largest number, what stands there stays.
#[cube(launch_unchecked, create_dummy_kernel)]
pub(crate) fn gather_values(
    first: &[u32],
    second: &[u32],
    sources: &[u32],
    count: &[u32],
    out: &mut [u32],
    count_at: u32,
    split: u32,
    keep: u32,
    #[comptime] words: u32,
) {
    let len = count[count_at as usize] as usize;
    let start = CUBE_POS * (CUBE_DIM * ITEMS) as usize + UNIT_POS as usize;
    for item in 0..ITEMS {
        let i = start + (item * CUBE_DIM) as usize;
        let mut source = u32::MAX.runtime();
        if i < len {
            source = sources[i];
        }
        if i < len && (keep == 0 || source != u32::MAX) {
            #[unroll]
            for word in 0..words {
                let mut value = 0u32;
                if source < split {
                    value = first[(source * words + word) as usize];
                } else {
                    let at = ((source - split) * words + word) as usize;
                    if at < second.len() {
                        value = second[at];
                    }
                }
                out[i * words as usize + word as usize] = value;
            }
        }
    }
}

/// Marks, and their number added to `total`.
#[cube(launch_unchecked, create_dummy_kernel)]
pub(crate) fn gather_marks(
    first: &[u32],
    second: &[u32],
    sources: &[u32],
    count: &[u32],
    out: &mut [u32],
    total: &mut [Atomic<u32>],
    count_at: u32,
    split: u32,
) {
    let cube_total = Shared::<[Atomic<u32>]>::new_slice(1usize);
    if UNIT_POS == 0 {
        cube_total[0].store(0);
    }
    sync_cube();
    let len = count[count_at as usize];
    if ABSOLUTE_POS < out.len() {
        let mut bits = 0u32;
        let mut set = 0u32;
        for bit in 0..32u32 {
            let i = ABSOLUTE_POS as u32 * 32 + bit;
            if i < len {
                let source = sources[i as usize];
                if is_marked_at(first, second, source, split) {
                    bits |= 1u32 << bit;
                    set += 1;
                }
            }
        }
        out[ABSOLUTE_POS] = bits;
        cube_total[0].fetch_add(set);
    }
    sync_cube();
    if UNIT_POS == 0 {
        total[0].fetch_add(cube_total[0].load());
    }
}

#[cube]
fn is_marked_at(first: &[u32], second: &[u32], source: u32, split: u32) -> bool {
    if source < split { is_marked(first, source) } else { is_marked(second, source - split) }
}
