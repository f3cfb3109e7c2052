//! Kinds of keys: what a column of words means, and the codes that have the order of the keys.
//!
//! A column has one word per key: the bits of a number, or both halves of a pair or a point, the first one lowest.

use gpu_lsm::{Key, Morton};
use std::borrow::Cow;

/// A kind of keys. Dates and durations are signed numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    U32,
    I32,
    F32,
    U64,
    I64,
    F64,
    Pair,
    Point,
}

/// Codes of keys, or words that stand for keys, of 4 or 8 bytes.
#[derive(Debug, Clone)]
pub(crate) enum Codes<'a> {
    Narrow(Cow<'a, [u32]>),
    Wide(Cow<'a, [u64]>),
}

impl Kind {
    /// The kind of this name.
    pub(crate) fn named(name: &str) -> Option<Self> {
        Some(match name {
            "uint32" => Self::U32,
            "int32" => Self::I32,
            "float32" => Self::F32,
            "uint64" => Self::U64,
            "int64" => Self::I64,
            "float64" => Self::F64,
            "pair" => Self::Pair,
            "point" => Self::Point,
            _ => return None,
        })
    }

    pub(crate) fn is_narrow(self) -> bool {
        matches!(self, Self::U32 | Self::I32 | Self::F32)
    }

    /// The codes of keys. A key that is its own code is not copied.
    pub(crate) fn encode<'a>(self, keys: &'a Codes<'_>) -> Codes<'a> {
        match keys {
            Codes::Narrow(words) => Codes::Narrow(match self {
                Self::I32 => recoded(words, |word| (word as i32).to_code()),
                Self::F32 => recoded(words, |word| f32::from_bits(word).to_code()),
                _ => Cow::Borrowed(words),
            }),
            Codes::Wide(words) => Codes::Wide(match self {
                Self::I64 => recoded(words, |word| (word as i64).to_code()),
                Self::F64 => recoded(words, |word| f64::from_bits(word).to_code()),
                Self::Pair => recoded(words, |word| word.rotate_left(32)),
                Self::Point => recoded(words, |word| point(word).to_code()),
                _ => Cow::Borrowed(words),
            }),
        }
    }

    /// The keys of codes.
    pub(crate) fn decode(self, codes: Codes<'static>) -> Codes<'static> {
        match codes {
            Codes::Narrow(codes) => Codes::Narrow(Cow::Owned(match self {
                Self::I32 => in_place(codes, |code| i32::from_code(code) as u32),
                Self::F32 => in_place(codes, |code| f32::from_code(code).to_bits()),
                _ => codes.into_owned(),
            })),
            Codes::Wide(codes) => Codes::Wide(Cow::Owned(match self {
                Self::I64 => in_place(codes, |code| i64::from_code(code) as u64),
                Self::F64 => in_place(codes, |code| f64::from_code(code).to_bits()),
                Self::Pair => in_place(codes, |code| code.rotate_left(32)),
                Self::Point => in_place(codes, |code| word(Morton::from_code(code))),
                _ => codes.into_owned(),
            })),
        }
    }
}

impl Codes<'_> {
    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Narrow(codes) => codes.len(),
            Self::Wide(codes) => codes.len(),
        }
    }

    /// A part of them.
    pub(crate) fn part(&self, range: std::ops::Range<usize>) -> Codes<'_> {
        match self {
            Self::Narrow(codes) => Codes::Narrow(Cow::Borrowed(&codes[range])),
            Self::Wide(codes) => Codes::Wide(Cow::Borrowed(&codes[range])),
        }
    }
}

impl Codes<'static> {
    /// Adds codes of the same width; others stay away.
    pub(crate) fn append(&mut self, more: Self) {
        match (self, more) {
            (Self::Narrow(codes), Self::Narrow(more)) => codes.to_mut().extend_from_slice(&more),
            (Self::Wide(codes), Self::Wide(more)) => codes.to_mut().extend_from_slice(&more),
            _ => unreachable!("a dictionary's codes have one width"),
        }
    }

    /// Replaces the keys that were not found by the key whose bits are zero.
    pub(crate) fn zero_missing(&mut self, found: &[u32]) {
        match self {
            Self::Narrow(keys) => zero(keys.to_mut(), found),
            Self::Wide(keys) => zero(keys.to_mut(), found),
        }
    }
}

fn zero<T: From<u32>>(keys: &mut [T], found: &[u32]) {
    keys.iter_mut().zip(found).filter(|(_, found)| **found == 0).for_each(|(key, _)| *key = 0.into());
}

fn recoded<'a, T: Copy>(words: &[T], code: impl Fn(T) -> T) -> Cow<'a, [T]> {
    Cow::Owned(words.iter().map(|&word| code(word)).collect())
}

fn in_place<T: Copy>(codes: Cow<'static, [T]>, word: impl Fn(T) -> T) -> Vec<T> {
    let mut words = codes.into_owned();
    words.iter_mut().for_each(|each| *each = word(*each));
    words
}

fn point(word: u64) -> Morton {
    Morton { x: word as u32, y: (word >> 32) as u32 }
}

fn word(point: Morton) -> u64 {
    u64::from(point.y) << 32 | u64::from(point.x)
}
