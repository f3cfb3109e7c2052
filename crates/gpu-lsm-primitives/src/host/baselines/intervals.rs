//! intervals: where the interval of each query lies in each full level. Twin of gpu/baselines/intervals.rs.

use crate::baselines::{LARGEST_KEY, Levels};
use crate::entries::Bounds;
use crate::error::Result;
use crate::host::{Host, HostArray, bounds};
use crate::tuning::HOST_TILE;
use rayon::prelude::*;

/// Two binary searches in each full level, and a scan of the lengths.
pub(super) fn intervals(
    host: &Host,
    levels: &Levels<Host>,
    lower: &HostArray<u32>,
    upper: &HostArray<u32>,
) -> Result<Bounds<Host>> {
    let full = levels.full() as usize;
    let mut starts = host.zeroed::<u32>(lower.len() * full)?;
    let mut lens = host.zeroed::<u32>(lower.len() * full)?;
    // Without levels there is nothing to write, but a chunk must not be empty.
    let rows =
        starts.slice_mut().par_chunks_mut(full.max(1)).zip(lens.slice_mut().par_chunks_mut(full.max(1)));
    rows.zip(lower.par_iter().zip(&**upper)).with_min_len(HOST_TILE / 16).for_each(
        |((starts, lens), (&lower, &upper))| {
            let upper = upper.min(LARGEST_KEY);
            for ((start, len), level) in starts.iter_mut().zip(lens).zip(levels.full_levels()) {
                let keys = &levels.pairs.keys[level.range()];
                let (mut first, mut end) = (0, 0);
                if lower <= upper {
                    first = keys.partition_point(|&key| key >> 1 < lower);
                    end = keys.partition_point(|&key| key >> 1 <= upper);
                }
                (*start, *len) = ((level.start + first) as u32, (end - first) as u32);
            }
        },
    );
    bounds::from_lens(host, starts.share(), lens.share())
}
