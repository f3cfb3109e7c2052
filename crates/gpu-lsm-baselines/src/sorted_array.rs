//! The paper's sorted array, GPU SA.

use crate::error::Result;
use crate::query::{self, Ranges};
use crate::update::Batch;
use gpu_lsm_primitives::baselines::{Baselines, Levels, Pairs};
use gpu_lsm_primitives::{Answers, Array};

/// One sorted array; each batch is sorted and merged into a new one. Queries are those of the paper's LSM on one level.
///
/// Deletes are tombstones, and what is stale stays, as in [`PaperLsm`](crate::PaperLsm): the paper merges into this array
/// as it merges levels. Batches have any size; within one the same rules hold.
pub struct SortedArray<B: Baselines> {
    backend: B,
    /// One level, or none.
    levels: Levels<B>,
}

impl<B: Baselines> SortedArray<B> {
    /// An empty dictionary. Does not wait.
    ///
    /// # Errors
    /// Where there is no room.
    pub fn new(backend: &B) -> Result<Self> {
        let levels = Levels { pairs: Pairs::room(backend, 0)?, batch: 0, batches: 0 };
        Ok(Self { backend: backend.clone(), levels })
    }

    /// A dictionary of the given entries: one sort. Of equal keys the last counts. Does not wait.
    ///
    /// # Errors
    /// Where the columns are not equally long, or there is no room.
    pub fn build(backend: &B, keys: &B::Array<u32>, values: &B::Array<u32>) -> Result<Self> {
        let mut built = Self::new(backend)?;
        built.insert(keys, values)?;
        Ok(built)
    }

    /// Inserts keys with their values. Does not wait.
    ///
    /// # Errors
    /// Where the columns are not equally long, or there is no room.
    pub fn insert(&mut self, keys: &B::Array<u32>, values: &B::Array<u32>) -> Result<()> {
        self.apply(&Batch::inserts(keys, values)?)
    }

    /// Deletes keys. Does not wait.
    ///
    /// # Errors
    /// Where there is no room.
    pub fn delete(&mut self, keys: &B::Array<u32>) -> Result<()> {
        self.apply(&Batch::deletes(&self.backend.clone(), keys)?)
    }

    /// Inserts and deletes keys: those whose bit in `marks` is set are deleted, their values ignored. Does not wait.
    ///
    /// # Errors
    /// Where the columns are not equally long, or there is no room.
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

    /// What each key has: whether it is present, and its value, else zero. Does not wait.
    ///
    /// # Errors
    /// Where there is no room.
    pub fn lookup(&self, queries: &B::Array<u32>) -> Result<Answers<B, u32>> {
        Ok(self.backend.probe(&self.levels, queries)?)
    }

    /// How many keys lie in each interval, with both bounds. Waits once, to learn how many candidates there are.
    ///
    /// # Errors
    /// Where the columns are not equally long, or the candidates are more than an array holds.
    pub fn count(&self, lower: &B::Array<u32>, upper: &B::Array<u32>) -> Result<B::Array<u32>> {
        query::count(&self.backend, &self.levels, lower, upper)
    }

    /// The entries in each interval, with both bounds. Waits once, to learn how many candidates there are.
    ///
    /// # Errors
    /// Where the columns are not equally long, or the candidates are more than an array holds.
    pub fn range(&self, lower: &B::Array<u32>, upper: &B::Array<u32>) -> Result<Ranges<B>> {
        query::range(&self.backend, &self.levels, lower, upper)
    }

    /// Waits until all updates are done.
    ///
    /// # Errors
    /// Where the device failed.
    pub fn wait(&self) -> Result<()> {
        self.backend.download(&self.levels.pairs.keys, self.levels.pairs.keys.len().min(1))?;
        Ok(())
    }

    /// How many entries there are, with all that is stale.
    pub fn entries(&self) -> u64 {
        self.levels.pairs.keys.len() as u64
    }

    /// Bytes of the array.
    pub fn bytes(&self) -> u64 {
        self.levels.pairs.bytes()
    }
}
