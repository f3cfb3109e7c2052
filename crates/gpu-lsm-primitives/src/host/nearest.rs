//! nearest: the first or the last of the live entries near each query. Twin of gpu/nearest.rs.

use super::Host;
use super::search::unshared;
use crate::backend::{Array, Nearby, Way};
use crate::code::Code;
use crate::entries::{Neighbours, found};
use crate::error::Result;
use crate::tuning::HOST_TILE;
use crate::value::Value;
use rayon::prelude::*;

/// Answers each open query, or leaves it open.
pub(super) fn nearest<K: Code, V: Value>(
    host: &Host,
    near: &Nearby<'_, Host, K, V>,
    way: Way,
    missing: K,
    before: Option<Neighbours<Host, K, V>>,
) -> Result<(Neighbours<Host, K, V>, usize)> {
    let queries = Array::len(near.horizons);
    let is_first = before.is_none();
    let mut neighbours = match before {
        Some(before) => before,
        None => Neighbours {
            found: host.zeroed(queries)?.share(),
            keys: host.zeroed(queries)?.share(),
            values: host.zeroed(queries)?.share(),
        },
    };
    let states = unshared(host, &mut neighbours.found)?;
    let keys = unshared(host, &mut neighbours.keys)?;
    let values = unshared(host, &mut neighbours.values)?;
    let open = states
        .par_iter_mut()
        .zip(keys)
        .zip(values)
        .enumerate()
        .with_min_len(HOST_TILE / 16)
        .filter_map(|(query, ((state, key), value))| {
            if !is_first && *state != found::OPEN {
                return None;
            }
            (*state, *key, *value) = decide(near, query, way, missing);
            (*state == found::OPEN).then_some(())
        })
        .count();
    Ok((neighbours, open))
}

fn decide<K: Code, V: Value>(
    near: &Nearby<'_, Host, K, V>,
    query: usize,
    way: Way,
    missing: K,
) -> (u32, K, V) {
    let entries = near.offsets[query] as usize..near.offsets[query + 1] as usize;
    let horizon = near.horizons[query];
    let (at, end) = match way {
        Way::Down => (entries.last(), K::MIN),
        Way::Up | Way::UpAfter => (entries.min(), K::MAX),
    };
    let is_certain = |key: K| if way == Way::Down { key >= horizon } else { key <= horizon };
    match at {
        Some(at) if is_certain(near.entries.keys[at]) => {
            (found::PRESENT, near.entries.keys[at], near.entries.values[at])
        }
        _ if horizon == end => (found::MISSING, missing, V::zeroed()),
        _ => (found::OPEN, missing, V::zeroed()),
    }
}
