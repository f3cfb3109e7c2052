//! window: the few entries of a run nearest to each query. Twin of gpu/window.rs.

use super::index::Indexed;
use super::search::unshared;
use super::{Host, HostArray, bounds};
use crate::backend::Way;
use crate::code::Code;
use crate::entries::{Bounds, Run, found};
use crate::error::Result;
use crate::tuning::HOST_TILE;
use crate::value::Value;
use rayon::prelude::*;

/// A binary search per query, and a scan of the windows' lengths.
pub(super) fn window<K: Code, V: Value>(
    host: &Host,
    run: &Run<Host, K, V>,
    queries: &HostArray<K>,
    way: Way,
    limit: u32,
    horizons: Option<HostArray<K>>,
    states: Option<&HostArray<u32>>,
) -> Result<(Bounds<Host>, HostArray<K>)> {
    let indexed = Indexed::new(run);
    let keys = indexed.keys;
    let is_first = horizons.is_none();
    let mut horizons = match horizons {
        Some(horizons) => horizons,
        None => host.zeroed(queries.len())?.share(),
    };
    let mut starts = host.zeroed::<u32>(queries.len())?;
    let mut lens = host.zeroed::<u32>(queries.len())?;
    queries
        .par_iter()
        .zip(starts.slice_mut())
        .zip(lens.slice_mut())
        .zip(unshared(host, &mut horizons)?)
        .enumerate()
        .with_min_len(HOST_TILE / 16)
        .for_each(|(i, (((query, start), len), horizon))| {
            if states.is_some_and(|states| states[i] != found::OPEN) {
                return;
            }
            if is_first {
                *horizon = if way == Way::Down { K::MIN } else { K::MAX };
            }
            let (first, size) = nearest(indexed, *query, way, limit as usize);
            if way == Way::Down && first > 0 {
                *horizon = keys[first.min(keys.len() - 1)].max(*horizon);
            }
            if way != Way::Down && first + size < keys.len() {
                *horizon = keys[first + size - 1].min(*horizon);
            }
            (*start, *len) = (first as u32, size as u32);
        });
    Ok((bounds::from_lens(host, starts.share(), lens.share())?, horizons))
}

/// The start and the length of a query's window.
fn nearest<K: Code>(indexed: Indexed<'_, K>, query: K, way: Way, limit: usize) -> (usize, usize) {
    match way {
        Way::Up => {
            let at = indexed.smaller(query);
            (at, limit.min(indexed.keys.len() - at))
        }
        Way::UpAfter => {
            let at = indexed.not_larger(query);
            (at, limit.min(indexed.keys.len() - at))
        }
        Way::Down => {
            let end = indexed.not_larger(query);
            let size = limit.min(end);
            (end - size, size)
        }
    }
}
