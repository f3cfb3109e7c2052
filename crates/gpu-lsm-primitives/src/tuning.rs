//! Sizes that steer speed and never change a result.

/// The most units of a cube, which every device we know offers; where one offers fewer, its cubes have fewer.
pub const UNITS: u32 = 256;
/// Neighbouring items that one unit of a GPU kernel works on.
pub const ITEMS: u32 = 16;
/// Items of such a cube.
pub const TILE: u32 = UNITS * ITEMS;
/// Entries that one unit of a merge writes: as many as a word has marks, and so many that finding where to start costs little.
pub const MERGE_ITEMS: u32 = 32;
/// Units of a cube whose numbers are summed up first where a cube scans: about the root of how many there are.
pub const SCAN_GROUP: u32 = 16;
/// Keys that one unit sorts on its own: a power of two, and so few that 256 units keep 64-bit keys in 32 KiB.
pub const SORT_ITEMS: u32 = 16;
/// Items that one task of a host primitive works on.
pub const HOST_TILE: usize = 1 << 14;
/// A run's index tells apart a power of two of parts of its range, so many that no part of a run that has as many parts as it may
/// has more keys than this, where they are spread evenly. As parts are sizes of a power of two too, up to half of them may be unused,
/// and the others then have twice as many.
pub const INDEX_KEYS: usize = 48;
/// The most keys of a part that its filter is made for: with more, it would let half of all missing keys pass.
pub const FILTER_KEYS: u32 = 128;
/// Units that keep a device busy, as measured on software Vulkan: a unit of a lookup has several queries only where there are
/// more units than that.
pub const BUSY: usize = 1 << 10;
/// The most queries that one unit of a lookup has. The more, the more evenly the searches that pass their filters are spread
/// over neighbouring units.
pub const SEARCH_ITEMS: usize = 32;
/// A run from which tombstones were dropped is copied to arrays of its exact size where more than one part in this many
/// would be unused.
pub const SLACK: usize = 8;

// A unit that merges sorted stretches works on two of them only, and positions in a tile have 16 bits.
const _: () = assert!((2 * SORT_ITEMS).is_multiple_of(MERGE_ITEMS) && UNITS * SORT_ITEMS <= 1 << 16);
// The units of a cube, a power of two and at least 16, are whole groups.
const _: () = assert!(SCAN_GROUP == 16);
// A unit that writes entries with marks writes one word of them.
const _: () = assert!(MERGE_ITEMS == 32);
// `select` has a bit of a word for each of a unit's keys, and finds their marks in one word.
const _: () = assert!(ITEMS < 32 && 32u32.is_multiple_of(ITEMS));
// `search` has a bit of a word for each of a unit's queries.
const _: () = assert!(SEARCH_ITEMS <= 32);
