//! unite: merges the lists of each query into one. Twin of gpu/baselines/unite.rs.

use super::interleave::{newer_before, takes_newer};
use crate::baselines::{KeyVariables, Lists};
use crate::error::Result;
use crate::host::Host;
use crate::host::array::Owned;
use crate::tuning::HOST_TILE;
use rayon::prelude::*;

/// Each pass merges pairs of lists, until each query has one.
pub(super) fn unite(
    host: &Host,
    columns: KeyVariables<Host>,
    lists: &Lists<Host>,
    offsets: &[u32],
) -> Result<KeyVariables<Host>> {
    let KeyVariables { mut keys, mut values } = columns;
    let mut width = 1;
    while width < lists.per_query as usize {
        let mut out_keys = host.zeroed::<u32>(keys.len())?;
        let mut out_values = host.zeroed::<u32>(values.as_ref().map_or(0, |values| values.len()))?;
        let pass = Pass { keys: &keys, values: values.as_deref(), lists, offsets, width };
        pass.run(out_keys.slice_mut(), &mut out_values);
        keys = out_keys.share();
        values = values.is_some().then(|| out_values.share());
        width *= 2;
    }
    Ok(KeyVariables { keys, values })
}

struct Pass<'a> {
    keys: &'a [u32],
    values: Option<&'a [u32]>,
    lists: &'a Lists<Host>,
    offsets: &'a [u32],
    width: usize,
}

impl Pass<'_> {
    fn run(&self, out_keys: &mut [u32], out_values: &mut Owned<u32>) {
        let tiles = out_keys.par_chunks_mut(HOST_TILE).enumerate();
        match self.values {
            None => tiles.for_each(|(tile, keys)| {
                self.walk(tile, keys.len(), |i, source| keys[i] = self.keys[source]);
            }),
            Some(values) => tiles.zip(out_values.slice_mut().par_chunks_mut(HOST_TILE)).for_each(
                |((tile, keys), out_values)| {
                    self.walk(tile, keys.len(), |i, source| {
                        (keys[i], out_values[i]) = (self.keys[source], values[source]);
                    });
                },
            ),
        }
    }

    /// Calls `take` with each output of a tile and its source.
    fn walk(&self, tile: usize, len: usize, mut take: impl FnMut(usize, usize)) {
        let start = tile * HOST_TILE;
        let (mut first, mut middle, mut end, mut i, mut j) = (0, 0, 0, 0, 0);
        for out in start..start + len {
            if out == start || out == end {
                (first, middle, end) = self.groups_of(out);
                i = newer_before(&self.keys[first..middle], &self.keys[middle..end], out - first);
                j = out - first - i;
            }
            if takes_newer(&self.keys[first..middle], &self.keys[middle..end], i, j) {
                take(out - start, first + i);
                i += 1;
            } else {
                take(out - start, middle + j);
                j += 1;
            }
        }
    }

    /// The two groups of lists that an output is merged from: their start, their border and their end.
    fn groups_of(&self, out: usize) -> (usize, usize, usize) {
        let (list, lists) = (self.lists.list_of[out] as usize, self.lists.per_query as usize);
        let query = list / lists * lists;
        let group = (list - query) / (2 * self.width) * (2 * self.width);
        let offset = |list: usize| self.offsets[query + list.min(lists)] as usize;
        (offset(group), offset(group + self.width), offset(group + 2 * self.width))
    }
}
