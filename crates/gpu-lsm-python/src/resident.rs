//! Queries and updates with columns on the device. The types of keys are those that Rust has, so that the device recodes them.

use crate::failure::{Failure, Outcome};
use crate::held::{Ask, Element, Held};
use crate::kind::{Codes, Kind};
use crate::raw::{There, Updated};
use crate::width::{Width, Words};
use gpu_lsm::{DeviceNeighbours, Key, Morton, Sharded, ShardedSnapshot, Snapshot, Value};

/// A type of values that can be in a buffer.
pub(crate) trait Resident: Words + Element {}
impl<V: Words + Element> Resident for V {}

/// A type of codes, with the types of keys that have them.
pub(crate) trait Recoded: Width {
    fn ask<V: Resident>(state: &Snapshot<Self, V>, kind: Kind, ask: &Ask<'_>) -> Outcome<Vec<Held>>;
    fn update<V: Resident>(state: &mut Sharded<Self, V>, kind: Kind, columns: [&Held; 3]) -> Outcome<()>;
}

macro_rules! recoded {
    ($($Code:ident: $($Kind:ident = $Key:ty),+;)+) => { $(
        impl Recoded for $Code {
            fn ask<V: Resident>(state: &Snapshot<Self, V>, kind: Kind, ask: &Ask<'_>) -> Outcome<Vec<Held>> {
                match kind {
                    $(Kind::$Kind => answer(&state.seen_as::<$Key>(), ask),)+
                    _ => Err(Failure::OtherElements),
                }
            }

            fn update<V: Resident>(
                state: &mut Sharded<Self, V>,
                kind: Kind,
                columns: [&Held; 3],
            ) -> Outcome<()> {
                match kind {
                    $(Kind::$Kind => apply::<$Code, $Key, V>(state, columns),)+
                    _ => Err(Failure::OtherElements),
                }
            }
        }
    )+ };
}
recoded! {
    u32: U32 = u32, I32 = i32, F32 = f32;
    u64: U64 = u64, I64 = i64, F64 = f64, Pair = (u32, u32), Point = Morton;
}

/// Answers a query with keys of the snapshot's own type.
fn answer<K: Key<Native: Element>, V: Resident>(state: &Snapshot<K, V>, ask: &Ask<'_>) -> Outcome<Vec<Held>> {
    let there = state.on_device();
    let keys = |held: &Held| K::Native::of(held);
    Ok(match ask {
        Ask::Lookup(asked) => {
            let (found, values) = there.lookup(keys(asked)?)?.into_parts();
            vec![V::held(values), Held::U32(found)]
        }
        Ask::Count(lower, upper) => vec![Held::U32(there.count(keys(lower)?, keys(upper)?)?)],
        Ask::Range(lower, upper, limit) => {
            let (lower, upper) = (keys(lower)?, keys(upper)?);
            let found = match limit {
                Some(limit) => there.range_first(lower, upper, *limit)?,
                None => there.range(lower, upper)?,
            };
            let (offsets, keys, values) = found.into_parts();
            vec![Held::U32(offsets), K::Native::held(keys), V::held(values)]
        }
        Ask::Successor(asked) => nearest(there.successor(keys(asked)?)?),
        Ask::Predecessor(asked) => nearest(there.predecessor(keys(asked)?)?),
    })
}

fn nearest<K: Key<Native: Element>, V: Element>(found: DeviceNeighbours<K, V>) -> Vec<Held> {
    let (found, keys, values) = found.into_parts();
    vec![K::Native::held(keys), V::held(values), Held::U32(found)]
}

/// Inserts keys with values, and deletes keys.
fn apply<K: Width, L: Key<Code = K, Native: Element>, V: Resident>(
    state: &mut Sharded<K, V>,
    [keys, values, deletes]: [&Held; 3],
) -> Outcome<()> {
    let (keys, deletes) = (L::Native::of(keys)?, L::Native::of(deletes)?);
    let values = <V as Element>::of(values)?;
    match state.update_only_as::<L>(&keys.into(), &values.into(), &deletes.into())? {
        true => Ok(()),
        false => Err(Failure::ManyDevices),
    }
}

/// The only shard of a dictionary that is to have no others.
fn only<K: Key, V: Value>(state: &ShardedSnapshot<K, V>) -> Outcome<&Snapshot<K, V>> {
    let mut shards = state.shards();
    match (shards.next(), shards.next()) {
        // A shard of several has its part of the batch size, also while it is the only one.
        (Some((_, only)), None) if only.config().batch_size() == state.config().batch_size() => Ok(only),
        _ => Err(Failure::ManyDevices),
    }
}

impl<K: Recoded, V: Resident> There for ShardedSnapshot<K, V> {
    fn upload_keys(&self, kind: Kind, words: &Codes<'_>) -> Outcome<Held> {
        let device = only(self)?.device();
        Ok(match (words, kind) {
            (Codes::Narrow(words), Kind::U32) => Held::U32(device.upload(words)?),
            (Codes::Narrow(words), Kind::I32) => Held::I32(device.upload(bytemuck::cast_slice(words))?),
            (Codes::Narrow(words), Kind::F32) => Held::F32(device.upload(bytemuck::cast_slice(words))?),
            (Codes::Wide(words), Kind::U64) => Held::U64(device.upload(words)?),
            (Codes::Wide(words), Kind::I64) => Held::I64(device.upload(bytemuck::cast_slice(words))?),
            (Codes::Wide(words), Kind::F64) => Held::F64(device.upload(bytemuck::cast_slice(words))?),
            (Codes::Wide(words), Kind::Pair | Kind::Point) => {
                Held::Two(device.upload(bytemuck::cast_slice(words))?)
            }
            _ => return Err(Failure::OtherElements),
        })
    }

    fn upload_values(&self, words: &[u32], count: usize) -> Outcome<Held> {
        Ok(V::held(only(self)?.device().upload(&V::of_words(words, count)?)?))
    }

    fn ask(&self, kind: Kind, ask: &Ask<'_>) -> Outcome<Vec<Held>> {
        K::ask(only(self)?, kind, ask)
    }
}

impl<K: Recoded, V: Resident> Updated for Sharded<K, V> {
    fn update_there(&mut self, kind: Kind, columns: [&Held; 3]) -> Outcome<()> {
        only(self)?;
        K::update(self, kind, columns)
    }
}
