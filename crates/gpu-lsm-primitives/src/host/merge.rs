//! merge: one sorted array from a newer and an older one. Twin of gpu/merge.rs.

use super::Host;
use super::gather::{self, Sources};
use super::tiles::Tiles;
use crate::backend::check_positions;
use crate::entries::{Pending, Run, Tombstones};
use crate::error::Result;
use crate::key::Key;
use crate::value::Value;
use std::ops::Range;

/// Merges the keys tile by tile, noting where each came from, then gathers values and marks.
pub(super) fn merge<K: Key, V: Value>(
    host: &Host,
    newer: &Pending<Host, K, V>,
    older: &Run<Host, K, V>,
    tombstones: Tombstones,
) -> Result<Pending<Host, K, V>> {
    let newer_marks = newer.marks.as_ref().map(|marks| &*marks.bits);
    let inputs = Inputs {
        newer: &newer.keys[..newer.count],
        older: &older.keys[..older.len],
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
    let mut sources = host.zeroed::<u32>(count)?;
    tiles.write(host, keys.slice_mut(), sources.slice_mut(), |tile, keys, sources| {
        let mut out = 0;
        inputs.walk(tile, |key, source| {
            (keys[out], sources[out]) = (key, source);
            out += 1;
        });
    })?;

    let sources = Sources { list: sources.slice_mut(), split: newer.count };
    let values = gather::values(host, &newer.values, &older.values, &sources)?;
    let marks = match tombstones {
        Tombstones::Keep => gather::marks(host, newer_marks, older.marks.as_deref(), &sources)?,
        Tombstones::Drop => None,
    };
    Ok(Pending { keys: keys.share(), values, marks, bound: count, count })
}

/// The keys of both sides, and the tombstones among the newer where they are to go.
struct Inputs<'a, K> {
    newer: &'a [K],
    older: &'a [K],
    dropped: Option<&'a [u32]>,
}

impl<K: Key> Inputs<'_, K> {
    fn len(&self) -> usize {
        self.newer.len() + self.older.len()
    }

    /// Steps through a part of the merged order, and calls `keep` with each key that stays and its source.
    ///
    /// Of equal keys the newer comes first, so the older one finds its twin just before it.
    fn walk(&self, steps: Range<usize>, mut keep: impl FnMut(K, u32)) {
        let mut i = self.newer_before(steps.start);
        let mut j = steps.start - i;
        for _ in steps {
            if i < self.newer.len() && (j == self.older.len() || self.newer[i] <= self.older[j]) {
                if !self.is_dropped(i) {
                    keep(self.newer[i], i as u32);
                }
                i += 1;
            } else {
                if i == 0 || self.newer[i - 1] != self.older[j] {
                    keep(self.older[j], (self.newer.len() + j) as u32);
                }
                j += 1;
            }
        }
    }

    /// How many of the first `step` keys in merged order are newer ones.
    fn newer_before(&self, step: usize) -> usize {
        let mut low = step.saturating_sub(self.older.len());
        let mut high = step.min(self.newer.len());
        while low < high {
            let middle = (low + high) / 2;
            if self.newer[middle] <= self.older[step - 1 - middle] {
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
