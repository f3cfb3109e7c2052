//! Count and range as in the paper: search, scan, gather, segmented sort, validation, compaction.

use crate::error::{Result, check_columns};
use gpu_lsm_primitives::baselines::{Baselines, KeyVariables, Levels, Lists, Pairs};
use gpu_lsm_primitives::{Array, Backend, Run, Value};

/// The entries in each of several intervals, on the device.
#[derive(Clone)]
pub struct Ranges<B: Backend> {
    /// For each query, and one past the last, where its entries start.
    pub offsets: B::Array<u32>,
    /// The keys, one query after the other, ascending within each query. The array may be longer: the last offset says
    /// how many keys there are.
    pub keys: B::Array<u32>,
    /// The values, in the order of the keys.
    pub values: B::Array<u32>,
}

/// Counts the keys in each interval. Waits once, for the number of candidates.
pub(crate) fn count<B: Baselines>(
    backend: &B,
    levels: &Levels<B>,
    lower: &B::Array<u32>,
    upper: &B::Array<u32>,
) -> Result<B::Array<u32>> {
    let nothing = backend.room::<()>(levels.pairs.keys.len())?;
    let gathered = gather(backend, levels, nothing, lower, upper)?;
    let columns = KeyVariables { keys: gathered.keys, values: None };
    let united = backend.unite(columns, &gathered.lists, &gathered.offsets)?;
    Ok(backend.validate(&united.keys, Some(&gathered.lists))?.counts)
}

/// Returns the entries in each interval. Waits once, for the number of candidates.
pub(crate) fn range<B: Baselines>(
    backend: &B,
    levels: &Levels<B>,
    lower: &B::Array<u32>,
    upper: &B::Array<u32>,
) -> Result<Ranges<B>> {
    let gathered = gather(backend, levels, levels.pairs.values.clone(), lower, upper)?;
    let lists = Some(&gathered.lists);
    let columns = KeyVariables { keys: gathered.keys, values: Some(gathered.values) };
    let KeyVariables { keys, values } = backend.unite(columns, &gathered.lists, &gathered.offsets)?;
    let united = Pairs { keys, values: values.expect("values come back where they were given") };
    let valid = backend.validate(&united.keys, lists)?;
    let offsets = backend.scan(&valid.counts)?;
    let (Pairs { keys, values }, _) = backend.compact(&united, lists, &valid, true)?;
    Ok(Ranges { offsets, keys, values })
}

/// The candidates of all full levels, one query after the other, and within each query the newest level first.
struct Gathered<B: Backend, V: Value> {
    keys: B::Array<u32>,
    values: B::Array<V>,
    lists: Lists<B>,
    offsets: B::Array<u32>,
}

fn gather<B: Baselines, V: Value>(
    backend: &B,
    levels: &Levels<B>,
    values: B::Array<V>,
    lower: &B::Array<u32>,
    upper: &B::Array<u32>,
) -> Result<Gathered<B, V>> {
    check_columns(lower.len(), upper.len())?;
    let bounds = backend.intervals(levels, lower, upper)?;
    let total = backend.read_counts(&[&bounds.total])?[0] as usize;
    let keys = levels.pairs.keys.clone();
    let everything = Run { len: keys.len(), keys, values, ..Run::empty(backend)? };
    let found = backend.expand(&everything, &bounds, total)?;
    let lists = Lists {
        list_of: backend.number(&bounds.offsets, total)?,
        per_query: levels.full(),
        queries: lower.len(),
    };
    Ok(Gathered { keys: found.entries.keys, values: found.entries.values, lists, offsets: bounds.offsets })
}
