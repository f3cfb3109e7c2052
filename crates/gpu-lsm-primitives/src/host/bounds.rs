//! bounds: where the interval of each query lies in a run. Twin of gpu/bounds.rs.

use super::index::Indexed;
use super::{Host, HostArray, scan};
use crate::backend::Start;
use crate::code::Code;
use crate::entries::{Bounds, Run};
use crate::error::Result;
use crate::tuning::HOST_TILE;
use crate::value::Value;
use rayon::prelude::*;

/// Two binary searches per query, and a scan of the lengths.
pub(super) fn bounds<K: Code, V: Value>(
    host: &Host,
    run: &Run<Host, K, V>,
    lower: &HostArray<K>,
    upper: &HostArray<K>,
    start: Start,
) -> Result<Bounds<Host>> {
    let keys = Indexed::new(run);
    let mut starts = host.zeroed::<u32>(lower.len())?;
    let mut lens = host.zeroed::<u32>(lower.len())?;
    lower
        .par_iter()
        .zip(&**upper)
        .zip(starts.slice_mut())
        .zip(lens.slice_mut())
        .with_min_len(HOST_TILE / 16)
        .for_each(|(((lower, upper), first), len)| {
            let begin = match start {
                Start::At => keys.smaller(*lower),
                Start::After => keys.not_larger(*lower),
            };
            let end = keys.not_larger(*upper);
            (*first, *len) = (begin as u32, end.saturating_sub(begin) as u32);
        });
    from_lens(host, starts.share(), lens.share())
}

/// Bounds from the start and the length of each interval.
pub(super) fn from_lens(host: &Host, starts: HostArray<u32>, lens: HostArray<u32>) -> Result<Bounds<Host>> {
    let offsets = scan::scan(host, &lens)?;
    let total = offsets[lens.len()] as usize;
    Ok(Bounds { starts, lens, offsets, total })
}
