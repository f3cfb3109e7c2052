//! search: looks up the queries that newer runs left open, in one run. Kernel: kernels/search.rs. Twin: host/search.rs.

use super::array::GpuArray;
use super::device::Gpu;
use super::registry::Search;
use crate::backend::{Array, Turn};
use crate::code::Code;
use crate::entries::{Answers, Run};
use crate::error::Result;
use crate::tuning::SEARCH_ITEMS;
use crate::value::Value;

/// Searches for each open query that passes the filter.
pub(super) fn search<K: Code, V: Value>(
    gpu: &Gpu,
    run: &Run<Gpu, K, V>,
    queries: &GpuArray<K>,
    answers: &mut Answers<Gpu, V>,
    turn: Turn,
) -> Result<()> {
    let items = gpu.shape().items(queries.len(), SEARCH_ITEMS);
    let launch = Search {
        key: K::WIDTH,
        words: V::WORDS,
        tiles: gpu.shape().tiles,
        keys: run.keys.first(run.len),
        values: run.values.words(run.len),
        marks: gpu.optional(run.marks.as_ref()),
        index: run.index.all(),
        queries: queries.all(),
        states: answers.found.all(),
        out: answers.values.words(queries.len()),
        items: items as u32,
        first: u32::from(turn.first),
        last: u32::from(turn.last),
    };
    gpu.launch(&launch, queries.len().div_ceil(items))
}
