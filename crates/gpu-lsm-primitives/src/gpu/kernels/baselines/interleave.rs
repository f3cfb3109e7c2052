//! interleave: merges a newer and an older sorted array into one; all entries stay.
//!
//! Input    newer, older: pairs in the order of their keys without status, each a part of an array
//! Output   out: pairs in the same order; of equal keys, the newer come first
//! Launch   direct: one unit per MERGE_ITEMS outputs; staged: one cube per tile of outputs
//! Steps    find where the unit starts in both inputs (merge path), then merge; staged: the same for the tile, then
//!          merge in shared memory
//! Cost     reads both inputs once, writes the result once
//! Twin     host/baselines/interleave.rs      Source  Green, McColl, Bader 2012; paper, section 4.1

use super::shared::{STATUS_BITS, is_older_next, newer_before};
use crate::gpu::axes::Tiles;
use crate::gpu::kernels::shared::merging::Heads;
use crate::gpu::kernels::shared::staged_merging::{MergeTile, Stretches, notes_len, staged_len};
use crate::gpu::kernels::shared::staging::tile_len;
use crate::gpu::kernels::shared::values::word_of;
use crate::tuning::MERGE_ITEMS;
use cubecl::prelude::*;

/// The newer part has `newer_len` pairs, starting at `newer_at`. The older part starts at `older_at` and has the rest
/// of the output.
#[cube(launch_unchecked, create_dummy_kernel)]
pub(crate) fn interleave(
    newer_keys: &[u32],
    newer_values: &[u32],
    older_keys: &[u32],
    older_values: &[u32],
    out_keys: &mut [u32],
    out_values: &mut [u32],
    newer_at: u32,
    newer_len: u32,
    older_at: u32,
    #[comptime] units: u32,
    #[comptime] tiles: Tiles,
) {
    let total = out_keys.len() as u32;
    if comptime!(tiles == Tiles::Staged) {
        let mut staged = Shared::<[u32]>::new_slice(comptime!(staged_len(units) as usize));
        let mut notes = Shared::<[u32]>::new_slice(comptime!(notes_len(units) as usize));
        // The newer list comes first among equal keys, so it takes the part of the older one.
        let stretches = Stretches {
            newer: older_at,
            newer_len: total - newer_len,
            older: newer_at,
            older_len: newer_len,
            out: 0,
        };
        let start = CUBE_POS as u32 * comptime!(tile_len(units));
        let tile =
            MergeTile::find::<u32>(older_keys, newer_keys, &stretches, start, &mut notes, units, STATUS_BITS);
        tile.stage::<u32>(older_keys, newer_keys, &mut staged);
        sync_cube();
        tile.merge::<u32>(&staged, &mut notes, false);
        sync_cube();
        tile.write_keys::<u32>(&staged, &notes, out_keys);
        tile.write_values(&notes, older_values, newer_values, out_values, 1u32);
    } else {
        let newer_end = newer_at + newer_len;
        let older_end = older_at + (total - newer_len);
        let start = min(ABSOLUTE_POS as u32 * MERGE_ITEMS, total);
        let end = start + min(MERGE_ITEMS, total - start);
        let before = newer_before(newer_keys, older_keys, newer_at, newer_end, older_at, older_end, start);
        let mut heads =
            Heads::<u32>::at(newer_keys, older_keys, newer_at + before, older_at + (start - before));
        for out in start..end {
            let is_older = is_older_next(&heads, newer_end, older_end);
            out_keys[out as usize] = heads.key(is_older);
            out_values[out as usize] = word_of(is_older, older_values, newer_values, heads.place(is_older));
            heads.advance(newer_keys, older_keys, is_older);
        }
    }
}
