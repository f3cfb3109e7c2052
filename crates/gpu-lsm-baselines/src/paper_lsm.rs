//! The paper's GPU LSM.

use crate::error::{Error, Result};
use crate::query::{self, Ranges};
use crate::update::Batch;
use gpu_lsm_primitives::baselines::{Baselines, Levels, PLACEBO, Pairs, Part};
use gpu_lsm_primitives::{Answers, Array};

/// The paper's dictionary: sorted arrays of doubling lengths, one after the other in one allocation.
///
/// A batch has a fixed size; a shorter one is padded with copies of one of its keys. If a batch inserts a key several
/// times, the last insert wins (in the paper, any of them). If it inserts and deletes a key, the key is deleted.
/// Replaced and deleted entries stay until a [`cleanup`](Self::cleanup).
pub struct PaperLsm<B: Baselines> {
    backend: B,
    levels: Levels<B>,
    max_batches: u32,
}

impl<B: Baselines> PaperLsm<B> {
    /// Makes an empty dictionary with room for `max_batches` batches of `batch_size` keys. Does not wait.
    ///
    /// # Errors
    /// If the batch size is 0, or memory runs out.
    pub fn new(backend: &B, batch_size: usize, max_batches: u32) -> Result<Self> {
        if batch_size == 0 {
            return Err(Error::ZeroBatchSize);
        }
        // A full level is as long as all levels before it plus one batch.
        let all_levels = u32::MAX.checked_shr(max_batches.leading_zeros()).unwrap_or(0);
        let pairs = Pairs::room(backend, batch_size.saturating_mul(all_levels as usize))?;
        let levels = Levels { pairs, batch: batch_size, batches: 0 };
        Ok(Self { backend: backend.clone(), levels, max_batches: all_levels })
    }

    /// Builds a dictionary with one sort, cut into levels. Of equal keys, the last one wins. Does not wait.
    ///
    /// # Errors
    /// If the columns differ in length, there are too many entries, or memory runs out.
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

    /// Inserts at most one batch of keys with their values. Does not wait.
    ///
    /// # Errors
    /// If the columns differ in length, there are too many keys, or memory runs out.
    pub fn insert(&mut self, keys: &B::Array<u32>, values: &B::Array<u32>) -> Result<()> {
        self.apply(&Batch::inserts(keys, values)?)
    }

    /// Deletes at most one batch of keys. Does not wait.
    ///
    /// # Errors
    /// If there are too many keys, or memory runs out.
    pub fn delete(&mut self, keys: &B::Array<u32>) -> Result<()> {
        self.apply(&Batch::deletes(&self.backend.clone(), keys)?)
    }

    /// Inserts and deletes at most one batch of keys. A key whose bit in `marks` is set is deleted, and its value
    /// ignored. Does not wait.
    ///
    /// # Errors
    /// If the columns differ in length, there are too many keys, or memory runs out.
    pub fn update(
        &mut self,
        keys: &B::Array<u32>,
        values: &B::Array<u32>,
        marks: &B::Array<u32>,
    ) -> Result<()> {
        self.apply(&Batch::mixed(keys, values, marks)?)
    }

    /// Sorts the batch, merges it with one full level after the other, clears those levels, and copies the result to the
    /// first empty level: lines 8 to 21 of the paper's listing.
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
    /// If the columns differ in length, or the candidates of all levels do not fit one array.
    pub fn count(&self, lower: &B::Array<u32>, upper: &B::Array<u32>) -> Result<B::Array<u32>> {
        query::count(&self.backend, &self.levels, lower, upper)
    }

    /// Returns the entries in each interval, bounds included. Waits once, for the number of candidates.
    ///
    /// # Errors
    /// If the columns differ in length, or the candidates of all levels do not fit one array.
    pub fn range(&self, lower: &B::Array<u32>, upper: &B::Array<u32>) -> Result<Ranges<B>> {
        query::range(&self.backend, &self.levels, lower, upper)
    }

    /// Removes all stale entries: merges all levels, newest first, keeps the valid entries, pads them with placebos, and
    /// cuts the result into levels. Waits once, for the number of remaining entries.
    ///
    /// # Errors
    /// If memory runs out.
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
    /// If the device failed.
    pub fn wait(&self) -> Result<()> {
        self.backend.download(&self.levels.pairs.keys, self.levels.pairs.keys.len().min(1))?;
        Ok(())
    }

    /// The number of keys in a batch.
    pub fn batch_size(&self) -> usize {
        self.levels.batch
    }

    /// The number of batches held.
    pub fn batches(&self) -> u32 {
        self.levels.batches
    }

    /// The number of full levels.
    pub fn levels(&self) -> u32 {
        self.levels.full()
    }

    /// The number of entries, stale entries and padding included.
    pub fn entries(&self) -> u64 {
        u64::from(self.levels.batches) * self.levels.batch as u64
    }

    /// The bytes of all levels, empty ones included.
    pub fn bytes(&self) -> u64 {
        self.levels.pairs.bytes()
    }

    fn check_room(&self, batches: u64) -> Result<()> {
        let room = self.max_batches;
        if batches <= u64::from(room) { Ok(()) } else { Err(Error::Full { batches, room }) }
    }

    /// Cuts the first `len` pairs, which are sorted, into levels: the smallest keys go to the newest level.
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

    /// Fills a level with the pairs from `start` to `end`, and pads it with placebos.
    fn place(&mut self, pairs: &Pairs<B>, start: usize, end: usize, level: u32) -> Result<()> {
        let Part { start: at, len, .. } = self.levels.level(level);
        let (backend, to) = (&self.backend, &mut self.levels.pairs);
        backend.place(Some((&pairs.keys, start..end)), &mut to.keys, at, len, PLACEBO)?;
        backend.place(Some((&pairs.values, start..end)), &mut to.values, at, len, 0)?;
        Ok(())
    }
}
