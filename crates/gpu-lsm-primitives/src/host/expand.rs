//! expand: the entries in each query's interval, one query after the other. Twin of gpu/expand.rs.

use super::marks::{bit, in_tiles};
use super::{Host, HostArray};
use crate::backend::check_entries;
use crate::code::Code;
use crate::entries::{Bounds, Candidates, Pile, Run};
use crate::error::Result;
use crate::tuning::HOST_TILE;
use crate::value::{Plain, Value};
use rayon::prelude::*;
use std::ops::Range;

/// Copies one column after the other.
pub(super) fn expand<K: Code, V: Value>(
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

/// The elements of a column that lie in the intervals.
fn column<T: Plain>(host: &Host, column: &[T], bounds: &Bounds<Host>) -> Result<HostArray<T>> {
    let mut laid_out = host.zeroed::<T>(bounds.total)?;
    laid_out.slice_mut().par_chunks_mut(HOST_TILE).enumerate().for_each(|(tile, tile_out)| {
        each_query(&bounds.offsets, tile * HOST_TILE, tile_out.len(), |query, before, out| {
            let source = bounds.starts[query] as usize + before;
            let from = &column[source..source + out.len()];
            tile_out[out].copy_from_slice(from);
        });
    });
    Ok(laid_out.share())
}

/// The marks in the intervals.
fn marks(host: &Host, bits: &[u32], bounds: &Bounds<Host>) -> Result<HostArray<u32>> {
    in_tiles(host, bounds.total, |first, len, set| {
        each_query(&bounds.offsets, first, len, |query, before, out| {
            let source = bounds.starts[query] as usize + before;
            out.zip(source..).for_each(|(out, source)| set(out, bit(bits, source)));
        });
    })
}

/// Calls `write` for each query that owns some of the `len` outputs from `first` on. It gets the query, how many of the
/// query's entries come before `first`, and where among the `len` outputs its entries go.
pub(super) fn each_query(
    offsets: &[u32],
    first: usize,
    len: usize,
    mut write: impl FnMut(usize, usize, Range<usize>),
) {
    let mut query = offsets.partition_point(|&offset| offset as usize <= first).saturating_sub(1);
    let mut done = 0;
    while done < len {
        let before = first + done - offsets[query] as usize;
        let end = len.min(offsets[query + 1] as usize - first);
        write(query, before, done..end);
        done = end;
        query += 1;
    }
}
