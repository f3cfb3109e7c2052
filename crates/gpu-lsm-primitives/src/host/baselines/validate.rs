//! validate: finds the valid candidates, and copies them. Twin of gpu/baselines/validate.rs.

use crate::baselines::{Lists, Pairs, Valid};
use crate::error::Result;
use crate::host::tiles::split;
use crate::host::{Host, HostArray, scan};
use crate::tuning::{HOST_TILE, ITEMS};
use rayon::prelude::*;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// The number of candidates that one GPU thread counts.
const STRETCH: usize = ITEMS as usize;

/// Counts the valid candidates per query and per stretch.
pub(super) fn validate(
    host: &Host,
    keys: &HostArray<u32>,
    lists: Option<&Lists<Host>>,
) -> Result<Valid<Host>> {
    let candidates = Candidates { keys, lists };
    let queries = lists.map_or(0, |lists| lists.queries);
    let mut counts = host.account().vector::<AtomicU32>(queries)?;
    counts.resize_with(queries, AtomicU32::default);
    let mut kept = host.zeroed::<u32>(keys.len().div_ceil(STRETCH))?;
    let stretches = kept.slice_mut().par_iter_mut().with_min_len(HOST_TILE / STRETCH).enumerate();
    stretches.for_each(|(stretch, kept)| {
        let start = stretch * STRETCH;
        for i in (start..keys.len().min(start + STRETCH)).filter(|&i| candidates.is_valid(i)) {
            *kept += 1;
            if let Some(count) = counts.get(candidates.query_of(i)) {
                count.fetch_add(1, Relaxed);
            }
        }
    });
    let mut shared = host.zeroed::<u32>(queries)?;
    shared.slice_mut().par_iter_mut().zip(counts).for_each(|(count, number)| *count = number.into_inner());
    Ok(Valid { counts: shared.share(), kept: kept.share() })
}

/// Scans the counts of the stretches, and writes the valid candidates tile by tile.
pub(super) fn compact(
    host: &Host,
    pairs: &Pairs<Host>,
    lists: Option<&Lists<Host>>,
    valid: &Valid<Host>,
    is_plain: bool,
) -> Result<(Pairs<Host>, usize)> {
    let offsets = scan::scan(host, &valid.kept)?;
    let candidates = Candidates { keys: &pairs.keys, lists };
    let len = pairs.keys.len();
    let mut keys = host.zeroed::<u32>(len)?;
    let mut values = host.zeroed::<u32>(len)?;
    let mut kept = host.zeroed::<u32>(len.div_ceil(HOST_TILE))?;
    let kept = kept.slice_mut();
    let offset = |tile: usize| offsets[(tile * HOST_TILE / STRETCH).min(offsets.len() - 1)];
    for (tile, kept) in kept.iter_mut().enumerate() {
        *kept = offset(tile + 1) - offset(tile);
    }
    let tiles = split(host, keys.slice_mut(), kept)?.into_par_iter();
    tiles.zip(split(host, values.slice_mut(), kept)?).enumerate().for_each(|(tile, (keys, values))| {
        let items = tile * HOST_TILE..len.min((tile + 1) * HOST_TILE);
        let valid = items.filter(|&i| candidates.is_valid(i));
        for ((key, value), i) in keys.iter_mut().zip(values).zip(valid) {
            (*key, *value) = (pairs.keys[i] >> u32::from(is_plain), pairs.values[i]);
        }
    });
    let total = offsets[offsets.len() - 1] as usize;
    Ok((Pairs { keys: keys.share(), values: values.share() }, total))
}

struct Candidates<'a> {
    keys: &'a [u32],
    lists: Option<&'a Lists<Host>>,
}

impl Candidates<'_> {
    fn is_valid(&self, i: usize) -> bool {
        let is_same = |before: usize| {
            self.keys[before] >> 1 == self.keys[i] >> 1 && self.query_of(before) == self.query_of(i)
        };
        self.keys[i] & 1 == 1 && !i.checked_sub(1).is_some_and(is_same)
    }

    /// The query that a position belongs to.
    fn query_of(&self, i: usize) -> usize {
        self.lists.map_or(0, |lists| (lists.list_of[i] / lists.per_query) as usize)
    }
}
