//! search: lookups in one run, of what newer runs left open. Twin of gpu/search.rs.

use super::{Host, HostArray, gather};
use crate::backend::Turn;
use crate::entries::{Answers, Run, found};
use crate::error::Result;
use crate::key::Key;
use crate::tuning::HOST_TILE;
use crate::value::{Plain, Value};
use rayon::prelude::*;

/// A binary search for each open query.
pub(super) fn search<K: Key, V: Value>(
    host: &Host,
    run: &Run<Host, K, V>,
    queries: &HostArray<K>,
    answers: &mut Answers<Host, V>,
    turn: Turn,
) -> Result<()> {
    let keys = &run.keys[..run.len];
    let lookup = |query: &K| match keys.binary_search(query) {
        Err(_) => (found::MISSING, V::zeroed()),
        Ok(i) if run.marks.as_ref().is_some_and(|bits| gather::bit(bits, i) == 1) => {
            (found::DELETED, V::zeroed())
        }
        Ok(i) => (found::PRESENT, run.values[i]),
    };
    let founds = unshared(host, &mut answers.found)?;
    let values = unshared(host, &mut answers.values)?;
    queries.par_iter().zip(founds).zip(values).with_min_len(HOST_TILE / 16).for_each(
        |((query, found), value)| {
            if turn.first || *found == found::MISSING {
                (*found, *value) = lookup(query);
            }
            if turn.last && *found == found::DELETED {
                *found = found::MISSING;
            }
        },
    );
    Ok(())
}

/// The elements for writing; a copy takes the array's place where others share it.
pub(super) fn unshared<'a, T: Plain>(host: &Host, array: &'a mut HostArray<T>) -> Result<&'a mut [T]> {
    if array.get_mut().is_none() {
        let mut copy = host.zeroed(array.len())?;
        copy.slice_mut().copy_from_slice(array);
        *array = copy.share();
    }
    Ok(array.get_mut().expect("a fresh copy is not shared"))
}
