//! nearest: the first or the last of the live entries near each query, if no nearer entry can be missing.
//!
//! Input    offsets: where the entries of each query start in `keys`; horizons: the key up to which no entry is
//!          missing; states: which queries are still open
//! Output   states: present, missing, or still open; out_keys; sources: the position of the entry, or the largest
//!          number if there is none or the query was not open; open: the number of queries that stay open
//! Launch   one unit per query
//! Cost     a few scattered reads per open query
//! Twin     host/nearest.rs

use crate::entries::found;
use cubecl::prelude::*;

/// `first`: 1 if no query was answered before; then `states` is not read. `missing_low`, `missing_high`: the key for
/// answers without an entry.
#[cube(launch_unchecked, create_dummy_kernel)]
pub(crate) fn nearest<K: Int>(
    offsets: &[u32],
    keys: &[K],
    horizons: &[K],
    states: &mut [u32],
    out_keys: &mut [K],
    sources: &mut [u32],
    open: &mut [Atomic<u32>],
    first: u32,
    missing_low: u32,
    missing_high: u32,
    #[comptime] downwards: bool,
    #[comptime] bits: u32,
) {
    let q = ABSOLUTE_POS;
    if q < states.len() {
        let mut state = found::OPEN.runtime();
        if first == 0 {
            state = states[q];
        }
        let mut source = u32::MAX.runtime();
        if state == found::OPEN {
            let start = offsets[q];
            let end = offsets[q + 1];
            let horizon = horizons[q];
            let mut key = K::cast_from(missing_low);
            if comptime!(bits == 64) {
                key |= K::cast_from(missing_high) << K::cast_from(32u32);
            }
            if is_end::<K>(horizon, downwards) {
                state = found::MISSING.runtime();
            }
            if start < end {
                let mut at = start;
                if downwards {
                    at = end - 1;
                }
                let candidate = keys[at as usize];
                if is_within::<K>(candidate, horizon, downwards) {
                    state = found::PRESENT.runtime();
                    key = candidate;
                    source = at;
                }
            }
            if state == found::OPEN {
                open[0].fetch_add(1u32);
            }
            states[q] = state;
            out_keys[q] = key;
        }
        sources[q] = source;
    }
}

/// Whether the horizon is the end of the key domain, so that nothing lies beyond it.
#[cube]
fn is_end<K: Int>(horizon: K, #[comptime] downwards: bool) -> bool {
    if downwards { horizon == K::min_value() } else { horizon == K::max_value() }
}

/// Whether a key is within the horizon, so that no nearer entry can be missing.
#[cube]
fn is_within<K: Int>(key: K, horizon: K, #[comptime] downwards: bool) -> bool {
    if downwards { key >= horizon } else { key <= horizon }
}
