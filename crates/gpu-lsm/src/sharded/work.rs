//! Work: what a call changes, as a whole and by shard.

use super::asked::filled;
use super::route::Route;
use super::shard::Shard;
use super::snapshot::ShardedSnapshot;
use crate::batch::Batch;
use crate::column::{Keys, Values};
use crate::error::{Error, Result};
use crate::key::Key;
use crate::prepare::Ready;
use crate::snapshot::Snapshot;
use gpu_lsm_primitives::{Code, Meter, Value};
use std::borrow::Cow;

/// A change of a dictionary, or the part of it that belongs to one shard.
pub(super) enum Work<'a, K: Key, V: Value> {
    /// Inserts, followed by deletes.
    Update { keys: Keys<'a, K>, values: Values<'a, V>, deletes: Keys<'a, K> },
    /// Mixed operations, in their order.
    Batch(Cow<'a, Batch<K, V>>),
    /// The same as columns. A flag for each operation is not zero if it is a delete.
    Columns { keys: Keys<'a, K>, values: Values<'a, V>, flags: Values<'a, u32> },
    /// Deletes of everything in intervals.
    DeleteRange { lower: Keys<'a, K>, upper: Keys<'a, K> },
    /// One run in place of all others.
    Cleanup,
    /// Nothing in place of everything.
    Clear,
}

impl<'a, K: Key, V: Value> Work<'a, K, V> {
    /// The same with all columns in the host's memory.
    pub(super) fn on_host(self, shards: &ShardedSnapshot<K, V>) -> Result<Self> {
        let host = |keys: Keys<'a, K>| Ok::<_, Error>(Keys::Host(shards.on_host(keys)?));
        Ok(match self {
            Self::Update { keys, values, deletes } => {
                let values = Values::Host(shards.values_on_host(values)?);
                Self::Update { keys: host(keys)?, values, deletes: host(deletes)? }
            }
            Self::Columns { keys, values, flags } => {
                let keys = shards.on_host(keys)?;
                let (values, flags) = (shards.values_on_host(values)?, shards.values_on_host(flags)?);
                let mut batch = Batch::try_with_capacity(&shards.meter, keys.len())?;
                for ((&key, &value), &flag) in keys.iter().zip(&*values).zip(&*flags) {
                    if flag == 0 {
                        batch.insert(key, value);
                    } else {
                        batch.delete(key);
                    }
                }
                Self::Batch(Cow::Owned(batch))
            }
            Self::DeleteRange { lower, upper } => {
                Self::DeleteRange { lower: host(lower)?, upper: host(upper)? }
            }
            others @ (Self::Batch(_) | Self::Cleanup | Self::Clear) => others,
        })
    }

    /// Whether a shard takes it as it is: every column is in the host's memory or on the shard's device.
    pub(super) fn is_near(&self, shard: &Shard<K, V>) -> bool {
        match self {
            Self::Update { keys, values, deletes } => {
                shard.takes(keys) && shard.takes_values(values) && shard.takes(deletes)
            }
            Self::Columns { keys, values, flags } => {
                shard.takes(keys) && shard.takes_values(values) && shard.takes_values(flags)
            }
            Self::DeleteRange { lower, upper } => shard.takes(lower) && shard.takes(upper),
            Self::Batch(_) | Self::Cleanup | Self::Clear => true,
        }
    }

    /// Does everything that can fail.
    pub(super) fn prepare(&self, state: &Snapshot<K, V>) -> Result<Ready<K, V>> {
        match self {
            Self::Update { keys, values, deletes } => state.prepare_update(keys, values, deletes),
            Self::Batch(batch) => state.prepare_batch(batch),
            Self::Columns { keys, values, flags } => state.prepare_columns(keys, values, flags),
            Self::DeleteRange { lower, upper } => state.prepare_delete_range(lower, upper),
            Self::Cleanup => state.prepare_cleanup(),
            Self::Clear => state.prepare_clear(),
        }
    }

    /// The same for deletes, in little memory: what stays becomes one run without tombstones.
    pub(super) fn prepare_frugally(&self, state: &Snapshot<K, V>) -> Result<Ready<K, V>> {
        match self {
            Self::Update { deletes, .. } => state.prepare_frugal_delete(deletes),
            Self::Batch(batch) => state.prepare_frugal_delete(&batch.keys().into()),
            Self::DeleteRange { lower, upper } => state.prepare_frugal_delete_range(lower, upper),
            Self::Columns { .. } | Self::Cleanup | Self::Clear => self.prepare(state),
        }
    }

    /// Whether it may add entries other than tombstones.
    pub(super) fn inserts(&self) -> bool {
        match self {
            Self::Update { keys, .. } => keys.len() > 0,
            Self::Batch(batch) => batch.only_deletes().is_none(),
            Self::Columns { flags: Values::Host(flags), .. } => flags.contains(&0),
            Self::Columns { keys, .. } => keys.len() > 0,
            Self::DeleteRange { .. } | Self::Cleanup | Self::Clear => false,
        }
    }

    /// The number of its operations, where it has a list of them.
    pub(super) fn operations(&self) -> usize {
        match self {
            Self::Update { keys, deletes, .. } => keys.len() + deletes.len(),
            Self::Batch(batch) => batch.len(),
            Self::Columns { keys, .. } => keys.len(),
            Self::DeleteRange { .. } | Self::Cleanup | Self::Clear => 0,
        }
    }

    /// The keys of its operations, which are in the host's memory.
    pub(super) fn keys(&self) -> [&[K]; 2] {
        match self {
            Self::Update { keys, deletes, .. } => [slice(keys), slice(deletes)],
            Self::Batch(batch) => [batch.keys(), &[]],
            Self::Columns { .. } | Self::DeleteRange { .. } | Self::Cleanup | Self::Clear => [&[], &[]],
        }
    }

    /// The shard of each of these keys.
    pub(super) fn routes(&self, shards: &ShardedSnapshot<K, V>) -> Result<[Route; 2]> {
        let [first, second] = self.keys();
        Ok([shards.route(first)?, shards.route(second)?])
    }

    /// The intervals that it deletes, which are in the host's memory.
    pub(super) fn intervals(&self) -> Option<(&[K], &[K])> {
        match self {
            Self::DeleteRange { lower, upper } => Some((slice(lower), slice(upper))),
            _ => None,
        }
    }

    /// The part of each shard that has one, by the routes to these shards. All columns must be in the host's memory. A part
    /// has no more operations than one array can hold, if its shard has no more keys.
    pub(super) fn by_shard(
        &self,
        shards: &ShardedSnapshot<K, V>,
        routes: &[Route; 2],
    ) -> Result<Parts<'_, K, V>> {
        let parts = self.parts(shards, routes)?.into_iter();
        parts.map(|(shard, part)| Ok((shard, part.within(&shards.meter, shards.limit(shard))?))).collect()
    }

    fn parts(&self, shards: &ShardedSnapshot<K, V>, routes: &[Route; 2]) -> Result<Parts<'_, K, V>> {
        match self {
            Self::Update { keys, values: Values::Host(values), deletes } => {
                updates(&shards.meter, routes, (slice(keys), values), slice(deletes))
            }
            Self::Update { .. } | Self::Columns { .. } => Ok(Vec::new()),
            Self::Batch(batch) => batches(&shards.meter, &routes[0], batch),
            Self::DeleteRange { lower, upper } => ranges(shards, slice(lower), slice(upper)),
            Self::Cleanup => Ok((0..shards.shards.len()).map(|shard| (shard, Work::Cleanup)).collect()),
            Self::Clear => Ok((0..shards.shards.len()).map(|shard| (shard, Work::Clear)).collect()),
        }
    }

    /// The same or, if it has more operations than one array can hold, only the last one on each key. A shard gets so many
    /// only if most of them are on one key: otherwise it was split.
    fn within(self, meter: &Meter, limit: u64) -> Result<Self> {
        if self.operations() as u64 <= limit {
            return Ok(self);
        }
        let [first, second] = self.keys();
        let is_last = last_operations(meter, first.iter().chain(second).map(|key| key.to_code()))?;
        let (of_first, of_second) = is_last.split_at(first.len());
        Ok(match self {
            Self::Update { keys, values: Values::Host(values), deletes } => Self::Update {
                keys: kept(meter, slice(&keys), of_first)?.into(),
                values: kept(meter, &values, of_first)?.into(),
                deletes: kept(meter, slice(&deletes), of_second)?.into(),
            },
            Self::Batch(batch) => {
                let mut last = Batch::try_with_capacity(meter, number_of(&is_last))?;
                let operations = batch.operations().zip(&is_last);
                last.extend(operations.filter(|(_, is_last)| **is_last).map(|(operation, _)| operation));
                Self::Batch(Cow::Owned(last))
            }
            others => others,
        })
    }
}

/// For each operation on a key, whether it is the last one on that key.
fn last_operations<C: Code>(meter: &Meter, codes: impl Iterator<Item = C> + Clone) -> Result<Vec<bool>> {
    let operations = codes.clone().count();
    let mut order: Vec<(C, usize)> = meter.vector(operations)?;
    order.extend(codes.zip(0..));
    order.sort_unstable();
    let mut is_last = filled(meter, operations, false)?;
    for (i, &(code, operation)) in order.iter().enumerate() {
        is_last[operation] = order.get(i + 1).is_none_or(|&(next, _)| next != code);
    }
    Ok(is_last)
}

fn number_of(chosen: &[bool]) -> usize {
    chosen.iter().filter(|&&is_chosen| is_chosen).count()
}

/// The chosen elements of a column.
fn kept<T: Copy>(meter: &Meter, column: &[T], chosen: &[bool]) -> Result<Vec<T>> {
    let mut kept = meter.vector(number_of(chosen))?;
    kept.extend(column.iter().zip(chosen).filter(|(_, is_chosen)| **is_chosen).map(|(&element, _)| element));
    Ok(kept)
}

/// Keys in the host's memory; none if they are elsewhere.
fn slice<'k, K: Key>(keys: &'k Keys<'_, K>) -> &'k [K] {
    match keys {
        Keys::Host(keys) => keys,
        Keys::Device(_) => &[],
    }
}

/// The parts of a change, each with its shard.
pub(super) type Parts<'a, K, V> = Vec<(usize, Work<'a, K, V>)>;

fn updates<'a, K: Key, V: Value>(
    meter: &Meter,
    [inserted, deleted]: &[Route; 2],
    (keys, values): (&[K], &[V]),
    deletes: &[K],
) -> Result<Parts<'a, K, V>> {
    let columns = inserted.split(meter, keys)?.into_iter().zip(inserted.split(meter, values)?);
    let parts = columns.zip(deleted.split(meter, deletes)?).enumerate();
    let parts = parts.filter(|(_, ((keys, _), deletes))| keys.len() + deletes.len() > 0);
    let part = |((keys, values), deletes): ((Vec<K>, Vec<V>), Vec<K>)| Work::Update {
        keys: keys.into(),
        values: values.into(),
        deletes: deletes.into(),
    };
    Ok(parts.map(|(shard, columns)| (shard, part(columns))).collect())
}

fn batches<'a, K: Key, V: Value>(
    meter: &Meter,
    route: &Route,
    batch: &Batch<K, V>,
) -> Result<Parts<'a, K, V>> {
    let parts = route.lens.iter().map(|&len| Batch::try_with_capacity(meter, len));
    let mut parts = parts.collect::<Result<Vec<_>>>()?;
    for (shard, (key, value)) in route.shards().zip(batch.operations()) {
        match value {
            Some(value) => parts[shard].insert(key, value),
            None => parts[shard].delete(key),
        }
    }
    let parts = parts.into_iter().enumerate().filter(|(_, part)| !part.is_empty());
    Ok(parts.map(|(shard, part)| (shard, Work::Batch(Cow::Owned(part)))).collect())
}

fn ranges<'a, K: Key, V: Value>(
    shards: &ShardedSnapshot<K, V>,
    lower: &[K],
    upper: &[K],
) -> Result<Parts<'a, K, V>> {
    let part = |[lower, upper]: [Vec<K>; 2]| Work::DeleteRange { lower: lower.into(), upper: upper.into() };
    let parts = shards.intervals_by_shard(lower, upper)?.into_iter();
    Ok(parts.map(|(shard, bounds)| (shard, part(bounds))).collect())
}
