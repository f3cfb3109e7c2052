//! Which query an entry belongs to, where the entries of one query follow those of another.

use cubecl::prelude::*;

/// The query whose entries include output `out`, which comes just after those of `query`: mostly the next, or one of the
/// next few, so it looks ever further. `stride`: as for [`query_of`].
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

/// The query whose entries include output `out`. Each has an offset every `stride` numbers, as has the end of the last.
#[cube]
pub(crate) fn query_of(offsets: &[u32], #[comptime] stride: u32, out: u32) -> u32 {
    query_between(offsets, stride, 0, offsets.len() as u32 / stride - 1, out)
}

/// The last query from `first` on and before `end` whose offset is not above `out`; that of `first` is not.
#[cube]
fn query_between(offsets: &[u32], #[comptime] stride: u32, first: u32, end: u32, out: u32) -> u32 {
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
