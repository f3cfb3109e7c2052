//! The filter of a part of an index: which bits a key sets. As `filter_place` of `entries.rs` has it.

use crate::entries::{FILTER_FACTOR, FILTER_WORDS};
use cubecl::prelude::*;

/// A number whose upper bits depend on all bits of a key.
#[cube]
pub(crate) fn hash<K: Int>(key: K) -> u32 {
    // By 32 bits, in two steps that keys of 32 bits have too.
    let high = (key >> K::cast_from(16u32)) >> K::cast_from(16u32);
    (u32::cast_from(key) ^ u32::cast_from(high)) * FILTER_FACTOR
}

/// The filter's word that a key sets bits of.
#[cube]
pub(crate) fn filter_word(hash: u32) -> u32 {
    (((hash >> 6) & 0xffff) * FILTER_WORDS) >> 16
}

/// The bits that a key sets.
#[cube]
pub(crate) fn filter_bits(hash: u32) -> u32 {
    (1u32 << (hash >> 27)) | (1u32 << ((hash >> 22) & 31))
}
