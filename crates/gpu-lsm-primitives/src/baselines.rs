//! What other dictionaries need besides the menu, so that they can be measured on the same device with the same primitives.
//!
//! Keys are *key variables* as the paper has them: 31 bits of key above one bit of status, which is set for a regular
//! entry and clear for a tombstone. Every order here is that of the keys without the status; of equal keys the newest
//! entry comes first. Values have 32 bits.

use crate::backend::{Array, Backend};
use crate::entries::{Answers, Bounds};
use crate::error::Result;
use std::ops::Range;

/// The largest key: one bit is the status.
pub const LARGEST_KEY: u32 = u32::MAX >> 1;
/// What fills a level that would not be full: a tombstone of the largest key.
pub const PLACEBO: u32 = LARGEST_KEY << 1;
/// What stands in a hash table's slot without a key, and can't be one.
pub const EMPTY_SLOT: u32 = u32::MAX;
/// Hash functions of a table.
pub(crate) const HASHES: u32 = 4;
/// How often an insertion into a hash table may throw another entry out.
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
    /// Room for `len` pairs, of no defined content.
    ///
    /// # Errors
    /// Where there is no room.
    pub fn room(backend: &B, len: usize) -> Result<Self> {
        Ok(Self { keys: backend.room(len)?, values: backend.room(len)? })
    }

    /// All of them.
    pub fn all(&self) -> Part<'_, B> {
        Part { pairs: self, start: 0, len: self.keys.len() }
    }

    /// Bytes that they occupy.
    pub fn bytes(&self) -> u64 {
        self.keys.bytes() + self.values.bytes()
    }
}

/// Neighbouring pairs of an array.
pub struct Part<'a, B: Backend> {
    /// The array.
    pub pairs: &'a Pairs<B>,
    /// Where the first stands.
    pub start: usize,
    /// How many they are.
    pub len: usize,
}

impl<B: Backend> Part<'_, B> {
    /// Where they stand.
    pub fn range(&self) -> Range<usize> {
        self.start..self.start + self.len
    }
}

/// Sorted arrays of doubling lengths, one after the other in one array, the newest first.
///
/// Level `i` has `batch << i` pairs; it is full where bit `i` of `batches` is set, and else empty.
#[derive(Clone)]
pub struct Levels<B: Backend> {
    /// All levels.
    pub pairs: Pairs<B>,
    /// How long the first level is.
    pub batch: usize,
    /// How many batches there are.
    pub batches: u32,
}

impl<B: Backend> Levels<B> {
    /// How many levels are full.
    pub fn full(&self) -> u32 {
        self.batches.count_ones()
    }

    /// The full levels, the newest first.
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

/// Which candidates are valid, as counts.
pub struct Valid<B: Backend> {
    /// For each query how many; nothing where there are no queries.
    pub counts: B::Array<u32>,
    /// For each stretch of candidates how many.
    pub kept: B::Array<u32>,
}

/// Key variables, with values or without.
#[derive(Clone)]
pub struct Columns<B: Backend> {
    /// The key variables.
    pub keys: B::Array<u32>,
    /// The value of each, where they are wanted.
    pub values: Option<B::Array<u32>>,
}

/// Candidates of several queries; those of a query lie together, in several lists that are each in order.
#[derive(Clone)]
pub struct Lists<B: Backend> {
    /// Which list each candidate belongs to, counted over all queries.
    pub list_of: B::Array<u32>,
    /// How many lists each query has.
    pub per_query: u32,
    /// How many queries there are.
    pub queries: usize,
}

/// The primitives of other dictionaries. None waits for the device, but for the one that says so.
pub trait Baselines: Backend {
    /// The key variables of a batch, from its last key to its first, and then the first again up to `len`. Where `marks`
    /// has a key's bit set it is a tombstone. There is at least one key.
    ///
    /// # Errors
    /// Where there is no room or the device fails.
    fn encode_keys(
        &self,
        keys: &Self::Array<u32>,
        marks: Option<&Self::Array<u32>>,
        len: usize,
    ) -> Result<Self::Array<u32>>;

    /// The values of a batch of `keys` keys at the given positions of [`encode_keys`](Self::encode_keys); zero where
    /// there is none.
    ///
    /// # Errors
    /// Where there is no room or the device fails.
    fn encode_values(
        &self,
        values: &Self::Array<u32>,
        positions: &Self::Array<u32>,
        keys: usize,
    ) -> Result<Self::Array<u32>>;

    /// Writes `len` elements of `to` from its element `at` on: those of `from` and, where they are fewer, `filler`.
    ///
    /// # Errors
    /// Where there is no room or the device fails.
    fn place(
        &self,
        from: Option<(&Self::Array<u32>, Range<usize>)>,
        to: &mut Self::Array<u32>,
        at: usize,
        len: usize,
        filler: u32,
    ) -> Result<()>;

    /// One array from two; all entries stay, of equal keys the newer ones first.
    ///
    /// # Errors
    /// Where there is no room or the device fails.
    fn interleave(&self, newer: &Part<'_, Self>, older: &Part<'_, Self>) -> Result<Pairs<Self>>;

    /// What the first entry of each key says, in the newest level that has one.
    ///
    /// # Errors
    /// Where there is no room or the device fails.
    fn probe(&self, levels: &Levels<Self>, queries: &Self::Array<u32>) -> Result<Answers<Self, u32>>;

    /// Where the interval of each query, with both bounds, lies in each full level: all levels of the first query, the
    /// newest first, then those of the second, and so on.
    ///
    /// # Errors
    /// Where there is no room or the device fails.
    fn intervals(
        &self,
        levels: &Levels<Self>,
        lower: &Self::Array<u32>,
        upper: &Self::Array<u32>,
    ) -> Result<Bounds<Self>>;

    /// Which list each of `total` candidates belongs to; `offsets` has where those of each list start, and the end.
    ///
    /// # Errors
    /// Where there is no room or the device fails.
    fn number(&self, offsets: &Self::Array<u32>, total: usize) -> Result<Self::Array<u32>>;

    /// Each query's lists in one: a segmented sort by merging, which does nothing where a query has one list. `offsets`
    /// has where each list starts, and where the last one ends.
    ///
    /// # Errors
    /// Where there is no room or the device fails.
    fn unite(
        &self,
        columns: Columns<Self>,
        lists: &Lists<Self>,
        offsets: &Self::Array<u32>,
    ) -> Result<Columns<Self>>;

    /// Counts the valid ones: the first of each key of a query, where it is no tombstone. Without lists, all are of one
    /// query.
    ///
    /// # Errors
    /// Where there is no room or the device fails.
    fn validate(&self, keys: &Self::Array<u32>, lists: Option<&Lists<Self>>) -> Result<Valid<Self>>;

    /// The valid ones, in as much room as all have, with their statuses or as plain keys; and how many they are.
    ///
    /// # Errors
    /// Where there is no room or the device fails.
    fn compact(
        &self,
        pairs: &Pairs<Self>,
        lists: Option<&Lists<Self>>,
        valid: &Valid<Self>,
        is_plain: bool,
    ) -> Result<(Pairs<Self>, Self::Count)>;

    /// A hash table of distinct plain keys with so many slots, by the hash functions of `seed`; nothing where some
    /// key finds no slot. Waits for the device.
    ///
    /// # Errors
    /// Where there is no room or the device fails.
    fn cuckoo_build(
        &self,
        keys: &Self::Array<u32>,
        values: &Self::Array<u32>,
        slots: usize,
        seed: u32,
    ) -> Result<Option<Pairs<Self>>>;

    /// Looks plain keys up in a hash table.
    ///
    /// # Errors
    /// Where there is no room or the device fails.
    fn cuckoo_lookup(
        &self,
        table: &Pairs<Self>,
        queries: &Self::Array<u32>,
        seed: u32,
    ) -> Result<Answers<Self, u32>>;
}
