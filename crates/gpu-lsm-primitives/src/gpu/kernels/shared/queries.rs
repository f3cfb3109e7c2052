//! Finds the query that an entry belongs to, if the entries of all queries are stored one query after the other.

use cubecl::prelude::*;

/// The query that output `out` belongs to, given that `out` comes after the entries of `query`. It is mostly one of the
/// next few queries, so the search looks ahead in doubling steps. `stride`: as for [`query_of`].
#[cube]
pub(crate) fn next_query(offsets: &[u32], #[comptime] stride: u32, query: u32, out: u32) -> u32 {
    let end = offsets.len() as u32 / stride - 1;
    let mut low = query + 1;
    let mut reach = 1u32;
    while reach < end - low && offsets[(min(low + reach, end) * stride) as usize] <= out {
        low += reach;
        reach *= 2;
    }
    query_between(offsets, stride, low, low + min(reach, end - low), out)
}

/// The query that output `out` belongs to. Every `stride`-th number is the offset of a query; the last one is the end.
#[cube]
pub(crate) fn query_of(offsets: &[u32], #[comptime] stride: u32, out: u32) -> u32 {
    query_between(offsets, stride, 0, offsets.len() as u32 / stride - 1, out)
}

/// The last query from `first` up to, but not including, `end` whose offset is at most `out`. The offset of `first`
/// must be.
#[cube]
pub(crate) fn query_between(offsets: &[u32], #[comptime] stride: u32, first: u32, end: u32, out: u32) -> u32 {
    let mut low = first;
    let mut high = end;
    while low + 1 < high {
        let middle = low + (high - low) / 2;
        if offsets[(middle * stride) as usize] <= out {
            low = middle;
        } else {
            high = middle;
        }
    }
    low
}
