//! Codes of points: their x has every second bit, from the lowest on, and their y the others.

use cubecl::prelude::*;

/// The bits of x.
#[cube]
pub(crate) fn x_bits<K: Int>() -> K {
    let bits = K::cast_from(0x5555_5555u32);
    bits | (bits << K::cast_from(32u32))
}

/// Whether a point is in the rectangle between two corners, both inclusive. Numbers of which all bits but those of one
/// axis are zero have the order of that axis.
#[cube]
pub(crate) fn is_in<K: Int>(point: K, lower: K, upper: K) -> bool {
    let x = x_bits::<K>();
    let y = x << K::cast_from(1u32);
    point & x >= lower & x && point & x <= upper & x && point & y >= lower & y && point & y <= upper & y
}
