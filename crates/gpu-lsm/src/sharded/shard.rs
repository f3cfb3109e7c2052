//! A shard: a dictionary of a range of the keys, on one of the devices. It can be cut, joined and moved.

use super::places::Place;
use crate::backed::{Backed, DeviceHandle, Residence, on_backend};
use crate::column::{Keys, Values};
use crate::config::{Config, reserve};
use crate::core::Core;
use crate::error::Result;
use crate::key::Key;
use crate::snapshot::{Cores, Snapshot};
use gpu_lsm_primitives::{Meter, Value};
use std::sync::Arc;

/// A range of the keys, up to the first key of the next shard.
pub(super) struct Shard<K: Key, V: Value> {
    /// The code of its first key.
    pub(super) first: K::Code,
    /// The number of its device.
    pub(super) place: usize,
    pub(super) state: Snapshot<K, V>,
}

impl<K: Key, V: Value> Clone for Shard<K, V> {
    fn clone(&self) -> Self {
        Self { first: self.first, place: self.place, state: self.state.clone() }
    }
}

impl<K: Key, V: Value> Shard<K, V> {
    /// A shard without entries.
    pub(super) fn empty(
        first: K::Code,
        (place, on): (usize, &Place),
        config: Config,
        meter: &Arc<Meter>,
    ) -> Result<Self> {
        let inner = on_backend!(&on.device.opened, device => {
            Residence::backed::<Cores<K::Code, V>>(Core::new(device.backend(Arc::clone(meter)), config)?)
        });
        Ok(Self { first, place, state: Snapshot { inner } })
    }

    /// The same shard in a dictionary of its own, with its own meter.
    pub(super) fn fork(&self, meter: &Arc<Meter>) -> Self {
        Self { first: self.first, place: self.place, state: self.state.counted_by(meter) }
    }

    /// The same shard with keys of another type that has the same codes.
    pub(super) fn seen_as<L: Key<Code = K::Code>>(&self) -> Shard<L, V> {
        Shard { first: self.first, place: self.place, state: self.state.seen_as() }
    }

    /// Whether it takes these keys as they are: from the host's memory or from its own device.
    pub(super) fn takes(&self, keys: &Keys<'_, K>) -> bool {
        on_backend!(&self.state.inner, core => keys.check_device(&core.backend).is_ok())
    }

    /// The same for values.
    pub(super) fn takes_values<T: Value>(&self, values: &Values<'_, T>) -> bool {
        on_backend!(&self.state.inner, core => values.check_device(&core.backend).is_ok())
    }

    /// Its entries, including stale ones.
    pub(super) fn entries(&self) -> u64 {
        on_backend!(&self.state.inner, core => core.levels.entries())
    }

    /// The bytes that deletes and cleanups of it may need.
    pub(super) fn reserve(&self) -> u64 {
        on_backend!(&self.state.inner, core => reserve::<K::Code, V>(core.levels.positive_entries(), core.b()))
    }

    /// Every `stride`-th of the codes in its runs, in no order.
    pub(super) fn sampled(&self, stride: u32) -> Result<Vec<K::Code>> {
        on_backend!(&self.state.inner, core => core.sampled(stride))
    }

    /// Its part from one code to another, both inclusive, on the same device.
    pub(super) fn cut(&self, first: K::Code, last: K::Code) -> Result<Self> {
        let inner = on_backend!(&self.state.inner, core => {
            Residence::backed::<Cores<K::Code, V>>(core.cut(first, last)?)
        });
        Ok(Self { first, place: self.place, state: Snapshot { inner } })
    }

    /// The shard of its keys and those of the next one. Both must be on the same device.
    pub(super) fn join(&self, next: &Self) -> Result<Self> {
        if next.entries() == 0 {
            return Ok(self.clone());
        }
        let inner = on_backend!(&self.state.inner, core => joined::<_, K, V>(core, &next.state.inner)?);
        Ok(Self { first: self.first, place: self.place, state: Snapshot { inner } })
    }

    /// The same shard on another device. Its runs go there by way of the host, one at a time.
    pub(super) fn moved(&self, (place, to): (usize, &Place)) -> Result<Self> {
        let state = &self.state;
        let mut moved = Self::empty(self.first, (place, to), *state.config(), state.meter())?;
        let ids = on_backend!(&state.inner, core => {
            core.levels.by_level().map(|(level, run)| (level, run.id)).collect::<Vec<_>>()
        });
        let runs = ids.into_iter().filter_map(|(level, id)| {
            let columns = state.run_columns(id).transpose()?;
            Some(columns.map(|columns| (level, columns)))
        });
        on_backend!(&mut moved.state.inner, core => core.take_runs(runs))?;
        Ok(moved)
    }
}

fn joined<B: Residence, K: Key, V: Value>(
    core: &Core<B, K::Code, V>,
    next: &Backed<Cores<K::Code, V>>,
) -> Result<Backed<Cores<K::Code, V>>> {
    let next = B::of(next).expect("both are on one device");
    Ok(Residence::backed::<Cores<K::Code, V>>(core.join(next)?))
}
