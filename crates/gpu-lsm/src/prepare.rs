//! The preparation of updates: all that can fail. It does not change the dictionary yet.

use crate::backed::{Backed, PerBackend, Residence, on_backend};
use crate::batch::Batch;
use crate::column::{Keys, Values, check_bounds, check_columns, check_mixed_columns, intervals_on};
use crate::error::Result;
use crate::intervals::Slices;
use crate::key::Key;
use crate::operations::Operations;
use crate::snapshot::Snapshot;
use crate::update::{Prepared, is_over_budget};
use gpu_lsm_primitives::{Code, Start, Value};
use std::marker::PhantomData;

/// Prepared updates by backend.
pub(crate) struct Updates<K, V>(PhantomData<(K, V)>);

impl<K: Code, V: Value> PerBackend for Updates<K, V> {
    type On<B: Residence> = Prepared<B, K, V>;
}

/// An update of a dictionary, ready to be committed.
pub(crate) type Ready<K, V> = Backed<Updates<<K as Key>::Code, V>>;

impl<K: Key, V: Value> Snapshot<K, V> {
    /// Inserts and deletes; a key in both is deleted.
    pub(crate) fn prepare_update(
        &self,
        keys: &Keys<'_, K>,
        values: &Values<'_, V>,
        deletes: &Keys<'_, K>,
    ) -> Result<Ready<K, V>> {
        check_columns(keys, values)?;
        if keys.len() == 0 {
            return self.prepare_delete(deletes);
        }
        on_backend!(&self.inner, core => {
            core.check_batch(keys.len() + deletes.len())?;
            let backend = &core.backend;
            let (codes, values) = (keys.codes_on(backend)?, values.on(backend)?);
            let batch = Operations::update(backend, codes, values, deletes.codes_on(backend)?)?;
            Ok(Residence::backed(core.prepare(batch, keys.any_in())?))
        })
    }

    pub(crate) fn prepare_delete(&self, keys: &Keys<'_, K>) -> Result<Ready<K, V>> {
        on_backend!(&self.inner, core => {
            keys.check_device(&core.backend)?;
            let ready = core.prepare_delete(
                keys.len(),
                |backend| keys.codes_on(backend),
                |backend| keys.codes_on_host(backend),
            );
            Ok(Residence::backed(ready?))
        })
    }

    /// Mixed operations, in their order.
    pub(crate) fn prepare_batch(&self, batch: &Batch<K, V>) -> Result<Ready<K, V>> {
        if let Some(deletes) = batch.only_deletes() {
            return self.prepare_delete(&deletes.into());
        }
        on_backend!(&self.inner, core => {
            core.check_batch(batch.len())?;
            let operations = batch.operations_on(&core.backend)?;
            Ok(Residence::backed(core.prepare(operations, Some(|first, last| batch.inserts_any_in(first, last)))?))
        })
    }

    /// Mixed operations as columns, in their order. A flag for each says whether it is a delete.
    pub(crate) fn prepare_columns(
        &self,
        keys: &Keys<'_, K>,
        values: &Values<'_, V>,
        flags: &Values<'_, u32>,
    ) -> Result<Ready<K, V>> {
        check_mixed_columns(keys, values, flags)?;
        on_backend!(&self.inner, core => {
            let backend = &core.backend;
            if let Values::Host(flags) = flags && flags.iter().all(|&flag| flag != 0) {
                values.check_device(backend)?;
                return self.prepare_delete(keys);
            }
            core.check_batch(keys.len())?;
            let (codes, values) = (keys.codes_on(backend)?, values.on(backend)?);
            let batch = Operations::mixed(backend, codes, &values, &flags.on(backend)?)?;
            Ok(Residence::backed(core.prepare(batch, keys.any_in())?))
        })
    }

    /// Deletes everything in intervals.
    pub(crate) fn prepare_delete_range(
        &self,
        lower: &Keys<'_, K>,
        upper: &Keys<'_, K>,
    ) -> Result<Ready<K, V>> {
        check_bounds(lower, upper)?;
        on_backend!(&self.inner, core => {
            if let (Keys::Device(_), _) | (_, Keys::Device(_)) = (lower, upper) {
                let there = intervals_on(&core.backend, lower, upper, Start::At);
                match there.and_then(|intervals| core.prepare_delete_few_in(&intervals)) {
                    Ok(Some(ready)) => return Ok(Residence::backed(ready)),
                    Err(error) if !is_over_budget(&error) => return Err(error),
                    // Too many entries, or too little memory for them: go through the host.
                    Ok(None) | Err(_) => {}
                }
            }
            let (lower, upper) = (lower.codes_on_host(&core.backend)?, upper.codes_on_host(&core.backend)?);
            let intervals = Slices { lower: &lower, upper: &upper, start: Start::At };
            Ok(Residence::backed(core.prepare_delete_in(intervals)?))
        })
    }

    /// Deletes in little memory, after which all is one run without tombstones.
    pub(crate) fn prepare_frugal_delete(&self, keys: &Keys<'_, K>) -> Result<Ready<K, V>> {
        on_backend!(&self.inner, core => {
            let keys = keys.codes_on_host(&core.backend)?;
            Ok(Residence::backed(core.prepare_frugal_delete(keys)?))
        })
    }

    /// The same for everything in intervals.
    pub(crate) fn prepare_frugal_delete_range(
        &self,
        lower: &Keys<'_, K>,
        upper: &Keys<'_, K>,
    ) -> Result<Ready<K, V>> {
        check_bounds(lower, upper)?;
        on_backend!(&self.inner, core => {
            let (lower, upper) = (lower.codes_on_host(&core.backend)?, upper.codes_on_host(&core.backend)?);
            let intervals = Slices { lower: &lower, upper: &upper, start: Start::At };
            Ok(Residence::backed(core.prepare_frugal_delete_in(intervals)?))
        })
    }

    /// One run in place of all others.
    pub(crate) fn prepare_cleanup(&self) -> Result<Ready<K, V>> {
        on_backend!(&self.inner, core => Ok(Residence::backed(core.prepare_cleanup()?)))
    }

    /// An empty dictionary in place of everything.
    pub(crate) fn prepare_clear(&self) -> Result<Ready<K, V>> {
        on_backend!(&self.inner, core => Ok(Residence::backed(core.prepare_clear()?)))
    }

    /// Makes an update take effect. It must have been prepared from the current state.
    pub(crate) fn commit(&mut self, ready: Ready<K, V>) {
        on_backend!(ready, ready => self.commit_on(ready));
    }

    fn commit_on<B: Residence>(&mut self, ready: Prepared<B, K::Code, V>) {
        let core = B::of_mut(&mut self.inner);
        core.expect("an update is committed on the device that prepared it").commit(ready);
    }
}

#[cfg(test)]
mod tests {
    use crate::{Config, Device, Dictionary};

    /// Nobody sees an update before it is committed, and nobody ever does if it is dropped.
    #[test]
    fn an_update_takes_effect_when_it_is_committed() {
        let config = Config::new().with_batch_size(4);
        let mut dictionary =
            Dictionary::build(&Device::host(), config, &[1u32, 2, 3], &[10u32, 20, 30]).unwrap();
        let before = dictionary.statistics();
        drop(dictionary.current.prepare_delete(&[1, 2, 3].into()).unwrap());
        let after = dictionary.statistics();
        assert_eq!((after.levels, after.bytes_in_use), (before.levels, before.bytes_in_use));
        let ready = dictionary.current.prepare_update(&[4].into(), &[40].into(), &[1].into()).unwrap();
        assert_eq!(dictionary.lookup(&[1, 4]).unwrap().to_vec(), [Some(10), None]);
        dictionary.current.commit(ready);
        assert_eq!(dictionary.lookup(&[1, 4]).unwrap().to_vec(), [None, Some(40)]);
        dictionary.verify().unwrap();
    }

    /// Sharded dictionaries take this way if there is no room for tombstones.
    #[test]
    fn a_frugal_delete_leaves_one_run_without_tombstones() {
        let config = Config::new().with_batch_size(4);
        let keys: Vec<u32> = (0..100).collect();
        let mut dictionary = Dictionary::build(&Device::host(), config, &keys, &keys).unwrap();
        dictionary.update(&[200, 201], &[1, 2], &[3]).unwrap();
        let ready = dictionary.current.prepare_frugal_delete(&[7, 300, 7, 200].into()).unwrap();
        dictionary.current.commit(ready);
        let (lower, upper) = ([50, 10, 9].into(), [60, 20, 8].into());
        let ready = dictionary.current.prepare_frugal_delete_range(&lower, &upper).unwrap();
        dictionary.current.commit(ready);
        dictionary.verify().unwrap();
        let statistics = dictionary.statistics();
        assert_eq!((statistics.levels.len(), statistics.tombstones), (1, 0));
        let is_left = |key: &u32| ![3, 7].contains(key) && !matches!(key, 10..=20 | 50..=60);
        let left: Vec<u32> = keys.into_iter().filter(is_left).chain([201]).collect();
        assert_eq!(dictionary.range_in(..).unwrap().0, left);
    }
}
