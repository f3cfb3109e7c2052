//! The paper's GPU LSM.

use crate::error::{Error, Result};
use crate::query::{self, Ranges};
use crate::update::Batch;
use gpu_lsm_primitives::baselines::{Baselines, Levels, PLACEBO, Pairs, Part};
use gpu_lsm_primitives::{Answers, Array};

/// The paper's dictionary: sorted arrays of doubling lengths, one after the other in memory that is allocated at once.
///
/// A batch has a fixed size; a shorter one is filled up with copies of one of its keys. Of several inserts of a key in one
/// batch the paper lets any win, here the last; a key that a batch inserts and deletes is deleted. Entries that were
/// replaced or deleted stay until a [`cleanup`](Self::cleanup).
pub struct PaperLsm<B: Baselines> {
    backend: B,
    levels: Levels<B>,
    max_batches: u32,
}

impl<B: Baselines> PaperLsm<B> {
    /// An empty dictionary with room for so many batches of `batch_size` keys. Does not wait.
    ///
    /// # Errors
    /// Where the batch size is 0, or there is no room.
    pub fn new(backend: &B, batch_size: usize, max_batches: u32) -> Result<Self> {
        if batch_size == 0 {
            return Err(Error::ZeroBatchSize);
        }
        // A level that is full is as long as all before it and one batch more.
        let all_levels = u32::MAX.checked_shr(max_batches.leading_zeros()).unwrap_or(0);
        let pairs = Pairs::room(backend, batch_size.saturating_mul(all_levels as usize))?;
        let levels = Levels { pairs, batch: batch_size, batches: 0 };
        Ok(Self { backend: backend.clone(), levels, max_batches: all_levels })
    }

    /// A dictionary of the given entries: one sort, cut into levels. Of equal keys the last counts. Does not wait.
    ///
    /// # Errors
    /// Where the columns are not equally long, the entries are too many, or there is no room.
    pub fn build(
        backend: &B,
        batch_size: usize,
        max_batches: u32,
        keys: &B::Array<u32>,
        values: &B::Array<u32>,
    ) -> Result<Self> {
        let mut built = Self::new(backend, batch_size, max_batches)?;
        let batch = Batch::inserts(keys, values)?;
        if batch.len() > 0 {
            let batches = batch.len().div_ceil(batch_size);
            built.check_room(batches as u64)?;
            let sorted = batch.sorted(backend, batches * batch_size)?;
            built.distribute(&sorted, batches * batch_size)?;
        }
        Ok(built)
    }

    /// Inserts at most a batch of keys with their values. Does not wait.
    ///
    /// # Errors
    /// Where the columns are not equally long, the keys are too many, or there is no room.
    pub fn insert(&mut self, keys: &B::Array<u32>, values: &B::Array<u32>) -> Result<()> {
        self.apply(&Batch::inserts(keys, values)?)
    }

    /// Deletes at most a batch of keys. Does not wait.
    ///
    /// # Errors
    /// Where the keys are too many, or there is no room.
    pub fn delete(&mut self, keys: &B::Array<u32>) -> Result<()> {
        self.apply(&Batch::deletes(&self.backend.clone(), keys)?)
    }

    /// Inserts and deletes at most a batch of keys: those whose bit in `marks` is set are deleted, their values ignored.
    /// Does not wait.
    ///
    /// # Errors
    /// Where the columns are not equally long, the keys are too many, or there is no room.
    pub fn update(
        &mut self,
        keys: &B::Array<u32>,
        values: &B::Array<u32>,
        marks: &B::Array<u32>,
    ) -> Result<()> {
        self.apply(&Batch::mixed(keys, values, marks)?)
    }

    /// Sorts the batch, merges it with one full level after the other, clears those, and copies the result to the first
    /// level that is empty: lines 8 to 21 of the paper's listing.
    fn apply(&mut self, batch: &Batch<'_, B>) -> Result<()> {
        let batch_size = self.levels.batch;
        if batch.len() == 0 {
            return Ok(());
        }
        if batch.len() > batch_size {
            return Err(Error::LongBatch { keys: batch.len(), batch_size });
        }
        self.check_room(u64::from(self.levels.batches) + 1)?;
        let mut buffer = batch.sorted(&self.backend, batch_size)?;
        let mut level = 0;
        while self.levels.batches >> level & 1 == 1 {
            let full = self.levels.level(level);
            let (start, len) = (full.start, full.len);
            buffer = self.backend.interleave(&buffer.all(), &full)?;
            self.backend.place(None, &mut self.levels.pairs.keys, start, len, 0)?;
            level += 1;
        }
        self.place(&buffer, 0, buffer.keys.len(), level)?;
        self.levels.batches += 1;
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
    /// Where the columns are not equally long, or the candidates of all levels are more than an array holds.
    pub fn count(&self, lower: &B::Array<u32>, upper: &B::Array<u32>) -> Result<B::Array<u32>> {
        query::count(&self.backend, &self.levels, lower, upper)
    }

    /// The entries in each interval, with both bounds. Waits once, to learn how many candidates there are.
    ///
    /// # Errors
    /// Where the columns are not equally long, or the candidates of all levels are more than an array holds.
    pub fn range(&self, lower: &B::Array<u32>, upper: &B::Array<u32>) -> Result<Ranges<B>> {
        query::range(&self.backend, &self.levels, lower, upper)
    }

    /// Removes all that is stale: merges all levels, the newest first, keeps what is valid, fills up with placebos, and
    /// cuts it into levels. Waits once, to learn how many entries are left.
    ///
    /// # Errors
    /// Where there is no room.
    pub fn cleanup(&mut self) -> Result<()> {
        let mut full = self.levels.full_levels();
        let Some(first) = full.next() else { return Ok(()) };
        let nothing = Part { pairs: &self.levels.pairs, start: 0, len: 0 };
        let mut buffer = self.backend.interleave(&first, &full.next().unwrap_or(nothing))?;
        for level in full {
            buffer = self.backend.interleave(&buffer.all(), &level)?;
        }
        let valid = self.backend.validate(&buffer.keys, None)?;
        let (compacted, total) = self.backend.compact(&buffer, None, &valid, false)?;
        let entries = self.backend.read_counts(&[&total])?[0] as usize;
        self.distribute(&compacted, entries)
    }

    /// Waits until all updates are done.
    ///
    /// # Errors
    /// Where the device failed.
    pub fn wait(&self) -> Result<()> {
        self.backend.download(&self.levels.pairs.keys, self.levels.pairs.keys.len().min(1))?;
        Ok(())
    }

    /// How many keys a batch has.
    pub fn batch_size(&self) -> usize {
        self.levels.batch
    }

    /// How many batches there are.
    pub fn batches(&self) -> u32 {
        self.levels.batches
    }

    /// How many levels are full.
    pub fn levels(&self) -> u32 {
        self.levels.full()
    }

    /// How many entries there are, with all that is stale and all that fills up.
    pub fn entries(&self) -> u64 {
        u64::from(self.levels.batches) * self.levels.batch as u64
    }

    /// Bytes of all levels, empty ones included.
    pub fn bytes(&self) -> u64 {
        self.levels.pairs.bytes()
    }

    fn check_room(&self, batches: u64) -> Result<()> {
        let room = self.max_batches;
        if batches <= u64::from(room) { Ok(()) } else { Err(Error::Full { batches, room }) }
    }

    /// Cuts the first `len` pairs, which are in order, into levels: the smallest keys to the newest.
    fn distribute(&mut self, pairs: &Pairs<B>, len: usize) -> Result<()> {
        let batches = len.div_ceil(self.levels.batch) as u32;
        let mut start = 0;
        for level in (0..u32::BITS).filter(|level| batches >> level & 1 == 1) {
            self.place(pairs, start, len, level)?;
            start += self.levels.batch << level;
        }
        self.levels.batches = batches;
        Ok(())
    }

    /// Fills a level with the pairs from `start` to `end`, and placebos where they are too few.
    fn place(&mut self, pairs: &Pairs<B>, start: usize, end: usize, level: u32) -> Result<()> {
        let Part { start: at, len, .. } = self.levels.level(level);
        let (backend, to) = (&self.backend, &mut self.levels.pairs);
        backend.place(Some((&pairs.keys, start..end)), &mut to.keys, at, len, PLACEBO)?;
        backend.place(Some((&pairs.values, start..end)), &mut to.values, at, len, 0)?;
        Ok(())
    }
}
