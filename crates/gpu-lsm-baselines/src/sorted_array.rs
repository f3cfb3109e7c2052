//! The paper's sorted array, GPU SA.

use crate::error::Result;
use crate::query::{self, Ranges};
use crate::update::Batch;
use gpu_lsm_primitives::baselines::{Baselines, Levels, Pairs};
use gpu_lsm_primitives::{Answers, Array};

/// One sorted array. Each batch is sorted and merged with it into a new one. Queries are those of the paper's LSM on one
/// level.
///
/// Deletes are tombstones, and stale entries stay, as in [`PaperLsm`](crate::PaperLsm): the paper merges into this
/// array as it merges levels. Batches may have any size, and the same rules hold within one.
pub struct SortedArray<B: Baselines> {
    backend: B,
    /// One level, or none.
    levels: Levels<B>,
}

impl<B: Baselines> SortedArray<B> {
    /// Makes an empty dictionary. Does not wait.
    ///
    /// # Errors
    /// If memory runs out.
    pub fn new(backend: &B) -> Result<Self> {
        let levels = Levels { pairs: Pairs::room(backend, 0)?, batch: 0, batches: 0 };
        Ok(Self { backend: backend.clone(), levels })
    }

    /// Builds a dictionary with one sort. Of equal keys, the last one wins. Does not wait.
    ///
    /// # Errors
    /// If the columns differ in length, or memory runs out.
    pub fn build(backend: &B, keys: &B::Array<u32>, values: &B::Array<u32>) -> Result<Self> {
        let mut built = Self::new(backend)?;
        built.insert(keys, values)?;
        Ok(built)
    }

    /// Inserts keys with their values. Does not wait.
    ///
    /// # Errors
    /// If the columns differ in length, or memory runs out.
    pub fn insert(&mut self, keys: &B::Array<u32>, values: &B::Array<u32>) -> Result<()> {
        self.apply(&Batch::inserts(keys, values)?)
    }

    /// Deletes keys. Does not wait.
    ///
    /// # Errors
    /// If memory runs out.
    pub fn delete(&mut self, keys: &B::Array<u32>) -> Result<()> {
        self.apply(&Batch::deletes(&self.backend.clone(), keys)?)
    }

    /// Inserts and deletes keys. A key whose bit in `marks` is set is deleted, and its value ignored. Does not wait.
    ///
    /// # Errors
    /// If the columns differ in length, or memory runs out.
    pub fn update(
        &mut self,
        keys: &B::Array<u32>,
        values: &B::Array<u32>,
        marks: &B::Array<u32>,
    ) -> Result<()> {
        self.apply(&Batch::mixed(keys, values, marks)?)
    }

    fn apply(&mut self, batch: &Batch<'_, B>) -> Result<()> {
        if batch.len() == 0 {
            return Ok(());
        }
        let sorted = batch.sorted(&self.backend, batch.len())?;
        let pairs = match self.levels.full_levels().next() {
            Some(older) => self.backend.interleave(&sorted.all(), &older)?,
            None => sorted,
        };
        self.levels = Levels { batch: pairs.keys.len(), pairs, batches: 1 };
        Ok(())
    }

    /// Looks keys up: whether each is present, and its value or zero. Does not wait.
    ///
    /// # Errors
    /// If memory runs out.
    pub fn lookup(&self, queries: &B::Array<u32>) -> Result<Answers<B, u32>> {
        Ok(self.backend.probe(&self.levels, queries)?)
    }

    /// Counts the keys in each interval, bounds included. Waits once, for the number of candidates.
    ///
    /// # Errors
    /// If the columns differ in length, or the candidates do not fit one array.
    pub fn count(&self, lower: &B::Array<u32>, upper: &B::Array<u32>) -> Result<B::Array<u32>> {
        query::count(&self.backend, &self.levels, lower, upper)
    }

    /// Returns the entries in each interval, bounds included. Waits once, for the number of candidates.
    ///
    /// # Errors
    /// If the columns differ in length, or the candidates do not fit one array.
    pub fn range(&self, lower: &B::Array<u32>, upper: &B::Array<u32>) -> Result<Ranges<B>> {
        query::range(&self.backend, &self.levels, lower, upper)
    }

    /// Waits until all updates are done.
    ///
    /// # Errors
    /// If the device failed.
    pub fn wait(&self) -> Result<()> {
        self.backend.download(&self.levels.pairs.keys, self.levels.pairs.keys.len().min(1))?;
        Ok(())
    }

    /// The number of entries, stale ones included.
    pub fn entries(&self) -> u64 {
        self.levels.pairs.keys.len() as u64
    }

    /// The bytes of the array.
    pub fn bytes(&self) -> u64 {
        self.levels.pairs.bytes()
    }
}
