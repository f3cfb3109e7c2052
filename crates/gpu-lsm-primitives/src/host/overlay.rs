//! overlay: a run's entries in each query's interval, merged with those of newer runs. Twin of gpu/overlay.rs.

use super::expand::each_query;
use super::marks::{bit, in_tiles};
use super::merge::{Both, Place};
use super::{Host, HostArray};
use crate::backend::check_entries;
use crate::code::Code;
use crate::entries::{Bounds, Candidates, Pile, Run};
use crate::error::Result;
use crate::tuning::HOST_TILE;
use crate::value::Value;
use rayon::prelude::*;
use std::ops::Range;

/// Merges keys and values in one pass, and then the marks if there are any.
pub(super) fn overlay<K: Code, V: Value>(
    host: &Host,
    newer: &Candidates<Host, K, V>,
    older: &Run<Host, K, V>,
    bounds: &Bounds<Host>,
) -> Result<Candidates<Host, K, V>> {
    let len = newer.entries.len + bounds.total;
    check_entries::<_, K, V>(host, len as u64)?;
    let mut offsets = host.zeroed::<u32>(newer.offsets.len())?;
    offsets
        .slice_mut()
        .par_iter_mut()
        .zip(&*newer.offsets)
        .zip(&*bounds.offsets)
        .with_min_len(HOST_TILE)
        .for_each(|((sum, newer), older)| *sum = newer + older);
    let offsets = offsets.share();
    let lists = Lists { newer, older, bounds, offsets: &offsets };

    let mut keys = host.zeroed::<K>(len)?;
    let mut values = host.zeroed::<V>(len)?;
    keys.slice_mut()
        .par_chunks_mut(HOST_TILE)
        .zip(values.slice_mut().par_chunks_mut(HOST_TILE))
        .enumerate()
        .for_each(|(tile, (keys, values))| {
            each_query(&offsets, tile * HOST_TILE, keys.len(), |query, step, out| {
                let (both, new, old) = lists.of(query);
                let (new_values, old_values) = (&newer.entries.values[new], &older.values[old]);
                both.write(step, &mut keys[out.clone()], &mut values[out], new_values, old_values);
            });
        });
    let marks = lists.marks(host, len)?;
    let entries = Pile { keys: keys.share(), values: values.share(), marks, len };
    Ok(Candidates { offsets, entries })
}

/// Two lists of entries for each query.
struct Lists<'a, K: Code, V: Value> {
    newer: &'a Candidates<Host, K, V>,
    older: &'a Run<Host, K, V>,
    bounds: &'a Bounds<Host>,
    offsets: &'a [u32],
}

impl<K: Code, V: Value> Lists<'_, K, V> {
    /// A query's keys on both sides, and their positions among the newer entries and in the older run.
    fn of(&self, query: usize) -> (Both<'_, K>, Range<usize>, Range<usize>) {
        let start = self.bounds.starts[query] as usize;
        let new = self.newer.offsets[query] as usize..self.newer.offsets[query + 1] as usize;
        let old = start..start + self.bounds.lens[query] as usize;
        let both =
            Both { newer: &self.newer.entries.keys[new.clone()], older: &self.older.keys[old.clone()] };
        (both, new, old)
    }

    fn marks(&self, host: &Host, len: usize) -> Result<Option<HostArray<u32>>> {
        let (newer, older) = (self.newer.entries.marks.as_deref(), self.older.marks.as_deref());
        if newer.is_none() && older.is_none() {
            return Ok(None);
        }
        let marks = in_tiles(host, len, |first, len, set| {
            each_query(self.offsets, first, len, |query, step, out| {
                let (both, new, old) = self.of(query);
                both.walk(step, out.len(), |at, place| {
                    let mark = match place {
                        Place::Newer(i) => newer.map_or(0, |bits| bit(bits, new.start + i)),
                        Place::Older(j) => older.map_or(0, |bits| bit(bits, old.start + j)),
                    };
                    set(out.start + at, mark);
                });
            });
        })?;
        Ok(Some(marks))
    }
}
