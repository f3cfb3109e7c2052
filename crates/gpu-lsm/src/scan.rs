//! scan: all live entries in order, a chunk at a time.

use crate::backed::on_backend;
use crate::error::Result;
use crate::key::Key;
use crate::lists::extend;
use crate::snapshot::Snapshot;
use gpu_lsm_primitives::{Code, Value, Way};
use std::iter::Zip;
use std::vec::IntoIter;

/// The fewest entries of each run that one step considers.
const FEWEST: u32 = 1024;

/// The live entries of a snapshot in ascending order of keys, in chunks. Made by [`Snapshot::scan`].
///
/// At most about `levels * chunk` entries are in memory at a time (`levels * 1024` if chunks are smaller). After an
/// error the iterator ends.
#[derive(Debug)]
pub struct Scan<K: Key, V: Value> {
    snapshot: Snapshot<K, V>,
    size: u32,
    /// Where to continue, `None` at the end.
    next: Option<(K::Code, Way)>,
    /// Entries that were found but not returned yet.
    codes: Vec<K::Code>,
    values: Vec<V>,
}

impl<K: Key, V: Value> Scan<K, V> {
    pub(crate) fn new(snapshot: Snapshot<K, V>, size: u32) -> Self {
        let next = Some((K::Code::MIN, Way::Up));
        Self { snapshot, size: size.max(1), next, codes: Vec::new(), values: Vec::new() }
    }

    /// Takes the first `size` entries that were found.
    fn take(&mut self, size: usize) -> Result<(Vec<K>, Vec<V>)> {
        let meter = self.snapshot.meter();
        let (mut codes, mut values) = (meter.vector(size)?, meter.vector(size)?);
        codes.extend(self.codes.drain(..size));
        values.extend(self.values.drain(..size));
        Ok((K::keys(meter, codes)?, values))
    }

    /// Finds entries until they fill a chunk or no more are left.
    fn fill(&mut self) -> Result<()> {
        while self.codes.len() < self.size as usize {
            let Some((from, way)) = self.next.take() else { return Ok(()) };
            let size = self.size.max(FEWEST);
            let chunk = on_backend!(&self.snapshot.inner, core => core.chunk(from, way, size))?;
            let meter = self.snapshot.meter();
            extend(meter, &mut self.codes, chunk.keys)?;
            extend(meter, &mut self.values, chunk.values)?;
            self.next = (chunk.reached < K::Code::MAX).then_some((chunk.reached, Way::UpAfter));
        }
        Ok(())
    }
}

/// The entries of a snapshot one by one, in ascending order of keys. Made by [`Snapshot::iter`].
///
/// After an error the iterator ends.
#[derive(Debug)]
pub struct Iter<K: Key, V: Value> {
    scan: Scan<K, V>,
    chunk: Zip<IntoIter<K>, IntoIter<V>>,
}

impl<K: Key, V: Value> Iter<K, V> {
    /// Enough entries that a chunk's wait hardly counts.
    const CHUNK: u32 = 1 << 16;

    pub(crate) fn new(snapshot: Snapshot<K, V>) -> Self {
        Self { scan: Scan::new(snapshot, Self::CHUNK), chunk: Vec::new().into_iter().zip(Vec::new()) }
    }
}

impl<K: Key, V: Value> Iterator for Iter<K, V> {
    type Item = Result<(K, V)>;

    /// The next entry. Waits for the device at the first entry of each chunk.
    fn next(&mut self) -> Option<Self::Item> {
        if let Some(entry) = self.chunk.next() {
            return Some(Ok(entry));
        }
        let chunk = self.scan.next()?.map(|(keys, values)| self.chunk = keys.into_iter().zip(values));
        match chunk {
            Ok(()) => self.chunk.next().map(Ok),
            Err(error) => Some(Err(error)),
        }
    }
}

impl<K: Key, V: Value> Iterator for Scan<K, V> {
    type Item = Result<(Vec<K>, Vec<V>)>;

    /// The next chunk. All but the last have the requested size. Waits for the device.
    fn next(&mut self) -> Option<Self::Item> {
        let chunk = self.fill().and_then(|()| match self.codes.len().min(self.size as usize) {
            0 => Ok(None),
            size => self.take(size).map(Some),
        });
        if chunk.is_err() {
            self.next = None;
            self.codes.clear();
        }
        chunk.transpose()
    }
}
