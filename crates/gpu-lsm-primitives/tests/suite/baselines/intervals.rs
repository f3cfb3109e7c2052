//! intervals: intervals in every full level, at both ends of the domain and past it, including empty and reversed ones.

use super::{LEVELS, levels};
use crate::on_every_backend;
use crate::support::{MIXES, fits, keys};
use gpu_lsm_primitives::baselines::{Baselines, LARGEST_KEY};
use gpu_lsm_primitives::reference;

on_every_backend!(intervals_in_every_level);

fn intervals_in_every_level(backend: &impl Baselines) {
    for (batch, batches) in LEVELS.into_iter().filter(|levels| fits(levels.0 * levels.1 as usize)) {
        for mix in MIXES {
            let (levels, full) = levels(backend, mix, batch, batches);
            let bounds = |seed| keys::<u32>(mix, 200, seed).into_iter().map(|key| key >> 1);
            let mut intervals: Vec<(u32, u32)> = bounds(1).zip(bounds(2)).collect();
            let edges = [0, 1, LARGEST_KEY - 1, LARGEST_KEY, LARGEST_KEY + 1, u32::MAX];
            intervals.extend(edges.iter().flat_map(|&lower| edges.map(|upper| (lower, upper))));
            let (lower, upper): (Vec<u32>, Vec<u32>) = intervals.iter().copied().unzip();
            let (lower, upper) = (backend.upload(&lower).unwrap(), backend.upload(&upper).unwrap());
            let found = backend.intervals(&levels, &lower, &upper).unwrap();

            let lists = intervals.len() * full.len();
            let starts = backend.download(&found.starts, lists).unwrap();
            let lens = backend.download(&found.lens, lists).unwrap();
            let level_starts: Vec<usize> = levels.full_levels().map(|level| level.start).collect();
            for (i, (start, len)) in starts.into_iter().zip(&lens).enumerate() {
                let (lower, upper) = intervals[i / full.len()];
                let level = &full[i % full.len()];
                let before = level.partition_point(|variable| variable >> 1 < lower);
                let end = level.partition_point(|variable| variable >> 1 <= upper);
                let case = format!("{lower} to {upper} in {batches} times {batch}, {mix:?}");
                assert_eq!(*len as usize, end.saturating_sub(before), "{case}");
                if *len > 0 {
                    assert_eq!(start as usize, level_starts[i % full.len()] + before, "{case}");
                }
            }
            assert_eq!(backend.download(&found.offsets, lists + 1).unwrap(), reference::scan(&lens));
            let total = lens.iter().sum::<u32>();
            assert_eq!(backend.read_counts(&[&found.total]).unwrap(), [total]);
        }
    }
}
