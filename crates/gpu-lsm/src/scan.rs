//! scan: all live entries in order, a chunk at a time.

use crate::error::Result;
use crate::snapshot::{Snapshot, with_core};
use gpu_lsm_primitives::{Key, Value, Way};

/// The live entries of a snapshot in ascending order of keys, in chunks. Made by [`Snapshot::scan`].
///
/// Only about as many entries as there are levels times the chunk size are in memory at a time. After an error nothing
/// follows.
#[derive(Debug)]
pub struct Scan<K: Key, V: Value> {
    snapshot: Snapshot<K, V>,
    size: u32,
    /// Where to go on; nothing where the end was reached.
    next: Option<(K, Way)>,
    /// Entries that were found but not given out yet.
    keys: Vec<K>,
    values: Vec<V>,
}

impl<K: Key, V: Value> Scan<K, V> {
    pub(crate) fn new(snapshot: Snapshot<K, V>, size: u32) -> Self {
        let next = Some((K::MIN, Way::Up));
        Self { snapshot, size: size.max(1), next, keys: Vec::new(), values: Vec::new() }
    }

    /// Finds entries until there are enough for a chunk, or no more.
    fn fill(&mut self) -> Result<()> {
        while self.keys.len() < self.size as usize {
            let Some((from, way)) = self.next.take() else { return Ok(()) };
            let size = self.size;
            let chunk = with_core!(&self.snapshot.inner, core => core.chunk(from, way, size))?;
            self.keys.extend(chunk.keys);
            self.values.extend(chunk.values);
            self.next = (chunk.reached < K::MAX).then_some((chunk.reached, Way::UpAfter));
        }
        Ok(())
    }
}

impl<K: Key, V: Value> Iterator for Scan<K, V> {
    type Item = Result<(Vec<K>, Vec<V>)>;

    /// The next chunk, of the chosen size but for the last. Waits for the device.
    fn next(&mut self) -> Option<Self::Item> {
        if let Err(error) = self.fill() {
            self.next = None;
            self.keys.clear();
            return Some(Err(error));
        }
        let size = self.keys.len().min(self.size as usize);
        if size == 0 {
            return None;
        }
        let rest = (self.keys.split_off(size), self.values.split_off(size));
        let keys = std::mem::replace(&mut self.keys, rest.0);
        let values = std::mem::replace(&mut self.values, rest.1);
        Some(Ok((keys, values)))
    }
}
