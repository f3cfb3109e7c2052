//! Every kernel that the library can launch. A kernel outside this table and the baselines' table cannot be launched.

use super::axes::{Heading, Lists, MOVED_WORDS, Tiles, VALUE_WORDS};
use super::kernels::shared::four::four_bytes;
use super::kernels::shared::packing;
use super::kernels::shared::staged_merging::staged_bytes;
use super::kernels::shared::staging::tile_len;
use super::kernels::shared::summing::sums_len;
use super::kernels::sort::sort_items;
use super::kernels::{
    bounds, clip, copy, cover, expand, fill, gather, index, marks, mask, merge, nearest, outside, overlay,
    recode, scan, search, select, sort, tally, window,
};
use super::table::kernels;
use super::traffic::{SECTOR, filtered_searches, index_searches, steps};
use crate::code::KeyWidth;
use crate::recoding::Recoding;

kernels! {
    /// An instance of a kernel.
    pub enum Kernel named "";

    /// `kernels/copy.rs`
    Copy = copy::copy {
        buffers words: read, out: written;
        numbers offset;
    }

    /// `kernels/fill.rs`, a number.
    FillNumber = fill::fill_number {
        buffers out: written;
        numbers number;
    }

    /// `kernels/fill.rs`, marks.
    FillMarks = fill::fill_marks {
        buffers out: written;
        numbers first, len;
    }

    /// `kernels/recode.rs`
    Recode = recode::recode {
        axes recoding: Recoding = Recoding::ALL, tiles: Tiles = Tiles::ALL;
        buffers words: read, out: written;
        comptime |_| recoding, tiles;
    }

    /// `kernels/scan.rs`, step 1.
    ScanReduce = scan::scan_reduce {
        axes tiles: Tiles = Tiles::ALL;
        buffers numbers: read, sums: written;
        comptime |units| units, tiles;
        shared |units| sums_len(units) * 4;
    }

    /// `kernels/scan.rs`, step 3.
    ScanApply = scan::scan_apply {
        axes tiles: Tiles = Tiles::ALL;
        buffers numbers: read, starts: read, out: written;
        comptime |units| units, tiles;
        shared |units| (sums_len(units) + tiles.if_staged(tile_len(units))) * 4;
    }

    /// `kernels/sort.rs`, step 1.
    SortTiles = sort::sort_tiles<key> {
        axes key: KeyWidth = KeyWidth::ALL, tiles: Tiles = Tiles::ALL;
        buffers keys: read, out_keys: written, out_positions: written;
        comptime |units| units, sort_items(key, tiles), tiles;
        shared |units| units * sort_items(key, tiles) * key.bits() / 8;
    }

    /// `kernels/sort.rs`, step 2.
    SortMerge = sort::sort_merge<key> {
        axes key: KeyWidth = KeyWidth::ALL, tiles: Tiles = Tiles::ALL;
        buffers keys: read, positions: read, out_keys: written, out_positions: written;
        numbers width;
        comptime |units| units, tiles;
        shared |units| tiles.if_staged(staged_bytes(units, key.bits()));
    }

    /// `kernels/sort/four.rs`. Only staged tiles are merged four at a time.
    SortMergeFour = sort::sort_merge_four<key> {
        axes key: KeyWidth = KeyWidth::ALL;
        buffers keys: read, positions: read, out_keys: written, out_positions: written;
        numbers width;
        comptime |units| units;
        shared |units| four_bytes(units, key.bits());
    }

    /// `kernels/select.rs`, step 1.
    SelectCount = select::select_count<key> {
        axes key: KeyWidth = KeyWidth::ALL, lists: Lists = Lists::ALL, tiles: Tiles = Tiles::ALL;
        buffers keys: read, dropped: read, marks: read, offsets: read, kept: written, kept_marks: written,
            before: written;
        comptime |units| lists == Lists::PerQuery, units, tiles;
        shared |units| tiles.if_staged(select::shared_bytes(units, key.bits()));
    }

    /// `kernels/select.rs`, step 3, for values of `words` words.
    SelectWrite = select::select_write<key> {
        axes key: KeyWidth = KeyWidth::ALL, words: u32 = VALUE_WORDS, lists: Lists = Lists::ALL,
            tiles: Tiles = Tiles::ALL;
        buffers keys: read, values: read, dropped: read, offsets: read, starts: read,
            out_keys: written, out_values: written;
        numbers room;
        comptime |units| words, lists == Lists::PerQuery, false, units, tiles;
        shared |units| tiles.if_staged(select::shared_bytes(units, key.bits()));
    }

    /// `kernels/select.rs`, step 3, for the marks of one list.
    SelectMarks = select::select_write<key> {
        axes key: KeyWidth = KeyWidth::ALL, tiles: Tiles = Tiles::ALL;
        buffers keys: read, marks: read, dropped: read, offsets: read, starts: read,
            no_keys: written, out_marks: written;
        numbers room;
        comptime |units| 1, false, true, units, tiles;
        shared |units| tiles.if_staged(select::shared_bytes(units, key.bits()));
    }

    /// `kernels/select.rs`, where each query's entries start. Each query reads a few keys of one unit.
    SelectOffsets = select::select_offsets<key> {
        axes key: KeyWidth = KeyWidth::ALL, tiles: Tiles = Tiles::ALL;
        buffers keys: read picked, dropped: read picked, offsets: read, starts: read picked, before: read picked,
            out_offsets: written;
        comptime |units| units, tiles;
        picks |queries| 2 * queries * SECTOR;
    }

    /// `kernels/merge.rs`, for values of `words` words.
    Merge = merge::merge<key> {
        axes key: KeyWidth = KeyWidth::ALL, words: u32 = VALUE_WORDS, tiles: Tiles = Tiles::ALL;
        buffers newer: read, newer_values: read, older: read, older_values: read,
            out: written, out_values: written, hidden: updated;
        comptime |units| words, units, tiles;
        shared |units| tiles.if_staged(staged_bytes(units, key.bits()) + 4);
    }

    /// `kernels/merge/four.rs`, keys. Only staged tiles are merged four at a time.
    MergeFour = merge::merge_four<key> {
        axes key: KeyWidth = KeyWidth::ALL;
        buffers a: read, b: read, c: read, d: read, out: written, sources: written, hidden: updated;
        comptime |units| units;
        shared |units| four_bytes(units, key.bits()) + 4;
    }

    /// `kernels/merge/four.rs`, values of `words` words.
    MergeFourValues = merge::merge_four_values {
        axes words: u32 = MOVED_WORDS;
        buffers a: read, b: read, c: read, d: read, sources: read, out: written;
        comptime |units| words, units;
        shared |units| merge::values_bytes(units);
    }

    /// `kernels/merge.rs`, for values of `words` words, with marks.
    MergeMarked = merge::merge_marked<key> {
        axes key: KeyWidth = KeyWidth::ALL, words: u32 = VALUE_WORDS, tiles: Tiles = Tiles::ALL;
        buffers newer: read, newer_values: read, older: read, older_values: read,
            out: written, out_values: written, marks: updated;
        numbers newer_marks, older_marks;
        comptime |units| words, units, tiles;
        shared |units| tiles.if_staged(staged_bytes(units, key.bits()) + units * 4);
    }

    /// `kernels/merge.rs`, which older keys are hidden.
    MergeShadowed = merge::merge_shadowed<key> {
        axes key: KeyWidth = KeyWidth::ALL;
        buffers newer: read picked, older: read, shadowed: written;
        picks |queries| queries * SECTOR * steps(newer.len);
    }

    /// `kernels/marks.rs`, for entries in another order.
    MarksGather = marks::marks_gather {
        axes tiles: Tiles = Tiles::ALL;
        buffers bits: read, sources: read, out: written;
        comptime |units| units, tiles;
        shared |units| tiles.if_staged(packing::shared_bytes(units));
    }

    /// `kernels/marks.rs`, from words.
    MarksToBits = marks::marks_to_bits {
        axes tiles: Tiles = Tiles::ALL;
        buffers words: read, bits: written;
        comptime |units| units, tiles;
        shared |units| tiles.if_staged(packing::shared_bytes(units));
    }

    /// `kernels/mask.rs`, for values of `words` words.
    Mask = mask::mask {
        axes words: u32 = MOVED_WORDS;
        buffers values: read, flags: read, out: written;
        comptime |_| words;
    }

    /// `kernels/gather.rs`, for values of `words` words. The bytes read equal the bytes written.
    GatherValues = gather::gather_values {
        axes words: u32 = MOVED_WORDS, tiles: Tiles = Tiles::ALL;
        buffers first: read picked, second: read picked, sources: read, out: written;
        numbers split, keep;
        comptime |_| words, tiles;
        picks |_| out.bytes();
    }

    /// `kernels/index.rs`. Neighbouring units search close to each other, among keys that are streamed anyway, so each
    /// search counts as one read.
    Index = index::index<key> {
        axes key: KeyWidth = KeyWidth::ALL, tiles: Tiles = Tiles::ALL;
        buffers keys: read, count: read picked, index: written;
        numbers count_at, only_if, parts;
        comptime |units| units, tiles;
        shared |units| tiles.if_staged(index::shared_bytes(units));
        picks |_| (u64::from(parts) + 1) * SECTOR;
    }

    /// `kernels/search.rs`, for values of `words` words.
    Search = search::search<key> {
        axes key: KeyWidth = KeyWidth::ALL, words: u32 = VALUE_WORDS, tiles: Tiles = Tiles::ALL;
        buffers keys: read picked, values: read picked, marks: read picked, index: read picked, queries: read,
            states: updated, out: written;
        numbers items, first, last;
        comptime |_| words, tiles == Tiles::Staged;
        picks |_| filtered_searches(queries.len, first == 1, tiles);
    }

    /// `kernels/bounds.rs`
    Bounds = bounds::bounds<key> {
        axes key: KeyWidth = KeyWidth::ALL, tiles: Tiles = Tiles::ALL;
        buffers keys: read picked, index: read picked, lower: read, upper: read, starts: written, lens: written;
        numbers after;
        comptime |_| tiles == Tiles::Staged;
        picks |queries| 2 * index_searches(queries, tiles);
    }

    /// `kernels/expand.rs`, for values of `words` words. The bytes read equal the bytes written.
    Expand = expand::expand<key> {
        axes key: KeyWidth = KeyWidth::ALL, words: u32 = VALUE_WORDS, tiles: Tiles = Tiles::ALL;
        buffers keys: read picked, values: read picked, starts: read, offsets: read,
            out_keys: written, out_values: written;
        comptime |units| words, units, tiles;
        shared |units| tiles.if_staged(tile_len(units) * 4);
        picks |_| out_keys.bytes() + out_values.bytes();
    }

    /// `kernels/expand.rs`, for marks.
    ExpandMarks = expand::expand_marks {
        buffers bits: read picked, starts: read, offsets: read, out_marks: written;
        picks |_| out_marks.bytes();
    }

    /// `kernels/overlay.rs`, where each query's entries are.
    OverlaySegments = overlay::overlay_segments {
        buffers newer_offsets: read, older_offsets: read, older_starts: read, segments: written, offsets: written;
    }

    /// `kernels/overlay.rs`, for values of `words` words. The bytes read equal the bytes written.
    Overlay = overlay::overlay<key> {
        axes key: KeyWidth = KeyWidth::ALL, words: u32 = VALUE_WORDS, tiles: Tiles = Tiles::ALL;
        buffers newer: read picked, newer_values: read picked, older: read picked, older_values: read picked,
            segments: read, out: written, out_values: written;
        comptime |units| words, false, units, tiles;
        shared |units| tiles.if_staged(overlay::staged_bytes(units, key.bits()));
        picks |_| out.bytes() + out_values.bytes();
    }

    /// `kernels/overlay.rs`, for marks. It reads the keys of both sides: all newer keys, and as many older keys as the
    /// output has further entries.
    OverlayMarks = overlay::overlay<key> {
        axes key: KeyWidth = KeyWidth::ALL, tiles: Tiles = Tiles::ALL;
        buffers newer: read picked, newer_marks: read picked, older: read picked, older_marks: read picked,
            segments: read, no_keys: written, out_marks: written;
        comptime |units| 1, true, units, tiles;
        shared |units| tiles.if_staged(overlay::staged_bytes(units, key.bits()));
        picks |_| out_marks.bytes() * u64::from(key.bits() + 1);
    }

    /// `kernels/window.rs`
    Window = window::window<key> {
        axes key: KeyWidth = KeyWidth::ALL, heading: Heading = Heading::ALL, tiles: Tiles = Tiles::ALL;
        buffers keys: read picked, index: read picked, queries: read, states: read,
            starts: written, lens: written, horizons: updated;
        numbers limit, first, after;
        comptime |_| heading == Heading::Down, tiles == Tiles::Staged;
        picks |queries| index_searches(queries, tiles);
    }

    /// `kernels/nearest.rs`
    Nearest = nearest::nearest<key> {
        axes key: KeyWidth = KeyWidth::ALL, heading: Heading = Heading::ALL;
        buffers offsets: read, keys: read, horizons: read, states: updated, out_keys: written, sources: written,
            open: updated;
        numbers first, missing_low, missing_high;
        comptime |_| heading == Heading::Down, key.bits();
    }

    /// `kernels/tally.rs`, step 1.
    TallyBits = tally::tally_bits {
        axes tiles: Tiles = Tiles::ALL;
        buffers found: read, marks: read, tally: written, added: written, removed: written;
        comptime |units| units, tiles;
        shared |units| tiles.if_staged(tally::shared_bytes(units));
    }

    /// `kernels/tally.rs`, step 3.
    TallySums = tally::tally_sums {
        buffers added: read, removed: read, tally: written;
    }

    /// `kernels/tally.rs`, to count.
    TallyBetween = tally::tally_between<key> {
        axes key: KeyWidth = KeyWidth::ALL, tiles: Tiles = Tiles::ALL;
        buffers keys: read picked, index: read picked, tally: read picked, lower: read, upper: read, counts: updated;
        numbers first;
        comptime |_| tiles == Tiles::Staged;
        picks |queries| 2 * (index_searches(queries, tiles) + queries * SECTOR);
    }

    /// `kernels/clip.rs`
    Clip = clip::clip {
        buffers offsets: read, lens: written;
        numbers limit;
    }

    /// `kernels/cover.rs`. Codes of points have 64 bits.
    Cover = cover::cover<key> {
        axes key: KeyWidth = [KeyWidth::U64];
        buffers lower: read, upper: read, starts: written, ends: written;
    }

    /// `kernels/outside.rs`, where each rectangle's points start: each reads one sector of offsets.
    OutsideOffsets = outside::outside_offsets {
        buffers offsets: read picked, out: written;
        picks |rectangles| rectangles * SECTOR;
    }

    /// `kernels/outside.rs`, marks.
    OutsideMarks = outside::outside_marks<key> {
        axes key: KeyWidth = [KeyWidth::U64], tiles: Tiles = Tiles::ALL;
        buffers keys: read, marks: read, offsets: read, lower: read, upper: read, out: written;
        comptime |units| units, tiles;
        shared |units| tiles.if_staged(packing::shared_bytes(units));
    }
}

#[cfg(test)]
mod tests {
    use super::Kernel;
    use crate::gpu::table::Instance;
    use crate::tuning::UNITS;
    use std::collections::HashSet;

    #[test]
    fn every_kernel_is_listed_once_and_stays_within_what_every_device_offers() {
        let all = Kernel::all();
        assert_eq!(all.iter().collect::<HashSet<_>>().len(), all.len());
        assert_eq!(all.iter().map(Kernel::to_string).collect::<HashSet<_>>().len(), all.len());
        for kernel in all {
            assert!(
                kernel.buffers().len() < 8,
                "{kernel} binds at most 8 buffers, the engine's own included"
            );
            assert!(kernel.shared_bytes(UNITS) <= 32 << 10, "{kernel}");
        }
    }
}
