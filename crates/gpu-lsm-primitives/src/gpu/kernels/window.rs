//! window: the few entries of a run that are nearest to each query, upwards or downwards.
//!
//! Input    keys: strictly ascending; index: as `index` builds it; queries: in any order; horizons: how far the windows
//!          of newer runs reach; states: which queries are open; absent if all are
//! Output   starts, lens: the position of each window; horizons: the nearest end of any window that does not reach its
//!          run's end, or else the end of the key domain; up to there, no entry is missing
//! Launch   one unit per query
//! Steps    a search in one part of the index
//! Cost     per query, two records of the index and about log2 of a part's keys or, with guesses and an even spread of
//!          keys, about three
//! Twin     host/window.rs

use super::shared::searching::searched;
use crate::entries::found;
use cubecl::prelude::*;

/// `after`: 1 if the window's edge is behind the entry of the query's own key: upwards that excludes it, downwards it
/// includes it. `first`: 1 if this is the first run; then `horizons` is not read.
#[cube(launch_unchecked, create_dummy_kernel)]
pub(crate) fn window<K: Int>(
    keys: &[K],
    index: &[u32],
    queries: &[K],
    states: &[u32],
    starts: &mut [u32],
    lens: &mut [u32],
    horizons: &mut [K],
    limit: u32,
    first: u32,
    after: u32,
    #[comptime] downwards: bool,
    #[comptime] guessing: bool,
) {
    let q = ABSOLUTE_POS;
    if q < queries.len() {
        let mut is_open = true;
        if q < states.len() {
            is_open = states[q] == found::OPEN;
        }
        let query = queries[q];
        let len = keys.len() as u32;
        if !is_open {
            starts[q] = 0;
            lens[q] = 0;
        } else if downwards {
            let at = edge::<K>(keys, index, query, after, guessing);
            let size = min(limit, at);
            let start = at - size;
            let mut horizon = K::min_value();
            if first == 0 {
                horizon = horizons[q];
            }
            if start > 0 {
                horizon = max(horizon, keys[start as usize]);
            }
            starts[q] = start;
            lens[q] = size;
            horizons[q] = horizon;
        } else {
            let at = edge::<K>(keys, index, query, after, guessing);
            let size = min(limit, len - at);
            let mut horizon = K::max_value();
            if first == 0 {
                horizon = horizons[q];
            }
            if at + size < len {
                horizon = min(horizon, keys[(at + size - 1) as usize]);
            }
            starts[q] = at;
            lens[q] = size;
            horizons[q] = horizon;
        }
    }
}

/// The position of the window's edge next to the query.
#[cube]
fn edge<K: Int>(keys: &[K], index: &[u32], query: K, after: u32, #[comptime] guessing: bool) -> u32 {
    let search = searched::<K>(keys, index, query, guessing);
    search.before() + u32::cast_from(after == 1 && search.is_next())
}
