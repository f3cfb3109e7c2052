//! Keys and values that tests construct from numbers.

use gpu_lsm::{Key, Morton, Value};
use gpu_lsm_primitives::Code;
use std::collections::BTreeSet;
use std::fmt::Debug;

/// A key type for tests.
pub trait TestKey: Key {
    /// Both ends of the domain and of its halves.
    fn edges() -> Vec<Self>;

    /// The key whose code has the lowest bits of `number`.
    fn coded(number: u64) -> Self {
        Self::from_code(Code::truncated(number))
    }
}

macro_rules! test_keys {
    ($($key:ty),+) => {
        $(impl TestKey for $key {
            fn edges() -> Vec<Self> {
                edge_codes(<$key as Key>::Code::WIDTH.bits()).into_iter().map(Self::coded).collect()
            }
        })+
    };
}
test_keys!(u32, u64, i32, i64, f32, f64, (u32, u32), Morton);

fn edge_codes(bits: u32) -> BTreeSet<u64> {
    let last = u64::MAX >> (64 - bits);
    let halves = [(1 << 31) - 1, 1 << 31, (1 << 32) - 1, 1 << 32, (1 << 63) - 1, 1 << 63, last - 1, last];
    [0, 1].into_iter().chain(halves).filter(|&code| code <= last).collect()
}

/// A value type that tests can construct from a number.
pub trait TestValue: Value + PartialEq + Debug {
    /// The value for a number.
    fn from_number(number: u64) -> Self;
}

impl TestValue for () {
    fn from_number(_: u64) -> Self {}
}
impl TestValue for u32 {
    fn from_number(number: u64) -> Self {
        number as u32
    }
}
impl TestValue for f64 {
    fn from_number(number: u64) -> Self {
        f64::from(number as u32)
    }
}
impl TestValue for [u32; 4] {
    fn from_number(number: u64) -> Self {
        [number as u32, (number >> 32) as u32, !number as u32, 7]
    }
}

/// How the keys of a test are distributed over the domain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Layout {
    /// Spread over the whole domain.
    Spread,
    /// Groups of adjacent keys, with the groups spread over the domain.
    Runs,
    /// Close together with small gaps, like timestamps; of 64-bit keys, the upper bits are equal.
    Timestamps,
    /// Adjacent keys around the middle of the domain, where the sign changes and 32-bit halves carry.
    Middle,
}

impl Layout {
    /// Every layout.
    pub const ALL: [Self; 4] = [Self::Spread, Self::Runs, Self::Timestamps, Self::Middle];

    /// The `i`-th key of the layout.
    pub fn key<K: TestKey>(self, i: u64) -> K {
        const RUN: u64 = 100;
        match self {
            Self::Spread => spread(i),
            Self::Runs => K::coded(scattered(i / RUN).wrapping_add(i % RUN)),
            Self::Timestamps => K::coded(1_700_000_000 + i * 997),
            Self::Middle => K::coded((1 << (K::Code::WIDTH.bits() - 1)) - 100 + i),
        }
    }
}

/// The `i`-th of a set of keys that are spread over the domain.
pub fn spread<K: TestKey>(i: u64) -> K {
    K::coded(scattered(i))
}

fn scattered(i: u64) -> u64 {
    i.wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(17)
}
