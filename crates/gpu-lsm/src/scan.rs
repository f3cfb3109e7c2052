//! scan: all live entries in order, a chunk at a time.

use crate::backed::on_backend;
use crate::core::Core;
use crate::error::Result;
use crate::intervals::AT_ONCE;
use crate::key::Key;
use crate::lists::{extend, leased_entries};
use crate::neighbour::Queries;
use crate::snapshot::Snapshot;
use gpu_lsm_primitives::meter::Lease;
use gpu_lsm_primitives::{Backend, Code, Value, Way};
use std::iter::Zip;
use std::vec::IntoIter;

/// The fewest entries of each run that one step considers.
const FEWEST: u32 = 1024;

/// The live entries of a snapshot in ascending order of keys, in chunks. Made by [`Snapshot::scan`].
///
/// At most about `levels * chunk` entries are in memory at a time (`levels * 1024` if chunks are smaller). They count
/// against the byte budget while a chunk is collected. After an error the iterator ends.
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

    /// Finds entries until they fill a chunk or no more are left. Meanwhile all that are held count against the budget.
    fn fill(&mut self) -> Result<()> {
        if self.codes.len() >= self.size as usize {
            return Ok(());
        }
        let mut held = vec![leased_entries::<K::Code, V>(self.snapshot.meter(), self.codes.len())?];
        while self.codes.len() < self.size as usize {
            let Some((from, way)) = self.next.take() else { return Ok(()) };
            let size = self.size.max(FEWEST);
            let chunk = on_backend!(&self.snapshot.inner, core => core.chunk(from, way, size))?;
            held.push(chunk.lease);
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

/// Live entries in order, and the key up to which they are complete: the largest key if nothing follows.
pub(crate) struct Chunk<K, V> {
    pub(crate) keys: Vec<K>,
    pub(crate) values: Vec<V>,
    pub(crate) reached: K,
    /// Counts the entries.
    lease: Lease,
}

impl<B: Backend, K: Code, V: Value> Core<B, K, V> {
    /// Live entries starting at or after a key, and the key up to which they are complete. There may be none, if all
    /// entries near the key are tombstones.
    pub(crate) fn chunk(&self, from: K, way: Way, size: u32) -> Result<Chunk<K, V>> {
        self.backend.alive()?;
        let runs = self.whole_runs()?;
        let most = (self.most_candidates(AT_ONCE) / runs.len() as u64).max(1);
        let window = size.min(u32::try_from(most).unwrap_or(u32::MAX));
        let queries = Queries::<B, K> { keys: &self.backend.upload(&[from])?, way };
        let near = self.near(&runs, &queries, window, None)?;
        let reached = self.backend.download(&near.horizons, 1)?[0];
        let total = self.backend.download(&near.live.offsets, 2)?[1] as usize;
        let lease = leased_entries::<K, V>(self.backend.meter(), total)?;
        let mut keys = self.backend.download(&near.live.entries.keys, total)?;
        let mut values = self.backend.download(&near.live.entries.values, total)?;
        let certain = keys.partition_point(|key| *key <= reached);
        keys.truncate(certain);
        values.truncate(certain);
        Ok(Chunk { keys, values, reached, lease })
    }
}
