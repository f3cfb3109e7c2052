//! The library's own primitives.

use crate::inputs::{
    LARGE, N, QUERIES, ascending, entries, intervals, intervals_apart, keys, overlapping, picked, squares,
};
use crate::lab::Lab;
use gpu_lsm_primitives::gpu::{Gpu, GpuArray};
use gpu_lsm_primitives::reference::{pile, upload};
use gpu_lsm_primitives::{
    Array, Backend, Bounds, Candidates, Code, Nearby, Recoding, Result, Run, Start, Tombstones, Turn, Value,
    Way,
};

/// One entry in this many is a tombstone, where a case has tombstones.
const TOMBSTONES: Option<usize> = Some(4);
/// More keys than a tile of `sort` has, and not more than two have, at any width of keys.
const TWO_TILES: usize = 4600;
/// The entries per query of short and of long intervals.
const LENGTHS: [usize; 2] = [8, 1024];
/// The entries in a window.
const LIMIT: u32 = 8;

/// Primitives on numbers.
pub(crate) fn on_numbers(lab: &Lab<'_>) -> Result<()> {
    let numbers: Vec<u32> = keys::<u32>(N, 1).iter().map(|key| key % 100).collect();
    let there = lab.plain.upload(&numbers)?;
    lab.case("scan", |gpu| gpu.scan(&there))?;
    for (name, at) in [("copy", 0), ("copy, shifted", 1)] {
        let mut to = lab.plain.room::<u32>(N + at)?;
        lab.case(name, |gpu| gpu.copy_into(&there, N, &mut to, at))?;
    }
    lab.case("slice", |gpu| gpu.slice(&there, 1..N))?;
    lab.case("marks", |gpu| gpu.marks(N / 3, N))?;
    for recoding in Recoding::ALL {
        match recoding.words() {
            1 => drop(lab.case("recode", |gpu| gpu.recode::<u32, u32>(&there, recoding))?),
            _ => {
                let there = lab.plain.upload(&keys::<u64>(N, 1))?;
                drop(lab.case("recode", |gpu| gpu.recode::<u64, u64>(&there, recoding))?);
            }
        }
    }
    let offsets = lab.plain.scan(&there)?;
    lab.case("clip", |gpu| gpu.clip(&offsets, LIMIT))?;
    Ok(())
}

/// A batch, sorted and arranged.
pub(crate) fn batches<K: Code, V: Value>(lab: &Lab<'_>, value: V) -> Result<()> {
    let batch = lab.plain.upload(&keys::<K>(N, 1))?;
    let sorted = lab.case("sort", |gpu| gpu.sort(&batch))?;
    let some = lab.plain.upload(&keys::<K>(TWO_TILES, 1))?;
    lab.case("sort, two tiles", |gpu| gpu.sort(&some))?;
    let values = lab.plain.upload(&[value; N])?;
    let marks = lab.plain.upload(&keys::<u32>(N / 32, 2))?;
    lab.case("arrange", |gpu| gpu.arrange(&sorted, &values, None))?;
    let flags: Vec<u32> = keys::<u32>(N, 2).iter().map(|key| key % 4 / 3).collect();
    let flags = lab.plain.upload(&flags)?;
    lab.case("mask", |gpu| gpu.mask(&values, &flags))?;
    lab.case("arrange, marked", |gpu| gpu.arrange(&sorted, &values, Some(&marks)))?;
    Ok(())
}

/// Two piles of equal length, merged in every way.
pub(crate) fn merges<K: Code, V: Value>(lab: &Lab<'_>, value: V) -> Result<()> {
    let pile_of = |keys: &[K], tombstones| pile(&lab.plain, &entries(keys, value, tombstones));
    let [older, newer] = apart::<K>(N / 2);
    let few = repeated::<K>(N / 2);
    for (name, newer, older, tombstones) in [
        ("merge", &newer, &older, None),
        ("merge, 50 keys", &few, &few, None),
        ("merge, marked", &newer, &older, TOMBSTONES),
    ] {
        let (newer, older) = (pile_of(newer, tombstones)?, pile_of(older, tombstones)?);
        lab.case(name, |gpu| gpu.merge(&newer, &older))?;
    }
    Ok(())
}

/// Two piles of equal length, made into a run. Unless a case says otherwise, one key in ten is in both.
pub(crate) fn runs<K: Code, V: Value>(lab: &Lab<'_>, value: V) -> Result<()> {
    let pile_of = |keys: &[K], tombstones| pile(&lab.plain, &entries(keys, value, tombstones));
    let [older, distinct] = apart::<K>(N / 2);
    let newer = overlapping(&older, N / 2, 4);
    for (name, newer, tombstones, kept) in [
        ("settle", &newer, None, Tombstones::Keep),
        ("settle, distinct", &distinct, None, Tombstones::Keep),
        ("settle, tombstones kept", &newer, TOMBSTONES, Tombstones::Keep),
        ("settle, tombstones dropped", &newer, TOMBSTONES, Tombstones::Drop),
    ] {
        let (newer, older) = (pile_of(newer, tombstones)?, pile_of(&older, tombstones)?);
        lab.case(name, |gpu| gpu.settle(newer, vec![older], kept))?;
    }
    let quarter = |seed| pile_of(&ascending::<K>(N / 4, seed), None);
    let (newest, rest) = (quarter(20)?, vec![quarter(21)?, quarter(22)?, quarter(23)?]);
    lab.case("settle, four piles", |gpu| gpu.settle(newest, rest, Tombstones::Keep))?;
    let (newer, older) = (pile_of(&newer, None)?, pile_of(&older, None)?);
    lab.case("shortened", |gpu| gpu.shortened(&newer, &older))?;
    Ok(())
}

/// Two lists of keys in ascending order, without a key in both.
fn apart<K: Code>(len: usize) -> [Vec<K>; 2] {
    let (one, mut other) = (ascending::<K>(len, 3), ascending::<K>(len, 4));
    other.retain(|key| one.binary_search(key).is_err());
    [one, other]
}

/// Keys in ascending order, of which 50 are distinct.
fn repeated<K: Code>(len: usize) -> Vec<K> {
    let few = ascending::<K>(50, 5);
    (0..len).map(|i| few[i * few.len() / len]).collect()
}

/// Lookups in one run: of keys that it has, and of others.
pub(crate) fn lookups<K: Code, V: Value>(lab: &Lab<'_>, value: V) -> Result<()> {
    let keys = ascending::<K>(LARGE, 1);
    let run = upload(&lab.plain, &entries(&keys, value, None))?;
    let turn = Turn { first: true, last: true };
    for (name, queries) in
        [("search, present", picked(&keys, QUERIES)), ("search, missing", crate::inputs::keys(QUERIES, 2))]
    {
        let queries = lab.plain.upload(&queries)?;
        let mut answers = lab.plain.answers(queries.len())?;
        lab.case(name, |gpu| gpu.search(&run, &queries, &mut answers, turn))?;
    }
    Ok(())
}

/// Counts of intervals.
pub(crate) fn counts<K: Code>(lab: &Lab<'_>) -> Result<()> {
    let plain = &lab.plain;
    let keys = ascending::<K>(N, 1);
    let run = upload(plain, &entries(&keys, (), TOMBSTONES))?;
    let found: Vec<u32> = crate::inputs::keys::<u32>(N, 3).iter().map(|key| key % 2).collect();
    let found = plain.upload(&found)?;
    let (lower, upper) = intervals(&keys, LENGTHS[0], LENGTHS[0] * QUERIES);
    let (lower, upper) = (plain.upload(&lower)?, plain.upload(&upper)?);
    let tally = lab.case("tally", |gpu| gpu.tally(&run, &found))?;
    lab.case("tallied", |gpu| gpu.tallied(&run, &tally, &lower, &upper, None))?;
    lab.case("bounds", |gpu| gpu.bounds(&run, &lower, &upper, Start::At))?;
    Ok(())
}

/// The entries of intervals, from two runs.
pub(crate) fn ranges<K: Code, V: Value>(lab: &Lab<'_>, value: V) -> Result<()> {
    let plain = &lab.plain;
    let [older, newer] = apart::<K>(N);
    let run_of = |keys: &[K]| upload(plain, &entries(keys, value, TOMBSTONES));
    let (newer_run, older_run) = (run_of(&newer)?, run_of(&older)?);
    for len in LENGTHS {
        let (lower, upper) = intervals_apart(&older, len / 2, N / 2);
        let (lower, upper) = (plain.upload(&lower)?, plain.upload(&upper)?);
        let bounds_in = |run| total(plain, plain.bounds(run, &lower, &upper, Start::At)?);
        let (in_newer, newer_len) = bounds_in(&newer_run)?;
        let (in_older, older_len) = bounds_in(&older_run)?;
        let case = |name: &str| format!("{name}, L = {len}");
        let newer = lab.case(&case("expand"), |gpu| gpu.expand(&newer_run, &in_newer, newer_len))?;
        let both = lab.case(&case("overlay"), |gpu| gpu.overlay(&newer, &older_run, &in_older, older_len))?;
        lab.case(&case("live"), |gpu| gpu.live(&both))?;
    }
    Ok(())
}

/// Points in squares of which each has as many, in any order.
pub(crate) fn rectangles(lab: &Lab<'_>) -> Result<()> {
    let plain = &lab.plain;
    let run = upload(plain, &entries(&ascending::<u64>(N, 1), 0u32, TOMBSTONES))?;
    for len in LENGTHS {
        let (lower, upper) = squares(N, len, N / len);
        let (lower, upper) = (plain.upload(&lower)?, plain.upload(&upper)?);
        let case = |name: &str| format!("{name}, L = {len}");
        let (starts, ends) = lab.case(&case("cover"), |gpu| gpu.cover(&lower, &upper))?;
        let (near, _) = candidates(plain, &run, plain.bounds(&run, &starts, &ends, Start::At)?)?;
        lab.case(&case("outside"), |gpu| gpu.outside(&near, &lower, &upper))?;
    }
    Ok(())
}

/// Bounds and the number of entries within them.
fn total(plain: &Gpu, bounds: Bounds<Gpu>) -> Result<(Bounds<Gpu>, usize)> {
    let total = plain.read_counts(&[&bounds.total])?[0] as usize;
    Ok((bounds, total))
}

/// The nearest entries of keys.
pub(crate) fn neighbours<K: Code>(lab: &Lab<'_>) -> Result<()> {
    let plain = &lab.plain;
    let run = upload(plain, &entries(&ascending::<K>(N, 1), 0u32, None))?;
    let queries = plain.upload(&keys::<K>(QUERIES, 2))?;
    for (name, way) in [("up", Way::Up), ("down", Way::Down)] {
        let (bounds, horizons) =
            lab.case(&format!("window, {name}"), |gpu| gpu.window(&run, &queries, way, LIMIT, None, None))?;
        let (entries, offsets) = candidates(plain, &run, bounds)?;
        let near = Nearby { entries: &entries.entries, offsets: &offsets, horizons: &horizons };
        lab.case(&format!("nearest, {name}"), |gpu| gpu.nearest(&near, way, K::MIN, None))?;
    }
    Ok(())
}

fn candidates<K: Code, V: Value>(
    plain: &Gpu,
    run: &Run<Gpu, K, V>,
    bounds: Bounds<Gpu>,
) -> Result<(Candidates<Gpu, K, V>, GpuArray<u32>)> {
    let (bounds, total) = total(plain, bounds)?;
    Ok((plain.expand(run, &bounds, total)?, bounds.offsets))
}
