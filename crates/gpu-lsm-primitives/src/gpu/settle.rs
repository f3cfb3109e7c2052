//! settle: makes a run of merged entries. It has no kernel of its own: see merge, select and index. Twin:
//! host/settle.rs.

use super::array::{GpuArray, GpuCount};
use super::device::Gpu;
use super::index::Keys;
use super::merge::Merged;
use super::select::Counted;
use super::{copy, index, merge, select};
use crate::code::Code;
use crate::entries::{Pile, Run, Tombstones};
use crate::error::{Error, Result};
use crate::tuning::SLACK;
use crate::value::Value;
use cubecl::server::Handle;

/// Merges, and makes a run of the result.
///
/// If there are no tombstones, the last merge counts the hidden entries.
pub(super) fn settle<K: Code, V: Value>(
    gpu: &Gpu,
    newest: Pile<Gpu, K, V>,
    older: Vec<Pile<Gpu, K, V>>,
    tombstones: Tombstones,
) -> Result<Run<Gpu, K, V>> {
    let piles = std::iter::once(newest).chain(older).filter(|pile| pile.len > 0);
    match merge::merge_all(gpu, piles.collect())? {
        Merged::Counted(pile, hidden) => settle_counted(gpu, &pile, &hidden),
        Merged::Uncounted(pile) => settle_one(gpu, pile, tombstones),
        Merged::Nothing => Run::empty(gpu),
    }
}

/// Builds the index of a pile without marks, reads back the number of hidden entries, and confirms that everything was
/// written, all in one wait.
///
/// Most batches hide no entries, so the merged arrays become the run. If some entries are hidden after all, the others
/// are written to new arrays, which takes another wait.
fn settle_counted<K: Code, V: Value>(
    gpu: &Gpu,
    pile: &Pile<Gpu, K, V>,
    hidden: &GpuCount,
) -> Result<Run<Gpu, K, V>> {
    let run = run_of(gpu, pile, Keys::AllIf(hidden, 0))?;
    let hidden = gpu.confirm_and_read_back(&memory(&run), &[hidden])?[0] as usize;
    if hidden == 0 {
        return Ok(run);
    }
    // More hidden entries than entries would wrap around to a count above the bound.
    let len = pile.len.wrapping_sub(hidden);
    check_counts(len, 0, pile.len)?;
    drop(run);
    rewritten(gpu, &select::count(gpu, pile, None, None)?, len, 0)
}

/// Counts the entries of a pile that stay, builds marks and index, reads the counts back, and confirms that everything
/// was written, all in one wait.
///
/// As above, the merged arrays become the run if all entries stay. If tombstones are dropped, some entries certainly
/// go, so the rest is written to new arrays before the wait. It is written again only if much of those arrays would be
/// unused.
fn settle_one<K: Code, V: Value>(
    gpu: &Gpu,
    pile: Pile<Gpu, K, V>,
    tombstones: Tombstones,
) -> Result<Run<Gpu, K, V>> {
    let (pile, dropped) = match tombstones {
        Tombstones::Keep => (pile, None),
        Tombstones::Drop => pile.without_marks(),
    };
    let counted = select::count(gpu, &pile, dropped.as_ref(), None)?;
    let run = match dropped {
        Some(_) => run_of(gpu, &counted.write(gpu, pile.len)?, Keys::Counted(&counted.entries()))?,
        None => run_of(gpu, &pile, Keys::AllIf(&counted.entries(), pile.len as u32))?,
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
    rewritten(gpu, &counted, len, tombstones)
}

/// The counted entries in arrays of exact size.
fn rewritten<K: Code, V: Value>(
    gpu: &Gpu,
    counted: &Counted<'_, K, V>,
    len: usize,
    tombstones: usize,
) -> Result<Run<Gpu, K, V>> {
    let run = run_of(gpu, &counted.write(gpu, len)?, Keys::All)?;
    gpu.confirm(&memory(&run))?;
    Ok(with_counts(run, len, tombstones))
}

/// The entries with their marks and the index of some of their keys. The caller sets the numbers of entries and
/// tombstones, if there may be fewer than the arrays have room for.
fn run_of<K: Code, V: Value>(gpu: &Gpu, pile: &Pile<Gpu, K, V>, keys: Keys<'_>) -> Result<Run<Gpu, K, V>> {
    let marks = match &pile.marks {
        Some(bits) => Some(copy::trimmed(gpu, bits)?),
        None => None,
    };
    let index = index::index(gpu, &pile.keys, pile.len, keys)?;
    let (keys, values) = (pile.keys.clone(), pile.values.clone());
    Ok(Run { keys, values, marks, len: pile.len, tombstones: 0, index })
}

fn with_counts<K: Code, V: Value>(run: Run<Gpu, K, V>, len: usize, tombstones: usize) -> Run<Gpu, K, V> {
    Run { len, tombstones, marks: run.marks.filter(|_| tombstones > 0), ..run }
}

fn memory<K: Code, V: Value>(run: &Run<Gpu, K, V>) -> Vec<&Handle> {
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
