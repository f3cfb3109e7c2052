//! The forms of entries in the primitives: sorted keys, piles, runs, answers.

use crate::arrays::{Array, Arrays};
use crate::code::Code;
use crate::tuning::INDEX_KEYS;
use crate::value::Value;

/// Keys in ascending order, each with its former position. Equal keys are in the order of their positions.
#[derive(Clone)]
pub struct Sorted<B: Arrays, K: Code> {
    /// The keys.
    pub keys: B::Array<K>,
    /// For each key, its former position.
    pub positions: B::Array<u32>,
}

/// Entries in ascending order of their keys. If a key occurs several times, its last entry wins.
#[derive(Clone)]
pub struct Pile<B: Arrays, K: Code, V: Value> {
    /// The keys.
    pub keys: B::Array<K>,
    /// The values, in the order of the keys; zero for a tombstone.
    pub values: B::Array<V>,
    /// One bit per entry, set for tombstones, and zeros up to the end of the last word. Absent if there are no
    /// tombstones.
    pub marks: Option<B::Array<u32>>,
    /// The number of entries.
    pub len: usize,
}

impl<B: Arrays, K: Code, V: Value> Pile<B, K, V> {
    /// The entries as if none were a tombstone, and separately the marks.
    pub(crate) fn without_marks(self) -> (Self, Option<B::Array<u32>>) {
        (Self { marks: None, ..self }, self.marks)
    }
}

/// An immutable sorted array of entries with distinct keys.
#[derive(Clone)]
pub struct Run<B: Arrays, K: Code, V: Value> {
    /// The keys, strictly ascending.
    pub keys: B::Array<K>,
    /// The values; zero for a tombstone.
    pub values: B::Array<V>,
    /// One bit per entry, set for tombstones. Absent if there are no tombstones.
    pub marks: Option<B::Array<u32>>,
    /// The number of entries.
    pub len: usize,
    /// The number of these that are tombstones.
    pub tombstones: usize,
    /// Where searches begin: see `index_len`. Only settled runs have an index, and only settled and empty runs may be
    /// searched.
    pub index: B::Array<u32>,
}

impl<B: Arrays, K: Code, V: Value> Run<B, K, V> {
    /// The entries, for a merge.
    pub fn pile(&self) -> Pile<B, K, V> {
        let (keys, values, marks) = (self.keys.clone(), self.values.clone(), self.marks.clone());
        Pile { keys, values, marks, len: self.len }
    }

    /// The bytes that the run occupies.
    pub fn bytes(&self) -> u64 {
        let marks = self.marks.as_ref().map_or(0, Array::bytes);
        self.keys.bytes() + self.values.bytes() + marks + self.index.bytes()
    }
}

/// How the entries of a run change the set of keys of the older runs: an insert of a key that these lack adds one, and
/// a tombstone of a key that they have removes one.
#[derive(Clone)]
pub struct Tally<B: Arrays> {
    /// For every 32 entries, and one past the last: the sum of the changes before them, a bit for each entry that adds
    /// a key, and a bit for each that removes one. Empty if every entry adds a key.
    pub words: B::Array<u32>,
    /// The sum of all changes.
    pub total: i64,
}

/// Where the interval of each query lies in a list of entries.
#[derive(Clone)]
pub struct Bounds<B: Arrays> {
    /// The position of the first entry in each interval.
    pub starts: B::Array<u32>,
    /// The number of entries in each interval.
    pub lens: B::Array<u32>,
    /// For each query, and one past the last, the sum of the lengths of all intervals before it; the largest number if
    /// the sum does not fit 32 bits.
    pub offsets: B::Array<u32>,
    /// The sum of all lengths; the largest number if it does not fit 32 bits.
    pub total: B::Count,
}

/// Entries that may answer queries: one query after the other, and for each query in ascending order of keys.
#[derive(Clone)]
pub struct Candidates<B: Arrays, K: Code, V: Value> {
    /// For each query, and one past the last, the number of entries of all queries before it.
    pub offsets: B::Array<u32>,
    /// The entries. The arrays may be longer: the last offset is the number of entries.
    pub entries: Pile<B, K, V>,
}

/// What happens to tombstones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Tombstones {
    /// They stay, to hide older entries.
    Keep,
    /// They are dropped: nothing older is left.
    Drop,
}

/// The answers to a list of lookups.
#[derive(Clone)]
pub struct Answers<B: Arrays, V: Value> {
    /// For each query, 1 if the key is present, else 0. Between searches, 2 means that the key is known to be deleted.
    pub found: B::Array<u32>,
    /// For each query, the value; zero if the key is missing.
    pub values: B::Array<V>,
}

/// The entries nearest to a list of keys.
#[derive(Clone)]
pub struct Neighbours<B: Arrays, K: Code, V: Value> {
    /// For each query, 1 if there is such an entry, else 0. Between rounds, 2 means that the query is still open.
    pub found: B::Array<u32>,
    /// For each query, the entry's key.
    pub keys: B::Array<K>,
    /// For each query, the entry's value; zero if there is none.
    pub values: B::Array<V>,
}

/// The values of [`Answers::found`] and [`Neighbours::found`].
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

/// The number of parts in the index of at most `len` keys. It is at least 2, so that the shift that numbers the parts
/// is smaller than the number of bits in a key.
pub(crate) fn index_parts(len: usize) -> usize {
    (len / INDEX_KEYS).next_power_of_two().max(2)
}

/// The number of words in an index. It starts with a record of its own, whose first word is the shift that turns a
/// key's distance from the first key into the number of its part. Then follows a record for each part and one past the
/// last: the number of keys before the part, and a filter of its keys. In a filter each key sets two bits of one word,
/// or all bits are set. The index of no keys is empty.
pub fn index_len(len: usize) -> usize {
    if len == 0 { 0 } else { (index_parts(len) + 2) * INDEX_WORDS as usize }
}

/// Words in a record of an index: the least that a GPU reads from its memory at a time.
pub(crate) const INDEX_WORDS: u32 = 8;
/// Words of the filter in a record.
pub(crate) const FILTER_WORDS: u32 = INDEX_WORDS - 1;
/// The factor that mixes the bits of a key, from the golden ratio, as Knuth suggests.
pub(crate) const FILTER_FACTOR: u32 = 0x9E37_79B1;

/// The word of a filter in which a key sets bits, and these bits. The same as in `gpu/kernels/shared/filter.rs`.
pub(crate) fn filter_place(key: u64) -> (usize, u32) {
    let hash = ((key ^ (key >> 32)) as u32).wrapping_mul(FILTER_FACTOR);
    let word = (((hash >> 6) & 0xffff) * FILTER_WORDS) >> 16;
    (word as usize, (1 << (hash >> 27)) | (1 << ((hash >> 22) & 31)))
}

/// The number of words that hold one bit for each of `len` entries.
pub fn mark_words(len: usize) -> usize {
    len.div_ceil(32)
}
