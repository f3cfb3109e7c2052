//! expand: the entries in each query's interval, one query after the other. Twin of gpu/expand.rs.

use super::marks::bit;
use super::{Host, HostArray};
use crate::backend::check_entries;
use crate::entries::{Bounds, Candidates, Pile, Run};
use crate::error::Result;
use crate::key::Key;
use crate::tuning::HOST_TILE;
use crate::value::{Plain, Value};
use rayon::prelude::*;

/// Copies one column after the other.
pub(super) fn expand<K: Key, V: Value>(
    host: &Host,
    run: &Run<Host, K, V>,
    bounds: &Bounds<Host>,
) -> Result<Candidates<Host, K, V>> {
    let total = bounds.total;
    check_entries::<_, K, V>(host, total as u64)?;
    let marks = match &run.marks {
        Some(bits) => Some(marks(host, bits, bounds)?),
        None => None,
    };
    let entries = Pile {
        keys: column(host, &run.keys, bounds)?,
        values: column(host, &run.values, bounds)?,
        marks,
        len: total,
    };
    Ok(Candidates { offsets: bounds.offsets.clone(), entries })
}

/// What a column has in the intervals.
fn column<T: Plain>(host: &Host, column: &[T], bounds: &Bounds<Host>) -> Result<HostArray<T>> {
    laid_out(host, bounds, |start, out| out.copy_from_slice(&column[start..start + out.len()]))
}

/// The marks in the intervals, from a run's bits.
fn marks(host: &Host, bits: &[u32], bounds: &Bounds<Host>) -> Result<HostArray<u32>> {
    laid_out(host, bounds, |start, out| {
        for (i, word) in out.iter_mut().enumerate() {
            *word = bit(bits, start + i);
        }
    })
}

/// Calls `copy` with where each stretch of entries starts in the run, and where it goes.
fn laid_out<T: Plain>(
    host: &Host,
    bounds: &Bounds<Host>,
    copy: impl Fn(usize, &mut [T]) + Sync,
) -> Result<HostArray<T>> {
    let mut out = host.zeroed::<T>(bounds.total)?;
    let offsets = &*bounds.offsets;
    out.slice_mut().par_chunks_mut(HOST_TILE).enumerate().for_each(|(tile, out)| {
        let first = tile * HOST_TILE;
        let mut query = offsets.partition_point(|&offset| offset as usize <= first).saturating_sub(1);
        let mut done = 0;
        while done < out.len() {
            let before = first + done - offsets[query] as usize;
            let len = (bounds.lens[query] as usize - before).min(out.len() - done);
            copy(bounds.starts[query] as usize + before, &mut out[done..done + len]);
            done += len;
            query += 1;
        }
    });
    Ok(out.share())
}
