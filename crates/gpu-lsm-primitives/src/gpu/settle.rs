//! settle: a run from what was merged. No kernel of its own: see select, marks and index. Twin: host/settle.rs.

use super::array::{GpuArray, GpuCount};
use super::launch::Gpu;
use super::{index, marks, select};
use crate::entries::{Pile, Run, Tombstones};
use crate::error::{Error, Result};
use crate::key::Key;
use crate::tuning::SLACK;
use crate::value::Value;
use cubecl::server::Handle;
use std::sync::Arc;

/// Counts what stays, makes marks and index, reads the counts back and confirms that all of it was written, in one wait.
///
/// Most batches hide nothing, so what was merged is taken for the run; where it turns out to be longer, what stays is
/// written to new arrays, and waited for again. Where tombstones are to go it is longer for certain, so that is done
/// before the wait, and again only where much of the arrays would be unused.
pub(super) fn settle<K: Key, V: Value>(
    gpu: &Gpu,
    pile: Pile<Gpu, K, V>,
    tombstones: Tombstones,
) -> Result<Run<Gpu, K, V>> {
    if pile.len == 0 {
        return Run::empty(gpu);
    }
    let (pile, dropped) = match tombstones {
        Tombstones::Keep => (pile, None),
        Tombstones::Drop => pile.without_marks(),
    };
    let counted = select::count(gpu, &pile, dropped.as_ref(), None)?;
    let run = match dropped {
        Some(_) => run_of(gpu, &counted.write(gpu, pile.len)?, &counted.entries())?,
        None => run_of(gpu, &pile, &counted.entries())?,
    };
    let mut counts = vec![counted.entries()];
    counts.extend(counted.tombstones());
    let counts = gpu.confirm_and_read_back(&memory(&run), &counts.iter().collect::<Vec<_>>())?;
    let (len, tombstones) = (counts[0] as usize, counts.get(1).map_or(0, |&count| count as usize));
    check_counts(len, tombstones, pile.len)?;
    let is_tight = (pile.len - len) * SLACK <= pile.len;
    if len == pile.len || (dropped.is_some() && is_tight) {
        return Ok(with_counts(run, len, tombstones));
    }
    drop(run);
    let run = run_of(gpu, &counted.write(gpu, len)?, &counted.entries())?;
    gpu.confirm(&memory(&run))?;
    Ok(with_counts(run, len, tombstones))
}

/// The entries with marks and index; as many as `count` says, and their tombstones, are still to be told.
fn run_of<K: Key, V: Value>(gpu: &Gpu, pile: &Pile<Gpu, K, V>, count: &GpuCount) -> Result<Run<Gpu, K, V>> {
    let marks = match &pile.marks {
        Some(words) => Some(marks::to_bits(gpu, words, pile.len)?),
        None => None,
    };
    let index = index::index(gpu, &pile.keys, pile.len, count)?;
    let (keys, values) = (pile.keys.clone(), pile.values.clone());
    Ok(Run { keys, values, marks, len: pile.len, tombstones: 0, index, tally: Arc::default() })
}

fn with_counts<K: Key, V: Value>(run: Run<Gpu, K, V>, len: usize, tombstones: usize) -> Run<Gpu, K, V> {
    Run { len, tombstones, marks: run.marks.filter(|_| tombstones > 0), ..run }
}

fn memory<K: Key, V: Value>(run: &Run<Gpu, K, V>) -> Vec<&Handle> {
    let mut memory = vec![run.keys.memory(), run.values.memory()];
    memory.extend(run.marks.as_ref().map(GpuArray::memory));
    memory.extend((run.len > 0).then_some(run.index.memory()));
    memory
}

fn check_counts(len: usize, tombstones: usize, bound: usize) -> Result<()> {
    if len <= bound && tombstones <= len {
        return Ok(());
    }
    let message = format!("it counts {len} entries and {tombstones} tombstones of at most {bound}");
    Err(Error::Failed { message })
}
