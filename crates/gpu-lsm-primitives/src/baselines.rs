//! Further primitives, for other dictionaries that are measured on the same device with the same primitives.
//!
//! Keys are *key variables* as in the paper: 31 bits of key, and below them a status bit that is set for a regular
//! entry and clear for a tombstone. All orders here ignore the status. Of several entries of a key, the newest comes
//! first. Values have 32 bits.

use crate::backend::{Array, Backend};
use crate::entries::{Answers, Bounds};
use crate::error::Result;
use std::ops::Range;

/// The largest key: one of 32 bits is the status.
pub const LARGEST_KEY: u32 = u32::MAX >> 1;
/// The filler of a level that would not be full: a tombstone of the largest key.
pub const PLACEBO: u32 = LARGEST_KEY << 1;
/// The content of an empty slot in a hash table. No key has this value.
pub const EMPTY_SLOT: u32 = u32::MAX;
/// The number of hash functions of a table.
pub(crate) const HASHES: u32 = 4;
/// The most entries that one insertion into a hash table may evict.
pub(crate) const MOVES: u32 = 256;

/// Key variables in order, with their values.
#[derive(Clone)]
pub struct Pairs<B: Backend> {
    /// The key variables.
    pub keys: B::Array<u32>,
    /// The value of each.
    pub values: B::Array<u32>,
}

impl<B: Backend> Pairs<B> {
    /// Allocates `len` pairs with undefined content.
    ///
    /// # Errors
    /// If memory runs out.
    pub fn room(backend: &B, len: usize) -> Result<Self> {
        Ok(Self { keys: backend.room(len)?, values: backend.room(len)? })
    }

    /// All pairs as one part.
    pub fn all(&self) -> Part<'_, B> {
        Part { pairs: self, start: 0, len: self.keys.len() }
    }

    /// The bytes that they occupy.
    pub fn bytes(&self) -> u64 {
        self.keys.bytes() + self.values.bytes()
    }
}

/// A contiguous part of an array of pairs.
pub struct Part<'a, B: Backend> {
    /// The array.
    pub pairs: &'a Pairs<B>,
    /// The position of the first pair.
    pub start: usize,
    /// The number of pairs.
    pub len: usize,
}

impl<B: Backend> Part<'_, B> {
    /// The positions of the pairs.
    pub fn range(&self) -> Range<usize> {
        self.start..self.start + self.len
    }
}

/// Sorted arrays of doubling lengths, one after the other in one array, newest first.
///
/// Level `i` has `batch << i` pairs. It is full if bit `i` of `batches` is set, otherwise empty.
#[derive(Clone)]
pub struct Levels<B: Backend> {
    /// All levels.
    pub pairs: Pairs<B>,
    /// The length of the first level.
    pub batch: usize,
    /// The number of batches.
    pub batches: u32,
}

impl<B: Backend> Levels<B> {
    /// The number of full levels.
    pub fn full(&self) -> u32 {
        self.batches.count_ones()
    }

    /// The full levels, newest first.
    pub fn full_levels(&self) -> impl Iterator<Item = Part<'_, B>> {
        let mut rest = self.batches;
        std::iter::from_fn(move || {
            let level = (rest != 0).then(|| rest.trailing_zeros())?;
            rest &= rest - 1;
            Some(self.level(level))
        })
    }

    /// A level, full or not.
    pub fn level(&self, level: u32) -> Part<'_, B> {
        let len = self.batch << level;
        Part { pairs: &self.pairs, start: len - self.batch, len }
    }
}

/// The numbers of valid candidates.
pub struct Valid<B: Backend> {
    /// For each query, the number of its valid candidates; empty if there are no queries.
    pub counts: B::Array<u32>,
    /// For each stretch of candidates, the number of valid ones.
    pub kept: B::Array<u32>,
}

/// Key variables, with values or without.
#[derive(Clone)]
pub struct KeyVariables<B: Backend> {
    /// The key variables.
    pub keys: B::Array<u32>,
    /// The value of each, if they are wanted.
    pub values: Option<B::Array<u32>>,
}

/// Candidates of several queries. Those of a query are adjacent, in several lists, each of which is sorted.
#[derive(Clone)]
pub struct Lists<B: Backend> {
    /// For each candidate, the number of its list, counted over all queries.
    pub list_of: B::Array<u32>,
    /// The number of lists per query.
    pub per_query: u32,
    /// The number of queries.
    pub queries: usize,
}

/// The primitives of other dictionaries. Only the one that says so waits for the device.
pub trait Baselines: Backend {
    /// The key variables of a batch, from its last key to its first, and then the first again up to `len`. A key whose
    /// bit in `marks` is set becomes a tombstone. There must be at least one key.
    ///
    /// # Errors
    /// If memory runs out or the device fails.
    fn encode_keys(
        &self,
        keys: &Self::Array<u32>,
        marks: Option<&Self::Array<u32>>,
        len: usize,
    ) -> Result<Self::Array<u32>>;

    /// The values of a batch of `keys` keys, at the given positions of [`encode_keys`](Self::encode_keys); zero if
    /// there is none.
    ///
    /// # Errors
    /// If memory runs out or the device fails.
    fn encode_values(
        &self,
        values: &Self::Array<u32>,
        positions: &Self::Array<u32>,
        keys: usize,
    ) -> Result<Self::Array<u32>>;

    /// Writes `len` elements of `to`, starting at its element `at`: those of `from` and, if they are fewer, `filler`.
    ///
    /// # Errors
    /// If memory runs out or the device fails.
    fn place(
        &self,
        from: Option<(&Self::Array<u32>, Range<usize>)>,
        to: &mut Self::Array<u32>,
        at: usize,
        len: usize,
        filler: u32,
    ) -> Result<()>;

    /// Merges two arrays into one. All entries stay; of equal keys, the newer entries come first.
    ///
    /// # Errors
    /// If memory runs out or the device fails.
    fn interleave(&self, newer: &Part<'_, Self>, older: &Part<'_, Self>) -> Result<Pairs<Self>>;

    /// For each query, the answer of the key's first entry in the newest level that has one.
    ///
    /// # Errors
    /// If memory runs out or the device fails.
    fn probe(&self, levels: &Levels<Self>, queries: &Self::Array<u32>) -> Result<Answers<Self, u32>>;

    /// Where the interval of each query, both bounds inclusive, lies in each full level: all levels for the first
    /// query, newest first, then all for the second, and so on.
    ///
    /// # Errors
    /// If memory runs out or the device fails.
    fn intervals(
        &self,
        levels: &Levels<Self>,
        lower: &Self::Array<u32>,
        upper: &Self::Array<u32>,
    ) -> Result<Bounds<Self>>;

    /// The list of each of `total` candidates. `offsets` says where each list starts, and where the last one ends.
    ///
    /// # Errors
    /// If memory runs out or the device fails.
    fn number(&self, offsets: &Self::Array<u32>, total: usize) -> Result<Self::Array<u32>>;

    /// Merges each query's lists into one: a segmented sort by merging, which does nothing if a query has one list.
    /// `offsets` says where each list starts, and where the last one ends.
    ///
    /// # Errors
    /// If memory runs out or the device fails.
    fn unite(
        &self,
        columns: KeyVariables<Self>,
        lists: &Lists<Self>,
        offsets: &Self::Array<u32>,
    ) -> Result<KeyVariables<Self>>;

    /// Counts the valid candidates: for each key of a query its first entry, unless that is a tombstone. Without lists,
    /// all candidates belong to one query.
    ///
    /// # Errors
    /// If memory runs out or the device fails.
    fn validate(&self, keys: &Self::Array<u32>, lists: Option<&Lists<Self>>) -> Result<Valid<Self>>;

    /// The valid candidates and their number, in arrays as long as before; keys keep their status or become plain.
    ///
    /// # Errors
    /// If memory runs out or the device fails.
    fn compact(
        &self,
        pairs: &Pairs<Self>,
        lists: Option<&Lists<Self>>,
        valid: &Valid<Self>,
        is_plain: bool,
    ) -> Result<(Pairs<Self>, Self::Count)>;

    /// A hash table with this many slots of distinct plain keys, with the hash functions of `seed`; `None` if some key
    /// finds no slot. Waits for the device.
    ///
    /// # Errors
    /// If memory runs out or the device fails.
    fn cuckoo_build(
        &self,
        keys: &Self::Array<u32>,
        values: &Self::Array<u32>,
        slots: usize,
        seed: u32,
    ) -> Result<Option<Pairs<Self>>>;

    /// Looks up plain keys in a hash table.
    ///
    /// # Errors
    /// If memory runs out or the device fails.
    fn cuckoo_lookup(
        &self,
        table: &Pairs<Self>,
        queries: &Self::Array<u32>,
        seed: u32,
    ) -> Result<Answers<Self, u32>>;
}
