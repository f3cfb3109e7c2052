//! All kernels that only the baselines need.

use crate::gpu::axes::Tiles;
use crate::gpu::kernels::baselines::{
    cuckoo, encode, interleave, intervals, number, place, probe, unite, validate,
};
use crate::gpu::kernels::shared::staged_merging::staged_bytes;
use crate::gpu::kernels::shared::staging::tile_len;
use crate::gpu::table::kernels;
use crate::gpu::traffic::{SECTOR, steps};
use crate::tuning::{ITEMS, UNITS};

/// The columns that `unite` merges.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum UniteColumns {
    /// Keys alone.
    Keys,
    /// Keys with their values.
    Pairs,
}

kernels! {
    /// An instance of a kernel of the baselines.
    pub enum BaselineKernel named "baseline_";

    /// `kernels/baselines/encode.rs`, keys.
    EncodeKeys = encode::encode_keys {
        buffers keys: read, marks: read, out: written;
    }

    /// `kernels/baselines/encode.rs`, values.
    EncodeValues = encode::encode_values {
        buffers values: read, positions: read, out: written;
        numbers keys;
    }

    /// `kernels/baselines/place.rs`
    Place = place::place {
        buffers from: read picked, out: written picked;
        numbers start, at, filler;
        picks |units| placed_bytes(units, from.bytes());
    }

    /// `kernels/baselines/interleave.rs`. The bytes read equal the bytes written.
    Interleave = interleave::interleave {
        axes tiles: Tiles = Tiles::ALL;
        buffers newer_keys: read picked, newer_values: read picked, older_keys: read picked, older_values: read picked,
            out_keys: written, out_values: written;
        numbers newer_at, newer_len, older_at;
        comptime |units| units, tiles;
        shared |units| tiles.if_staged(staged_bytes(units, 32));
        picks |_| out_keys.bytes() + out_values.bytes();
    }

    /// `kernels/baselines/probe.rs`
    Probe = probe::probe {
        buffers keys: read picked, values: read picked, queries: read, found: written, out: written;
        numbers batch, batches;
        picks |queries| queries * SECTOR * (steps_in_levels(batch, batches) + 1);
    }

    /// `kernels/baselines/intervals.rs`
    Intervals = intervals::intervals {
        axes tiles: Tiles = Tiles::ALL;
        buffers keys: read picked, lower: read, upper: read, starts: written, lens: written;
        numbers batch, batches, full;
        comptime |_| tiles;
        picks |_| 2 * lower.len as u64 * SECTOR * steps_in_levels(batch, batches);
    }

    /// `kernels/baselines/number.rs`
    Number = number::number {
        axes tiles: Tiles = Tiles::ALL;
        buffers offsets: read, list_of: written;
        comptime |units| units, tiles;
        shared |units| tiles.if_staged(tile_len(units) * 4);
    }

    /// `kernels/baselines/unite.rs`. Direct, a unit reads its list once, and again whenever a group ends; staged, a cube
    /// reads the lists of the tile's ends.
    Unite = unite::unite {
        axes columns: UniteColumns = [UniteColumns::Keys, UniteColumns::Pairs], tiles: Tiles = Tiles::ALL;
        buffers keys: read, values: read, list_of: read picked, offsets: read, out_keys: written, out_values: written;
        numbers lists, width;
        comptime |units| columns == UniteColumns::Pairs, units, tiles;
        shared |units| tiles.if_staged(unite::staged_bytes(units));
        picks |units| lists_read(units, tiles) * SECTOR;
    }

    /// `kernels/baselines/validate.rs`, step 1.
    Validate = validate::validate {
        axes tiles: Tiles = Tiles::ALL;
        buffers keys: read, list_of: read, kept: written, counts: updated;
        numbers lists;
        comptime |units| units, tiles;
        shared |units| tiles.if_staged(validate::shared_bytes(units));
    }

    /// `kernels/baselines/validate.rs`, step 3.
    Compact = validate::compact {
        axes tiles: Tiles = Tiles::ALL;
        buffers keys: read, values: read, list_of: read, offsets: read, out_keys: written, out_values: written;
        numbers lists, shift;
        comptime |units| units, tiles;
        shared |units| tiles.if_staged(validate::shared_bytes(units));
    }

    /// `kernels/baselines/cuckoo.rs`, build. Assumes one move per key: one key read, and one exchange, which reads and
    /// writes.
    CuckooInsert = cuckoo::cuckoo_insert {
        buffers keys: read, slots: updated picked, failed: updated picked;
        numbers seed;
        picks |entries| entries * 3 * SECTOR;
    }

    /// `kernels/baselines/cuckoo.rs`, lookup.
    CuckooLookup = cuckoo::cuckoo_lookup {
        buffers keys: read picked, values: read picked, queries: read, found: written, out: written;
        numbers seed;
        picks |queries| queries * 5 * SECTOR;
    }
}

/// The bytes written, plus as many read, limited by the size of the source.
fn placed_bytes(units: u64, bytes_of_source: u64) -> u64 {
    let written = units * u64::from(ITEMS) * 4;
    written + written.min(bytes_of_source)
}

/// The lists that `unite` reads: at least one for each unit; staged, those of the tile's ends.
fn lists_read(units: u64, tiles: Tiles) -> u64 {
    match tiles {
        Tiles::Direct => units,
        Tiles::Staged => 2 * units.div_ceil(u64::from(UNITS)),
    }
}

/// The entries that binary searches in all full levels read, for the length of the first level and the number of
/// batches. Levels double in length.
fn steps_in_levels(batch: u32, batches: u32) -> u64 {
    let full = (0..u32::BITS).filter(|level| batches >> level & 1 == 1);
    full.map(|level| steps((batch as usize) << level)).sum()
}

#[cfg(test)]
mod tests {
    use super::{BaselineKernel, lists_read};
    use crate::gpu::axes::Tiles;
    use crate::gpu::registry::Kernel;
    use crate::gpu::table::Instance;
    use crate::tuning::UNITS;
    use std::collections::HashSet;

    #[test]
    fn a_staged_cube_reads_the_lists_of_its_ends_only() {
        let units = 2u64.pow(17).div_ceil(11);
        assert_eq!([Tiles::Direct, Tiles::Staged].map(|tiles| lists_read(units, tiles)), [units, 94]);
    }

    #[test]
    fn every_kernel_is_listed_once_and_needs_no_more_than_ours() {
        let all = BaselineKernel::all();
        assert_eq!(all.iter().map(BaselineKernel::to_string).collect::<HashSet<_>>().len(), all.len());
        for kernel in all {
            assert!(
                kernel.buffers().len() < 8,
                "{kernel} binds at most 8 buffers, the engine's own included"
            );
            let ours = Kernel::all().into_iter().map(|kernel| kernel.shared_bytes(UNITS)).max();
            assert!(
                Some(kernel.shared_bytes(UNITS)) <= ours,
                "{kernel}: the width of cubes goes by our own kernels"
            );
        }
    }
}
