//! The types of codes and of values that dictionaries inside have: codes of 4 or 8 bytes, values of 0, 1, 2 or 4 words.

use crate::failure::{Failure, Outcome};
use crate::kind::Codes;
use crate::raw::Entries;
use gpu_lsm::{Key, Morton, Ranges, ShardedSnapshot};
use gpu_lsm_primitives::Code;
use gpu_lsm_store::{StoredKey, StoredValue};
use std::borrow::Cow;

/// A type of codes.
pub(crate) trait Width: Key<Code = Self, Native = Self> + Code + StoredKey {
    /// Codes of this width.
    fn of_codes<'c>(codes: &'c Codes<'_>) -> Outcome<&'c [Self]>;
    fn into_codes(codes: Vec<Self>) -> Codes<'static>;
    /// The points in rectangles, if the codes are those of points.
    fn rectangles<V: Words>(
        state: &ShardedSnapshot<Self, V>,
        lower: &[Self],
        upper: &[Self],
    ) -> Outcome<Entries>;
}

macro_rules! widths {
    ($($Code:ident = $Own:ident, not $Other:ident: $rectangles:ident;)+) => { $(
        impl Width for $Code {
            fn of_codes<'c>(codes: &'c Codes<'_>) -> Outcome<&'c [Self]> {
                match codes {
                    Codes::$Own(codes) => Ok(codes),
                    Codes::$Other(_) => {
                        let needed = size_of::<Self>();
                        Err(Failure::OtherWidth { given: 12 - needed, needed })
                    }
                }
            }

            fn into_codes(codes: Vec<Self>) -> Codes<'static> {
                Codes::$Own(Cow::Owned(codes))
            }

            fn rectangles<V: Words>(
                state: &ShardedSnapshot<Self, V>,
                lower: &[Self],
                upper: &[Self],
            ) -> Outcome<Entries> {
                $rectangles(state, lower, upper)
            }
        }
    )+ };
}
widths! {
    u32 = Narrow, not Wide: no_rectangles;
    u64 = Wide, not Narrow: points_in;
}

fn no_rectangles<V: Words>(_: &ShardedSnapshot<u32, V>, _: &[u32], _: &[u32]) -> Outcome<Entries> {
    Err(Failure::NoPoints)
}

fn points_in<V: Words>(state: &ShardedSnapshot<u64, V>, lower: &[u64], upper: &[u64]) -> Outcome<Entries> {
    let points = |codes: &[u64]| codes.iter().map(|&code| Morton::from_code(code)).collect::<Vec<_>>();
    let found = state.seen_as::<Morton>().rectangles(points(lower), points(upper))?;
    let (offsets, found, values) = found.into_parts();
    let keys = u64::into_codes(found.into_iter().map(Key::to_code).collect());
    Ok(Entries { offsets, keys, values: V::words(values) })
}

/// A type of values.
pub(crate) trait Words: StoredValue {
    /// The values of this many keys.
    fn of_words(words: &[u32], keys: usize) -> Outcome<Cow<'_, [Self]>>;
    fn words(values: Vec<Self>) -> Vec<u32>;
}

impl Words for () {
    fn of_words(words: &[u32], keys: usize) -> Outcome<Cow<'_, [Self]>> {
        match words.len() {
            0 => Ok(Cow::Owned(vec![(); keys])),
            _ => Err(Failure::NoValues),
        }
    }

    fn words(_: Vec<Self>) -> Vec<u32> {
        Vec::new()
    }
}

impl Words for u32 {
    fn of_words(words: &[u32], _: usize) -> Outcome<Cow<'_, [Self]>> {
        Ok(Cow::Borrowed(words))
    }

    fn words(values: Vec<Self>) -> Vec<u32> {
        values
    }
}

macro_rules! arrays {
    ($($N:literal),+) => { $(
        impl Words for [u32; $N] {
            fn of_words(words: &[u32], _: usize) -> Outcome<Cow<'_, [Self]>> {
                match words.as_chunks() {
                    (values, []) => Ok(Cow::Borrowed(values)),
                    _ => Err(Failure::PartialValue { words: words.len(), each: $N }),
                }
            }

            fn words(values: Vec<Self>) -> Vec<u32> {
                values.into_flattened()
            }
        }
    )+ };
}
arrays!(2, 4);

/// The entries of ranges, in the form that has no types.
pub(crate) fn entries<K: Width, V: Words>(found: Ranges<K, V>) -> Entries {
    let (offsets, keys, values) = found.into_parts();
    Entries { offsets, keys: K::into_codes(keys), values: V::words(values) }
}
