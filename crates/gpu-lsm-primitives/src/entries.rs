//! Entries on their way through the primitives: sorted keys, piles, runs, answers.

use crate::arrays::{Array, Arrays};
use crate::key::Key;
use crate::tuning::INDEX_KEYS;
use crate::value::Value;
use std::sync::{Arc, OnceLock};

/// Keys in ascending order, each with the position that it had; equal keys in order of position.
#[derive(Clone)]
pub struct Sorted<B: Arrays, K: Key> {
    /// The keys.
    pub keys: B::Array<K>,
    /// For each key, where it stood before.
    pub positions: B::Array<u32>,
}

/// Entries in ascending order of their keys; of equal keys the last counts.
#[derive(Clone)]
pub struct Pile<B: Arrays, K: Key, V: Value> {
    /// The keys.
    pub keys: B::Array<K>,
    /// The values, in the order of the keys; zero for a tombstone.
    pub values: B::Array<V>,
    /// A bit per entry, set for a tombstone, and zeros to the end of the last word; absent where there are none.
    pub marks: Option<B::Array<u32>>,
    /// How many entries there are.
    pub len: usize,
}

impl<B: Arrays, K: Key, V: Value> Pile<B, K, V> {
    /// The entries as if none were a tombstone, and the marks that say which are.
    pub(crate) fn without_marks(self) -> (Self, Option<B::Array<u32>>) {
        (Self { marks: None, ..self }, self.marks)
    }
}

/// An immutable sorted array of entries with distinct keys.
#[derive(Clone)]
pub struct Run<B: Arrays, K: Key, V: Value> {
    /// The keys, strictly ascending.
    pub keys: B::Array<K>,
    /// The values; zero for a tombstone.
    pub values: B::Array<V>,
    /// A bit per entry, set for a tombstone; absent where there are none.
    pub marks: Option<B::Array<u32>>,
    /// How many entries there are.
    pub len: usize,
    /// How many of them are tombstones.
    pub tombstones: usize,
    /// Where searches begin, see `index_len`; only runs that were settled have one, and only those and empty ones may be
    /// searched.
    pub index: B::Array<u32>,
    /// How its entries change which keys there are, once somebody asked: older runs stay what they are while it exists.
    pub tally: Arc<OnceLock<Tally<B>>>,
}

impl<B: Arrays, K: Key, V: Value> Run<B, K, V> {
    /// The entries, for a merge.
    pub fn pile(&self) -> Pile<B, K, V> {
        let (keys, values, marks) = (self.keys.clone(), self.values.clone(), self.marks.clone());
        Pile { keys, values, marks, len: self.len }
    }

    /// Bytes that the run occupies.
    pub fn bytes(&self) -> u64 {
        let marks = self.marks.as_ref().map_or(0, Array::bytes);
        let tally = self.tally.get().map_or(0, |tally| tally.words.bytes());
        self.keys.bytes() + self.values.bytes() + marks + self.index.bytes() + tally
    }
}

/// How the entries of a run change which keys there are, where those of older runs are there before: an insert of a key
/// that they lack adds one, a tombstone of a key that they have takes one away.
#[derive(Clone)]
pub struct Tally<B: Arrays> {
    /// For each 32 entries, and one past the last, the sum of the changes before them, a bit for each that adds a key, and
    /// a bit for each that takes one away; empty where each entry adds one.
    pub words: B::Array<u32>,
    /// What all changes come to.
    pub total: i64,
}

/// Where the interval of each query lies in a list of entries.
#[derive(Clone)]
pub struct Bounds<B: Arrays> {
    /// The position of the first entry in each interval.
    pub starts: B::Array<u32>,
    /// How many entries each interval has.
    pub lens: B::Array<u32>,
    /// For each query, and one past the last, the sum of the lengths of the intervals before it; at most the largest
    /// number.
    pub offsets: B::Array<u32>,
    /// The sum of all lengths; the largest number where it is too large for 32 bits.
    pub total: B::Count,
}

/// Entries that may answer queries: one query after the other, and for each query in ascending order of keys.
#[derive(Clone)]
pub struct Candidates<B: Arrays, K: Key, V: Value> {
    /// For each query, and one past the last, how many entries the queries before it have.
    pub offsets: B::Array<u32>,
    /// The entries. There may be room for more: the last offset says how many there are.
    pub entries: Pile<B, K, V>,
}

/// What becomes of tombstones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Tombstones {
    /// They stay, to hide older entries.
    Keep,
    /// They go: nothing older is left.
    Drop,
}

/// The answers to a list of lookups.
#[derive(Clone)]
pub struct Answers<B: Arrays, V: Value> {
    /// For each query: 1 where the key is present. Between two searches, 2 stands for a key that is known to be deleted.
    pub found: B::Array<u32>,
    /// For each query the value; zero where the key is missing.
    pub values: B::Array<V>,
}

/// The entries nearest to a list of keys.
#[derive(Clone)]
pub struct Neighbours<B: Arrays, K: Key, V: Value> {
    /// For each query: 1 where there is such an entry. Between two rounds, 2 stands for a query that is still open.
    pub found: B::Array<u32>,
    /// For each query the entry's key.
    pub keys: B::Array<K>,
    /// For each query the entry's value; zero where there is none.
    pub values: B::Array<V>,
}

/// What [`Answers::found`] and [`Neighbours::found`] hold.
pub mod found {
    /// The key is missing, or not found yet.
    pub const MISSING: u32 = 0;
    /// The key is present.
    pub const PRESENT: u32 = 1;
    /// A tombstone was found: no older run may answer.
    pub const DELETED: u32 = 2;
    /// The nearest entry is not known yet.
    pub const OPEN: u32 = 2;
}

/// How many parts the index of at most `len` keys tells apart: at least 2, so that a shift by less than a key's bits
/// numbers them.
pub(crate) fn index_parts(len: usize) -> usize {
    (len / INDEX_KEYS).next_power_of_two().max(2)
}

/// The words of an index: first a record of its own, whose first word is the shift that makes a part's number of a key's
/// distance from the first key. Then a record for each part, and one past the last: how many keys lie before it, and a
/// filter of its keys, in which each key has set two bits of one word, or all bits are set. None where there are no keys.
pub fn index_len(len: usize) -> usize {
    if len == 0 { 0 } else { (index_parts(len) + 2) * INDEX_WORDS as usize }
}

/// Words of a record of an index: the least that a GPU reads from its memory.
pub(crate) const INDEX_WORDS: u32 = 8;
/// Words of the filter in such a record.
pub(crate) const FILTER_WORDS: u32 = INDEX_WORDS - 1;
/// What mixes the bits of a key: the golden ratio's, as Knuth proposes.
pub(crate) const FILTER_FACTOR: u32 = 0x9E37_79B1;

/// The word of a filter in which a key sets bits, and the bits: as in `gpu/kernels/shared/filter.rs`.
pub(crate) fn filter_place(key: u64) -> (usize, u32) {
    let hash = ((key ^ (key >> 32)) as u32).wrapping_mul(FILTER_FACTOR);
    let word = (((hash >> 6) & 0xffff) * FILTER_WORDS) >> 16;
    (word as usize, (1 << (hash >> 27)) | (1 << ((hash >> 22) & 31)))
}

/// The words that hold a bit for each of `len` entries.
pub fn mark_words(len: usize) -> usize {
    len.div_ceil(32)
}
