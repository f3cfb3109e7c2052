//! Entries on their way through the primitives: sorted keys, pending entries, runs, answers.

use crate::backend::{Array, Backend};
use crate::error::Result;
use crate::key::Key;
use crate::value::Value;

/// Keys in ascending order, each with the position that it had; equal keys in order of position.
#[derive(Clone)]
pub struct Sorted<B: Backend, K: Key> {
    /// The keys.
    pub keys: B::Array<K>,
    /// For each key, where it stood before.
    pub positions: B::Array<u32>,
}

/// Entries in strictly ascending order of their keys, whose number perhaps only the device knows.
#[derive(Clone)]
pub struct Pending<B: Backend, K: Key, V: Value> {
    /// The keys; meaningful are the first `count`.
    pub keys: B::Array<K>,
    /// The values, in the order of the keys; zero for a tombstone.
    pub values: B::Array<V>,
    /// The tombstones, where there may be any.
    pub marks: Option<Marks<B>>,
    /// The most entries that there can be.
    pub bound: usize,
    /// How many there are.
    pub count: B::Count,
}

/// A bit per entry, set for a tombstone; bits past the last entry are zero.
#[derive(Clone)]
pub struct Marks<B: Backend> {
    /// 32 entries to a word, the first in the lowest bit.
    pub bits: B::Array<u32>,
    /// How many bits are set.
    pub count: B::Count,
}

/// An immutable sorted array of entries with distinct keys.
#[derive(Clone)]
pub struct Run<B: Backend, K: Key, V: Value> {
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
}

impl<B: Backend, K: Key, V: Value> Run<B, K, V> {
    /// A run without entries.
    ///
    /// # Errors
    /// Where there is no room.
    pub fn empty(backend: &B) -> Result<Self> {
        Ok(Self {
            keys: backend.upload(&[])?,
            values: backend.upload(&[])?,
            marks: None,
            len: 0,
            tombstones: 0,
        })
    }

    /// The same entries, as input of a merge.
    ///
    /// # Errors
    /// Where there is no room.
    pub fn pending(&self, backend: &B) -> Result<Pending<B, K, V>> {
        let marks = match &self.marks {
            Some(bits) => Some(Marks { bits: bits.clone(), count: backend.count(self.tombstones as u32)? }),
            None => None,
        };
        Ok(Pending {
            keys: self.keys.clone(),
            values: self.values.clone(),
            marks,
            bound: self.len,
            count: backend.count(self.len as u32)?,
        })
    }

    /// Bytes that the run occupies.
    pub fn bytes(&self) -> u64 {
        self.keys.bytes() + self.values.bytes() + self.marks.as_ref().map_or(0, Array::bytes)
    }
}

/// Where the interval of each query lies in a list of entries.
#[derive(Clone)]
pub struct Bounds<B: Backend> {
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

/// Entries that answer queries: ordered by query, and for each query by key.
#[derive(Clone)]
pub struct Candidates<B: Backend, K: Key, V: Value> {
    /// The query that each entry belongs to.
    pub queries: B::Array<u32>,
    /// The entries.
    pub entries: Pending<B, K, V>,
}

/// What a merge does with tombstones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Tombstones {
    /// They stay, to hide older entries.
    Keep,
    /// They go: nothing older is left.
    Drop,
}

/// The answers to a list of lookups.
#[derive(Clone)]
pub struct Answers<B: Backend, V: Value> {
    /// For each query: 1 where the key is present. Between two searches, 2 stands for a key that is known to be deleted.
    pub found: B::Array<u32>,
    /// For each query the value; zero where the key is missing.
    pub values: B::Array<V>,
}

/// The entries nearest to a list of keys.
#[derive(Clone)]
pub struct Neighbours<B: Backend, K: Key, V: Value> {
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

/// The words that hold a bit for each of `len` entries.
pub fn mark_words(len: usize) -> usize {
    len.div_ceil(32)
}
