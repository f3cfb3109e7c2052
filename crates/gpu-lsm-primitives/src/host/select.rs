//! select: of equal keys, the one with the last position. Twin of gpu/select.rs.

use super::gather::{self, Sources};
use super::tiles::Tiles;
use super::{Host, HostArray};
use crate::entries::{Pending, Sorted};
use crate::error::Result;
use crate::key::Key;
use crate::value::Value;

/// Keeps a key where the next one differs, then gathers values and marks by position.
pub(super) fn select<K: Key, V: Value>(
    host: &Host,
    sorted: &Sorted<Host, K>,
    values: &HostArray<V>,
    marks: Option<&HostArray<u32>>,
) -> Result<Pending<Host, K, V>> {
    let (keys, positions) = (&*sorted.keys, &*sorted.positions);
    let is_last = |i: usize| keys.get(i + 1) != Some(&keys[i]);

    let mut tiles = Tiles::count(host, keys.len(), |tile| tile.filter(|&i| is_last(i)).count() as u32)?;
    let count = tiles.total();
    let mut kept = host.zeroed::<K>(count)?;
    let mut sources = host.zeroed::<u32>(count)?;
    tiles.write(host, kept.slice_mut(), sources.slice_mut(), |tile, kept, sources| {
        for (out, i) in tile.filter(|&i| is_last(i)).enumerate() {
            (kept[out], sources[out]) = (keys[i], positions[i]);
        }
    })?;

    let sources = Sources { list: sources.slice_mut(), split: values.len() };
    let gathered = gather::values(host, values, &[], &sources)?;
    let sources = Sources { split: keys.len(), ..sources };
    let marks = gather::marks(host, marks.map(|bits| &**bits), None, &sources)?;
    Ok(Pending { keys: kept.share(), values: gathered, marks, bound: count, count })
}
