//! Batches of mixed operations, and the columns that every update becomes.

use crate::error::{Error, Result};
use gpu_lsm_primitives::{Key, Meter, Value};
use std::borrow::Cow;

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
/// A batch is the caller's own memory: it grows as a [`Vec`] does.
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
    pub const fn new() -> Self {
        Self { keys: Vec::new(), values: Vec::new(), marks: Vec::new(), deletes: 0 }
    }

    /// Adds an insert, which replaces the value where the key is there already.
    pub fn insert(&mut self, key: K, value: V) {
        self.push(key, value, 0);
    }

    /// Adds a delete, which changes nothing where the key is not there.
    pub fn delete(&mut self, key: K) {
        self.push(key, V::zeroed(), 1);
        self.deletes += 1;
    }

    /// Adds the operations of another batch after those of this one.
    pub fn append(&mut self, other: &Self) {
        for (i, (&key, &value)) in other.keys.iter().zip(&other.values).enumerate() {
            self.push(key, value, (other.marks[i / 32] >> (i % 32)) & 1);
        }
        self.deletes += other.deletes;
    }

    /// How many operations there are.
    pub fn len(&self) -> usize {
        self.keys.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.keys.is_empty()
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

    pub(crate) fn columns(&self) -> Columns<'_, K, V> {
        let marks = (self.deletes > 0).then(|| Cow::Borrowed(&*self.marks));
        Columns { keys: Cow::Borrowed(&self.keys), values: &self.values, marks }
    }
}

/// A batch as columns: a key per operation, values for as many as have one, a bit per operation set for deletes.
pub(crate) struct Columns<'a, K: Clone, V> {
    pub(crate) keys: Cow<'a, [K]>,
    pub(crate) values: &'a [V],
    pub(crate) marks: Option<Cow<'a, [u32]>>,
}

impl<'a, K: Key, V: Value> Columns<'a, K, V> {
    /// Inserts only.
    pub(crate) fn inserts(keys: &'a [K], values: &'a [V]) -> Result<Self> {
        if keys.len() != values.len() {
            return Err(Error::UnequalColumns { keys: keys.len(), values: values.len() });
        }
        Ok(Self { keys: Cow::Borrowed(keys), values, marks: None })
    }

    /// Inserts, and after them deletes.
    pub(crate) fn update(meter: &Meter, keys: &'a [K], values: &'a [V], deletes: &'a [K]) -> Result<Self> {
        let inserts = Self::inserts(keys, values)?;
        if deletes.is_empty() {
            return Ok(inserts);
        }
        let marks = marks_from(meter, keys.len(), keys.len() + deletes.len())?;
        let keys =
            if keys.is_empty() { Cow::Borrowed(deletes) } else { Cow::Owned(joined(meter, keys, deletes)?) };
        Ok(Self { keys, values, marks: Some(Cow::Owned(marks)) })
    }
}

/// A bit for each of `len` operations, set from the `first` on.
fn marks_from(meter: &Meter, first: usize, len: usize) -> Result<Vec<u32>> {
    let mut marks = meter.vector(len.div_ceil(32))?;
    let word = |w: usize| {
        let set = |below: usize| u32::MAX.checked_shl(below.saturating_sub(w * 32) as u32).unwrap_or(0);
        set(first) & !set(len)
    };
    marks.extend((0..len.div_ceil(32)).map(word));
    Ok(marks)
}

fn joined<T: Copy>(meter: &Meter, first: &[T], second: &[T]) -> Result<Vec<T>> {
    let mut both = meter.vector(first.len() + second.len())?;
    both.extend_from_slice(first);
    both.extend_from_slice(second);
    Ok(both)
}

#[cfg(test)]
mod tests {
    use super::{Meter, marks_from};

    #[test]
    fn marks_are_set_from_the_first_delete_to_the_last() {
        for len in [1, 31, 32, 33, 64, 100] {
            for first in [0, 1, 31, 32, 33, 63, 64, 99] {
                let marks = marks_from(&Meter::new(None), first, len).expect("there is room");
                let is_set = |i: usize| marks[i / 32] >> (i % 32) & 1 == 1;
                assert!(
                    (0..marks.len() * 32).all(|i| is_set(i) == (first..len).contains(&i)),
                    "{first}..{len}"
                );
            }
        }
    }
}
