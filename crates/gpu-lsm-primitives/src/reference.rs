//! Plain sequential versions of the primitives, for tests and self-tests.

use crate::backend::{Array, Backend, Start, Way};
use crate::code::Code;
use crate::entries::{FILTER_WORDS, INDEX_WORDS, Pile, Run, Tombstones, filter_place, mark_words};
use crate::error::Result;
use crate::recoding::Recoding;
use crate::tuning::FILTER_KEYS;
use crate::value::Value;

/// Entries on the host: key, value, and whether it is a tombstone.
pub type Entries<K, V> = Vec<(K, V, bool)>;

/// Whether bit `i` is set.
pub fn bit(words: &[u32], i: usize) -> bool {
    words[i / 32] >> (i % 32) & 1 == 1
}

/// Keys with their positions, ordered by key, then position.
pub fn sort<K: Code>(keys: &[K]) -> Vec<(K, u32)> {
    let mut pairs: Vec<(K, u32)> = keys.iter().copied().zip(0..).collect();
    pairs.sort();
    pairs
}

/// For each number the sum of all before it, and the sum of all at the end; sums saturate.
pub fn scan(numbers: &[u32]) -> Vec<u32> {
    let mut sums = vec![0u32];
    sums.extend(numbers.iter().scan(0u32, |sum, number| {
        *sum = sum.saturating_add(*number);
        Some(*sum)
    }));
    sums
}

/// A batch ordered by key, then position. An entry without a value gets zero.
pub fn arrange<K: Code, V: Value>(keys: &[K], values: &[V], marks: Option<&[u32]>) -> Entries<K, V> {
    let entry = |(i, &key)| {
        let value = values.get(i).copied().unwrap_or(V::zeroed());
        (key, value, marks.is_some_and(|marks| bit(marks, i)))
    };
    let mut entries: Entries<K, V> = keys.iter().enumerate().map(entry).collect();
    entries.sort_by_key(|entry| entry.0);
    entries
}

/// Both lists merged. Of equal keys, the older one comes first.
pub fn merge<K: Code, V: Value>(newer: &Entries<K, V>, older: &Entries<K, V>) -> Entries<K, V> {
    let mut merged = [&older[..], newer].concat();
    merged.sort_by_key(|entry| entry.0);
    merged
}

/// The last entry of each key, from sorted entries.
pub fn settle<K: Code, V: Value>(entries: &Entries<K, V>, tombstones: Tombstones) -> Entries<K, V> {
    let is_last = |i: &usize| entries.get(i + 1).is_none_or(|next| next.0 != entries[*i].0);
    let mut settled: Entries<K, V> = (0..entries.len()).filter(is_last).map(|i| entries[i]).collect();
    settled.retain(|entry| tombstones == Tombstones::Keep || !entry.2);
    settled
}

/// The value of `key` in `runs`, newest first; nothing if its newest entry is a tombstone or it has none.
pub fn search<K: Code, V: Value>(runs: &[&Entries<K, V>], key: K) -> Option<V> {
    let entry = |run: &&Entries<K, V>| {
        run.binary_search_by_key(&key, |entry| entry.0).ok().map(|i| (run[i].1, run[i].2))
    };
    let (value, is_deleted) = runs.iter().find_map(entry)?;
    (!is_deleted).then_some(value)
}

/// The first position and the number of keys of an interval in ascending keys, `upper` included.
pub fn bounds<K: Code>(keys: &[K], lower: K, upper: K, start: Start) -> (u32, u32) {
    let is_before = |key: &&K| if start == Start::At { **key < lower } else { **key <= lower };
    let first = keys.iter().filter(is_before).count();
    let end = keys.iter().filter(|&&key| key <= upper).count();
    (first as u32, end.saturating_sub(first) as u32)
}

/// A query's window in a run: its start, its length, and the key up to which nothing is missing.
pub fn window<K: Code, V: Value>(run: &Entries<K, V>, query: K, way: Way, limit: usize) -> (usize, usize, K) {
    let at = run.partition_point(|entry| entry.0 < query || (way != Way::Up && entry.0 == query));
    if way == Way::Down {
        let start = at.saturating_sub(limit);
        return (start, at - start, if start > 0 { run[start].0 } else { K::MIN });
    }
    let end = run.len().min(at + limit);
    (at, end - at, if end < run.len() { run[end - 1].0 } else { K::MAX })
}

/// The values and the marks of a batch, whose flags are not zero for deletes.
pub fn mask<V: Value>(values: &[V], flags: &[u32]) -> (Vec<V>, Vec<u32>) {
    let mut marks = vec![0; mark_words(flags.len())];
    for (i, _) in flags.iter().enumerate().filter(|(_, flag)| **flag != 0) {
        marks[i / 32] |= 1 << (i % 32);
    }
    let value = |(&value, &flag)| if flag == 0 { value } else { V::zeroed() };
    (values.iter().zip(flags).map(value).collect(), marks)
}

/// Whether a point is in the rectangle between two corners, all given by their codes.
pub fn is_in(point: u64, lower: u64, upper: u64) -> bool {
    let ([x, y], [left, bottom], [right, top]) = (point_of(point), point_of(lower), point_of(upper));
    (left..=right).contains(&x) && (bottom..=top).contains(&y)
}

/// The intervals that cover a rectangle after `splits` splits, empty ones included.
pub fn cover(lower: u64, upper: u64, splits: u32) -> Vec<(u64, u64)> {
    if !is_in(lower, lower, upper) {
        return vec![(u64::MAX, 0); 1 << splits];
    }
    if splits == 0 {
        return vec![(lower, upper)];
    }
    let ([left, bottom], [right, top]) = (point_of(lower), point_of(upper));
    let bits = |one: u32, other: u32| u32::BITS - (one ^ other).leading_zeros();
    let (middle_x, middle_y) = (middle(right, bits(left, right)), middle(top, bits(bottom, top)));
    let (before, after) = match (bits(left, right), bits(bottom, top)) {
        (0, 0) => return [vec![(lower, upper)], vec![(u64::MAX, 0); (1 << splits) - 1]].concat(),
        (of_x, of_y) if of_x > of_y => ([middle_x - 1, top], [middle_x, bottom]),
        _ => ([right, middle_y - 1], [left, middle_y]),
    };
    [cover(lower, code_of(before), splits - 1), cover(code_of(after), upper, splits - 1)].concat()
}

/// The smallest number with the same bits from the highest differing one on, which is bit `bits - 1`.
fn middle(last: u32, bits: u32) -> u32 {
    let below = bits.saturating_sub(1);
    last >> below << below
}

/// A point's coordinates, from its code.
fn point_of(code: u64) -> [u32; 2] {
    let point = Recoding::MortonBack.wide(code);
    [point as u32, (point >> 32) as u32]
}

/// A point's code.
pub fn code_of([x, y]: [u32; 2]) -> u64 {
    Recoding::Morton.wide(u64::from(y) << 32 | u64::from(x))
}

/// The words of the index of ascending keys, for an index of `words` words. It yields them one by one, so that
/// comparing an index with them needs no memory.
pub fn index<K: Code>(keys: &[K], words: usize) -> impl Iterator<Item = u32> {
    let parts = (words / INDEX_WORDS as usize).saturating_sub(2) as u64;
    let first = keys.first().map_or(0, |key| (*key).to_u64());
    let part_of = move |key: &K, shift: u32| ((*key).to_u64() - first) >> shift;
    let is_enough = |shift: &u32| keys.last().is_none_or(|last| part_of(last, *shift) < parts);
    let shift = (0..K::WIDTH.bits()).find(is_enough).unwrap_or(0);
    let before = move |part: u64| keys.partition_point(|key| part_of(key, shift) < part);
    let record = move |part: u64| {
        let start = before(part);
        std::iter::once(start as u32).chain(filter(&keys[start..before(part + 1)]))
    };
    let head = std::iter::once(shift).chain([0; FILTER_WORDS as usize]);
    head.chain((0..=parts).flat_map(record)).take(if keys.is_empty() { 0 } else { usize::MAX })
}

/// Two bits of one word for each key, or all bits if there are too many keys.
fn filter<K: Code>(keys: &[K]) -> [u32; FILTER_WORDS as usize] {
    if keys.len() > FILTER_KEYS as usize {
        return [u32::MAX; FILTER_WORDS as usize];
    }
    let mut filter = [0; FILTER_WORDS as usize];
    for (word, bits) in keys.iter().map(|key| filter_place((*key).to_u64())) {
        filter[word] |= bits;
    }
    filter
}

/// Uploads entries as a pile.
///
/// # Errors
/// If memory runs out.
pub fn pile<B: Backend, K: Code, V: Value>(backend: &B, entries: &Entries<K, V>) -> Result<Pile<B, K, V>> {
    let keys: Vec<K> = entries.iter().map(|entry| entry.0).collect();
    let values: Vec<V> = entries.iter().map(|entry| entry.1).collect();
    let tombstones = entries.iter().filter(|entry| entry.2).count();
    Ok(Pile {
        keys: backend.upload(&keys)?,
        values: backend.upload(&values)?,
        marks: if tombstones > 0 { Some(backend.upload(&bits_of(entries))?) } else { None },
        len: entries.len(),
    })
}

/// Uploads entries as a run.
///
/// # Errors
/// If memory runs out.
pub fn upload<B: Backend, K: Code, V: Value>(backend: &B, entries: &Entries<K, V>) -> Result<Run<B, K, V>> {
    backend.settle(pile(backend, entries)?, Vec::new(), Tombstones::Keep)
}

/// The first difference between a pile's first entries and the expected ones.
///
/// # Errors
/// If the device failed.
pub fn pile_difference<B: Backend, K: Code, V: Value>(
    backend: &B,
    pile: &Pile<B, K, V>,
    expected: &Entries<K, V>,
) -> Result<Option<&'static str>> {
    if pile.len < expected.len() {
        return Ok(Some("length"));
    }
    let marks = match &pile.marks {
        Some(bits) => backend.download(bits, mark_words(expected.len()))?,
        None => vec![0; mark_words(expected.len())],
    };
    if !expected.iter().enumerate().all(|(i, entry)| bit(&marks, i) == entry.2) {
        return Ok(Some("marks"));
    }
    columns_difference(backend, &pile.keys, &pile.values, expected)
}

/// The first difference between a run and the expected one, spare mark bits and index included.
///
/// # Errors
/// If the device failed.
pub fn difference<B: Backend, K: Code, V: Value>(
    backend: &B,
    run: &Run<B, K, V>,
    expected: &Entries<K, V>,
) -> Result<Option<&'static str>> {
    if run.len != expected.len() {
        return Ok(Some("length"));
    }
    if let Some(what) = columns_difference(backend, &run.keys, &run.values, expected)? {
        return Ok(Some(what));
    }
    let tombstones = expected.iter().filter(|entry| entry.2).count();
    if run.tombstones != tombstones || run.marks.is_some() != (tombstones > 0) {
        return Ok(Some("tombstones"));
    }
    let index = backend.download(&run.index, run.index.len())?;
    let keys: Vec<K> = expected.iter().map(|entry| entry.0).collect();
    if !self::index(&keys, index.len()).eq(index) {
        return Ok(Some("index"));
    }
    let Some(marks) = &run.marks else { return Ok(None) };
    if marks.len() != mark_words(run.len) {
        return Ok(Some("length of marks"));
    }
    let words = backend.download(marks, marks.len())?;
    Ok((words != bits_of(expected)).then_some("marks"))
}

fn columns_difference<B: Backend, K: Code, V: Value>(
    backend: &B,
    keys: &B::Array<K>,
    values: &B::Array<V>,
    expected: &Entries<K, V>,
) -> Result<Option<&'static str>> {
    let keys = backend.download(keys, expected.len())?;
    if !keys.iter().eq(expected.iter().map(|entry| &entry.0)) {
        return Ok(Some("keys"));
    }
    let values = backend.download(values, expected.len())?;
    let is_same = values.iter().zip(expected).all(|(value, entry)| same_bytes(value, &entry.1));
    Ok((!is_same).then_some("values"))
}

/// Whether two values are equal, bit for bit.
pub fn same_bytes<V: Value>(one: &V, other: &V) -> bool {
    bytemuck::bytes_of(one) == bytemuck::bytes_of(other)
}

fn bits_of<K: Code, V: Value>(entries: &Entries<K, V>) -> Vec<u32> {
    let mut bits = vec![0u32; mark_words(entries.len())];
    for (i, entry) in entries.iter().enumerate() {
        bits[i / 32] |= u32::from(entry.2) << (i % 32);
    }
    bits
}
