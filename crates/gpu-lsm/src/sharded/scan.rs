//! scan: all live entries of all shards in order, a chunk at a time.

use super::snapshot::ShardedSnapshot;
use crate::error::Result;
use crate::key::Key;
use crate::lists::{extend, leased_entries};
use crate::scan::Scan;
use gpu_lsm_primitives::Value;
use std::iter::Zip;
use std::vec::IntoIter;

/// The live entries of all shards in ascending order of keys, in chunks. Made by [`ShardedSnapshot::scan`].
///
/// The entries of a chunk count against the byte budget while it is collected. After an error the iterator ends.
#[derive(Debug)]
pub struct ShardedScan<K: Key, V: Value> {
    snapshot: ShardedSnapshot<K, V>,
    size: u32,
    /// The shard that is being read, and its scan.
    shard: usize,
    scan: Option<Scan<K, V>>,
    /// Entries that were found but not returned yet.
    keys: Vec<K>,
    values: Vec<V>,
}

impl<K: Key, V: Value> ShardedScan<K, V> {
    pub(super) fn new(snapshot: ShardedSnapshot<K, V>, size: u32) -> Self {
        let size = size.max(1);
        let scan = snapshot.shards.first().map(|shard| shard.state.scan(size));
        Self { snapshot, size, shard: 0, scan, keys: Vec::new(), values: Vec::new() }
    }

    /// Finds entries until they fill a chunk or no more are left. Meanwhile all that are held count against the budget.
    fn fill(&mut self) -> Result<()> {
        if self.keys.len() >= self.size as usize {
            return Ok(());
        }
        let meter = &self.snapshot.meter;
        let mut held = vec![leased_entries::<K, V>(meter, self.keys.len())?];
        while self.keys.len() < self.size as usize {
            let Some(scan) = &mut self.scan else { return Ok(()) };
            match scan.next() {
                Some(Ok((keys, values))) => {
                    held.push(leased_entries::<K, V>(meter, keys.len())?);
                    extend(meter, &mut self.keys, keys)?;
                    extend(meter, &mut self.values, values)?;
                }
                Some(Err(error)) => return Err(self.snapshot.told(self.shard, error)),
                None => {
                    self.shard += 1;
                    let next = self.snapshot.shards.get(self.shard);
                    self.scan = next.map(|shard| shard.state.scan(self.size));
                }
            }
        }
        Ok(())
    }

    /// Takes the first `size` entries that were found.
    fn take(&mut self, size: usize) -> Result<(Vec<K>, Vec<V>)> {
        if size == self.keys.len() {
            return Ok((std::mem::take(&mut self.keys), std::mem::take(&mut self.values)));
        }
        let meter = &self.snapshot.meter;
        let (mut keys, mut values) = (meter.vector(size)?, meter.vector(size)?);
        keys.extend(self.keys.drain(..size));
        values.extend(self.values.drain(..size));
        Ok((keys, values))
    }
}

impl<K: Key, V: Value> Iterator for ShardedScan<K, V> {
    type Item = Result<(Vec<K>, Vec<V>)>;

    /// The next chunk. All but the last have the requested size. Waits for a device.
    fn next(&mut self) -> Option<Self::Item> {
        let chunk = self.fill().and_then(|()| match self.keys.len().min(self.size as usize) {
            0 => Ok(None),
            size => self.take(size).map(Some),
        });
        if chunk.is_err() {
            self.scan = None;
            self.keys.clear();
        }
        chunk.transpose()
    }
}

/// The entries of all shards one by one, in ascending order of keys. Made by [`ShardedSnapshot::iter`].
///
/// After an error the iterator ends.
#[derive(Debug)]
pub struct ShardedIter<K: Key, V: Value> {
    scan: ShardedScan<K, V>,
    chunk: Zip<IntoIter<K>, IntoIter<V>>,
}

impl<K: Key, V: Value> ShardedIter<K, V> {
    /// Enough entries that a chunk's wait hardly counts.
    const CHUNK: u32 = 1 << 16;

    pub(super) fn new(snapshot: ShardedSnapshot<K, V>) -> Self {
        let chunk = Vec::new().into_iter().zip(Vec::new());
        Self { scan: ShardedScan::new(snapshot, Self::CHUNK), chunk }
    }
}

impl<K: Key, V: Value> Iterator for ShardedIter<K, V> {
    type Item = Result<(K, V)>;

    /// The next entry. Waits for a device at the first entry of each chunk.
    fn next(&mut self) -> Option<Self::Item> {
        if let Some(entry) = self.chunk.next() {
            return Some(Ok(entry));
        }
        match self.scan.next()? {
            Ok((keys, values)) => {
                self.chunk = keys.into_iter().zip(values);
                self.chunk.next().map(Ok)
            }
            Err(error) => Some(Err(error)),
        }
    }
}
