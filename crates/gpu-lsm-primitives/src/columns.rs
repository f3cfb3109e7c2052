//! Columns: a run in the host's memory. The layout is the same on every backend, so a run can leave one device and
//! return to another.

use crate::backend::Backend;
use crate::code::Code;
use crate::entries::{Pile, Run, mark_words};
use crate::error::{Error, Result};
use crate::meter::zeros;
use crate::value::{Plain, Value};

/// The entries of a run, without its index, which can be rebuilt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Columns<K, V> {
    /// The keys, strictly ascending.
    pub keys: Vec<K>,
    /// A value for each key; zero for a tombstone.
    pub values: Vec<V>,
    /// One bit for each key, set for tombstones: 32 per word, starting with the lowest bit, and zeros up to the end of
    /// the last word. Empty if there are no tombstones.
    pub marks: Vec<u32>,
}

impl<K: Plain, V: Plain> Columns<K, V> {
    /// Room for this many entries, all zeros and without marks. The system clears the memory on first touch, so the threads that
    /// write it clear it.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`] if memory runs out.
    pub fn zeroed(len: usize) -> Result<Self> {
        Ok(Self { keys: zeros(len)?, values: zeros(len)?, marks: Vec::new() })
    }
}

impl<K: Code, V: Value> Columns<K, V> {
    /// The first rule of a run that the columns break.
    pub fn broken_rule(&self) -> Option<String> {
        if self.keys.len() != self.values.len() {
            return Some(format!("{} keys have {} values", self.keys.len(), self.values.len()));
        }
        broken_order(&self.keys).or_else(|| broken_marks(&self.values, &self.marks))
    }
}

/// The first rule that the keys of a run break.
pub fn broken_order<K: Code>(keys: &[K]) -> Option<String> {
    let i = keys.windows(2).position(|pair| pair[0] >= pair[1])?;
    Some(format!("key {} at {i} is not below key {}", keys[i], keys[i + 1]))
}

/// The first rule that the marks of a run, or the values that belong to them, break.
pub fn broken_marks<V: Value>(values: &[V], marks: &[u32]) -> Option<String> {
    if marks.is_empty() {
        return None;
    }
    if marks.len() != mark_words(values.len()) {
        return Some(format!("{} words are the marks of {} entries", marks.len(), values.len()));
    }
    if marks.iter().all(|&word| word == 0) {
        return Some("it has marks but no tombstones".into());
    }
    let is_set = |i: &usize| marks[i / 32] >> (i % 32) & 1 == 1;
    if (values.len()..marks.len() * 32).any(|i| is_set(&i)) {
        return Some("a bit is set past the last entry".into());
    }
    let is_zero = |value: &V| bytemuck::bytes_of(value).iter().all(|&byte| byte == 0);
    let first = (0..values.len()).filter(is_set).find(|&i| !is_zero(&values[i]))?;
    Some(format!("the tombstone at {first} has a value"))
}

impl<B: Backend, K: Code, V: Value> Run<B, K, V> {
    /// A run without entries.
    ///
    /// # Errors
    /// If memory runs out.
    pub fn empty(backend: &B) -> Result<Self> {
        Ok(Self {
            keys: backend.upload(&[])?,
            values: backend.upload(&[])?,
            marks: None,
            len: 0,
            tombstones: 0,
            index: backend.upload(&[])?,
        })
    }

    /// Copies the entries to the host. Waits for the device.
    ///
    /// # Errors
    /// If memory runs out or the device fails.
    pub fn to_columns(&self, backend: &B) -> Result<Columns<K, V>> {
        let marks = match &self.marks {
            Some(marks) => backend.download(marks, mark_words(self.len))?,
            None => Vec::new(),
        };
        let (keys, values) =
            (backend.download(&self.keys, self.len)?, backend.download(&self.values, self.len)?);
        Ok(Columns { keys, values, marks })
    }

    /// Makes a run of columns, with a new index. Waits for the device.
    ///
    /// # Errors
    /// [`Error::Malformed`] if they break a rule of runs; also if memory runs out or the device fails.
    pub fn from_columns(backend: &B, columns: Columns<K, V>) -> Result<Self> {
        if let Some(what) = columns.broken_rule() {
            return Err(Error::Malformed { what });
        }
        let Columns { keys, values, marks } = columns;
        let len = keys.len();
        let marks = if marks.is_empty() { None } else { Some(backend.adopt(marks)?) };
        let (keys, values) = (backend.adopt(keys)?, backend.adopt(values)?);
        backend.run_of(Pile { keys, values, marks, len })
    }
}
