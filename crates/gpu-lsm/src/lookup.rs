//! lookup: the newest entry of each key.

use crate::core::Core;
use crate::error::Result;
use gpu_lsm_primitives::{Backend, Key, Turn, Value};

/// The answers to a list of lookups, in the order of the queries.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answers<V> {
    found: Vec<u32>,
    values: Vec<V>,
}

impl<V: Copy> Answers<V> {
    /// The value that the `i`-th query found.
    ///
    /// # Panics
    /// Where there were not so many queries.
    pub fn get(&self, i: usize) -> Option<V> {
        (self.found[i] == 1).then(|| self.values[i])
    }

    /// How many queries there were.
    pub fn len(&self) -> usize {
        self.found.len()
    }

    /// Whether there were no queries.
    pub fn is_empty(&self) -> bool {
        self.found.is_empty()
    }

    /// The answers one by one.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Option<V>> + '_ {
        (0..self.len()).map(|i| self.get(i))
    }

    /// The answers as a vector.
    pub fn to_vec(&self) -> Vec<Option<V>> {
        self.iter().collect()
    }

    /// For each query 1 where the key is present, else 0.
    pub fn found(&self) -> &[u32] {
        &self.found
    }

    /// For each query the value, zero where the key is missing.
    pub fn values(&self) -> &[V] {
        &self.values
    }
}

impl<B: Backend, K: Key, V: Value> Core<B, K, V> {
    /// Looks keys up, as many at a time as one array holds.
    pub(crate) fn lookup(&self, keys: &[K]) -> Result<Answers<V>> {
        self.backend.alive()?;
        let meter = self.backend.meter();
        let mut answers = Answers { found: meter.vector(keys.len())?, values: meter.vector(keys.len())? };
        let widest = size_of::<K>().max(size_of::<V>());
        let at_once = usize::try_from(self.backend.max_len(widest)).unwrap_or(usize::MAX);
        for keys in keys.chunks(at_once) {
            self.lookup_some(keys, &mut answers)?;
        }
        Ok(answers)
    }

    fn lookup_some(&self, keys: &[K], answers: &mut Answers<V>) -> Result<()> {
        let runs = self.runs().count();
        if runs == 0 {
            answers.found.resize(answers.found.len() + keys.len(), 0);
            answers.values.resize(answers.values.len() + keys.len(), V::zeroed());
            return Ok(());
        }
        let queries = self.backend.upload(keys)?;
        let mut on_device = self.backend.answers(keys.len())?;
        for (i, run) in self.runs().enumerate() {
            let turn = Turn { first: i == 0, last: i + 1 == runs };
            self.backend.search(run, &queries, &mut on_device, turn)?;
        }
        answers.found.extend(self.backend.download(&on_device.found, keys.len())?);
        answers.values.extend(self.backend.download(&on_device.values, keys.len())?);
        Ok(())
    }
}
