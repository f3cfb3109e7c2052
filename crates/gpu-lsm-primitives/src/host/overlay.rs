//! overlay: what a run has in each query's interval, merged with what newer runs have there. Twin of gpu/overlay.rs.

use super::marks::bit;
use super::merge::{Both, Place};
use super::{Host, HostArray};
use crate::backend::check_entries;
use crate::entries::{Bounds, Candidates, Pile, Run};
use crate::error::Result;
use crate::key::Key;
use crate::tuning::HOST_TILE;
use crate::value::Value;
use rayon::prelude::*;

/// Keys and values in one go, and the marks where there are any.
pub(super) fn overlay<K: Key, V: Value>(
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
            lists.walk(tile * HOST_TILE, keys.len(), |at, place| {
                (keys[at], values[at]) = match place {
                    Place::Newer(i) => (newer.entries.keys[i], newer.entries.values[i]),
                    Place::Older(j) => (older.keys[j], older.values[j]),
                };
            });
        });
    let marks = lists.marks(host, len)?;
    let entries = Pile { keys: keys.share(), values: values.share(), marks, len };
    Ok(Candidates { offsets, entries })
}

/// Two lists of entries for each query.
struct Lists<'a, K: Key, V: Value> {
    newer: &'a Candidates<Host, K, V>,
    older: &'a Run<Host, K, V>,
    bounds: &'a Bounds<Host>,
    offsets: &'a [u32],
}

impl<K: Key, V: Value> Lists<'_, K, V> {
    /// Calls `place` with where each of `len` entries comes from, from output `first` on.
    fn walk(&self, first: usize, len: usize, mut place: impl FnMut(usize, Place)) {
        let mut query = self.offsets.partition_point(|&offset| offset as usize <= first).saturating_sub(1);
        let mut done = 0;
        while done < len {
            let step = first + done - self.offsets[query] as usize;
            let (newer_start, older_start) =
                (self.newer.offsets[query] as usize, self.bounds.starts[query] as usize);
            let both = Both {
                newer: &self.newer.entries.keys[newer_start..self.newer.offsets[query + 1] as usize],
                older: &self.older.keys[older_start..older_start + self.bounds.lens[query] as usize],
            };
            let part = (both.len() - step).min(len - done);
            both.walk(step, part, |at, found| {
                let found = match found {
                    Place::Newer(i) => Place::Newer(newer_start + i),
                    Place::Older(j) => Place::Older(older_start + j),
                };
                place(done + at, found);
            });
            done += part;
            query += 1;
        }
    }

    fn marks(&self, host: &Host, len: usize) -> Result<Option<HostArray<u32>>> {
        let (newer, older) = (self.newer.entries.marks.as_deref(), self.older.marks.as_deref());
        if newer.is_none() && older.is_none() {
            return Ok(None);
        }
        let mut marks = host.zeroed::<u32>(len)?;
        marks.slice_mut().par_chunks_mut(HOST_TILE).enumerate().for_each(|(tile, marks)| {
            self.walk(tile * HOST_TILE, marks.len(), |at, place| {
                marks[at] = match place {
                    Place::Newer(i) => newer.map_or(0, |newer| newer[i]),
                    Place::Older(j) => older.map_or(0, |bits| bit(bits, j)),
                };
            });
        });
        Ok(Some(marks.share()))
    }
}
