//! The filter of a part of an index: the bits that a key sets. The same as `filter_place` in `entries.rs`.

use crate::entries::{FILTER_FACTOR, FILTER_WORDS};
use cubecl::prelude::*;

/// A number whose upper bits depend on all bits of a key.
#[cube]
pub(crate) fn hash<K: Int>(key: K) -> u32 {
    // Shifts by 32 bits in two steps, because a 32-bit key cannot be shifted by 32.
    let high = (key >> K::cast_from(16u32)) >> K::cast_from(16u32);
    (u32::cast_from(key) ^ u32::cast_from(high)) * FILTER_FACTOR
}

/// The word of the filter in which a key sets bits.
#[cube]
pub(crate) fn filter_word(hash: u32) -> u32 {
    (((hash >> 6) & 0xffff) * FILTER_WORDS) >> 16
}

/// The bits that a key sets.
#[cube]
pub(crate) fn filter_bits(hash: u32) -> u32 {
    (1u32 << (hash >> 27)) | (1u32 << ((hash >> 22) & 31))
}
