//! outside: marks the points that are outside of their rectangle. Twin of gpu/outside.rs.

use super::expand::each_query;
use super::marks::{bit, in_tiles};
use super::{Host, HostArray};
use crate::entries::{Candidates, Pile};
use crate::error::Result;
use crate::recoding::is_in;
use crate::tuning::COVER_INTERVALS;
use crate::value::Value;

/// The offsets of the rectangles, and the marks of all points.
pub(super) fn outside<V: Value>(
    host: &Host,
    candidates: &Candidates<Host, u64, V>,
    lower: &[u64],
    upper: &[u64],
) -> Result<Candidates<Host, u64, V>> {
    let entries = &candidates.entries;
    let mut offsets = host.zeroed::<u32>(lower.len() + 1)?;
    for (offset, of_interval) in
        offsets.slice_mut().iter_mut().zip(candidates.offsets.iter().step_by(COVER_INTERVALS))
    {
        *offset = *of_interval;
    }
    let offsets = offsets.share();
    let marks =
        marks(host, entries, &offsets, |point, rectangle| !is_in(point, lower[rectangle], upper[rectangle]))?;
    Ok(Candidates { offsets, entries: Pile { marks: Some(marks), ..entries.clone() } })
}

/// One bit per point, set if it had a mark or if it is outside of its rectangle.
fn marks<V: Value>(
    host: &Host,
    entries: &Pile<Host, u64, V>,
    offsets: &[u32],
    is_outside: impl Fn(u64, usize) -> bool + Sync,
) -> Result<HostArray<u32>> {
    in_tiles(host, entries.len, |first, len, set| {
        each_query(offsets, first, len, |rectangle, _, points| {
            for i in points {
                let before = entries.marks.as_ref().map_or(0, |marks| bit(marks, first + i));
                set(i, before | u32::from(is_outside(entries.keys[first + i], rectangle)));
            }
        });
    })
}
