//! tally: how the entries of a run change the set of keys. Kernels: kernels/tally.rs. Twin: host/tally.rs.

use super::array::{GpuArray, GpuCount};
use super::device::Gpu;
use super::registry::{TallyBetween, TallyBits, TallySums};
use super::scan;
use crate::backend::Array;
use crate::code::Code;
use crate::entries::{Run, Tally, mark_words};
use crate::error::Result;
use crate::tuning::MERGE_ITEMS;
use crate::value::Value;

/// Computes the bits, scans the counts of set bits, and computes the sums. Reads back the total, and confirms that
/// everything was written.
pub(super) fn tally<K: Code, V: Value>(
    gpu: &Gpu,
    run: &Run<Gpu, K, V>,
    found: &GpuArray<u32>,
) -> Result<Tally<Gpu>> {
    let words = mark_words(run.len);
    let tally = gpu.empty::<u32>(3 * (words + 1))?;
    let (added, removed) = (gpu.empty::<u32>(words)?, gpu.empty::<u32>(words)?);
    let tiles = gpu.shape().tiles;
    let launch = TallyBits {
        tiles,
        found: found.first(run.len),
        marks: gpu.optional(run.marks.as_ref()),
        tally: tally.all(),
        added: added.all(),
        removed: removed.all(),
    };
    gpu.launch(&launch, tiles.units(run.len, MERGE_ITEMS))?;
    let (added, removed) = (scan::scan(gpu, &added)?, scan::scan(gpu, &removed)?);
    let launch = TallySums { added: added.all(), removed: removed.all(), tally: tally.all() };
    gpu.launch(&launch, words + 1)?;
    let counts = [GpuCount { array: added, index: words }, GpuCount { array: removed, index: words }];
    let counts = gpu.confirm_and_read_back(&[tally.memory()], &[&counts[0], &counts[1]])?;
    Ok(Tally { words: tally, total: i64::from(counts[0]) - i64::from(counts[1]) })
}

/// Two searches per query.
pub(super) fn between<K: Code, V: Value>(
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
    let launch = TallyBetween {
        key: K::WIDTH,
        tiles: gpu.shape().tiles,
        keys: run.keys.first(run.len),
        index: run.index.all(),
        tally: tally.words.all(),
        lower: lower.all(),
        upper: upper.all(),
        counts: counts.all(),
        first: u32::from(is_first),
    };
    gpu.launch(&launch, lower.len())?;
    Ok(counts)
}
