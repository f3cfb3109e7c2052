//! merge: one sorted array from a newer and an older one. Twin of gpu/merge.rs; overlay.rs uses it with queries.

use super::Host;
use super::array::Owned;
use super::gather::{self, Sources};
use super::tiles::Tiles;
use crate::backend::check_positions;
use crate::entries::{Pending, Run, Tombstones};
use crate::error::Result;
use crate::key::Key;
use crate::value::Value;
use std::ops::Range;

/// Merges by key.
pub(super) fn merge<K: Key, V: Value>(
    host: &Host,
    newer: &Pending<Host, K, V>,
    older: &Run<Host, K, V>,
    tombstones: Tombstones,
) -> Result<Pending<Host, K, V>> {
    let newer_side = Side { keys: &newer.keys[..newer.count], queries: () };
    let older_side = Side { keys: &older.keys[..older.len], queries: () };
    Ok(merged(host, newer, older, newer_side, older_side, tombstones)?.0)
}

/// Merges the sides tile by tile, noting where each key came from, then gathers values and marks.
pub(super) fn merged<K: Key, V: Value, Q: Queries>(
    host: &Host,
    newer: &Pending<Host, K, V>,
    older: &Run<Host, K, V>,
    newer_side: Side<'_, K, Q>,
    older_side: Side<'_, K, Q>,
    tombstones: Tombstones,
) -> Result<(Pending<Host, K, V>, SourceList)> {
    let newer_marks = newer.marks.as_ref().map(|marks| &*marks.bits);
    let inputs = Inputs {
        newer: newer_side,
        older: older_side,
        dropped: newer_marks.filter(|_| tombstones == Tombstones::Drop),
    };
    check_positions(host, inputs.len() as u64)?;
    let mut tiles = Tiles::count(host, inputs.len(), |tile| {
        let mut kept = 0;
        inputs.walk(tile, |_, _| kept += 1);
        kept
    })?;
    let count = tiles.total();
    let mut keys = host.zeroed::<K>(count)?;
    let mut list = host.zeroed::<u32>(count)?;
    tiles.write(host, keys.slice_mut(), list.slice_mut(), |tile, keys, sources| {
        let mut out = 0;
        inputs.walk(tile, |key, source| {
            (keys[out], sources[out]) = (key, source);
            out += 1;
        });
    })?;

    let mut sources = SourceList(list);
    let view = sources.view(newer.count);
    let values = gather::values(host, &newer.values, &older.values, &view)?;
    let marks = match tombstones {
        Tombstones::Keep => gather::marks(host, newer_marks, older.marks.as_deref(), &view)?,
        Tombstones::Drop => None,
    };
    Ok((Pending { keys: keys.share(), values, marks, bound: count, count }, sources))
}

/// Where each entry of a merged array came from.
pub(super) struct SourceList(Owned<u32>);

impl SourceList {
    /// For gathering; sources from `split` on are those of the older side.
    pub(super) fn view(&mut self, split: usize) -> Sources<'_> {
        Sources { list: self.0.slice_mut(), split }
    }
}

/// One side of a merge.
#[derive(Clone, Copy)]
pub(super) struct Side<'a, K, Q> {
    pub(super) keys: &'a [K],
    pub(super) queries: Q,
}

/// The queries that a side's keys belong to, where they belong to any.
pub(super) trait Queries: Copy + Sync {
    fn at(self, i: usize) -> u32;
}

impl Queries for () {
    fn at(self, _: usize) -> u32 {
        0
    }
}

impl Queries for &[u32] {
    fn at(self, i: usize) -> u32 {
        self[i]
    }
}

impl<K: Key, Q: Queries> Side<'_, K, Q> {
    fn len(&self) -> usize {
        self.keys.len()
    }

    /// What the entries are ordered by.
    fn at(&self, i: usize) -> (u32, K) {
        (self.queries.at(i), self.keys[i])
    }
}

/// Both sides, and the tombstones among the newer where they are to go.
struct Inputs<'a, K, Q> {
    newer: Side<'a, K, Q>,
    older: Side<'a, K, Q>,
    dropped: Option<&'a [u32]>,
}

impl<K: Key, Q: Queries> Inputs<'_, K, Q> {
    fn len(&self) -> usize {
        self.newer.len() + self.older.len()
    }

    /// Steps through a part of the merged order, and calls `keep` with each key that stays and its source.
    ///
    /// Of equal entries the newer comes first, so the older one finds its twin just before it.
    fn walk(&self, steps: Range<usize>, mut keep: impl FnMut(K, u32)) {
        let mut i = self.newer_before(steps.start);
        let mut j = steps.start - i;
        for _ in steps {
            if i < self.newer.len() && (j == self.older.len() || self.newer.at(i) <= self.older.at(j)) {
                if !self.is_dropped(i) {
                    keep(self.newer.keys[i], i as u32);
                }
                i += 1;
            } else {
                if i == 0 || self.newer.at(i - 1) != self.older.at(j) {
                    keep(self.older.keys[j], (self.newer.len() + j) as u32);
                }
                j += 1;
            }
        }
    }

    /// How many of the first `step` entries in merged order are newer ones.
    fn newer_before(&self, step: usize) -> usize {
        let mut low = step.saturating_sub(self.older.len());
        let mut high = step.min(self.newer.len());
        while low < high {
            let middle = (low + high) / 2;
            if self.newer.at(middle) <= self.older.at(step - 1 - middle) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        low
    }

    fn is_dropped(&self, i: usize) -> bool {
        self.dropped.is_some_and(|bits| gather::bit(bits, i) == 1)
    }
}
