//! `sort`, step 2, four stretches at a time: each launch then does the work of two, with half of the memory traffic.

use crate::gpu::kernels::shared::four::{Four, FourTile};
use crate::gpu::kernels::shared::staged_merging::staged_len;
use crate::gpu::kernels::shared::staging::{staged_at, tile_len};
use crate::tuning::STAGED_ITEMS;
use cubecl::prelude::*;

#[cube(launch_unchecked, create_dummy_kernel)]
pub(crate) fn sort_merge_four<K: Int>(
    keys: &[K],
    positions: &[u32],
    out_keys: &mut [K],
    out_positions: &mut [u32],
    width: u32,
    #[comptime] units: u32,
) {
    let mut staged = Shared::<[K]>::new_slice(comptime!(staged_len(units) as usize));
    let mut pair_notes = Shared::<[u32]>::new_slice(comptime!(units as usize));
    let mut notes = Shared::<[u32]>::new_slice(comptime!(units as usize));
    // For both ends of the tile, how many keys of each stretch come before.
    let mut ends = Shared::<[u32]>::new_slice(8usize);
    // As many cubes as four stretches have tiles. Four times the width may not fit 32 bits.
    let cubes = (width - 1) / comptime!(tile_len(units) / 4) + 1;
    let four = stretches(CUBE_POS as u32 / cubes * 4 * width, width, keys.len() as u32);
    let from = min(CUBE_POS as u32 % cubes * comptime!(tile_len(units)), four.len());
    let len = min(comptime!(tile_len(units)), four.len() - from);
    if UNIT_POS < 2 {
        four.split::<K>(keys, keys, keys, keys, from + UNIT_POS * len).leave(&mut ends, 4 * UNIT_POS);
    }
    sync_cube();
    let tile = FourTile::between(&four, &ends, len, units);
    tile.stage::<K>(keys, keys, keys, keys, &mut staged);
    sync_cube();
    tile.merge::<K>(&mut staged, &mut pair_notes, &mut notes, false);
    sync_cube();
    for item in 0..STAGED_ITEMS {
        let k = staged_at(item, units) as u32;
        if k < len {
            let at = (four.a + from + k) as usize;
            out_keys[at] = tile.key::<K>(&staged, &notes, k);
            out_positions[at] = positions[tile.source(&pair_notes, &notes, k).at as usize];
        }
    }
}

/// Four stretches that start at `at`. The last ones may be shorter or empty.
#[cube]
fn stretches(at: u32, width: u32, len: u32) -> Four {
    let a = min(at, len);
    let b = a + min(width, len - a);
    let c = b + min(width, len - b);
    let d = c + min(width, len - c);
    let d_len = min(width, len - d);
    Four { a, b, c, d, a_len: b - a, b_len: c - b, c_len: d - c, d_len }
}
