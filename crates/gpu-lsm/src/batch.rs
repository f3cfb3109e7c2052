//! Batches of mixed operations.

use crate::error::Result;
use crate::key::Key;
use crate::operations::Operations;
use gpu_lsm_primitives::{Backend, Meter, Value};

/// Inserts and deletes in order: of several operations on one key, the last wins.
///
/// ```
/// use gpu_lsm::{Batch, Device, Dictionary};
/// let mut batch = Batch::new();
/// batch.insert(7u32, 70u32);
/// batch.delete(7);
/// batch.insert(8, 80);
/// let mut dictionary = Dictionary::new(&Device::host())?;
/// dictionary.apply(&batch)?;
/// assert_eq!(dictionary.lookup(&[7, 8])?.to_vec(), [None, Some(80)]);
/// # Ok::<(), gpu_lsm::Error>(())
/// ```
///
/// It can be made of pairs of a key and a value, or of a key and an optional value, where none means a delete:
///
/// ```
/// use gpu_lsm::Batch;
/// let inserts: Batch<u32, u32> = [(1, 10), (2, 20)].into_iter().collect();
/// let mixed: Batch<u32, u32> = [(1, Some(11)), (2, None)].into_iter().collect();
/// assert_eq!((inserts.len(), mixed.len()), (2, 2));
/// ```
///
/// A batch is in your own memory and grows like a [`Vec`]. No byte budget counts it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Batch<K, V> {
    keys: Vec<K>,
    values: Vec<V>,
    marks: Vec<u32>,
    deletes: usize,
}

impl<K: Key, V: Value> Default for Batch<K, V> {
    fn default() -> Self {
        Self::new()
    }
}

impl<K: Key, V: Value> Batch<K, V> {
    /// A batch without operations.
    ///
    /// ```
    /// let batch = gpu_lsm::Batch::<u32, u32>::new();
    /// assert!(batch.is_empty());
    /// ```
    pub const fn new() -> Self {
        Self { keys: Vec::new(), values: Vec::new(), marks: Vec::new(), deletes: 0 }
    }

    /// A batch without operations, with room for this many.
    ///
    /// ```
    /// let mut batch = gpu_lsm::Batch::with_capacity(2);
    /// batch.extend([(1u32, 10u32), (2, 20)]);
    /// assert_eq!(batch.len(), 2);
    /// ```
    pub fn with_capacity(operations: usize) -> Self {
        let (keys, values) = (Vec::with_capacity(operations), Vec::with_capacity(operations));
        Self { keys, values, marks: Vec::with_capacity(operations.div_ceil(32)), deletes: 0 }
    }

    /// Removes all operations, and keeps the memory for the next ones.
    ///
    /// ```
    /// let mut batch: gpu_lsm::Batch<u32, u32> = [(1, 10), (2, 20)].into_iter().collect();
    /// batch.clear();
    /// assert!(batch.is_empty());
    /// ```
    pub fn clear(&mut self) {
        self.keys.clear();
        self.values.clear();
        self.marks.clear();
        self.deletes = 0;
    }

    /// Adds an insert. If the key is already present, its value is replaced.
    ///
    /// ```
    /// let mut batch = gpu_lsm::Batch::<u32, u32>::new();
    /// batch.insert(7, 70);
    /// assert_eq!(batch.len(), 1);
    /// ```
    pub fn insert(&mut self, key: K, value: V) {
        self.push(key, value, 0);
    }

    /// Adds a delete. If the key is not present, it changes nothing.
    ///
    /// ```
    /// let mut batch = gpu_lsm::Batch::<u32, u32>::new();
    /// batch.delete(7);
    /// assert_eq!(batch.len(), 1);
    /// ```
    pub fn delete(&mut self, key: K) {
        self.push(key, V::zeroed(), 1);
        self.deletes += 1;
    }

    /// Adds the operations of another batch after those of this one.
    ///
    /// ```
    /// use gpu_lsm::Batch;
    /// let (mut first, mut second) = (Batch::<u32, u32>::new(), Batch::new());
    /// first.insert(7, 70);
    /// second.delete(7);
    /// first.append(&second);
    /// assert_eq!(first.len(), 2);
    /// ```
    pub fn append(&mut self, other: &Self) {
        self.extend(other.operations());
    }

    /// The number of operations.
    ///
    /// ```
    /// let batch: gpu_lsm::Batch<u32, u32> = [(1, Some(10)), (1, None)].into_iter().collect();
    /// assert_eq!(batch.len(), 2);
    /// ```
    pub fn len(&self) -> usize {
        self.keys.len()
    }

    /// Whether it has no operations.
    ///
    /// ```
    /// let mut batch = gpu_lsm::Batch::<u32, u32>::new();
    /// assert!(batch.is_empty());
    /// batch.delete(7);
    /// assert!(!batch.is_empty());
    /// ```
    pub fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    /// The same as [`with_capacity`](Self::with_capacity), with an error if memory runs out.
    pub(crate) fn try_with_capacity(meter: &Meter, operations: usize) -> Result<Self> {
        let (keys, values) = (meter.vector(operations)?, meter.vector(operations)?);
        Ok(Self { keys, values, marks: meter.vector(operations.div_ceil(32))?, deletes: 0 })
    }

    /// The keys of all operations.
    pub(crate) fn keys(&self) -> &[K] {
        &self.keys
    }

    /// The operations in order: inserts have a value, deletes have none.
    pub(crate) fn operations(&self) -> impl Iterator<Item = (K, Option<V>)> + '_ {
        let operations = self.keys.iter().zip(&self.values).enumerate();
        operations
            .map(|(i, (&key, &value))| (key, (self.marks[i / 32] >> (i % 32) & 1 == 0).then_some(value)))
    }

    /// The operations as columns: a key and a value for each, and a bit for each that is set for deletes, 32 per word,
    /// starting with the lowest.
    ///
    /// For stores. Not public yet.
    #[doc(hidden)]
    pub fn columns(&self) -> (&[K], &[V], &[u32]) {
        (&self.keys, &self.values, &self.marks)
    }

    /// Whether any operation is a delete.
    ///
    /// For stores. Not public yet.
    #[doc(hidden)]
    pub fn has_deletes(&self) -> bool {
        self.deletes > 0
    }

    /// A batch of columns as [`columns`](Self::columns) returns them. Words of zeros may be missing at the end of the
    /// marks. `None` if there is not one value for each key, or a bit is set past the last operation.
    ///
    /// For stores. Not public yet.
    #[doc(hidden)]
    pub fn from_columns(keys: Vec<K>, mut values: Vec<V>, mut marks: Vec<u32>) -> Option<Self> {
        let words = keys.len().div_ceil(32);
        let past = if keys.len().is_multiple_of(32) { 0 } else { u32::MAX << (keys.len() % 32) };
        if keys.len() != values.len() || marks.len() > words {
            return None;
        }
        marks.resize(words, 0);
        if marks.last().is_some_and(|last| last & past != 0) {
            return None;
        }
        let is_delete = |i: &usize| marks[i / 32] >> (i % 32) & 1 == 1;
        (0..keys.len()).filter(is_delete).for_each(|i| values[i] = V::zeroed());
        let deletes = marks.iter().map(|word| word.count_ones() as usize).sum();
        Some(Self { keys, values, marks, deletes })
    }

    /// The keys, if all operations are deletes.
    pub(crate) fn only_deletes(&self) -> Option<&Vec<K>> {
        (self.deletes == self.len()).then_some(&self.keys)
    }

    /// Whether it inserts any key between two codes, both inclusive.
    pub(crate) fn inserts_any_in(&self, first: K::Code, last: K::Code) -> bool {
        let is_insert = |i: usize| self.marks[i / 32] >> (i % 32) & 1 == 0;
        let is_in = |key: &K| (first..=last).contains(&key.to_code());
        self.keys.iter().enumerate().any(|(i, key)| is_in(key) && is_insert(i))
    }

    fn push(&mut self, key: K, value: V, mark: u32) {
        let i = self.keys.len();
        if i.is_multiple_of(32) {
            self.marks.push(0);
        }
        self.marks[i / 32] |= mark << (i % 32);
        self.keys.push(key);
        self.values.push(value);
    }

    /// The operations on a device: a key and a value for each and, if any of them is a delete, a bit for each.
    pub(crate) fn operations_on<B: Backend>(&self, backend: &B) -> Result<Operations<B, K::Code, V>> {
        let marks = if self.deletes > 0 { Some(backend.upload(&self.marks)?) } else { None };
        let keys = backend.upload(&K::codes(backend.meter(), &self.keys)?)?;
        Ok(Operations { keys, values: backend.upload(&self.values)?, marks })
    }
}

/// Adds inserts.
impl<K: Key, V: Value> Extend<(K, V)> for Batch<K, V> {
    fn extend<I: IntoIterator<Item = (K, V)>>(&mut self, entries: I) {
        for (key, value) in entries {
            self.insert(key, value);
        }
    }
}

/// Adds an insert for each key with a value, and a delete for each key without.
impl<K: Key, V: Value> Extend<(K, Option<V>)> for Batch<K, V> {
    fn extend<I: IntoIterator<Item = (K, Option<V>)>>(&mut self, operations: I) {
        for (key, value) in operations {
            match value {
                Some(value) => self.insert(key, value),
                None => self.delete(key),
            }
        }
    }
}

/// A batch of inserts, or of inserts and deletes.
impl<K: Key, V: Value, T> FromIterator<T> for Batch<K, V>
where
    Self: Extend<T>,
{
    fn from_iter<I: IntoIterator<Item = T>>(operations: I) -> Self {
        let operations = operations.into_iter();
        let mut batch = Self::with_capacity(operations.size_hint().0);
        batch.extend(operations);
        batch
    }
}

#[cfg(test)]
mod tests {
    use super::Batch;

    #[test]
    fn a_batch_is_made_of_its_columns() {
        let batch: Batch<u32, u32> = (0..70).map(|i| (i, (i % 3 > 0).then_some(i))).collect();
        let (keys, values, marks) = batch.columns();
        let again = Batch::from_columns(keys.to_vec(), values.to_vec(), marks.to_vec());
        assert_eq!(again.as_ref(), Some(&batch));
        assert!(Batch::<u32, u32>::from_columns(vec![1], vec![], vec![]).is_none());
        assert!(Batch::<u32, u32>::from_columns(vec![1], vec![2], vec![2]).is_none());
        assert!(Batch::<u32, u32>::from_columns(vec![1], vec![2], vec![1, 0]).is_none());
        assert!(!Batch::<u32, u32>::from_columns(vec![1], vec![2], vec![]).unwrap().has_deletes());
    }
}
