//! Codes: the unsigned numbers that stand for keys, ordered the same way on every backend.

use crate::value::Plain;
use std::fmt::{Debug, Display};
use std::hash::Hash;

/// A key as the primitives see it, to sort, merge and search: `u32` or `u64`.
pub trait Code: Plain + Ord + Hash + Debug + Display + EngineCode + sealed::Sealed {
    /// The smallest key.
    const MIN: Self;
    /// The largest key.
    const MAX: Self;
    /// The width of the key, for kernels and error texts.
    const WIDTH: KeyWidth;
    /// A key and a position in one number, ordered by key and then by position.
    type Packed: Plain + Ord;

    /// The key with the lowest bits of `number`.
    fn truncated(number: u64) -> Self;
    /// The key as a 64-bit number.
    fn to_u64(self) -> u64;
    /// Packs the key and a position into one number.
    fn pack(self, position: u32) -> Self::Packed;
    /// Unpacks a key and a position.
    fn unpack(packed: Self::Packed) -> (Self, u32);
}

/// The width of a key type.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum KeyWidth {
    /// 32 bits.
    U32,
    /// 64 bits.
    U64,
}

impl KeyWidth {
    /// Every width.
    pub const ALL: [Self; 2] = [Self::U32, Self::U64];

    /// The number of bits.
    pub const fn bits(self) -> u32 {
        match self {
            Self::U32 => 32,
            Self::U64 => 64,
        }
    }
}

macro_rules! key {
    ($key:ty, $width:ident, $packed:ty) => {
        impl sealed::Sealed for $key {}
        impl EngineCode for $key {}
        impl Code for $key {
            const MIN: Self = <$key>::MIN;
            const MAX: Self = <$key>::MAX;
            const WIDTH: KeyWidth = KeyWidth::$width;
            type Packed = $packed;

            fn truncated(number: u64) -> Self {
                number as $key
            }

            fn to_u64(self) -> u64 {
                u64::from(self)
            }

            fn pack(self, position: u32) -> $packed {
                (<$packed>::from(self) << 32) | <$packed>::from(position)
            }

            fn unpack(packed: $packed) -> (Self, u32) {
                ((packed >> 32) as $key, packed as u32)
            }
        }
    };
}

key!(u32, U32, u64);
key!(u64, U64, u128);

mod sealed {
    pub trait Sealed {}
}

/// What the GPU engine requires of a key; nothing if no engine is compiled in.
#[doc(hidden)]
#[cfg(feature = "gpu")]
pub trait EngineCode: cubecl::prelude::Int {}
/// What the GPU engine requires of a key; nothing if no engine is compiled in.
#[doc(hidden)]
#[cfg(not(feature = "gpu"))]
pub trait EngineCode {}
