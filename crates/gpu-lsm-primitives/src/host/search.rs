//! search: lookups in one run, for the queries that newer runs left open. Twin of gpu/search.rs.

use super::index::Indexed;
use super::{Host, HostArray, marks};
use crate::backend::Turn;
use crate::code::Code;
use crate::entries::{Answers, Run, found};
use crate::error::Result;
use crate::tuning::HOST_TILE;
use crate::value::{Plain, Value};
use rayon::prelude::*;

/// The number of queries that a task looks up in step, so that their memory reads overlap.
const TOGETHER: usize = 16;

/// Searches one part of the index for each open query that passes the part's filter.
pub(super) fn search<K: Code, V: Value>(
    host: &Host,
    run: &Run<Host, K, V>,
    queries: &HostArray<K>,
    answers: &mut Answers<Host, V>,
    turn: Turn,
) -> Result<()> {
    let founds = unshared(host, &mut answers.found)?;
    let values = unshared(host, &mut answers.values)?;
    queries
        .par_chunks(TOGETHER)
        .zip(founds.par_chunks_mut(TOGETHER))
        .zip(values.par_chunks_mut(TOGETHER))
        .with_min_len(HOST_TILE / 16 / TOGETHER)
        .for_each(|((queries, founds), values)| search_together(run, queries, founds, values, turn));
    Ok(())
}

fn search_together<K: Code, V: Value>(
    run: &Run<Host, K, V>,
    queries: &[K],
    founds: &mut [u32],
    values: &mut [V],
    turn: Turn,
) {
    let indexed = Indexed::new(run);
    let mut between = [None; TOGETHER];
    for ((between, query), found) in between.iter_mut().zip(queries).zip(&*founds) {
        if turn.first || *found == found::MISSING {
            *between = indexed.between_if_there(*query);
        }
    }
    let mut positions = [run.len; TOGETHER];
    for ((at, query), between) in positions.iter_mut().zip(queries).zip(between) {
        if let Some(between) = between {
            *at = indexed.smaller_between(*query, between);
        }
    }
    for (i, query) in queries.iter().enumerate() {
        if turn.first || founds[i] == found::MISSING {
            (founds[i], values[i]) = entry_at(run, positions[i], *query);
        }
        if turn.last && founds[i] == found::DELETED {
            founds[i] = found::MISSING;
        }
    }
}

/// A run's answer for a key whose position would be `at`.
fn entry_at<K: Code, V: Value>(run: &Run<Host, K, V>, at: usize, query: K) -> (u32, V) {
    if run.keys[..run.len].get(at) != Some(&query) {
        return (found::MISSING, V::zeroed());
    }
    if run.marks.as_ref().is_some_and(|bits| marks::bit(bits, at) == 1) {
        return (found::DELETED, V::zeroed());
    }
    (found::PRESENT, run.values[at])
}

/// The elements for writing. If others share the array, it is replaced by a copy first.
pub(super) fn unshared<'a, T: Plain>(host: &Host, array: &'a mut HostArray<T>) -> Result<&'a mut [T]> {
    if array.get_mut().is_none() {
        let mut copy = host.zeroed(array.len())?;
        copy.slice_mut().copy_from_slice(array);
        *array = copy.share();
    }
    Ok(array.get_mut().expect("a fresh copy is not shared"))
}
