//! tally: how the entries of a run change which keys there are. Kernels: kernels/tally.rs. Twin: host/tally.rs.

use super::array::{GpuArray, GpuCount};
use super::gather::optional;
use super::launch::Gpu;
use super::registry::{Kernel, Launch};
use super::scan;
use crate::backend::Array;
use crate::entries::{Run, Tally, mark_words};
use crate::error::Result;
use crate::key::Key;
use crate::value::Value;

/// The bits, the scans of how many are set, the sums; reads back what they come to, and confirms that all was written.
pub(super) fn tally<K: Key, V: Value>(
    gpu: &Gpu,
    run: &Run<Gpu, K, V>,
    found: &GpuArray<u32>,
) -> Result<Tally<Gpu>> {
    let words = mark_words(run.len);
    let tally = gpu.empty::<u32>(3 * (words + 1))?;
    let (added, removed) = (gpu.empty::<u32>(words)?, gpu.empty::<u32>(words)?);
    gpu.launch(&Launch {
        kernel: Kernel::TallyBits,
        buffers: vec![
            found.first(run.len),
            optional(gpu, run.marks.as_ref())?,
            tally.all(),
            added.all(),
            removed.all(),
        ],
        numbers: vec![],
        units: words,
    })?;
    let (added, removed) = (scan::scan(gpu, &added)?, scan::scan(gpu, &removed)?);
    gpu.launch(&Launch {
        kernel: Kernel::TallySums,
        buffers: vec![added.all(), removed.all(), tally.all()],
        numbers: vec![],
        units: words + 1,
    })?;
    let counts = [GpuCount { array: added, index: words }, GpuCount { array: removed, index: words }];
    let counts = gpu.confirm_and_read_back(&[tally.memory()], &[&counts[0], &counts[1]])?;
    Ok(Tally { words: tally, total: i64::from(counts[0]) - i64::from(counts[1]) })
}

/// Two searches for each query.
pub(super) fn between<K: Key, V: Value>(
    gpu: &Gpu,
    run: &Run<Gpu, K, V>,
    tally: &Tally<Gpu>,
    (lower, upper): (&GpuArray<K>, &GpuArray<K>),
    counts: Option<GpuArray<u32>>,
) -> Result<GpuArray<u32>> {
    let is_first = counts.is_none();
    let counts = match counts {
        Some(counts) => counts,
        None => gpu.empty::<u32>(lower.len())?,
    };
    gpu.launch(&Launch {
        kernel: Kernel::TallyBetween(K::WIDTH),
        buffers: vec![
            run.keys.first(run.len),
            run.index.all(),
            tally.words.all(),
            lower.all(),
            upper.all(),
            counts.all(),
        ],
        numbers: vec![u32::from(is_first)],
        units: lower.len(),
    })?;
    Ok(counts)
}
