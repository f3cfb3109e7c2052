//! Sizes that affect speed and never a result. A unit is a GPU thread, a cube a workgroup.

/// The most units in a cube. Every device we know allows as many; if one allows fewer, its cubes are smaller.
pub const UNITS: u32 = 256;
/// The number of adjacent items that one unit works on.
pub const ITEMS: u32 = 16;
/// The number of items that a cube of [`UNITS`] works on.
pub const TILE: u32 = UNITS * ITEMS;
/// The number of entries that one unit of a merge writes: as many as a word has mark bits, and enough to make the
/// search for the unit's start cheap.
pub const MERGE_ITEMS: u32 = 32;
/// The number of neighbouring items that one unit works on in a staged tile. It is odd, so that neighbouring units read
/// from different banks of shared memory; and small enough that its registers leave half of a GPU's units resident.
pub const STAGED_ITEMS: u32 = 11;
/// The number of units that form a group in the scan of a cube: about the square root of the number of units.
pub const SCAN_GROUP: u32 = 16;
/// The number of keys that one unit sorts on its own: a power of two, and few enough that the 64-bit keys of 256 units
/// fit 32 KiB.
pub const SORT_ITEMS: u32 = 16;
/// The same in a staged tile: odd, and as many as fit 64 registers. 17 keys of 32 bits make batches of 2^16 and 2^20 need
/// one merge less than 15 would.
pub const STAGED_SORT_ITEMS_U32: u32 = 17;
/// The same for keys of 64 bits.
pub const STAGED_SORT_ITEMS_U64: u32 = 9;
/// The number of items that one task of a host primitive works on.
pub const HOST_TILE: usize = 1 << 14;
/// The most keys per part of an index if keys are spread evenly and all parts are used. The number of parts is a power
/// of two, and so is the size of a part. So up to half of the parts may be unused; the others then have up to twice as
/// many keys.
pub const INDEX_KEYS: usize = 48;
/// The most keys of a part with a filter: with more keys, half of all missing keys would pass it.
pub const FILTER_KEYS: u32 = 128;
/// How often a search in a part of an index looks where it expects the key, before it halves the part. Most searches need
/// no more looks than these.
pub const GUESSES: u32 = 4;
/// The number of units that keep a device busy, as measured on software Vulkan. A unit of a lookup takes several
/// queries only if that leaves at least as many units.
pub const BUSY: usize = 1 << 10;
/// The same for a GPU: about as many as the largest ones have resident, 2048 on each of more than a hundred
/// multiprocessors.
pub const STAGED_BUSY: usize = 1 << 18;
/// The most queries that one unit of a lookup takes. With more queries per unit, the searches that pass their filters are
/// spread more evenly over neighbouring units.
pub const SEARCH_ITEMS: usize = 32;
/// After tombstones were dropped, a run is copied to arrays of its exact size if more than one part in this many would be
/// unused.
pub const SLACK: usize = 8;
/// How often a rectangle of points is halved. More halves cover fewer points outside of it, but are more intervals.
pub const COVER_SPLITS: u32 = 5;
/// The number of intervals that cover a rectangle.
pub const COVER_INTERVALS: usize = 1 << COVER_SPLITS;

// A unit that merges sorted stretches works on only two of them, and positions in a tile have 16 bits.
const _: () = assert!((2 * SORT_ITEMS).is_multiple_of(MERGE_ITEMS) && UNITS * SORT_ITEMS <= 1 << 16);
// A unit notes one bit per item of a staged tile in the lower half of a word, and a place in the tile in the upper half.
const _: () = assert!(STAGED_ITEMS <= 16 && STAGED_ITEMS % 2 == 1 && UNITS * STAGED_ITEMS <= 1 << 16);
// The same holds for the positions in a staged tile of `sort`, and for its banks.
const _: () = assert!(STAGED_SORT_ITEMS_U32 % 2 == 1 && UNITS * STAGED_SORT_ITEMS_U32 <= 1 << 16);
const _: () = assert!(STAGED_SORT_ITEMS_U64 % 2 == 1 && UNITS * STAGED_SORT_ITEMS_U64 <= 1 << 16);
// The units of a cube, a power of two and at least 16, form whole groups.
const _: () = assert!(SCAN_GROUP == 16);
// A unit that writes entries with marks writes one word of marks.
const _: () = assert!(MERGE_ITEMS == 32);
// `select` keeps one bit of a word per key of a unit, and the marks of these keys lie in one word.
const _: () = assert!(ITEMS < 32 && 32u32.is_multiple_of(ITEMS));
// `search` keeps one bit of a word per query of a unit.
const _: () = assert!(SEARCH_ITEMS <= 32);
