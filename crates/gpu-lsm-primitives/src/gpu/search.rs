//! search: lookups in one run, of what newer runs left open. Kernel: kernels/search.rs. Twin: host/search.rs.

use super::array::GpuArray;
use super::gather::optional;
use super::launch::Gpu;
use super::registry::{Kernel, Launch};
use crate::backend::{Array, Turn};
use crate::entries::{Answers, Run};
use crate::error::Result;
use crate::key::Key;
use crate::tuning::SEARCH_ITEMS;
use crate::value::Value;

/// A search for each open query that the filter lets pass.
pub(super) fn search<K: Key, V: Value>(
    gpu: &Gpu,
    run: &Run<Gpu, K, V>,
    queries: &GpuArray<K>,
    answers: &mut Answers<Gpu, V>,
    turn: Turn,
) -> Result<()> {
    let items = gpu.shape().items(queries.len(), SEARCH_ITEMS);
    gpu.launch(&Launch {
        kernel: Kernel::Search(K::WIDTH, V::WORDS),
        buffers: vec![
            run.keys.first(run.len),
            run.values.words(run.len),
            optional(gpu, run.marks.as_ref())?,
            run.index.all(),
            queries.all(),
            answers.found.all(),
            answers.values.words(queries.len()),
        ],
        numbers: vec![items as u32, u32::from(turn.first), u32::from(turn.last)],
        units: queries.len().div_ceil(items),
    })
}
