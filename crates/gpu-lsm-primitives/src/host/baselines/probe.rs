//! probe: lookups in levels of doubling lengths. Twin of gpu/baselines/probe.rs.

use crate::baselines::{LARGEST_KEY, Levels, Part};
use crate::entries::{Answers, found};
use crate::error::Result;
use crate::host::{Host, HostArray};
use crate::tuning::HOST_TILE;
use rayon::prelude::*;

/// A binary search in each full level, until one has the key.
pub(super) fn probe(
    host: &Host,
    levels: &Levels<Host>,
    queries: &HostArray<u32>,
) -> Result<Answers<Host, u32>> {
    let mut founds = host.zeroed::<u32>(queries.len())?;
    let mut values = host.zeroed::<u32>(queries.len())?;
    let keys = &levels.pairs.keys;
    let lookup = |query: u32| {
        let first = |level: Part<'_, Host>| {
            let at = level.start + keys[level.range()].partition_point(|&key| key < query << 1);
            (at < level.range().end && keys[at] >> 1 == query).then_some(at)
        };
        let at = levels.full_levels().find_map(first)?;
        (keys[at] & 1 == 1).then(|| levels.pairs.values[at])
    };
    queries
        .par_iter()
        .zip(founds.slice_mut())
        .zip(values.slice_mut())
        .with_min_len(HOST_TILE / 16)
        .filter(|((query, _), _)| **query <= LARGEST_KEY)
        .for_each(|((&query, found), value)| {
            if let Some(its_value) = lookup(query) {
                (*found, *value) = (found::PRESENT, its_value);
            }
        });
    Ok(Answers { found: founds.share(), values: values.share() })
}
