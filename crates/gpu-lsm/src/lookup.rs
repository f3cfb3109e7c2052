//! lookup: the newest entry of each key.

use crate::core::Core;
use crate::each::{Each, PerQuery, iterates};
use crate::error::Result;
use gpu_lsm_primitives::{Answers as FoundOnDevice, Array, Backend, Code, Turn, Value};

/// The answers to a list of lookups, in the order of the queries.
///
/// ```
/// use gpu_lsm::{Config, Device, Dictionary};
/// let squares = Dictionary::build(&Device::host(), Config::new(), &[1u32, 2, 3], &[1u32, 4, 9])?;
/// let answers = squares.lookup(&[2, 5])?;
/// assert_eq!(answers.get(0), Some(4));
/// assert_eq!(answers.iter().flatten().count(), 1);
/// assert_eq!((answers.found(), answers.values()), (&[1, 0][..], &[4, 0][..]));
/// # Ok::<(), gpu_lsm::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answers<V> {
    found: Vec<u32>,
    values: Vec<V>,
}

impl<V: Copy> Answers<V> {
    /// The value that query `i` found.
    ///
    /// ```
    /// use gpu_lsm::{Config, Device, Dictionary};
    /// let squares = Dictionary::build(&Device::host(), Config::new(), [1u32, 2, 3], [1u32, 4, 9])?;
    /// let answers = squares.lookup([2, 5])?;
    /// assert_eq!((answers.get(0), answers.get(1)), (Some(4), None));
    /// # Ok::<(), gpu_lsm::Error>(())
    /// ```
    ///
    /// # Panics
    /// If there is no query `i`.
    pub fn get(&self, i: usize) -> Option<V> {
        (self.found[i] == 1).then(|| self.values[i])
    }

    /// The number of queries.
    ///
    /// ```
    /// use gpu_lsm::{Config, Device, Dictionary};
    /// let squares = Dictionary::build(&Device::host(), Config::new(), [1u32, 2, 3], [1u32, 4, 9])?;
    /// let answers = squares.lookup([2, 5])?;
    /// assert_eq!(answers.len(), 2);
    /// # Ok::<(), gpu_lsm::Error>(())
    /// ```
    pub fn len(&self) -> usize {
        self.found.len()
    }

    /// Whether there are no queries.
    ///
    /// ```
    /// use gpu_lsm::{Config, Device, Dictionary};
    /// let squares = Dictionary::build(&Device::host(), Config::new(), [1u32, 2, 3], [1u32, 4, 9])?;
    /// let answers = squares.lookup([2, 5])?;
    /// assert!(!answers.is_empty());
    /// # Ok::<(), gpu_lsm::Error>(())
    /// ```
    pub fn is_empty(&self) -> bool {
        self.found.is_empty()
    }

    /// The answers one by one.
    ///
    /// ```
    /// use gpu_lsm::{Config, Device, Dictionary};
    /// let squares = Dictionary::build(&Device::host(), Config::new(), [1u32, 2, 3], [1u32, 4, 9])?;
    /// let answers = squares.lookup([2, 5])?;
    /// assert_eq!(answers.iter().flatten().sum::<u32>(), 4);
    /// # Ok::<(), gpu_lsm::Error>(())
    /// ```
    pub fn iter(&self) -> Each<'_, Self> {
        Each::of(self, self.len())
    }

    /// The answers as a vector.
    ///
    /// ```
    /// use gpu_lsm::{Config, Device, Dictionary};
    /// let squares = Dictionary::build(&Device::host(), Config::new(), [1u32, 2, 3], [1u32, 4, 9])?;
    /// let answers = squares.lookup([2, 5])?;
    /// assert_eq!(answers.to_vec(), [Some(4), None]);
    /// # Ok::<(), gpu_lsm::Error>(())
    /// ```
    pub fn to_vec(&self) -> Vec<Option<V>> {
        self.iter().collect()
    }

    /// For each query, 1 if the key is present, else 0.
    ///
    /// ```
    /// use gpu_lsm::{Config, Device, Dictionary};
    /// let squares = Dictionary::build(&Device::host(), Config::new(), [1u32, 2, 3], [1u32, 4, 9])?;
    /// let answers = squares.lookup([2, 5])?;
    /// assert_eq!(answers.found(), [1, 0]);
    /// # Ok::<(), gpu_lsm::Error>(())
    /// ```
    pub fn found(&self) -> &[u32] {
        &self.found
    }

    /// For each query, the value; zero if the key is missing.
    ///
    /// ```
    /// use gpu_lsm::{Config, Device, Dictionary};
    /// let squares = Dictionary::build(&Device::host(), Config::new(), [1u32, 2, 3], [1u32, 4, 9])?;
    /// let answers = squares.lookup([2, 5])?;
    /// assert_eq!(answers.values(), [4, 0]);
    /// # Ok::<(), gpu_lsm::Error>(())
    /// ```
    pub fn values(&self) -> &[V] {
        &self.values
    }
}

impl<V: Copy> PerQuery for Answers<V> {
    type Answer<'a>
        = Option<V>
    where
        V: 'a;

    fn answer(&self, i: usize) -> Option<V> {
        self.get(i)
    }
}
iterates!(Answers<V>);

impl<V> Answers<V> {
    /// For each query, 1 if the key is present, else 0; and the value, zero if the key is missing.
    ///
    /// ```
    /// use gpu_lsm::{Config, Device, Dictionary};
    /// let squares = Dictionary::build(&Device::host(), Config::new(), [1u32, 2, 3], [1u32, 4, 9])?;
    /// let answers = squares.lookup([2, 5])?;
    /// assert_eq!(answers.into_parts(), (vec![1, 0], vec![4, 0]));
    /// # Ok::<(), gpu_lsm::Error>(())
    /// ```
    pub fn into_parts(self) -> (Vec<u32>, Vec<V>) {
        (self.found, self.values)
    }

    pub(crate) fn new(found: Vec<u32>, values: Vec<V>) -> Self {
        Self { found, values }
    }
}

impl<B: Backend, K: Code, V: Value> Core<B, K, V> {
    /// Looks up keys, as many at a time as one array can hold.
    pub(crate) fn lookup_slice(&self, keys: &[K]) -> Result<Answers<V>> {
        self.backend.alive()?;
        let meter = self.backend.meter();
        let _returned = meter.returned((keys.len() as u64).saturating_mul(4 + size_of::<V>() as u64))?;
        let mut answers = Answers::new(meter.vector(keys.len())?, meter.vector(keys.len())?);
        let widest = size_of::<K>().max(size_of::<V>());
        let at_once = usize::try_from(self.backend.max_len(widest)).unwrap_or(usize::MAX);
        for keys in keys.chunks(at_once) {
            let found = self.lookup(&self.backend.upload(keys)?)?;
            answers.found.extend(self.backend.download(&found.found, keys.len())?);
            answers.values.extend(self.backend.download(&found.values, keys.len())?);
        }
        Ok(answers)
    }

    /// Looks up keys. Does not wait.
    pub(crate) fn lookup(&self, keys: &B::Array<K>) -> Result<FoundOnDevice<B, V>> {
        self.backend.alive()?;
        let mut answers = self.backend.answers(keys.len())?;
        let runs = self.whole_runs()?;
        for (i, run) in runs.iter().enumerate() {
            let turn = Turn { first: i == 0, last: i + 1 == runs.len() };
            self.backend.search(run, keys, &mut answers, turn)?;
        }
        Ok(answers)
    }
}
