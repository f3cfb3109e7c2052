//! The primitives that only the baselines use.

use crate::inputs::{N, QUERIES, intervals, keys, picked};
use crate::lab::Lab;
use gpu_lsm_primitives::baselines::{Baselines, KeyVariables, Levels, Lists, Pairs};
use gpu_lsm_primitives::gpu::Gpu;
use gpu_lsm_primitives::{Backend, Result, Run};

/// The batches in the levels: so many that every level is full.
const BATCHES: u32 = 63;
/// The entries per query.
const LENGTH: usize = 1024;
/// The seed of the hash functions.
const SEED: u32 = 1;

pub(crate) fn updates(lab: &Lab<'_>) -> Result<()> {
    let plain = &lab.plain;
    let batch = plain.upload(&plain_keys(N, 1))?;
    let values = plain.upload(&(0..N as u32).collect::<Vec<_>>())?;
    let encoded = lab.case("encode", |gpu| gpu.encode_keys(&batch, None, N))?;
    let sorted = plain.sort(&encoded)?;
    lab.case("encode", |gpu| gpu.encode_values(&values, &sorted.positions, N))?;
    let mut to = plain.room::<u32>(N)?;
    lab.case("place", |gpu| gpu.place(Some((&sorted.keys, 0..N)), &mut to, 0, N, 0))?;
    let (newer, older) = (pairs(plain, &variables(N / 2, 2))?, pairs(plain, &variables(N / 2, 3))?);
    let merged = lab.case("interleave", |gpu| gpu.interleave(&newer.all(), &older.all()))?;
    let valid = lab.case("cleanup", |gpu| gpu.validate(&merged.keys, None))?;
    lab.case("cleanup", |gpu| gpu.compact(&merged, None, &valid, false))?;
    Ok(())
}

pub(crate) fn queries(lab: &Lab<'_>) -> Result<()> {
    let plain = &lab.plain;
    let (levels, all) = levels(plain)?;
    for (name, queries) in
        [("probe, present", picked(&all, QUERIES)), ("probe, missing", plain_keys(QUERIES, 9))]
    {
        let queries = plain.upload(&queries)?;
        lab.case(name, |gpu| gpu.probe(&levels, &queries))?;
    }
    let (lower, upper) = intervals(&all, LENGTH, N);
    let (lower, upper) = (plain.upload(&lower)?, plain.upload(&upper)?);
    let queries = N / LENGTH;
    let case = |name: &str| format!("{name}, L = {LENGTH}");
    let bounds = lab.case(&case("intervals"), |gpu| gpu.intervals(&levels, &lower, &upper))?;
    let total = plain.read_counts(&[&bounds.total])?[0] as usize;
    let Pairs { keys, values } = &levels.pairs;
    let everything = Run { len: all.len(), keys: keys.clone(), values: values.clone(), ..Run::empty(plain)? };
    let found = plain.expand(&everything, &bounds, total)?.entries;
    let list_of = lab.case(&case("intervals"), |gpu| gpu.number(&bounds.offsets, total))?;
    let lists = Lists { list_of, per_query: levels.full(), queries };
    let alone = KeyVariables { keys: found.keys.clone(), values: None };
    lab.case(&case("unite"), |gpu| gpu.unite(alone, &lists, &bounds.offsets))?;
    let both = KeyVariables { keys: found.keys, values: Some(found.values.clone()) };
    let united = lab.case(&case("unite"), |gpu| gpu.unite(both, &lists, &bounds.offsets))?;
    let pairs = Pairs { keys: united.keys, values: united.values.unwrap_or(found.values) };
    let valid = lab.case(&case("validate"), |gpu| gpu.validate(&pairs.keys, Some(&lists)))?;
    lab.case(&case("validate"), |gpu| gpu.compact(&pairs, Some(&lists), &valid, true))?;
    Ok(())
}

pub(crate) fn hash_table(lab: &Lab<'_>) -> Result<()> {
    let plain = &lab.plain;
    let mut keys = plain_keys(N, 1);
    keys.sort_unstable();
    keys.dedup();
    let there = plain.upload(&keys)?;
    // 80 % of the slots are taken, as in the paper.
    let table = lab.case("cuckoo", |gpu| gpu.cuckoo_build(&there, &there, keys.len() * 5 / 4, SEED))?;
    let Some(table) = table else { return Ok(()) };
    let queries = plain.upload(&picked(&keys, QUERIES))?;
    lab.case("cuckoo", |gpu| gpu.cuckoo_lookup(&table, &queries, SEED))?;
    Ok(())
}

/// Keys of 31 bits.
fn plain_keys(len: usize, seed: u64) -> Vec<u32> {
    keys::<u32>(len, seed).into_iter().map(|key| key >> 1).collect()
}

/// Key variables of regular entries, in order.
fn variables(len: usize, seed: u64) -> Vec<u32> {
    let mut variables: Vec<u32> = plain_keys(len, seed).into_iter().map(|key| key << 1 | 1).collect();
    variables.sort_unstable();
    variables
}

fn pairs(plain: &Gpu, variables: &[u32]) -> Result<Pairs<Gpu>> {
    let values: Vec<u32> = (0..variables.len() as u32).collect();
    Ok(Pairs { keys: plain.upload(variables)?, values: plain.upload(&values)? })
}

/// Full levels with about `N` entries, and their keys in ascending order.
fn levels(plain: &Gpu) -> Result<(Levels<Gpu>, Vec<u32>)> {
    let batch = N / (BATCHES as usize + 1);
    let of_level = |level: u32| variables(batch << level, u64::from(level) + 10);
    let all: Vec<u32> = (0..BATCHES.count_ones()).flat_map(of_level).collect();
    let levels = Levels { pairs: pairs(plain, &all)?, batch, batches: BATCHES };
    let mut keys: Vec<u32> = all.into_iter().map(|variable| variable >> 1).collect();
    keys.sort_unstable();
    Ok((levels, keys))
}
