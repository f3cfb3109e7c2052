//! The paper's hash table.

use crate::error::{Error, Result, check_columns};
use gpu_lsm_primitives::baselines::{Baselines, Pairs};
use gpu_lsm_primitives::{Answers, Array};

/// How many sets of hash functions `build` tries.
const TRIES: u32 = 32;

/// A cuckoo hash table with a load factor of 80 %, built in bulk and then only read. Each key is in one of four slots.
pub struct CuckooHash<B: Baselines> {
    backend: B,
    table: Pairs<B>,
    seed: u32,
    entries: usize,
}

impl<B: Baselines> CuckooHash<B> {
    /// Builds a table of distinct keys with their values. If some key finds no slot, other hash functions are tried.
    /// Waits once per try, to learn whether it succeeded.
    ///
    /// # Errors
    /// If the columns differ in length, every try fails, or memory runs out.
    pub fn build(backend: &B, keys: &B::Array<u32>, values: &B::Array<u32>) -> Result<Self> {
        check_columns(keys.len(), values.len())?;
        let slots = (keys.len() * 5).div_ceil(4).max(1);
        // Far apart: seeds that differ only in their lowest bits would merely permute keys that are close together.
        for seed in (0..TRIES).map(|attempt| attempt.wrapping_mul(0x9E37_79B1)) {
            if let Some(table) = backend.cuckoo_build(keys, values, slots, seed)? {
                return Ok(Self { backend: backend.clone(), table, seed, entries: keys.len() });
            }
        }
        Err(Error::NoSlots { tries: TRIES })
    }

    /// Looks keys up: whether each is present, and its value or zero. Does not wait.
    ///
    /// # Errors
    /// If memory runs out.
    pub fn lookup(&self, queries: &B::Array<u32>) -> Result<Answers<B, u32>> {
        Ok(self.backend.cuckoo_lookup(&self.table, queries, self.seed)?)
    }

    /// Waits until the table is built.
    ///
    /// # Errors
    /// If the device failed.
    pub fn wait(&self) -> Result<()> {
        self.backend.download(&self.table.keys, 1)?;
        Ok(())
    }

    /// How many entries there are.
    pub fn entries(&self) -> u64 {
        self.entries as u64
    }

    /// Bytes of the table, empty slots included.
    pub fn bytes(&self) -> u64 {
        self.table.bytes()
    }
}
