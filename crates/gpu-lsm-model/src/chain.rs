//! Chains: results that a query left on the device go into a further call unchanged.
//!
//! The model alone says what a chain must do. The results of the query are returned and checked only after their use. So
//! nothing waits in between, and the check also shows that their use did not change them.

use crate::keys::{TestKey, TestValue};
use crate::operations::{Operation, columns};
use crate::pair::{Held, Pair};
use gpu_lsm::{Buffer, Device, DeviceNeighbours, DeviceRanges, Result, Snapshot};
use gpu_lsm_primitives::{Start, Way};
use std::any::Any;
use std::ops::Deref;

/// Which results go where.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Chain {
    /// The keys of ranges are deleted.
    RangeToDelete,
    /// The entries of ranges are inserted; the ranges are those of a held snapshot, if there is one.
    RangeToInsert,
    /// The keys of ranges are looked up.
    RangeToLookup,
    /// The keys of first pages are deleted.
    FirstToDelete,
    /// The entries of next pages are inserted.
    AfterToInsert,
    /// The keys of successors are lower bounds of counts and ranges.
    SuccessorToRange,
    /// The entries of successors are inserted.
    SuccessorToInsert,
    /// The keys of predecessors are deleted.
    PredecessorToDelete,
    /// The values of lookups become the values of other keys.
    LookupToInsert,
    /// The keys of lookups that were found are deleted, and the others inserted.
    LookupToApply,
    /// Every second entry of ranges is inserted again, and the others are deleted.
    RangeToApply,
    /// Counts become values, or else keys, if they have the type.
    CountToUpdate,
}

impl Chain {
    /// Every chain.
    pub const ALL: [Self; 12] = [
        Self::RangeToDelete,
        Self::RangeToInsert,
        Self::RangeToLookup,
        Self::FirstToDelete,
        Self::AfterToInsert,
        Self::SuccessorToRange,
        Self::SuccessorToInsert,
        Self::PredecessorToDelete,
        Self::LookupToInsert,
        Self::LookupToApply,
        Self::RangeToApply,
        Self::CountToUpdate,
    ];
}

/// The input of a chain.
#[derive(Debug, Clone, Copy)]
pub struct Feed<'f, K: TestKey, V: TestValue> {
    /// The dictionary's device.
    pub device: &'f Device,
    /// Lower bounds, or keys to look up.
    pub lower: &'f [K],
    /// As many upper bounds.
    pub upper: &'f [K],
    /// The size of pages.
    pub limit: u32,
    /// A snapshot that ranges may query.
    pub held: Option<&'f Held<K, V>>,
    /// The name of the case, for failures.
    pub case: &'f str,
}

/// Runs a chain on a pair. The caller checks what it found and what it did.
///
/// # Errors
/// The errors of its calls. Nothing has changed then.
pub fn feed_back<K: TestKey, V: TestValue>(
    pair: &mut Pair<K, V>,
    chain: Chain,
    feed: &Feed<'_, K, V>,
) -> Result<Found<K, V>> {
    let limit = Some(feed.limit);
    let ranges = match chain {
        Chain::RangeToDelete => delete(pair, Paged::of(pair, feed, Start::At, None)?)?,
        Chain::FirstToDelete => delete(pair, Paged::of(pair, feed, Start::At, limit)?)?,
        Chain::RangeToInsert => match feed.held {
            Some(held) => insert(pair, Paged::of(held, feed, Start::At, None)?)?,
            None => insert(pair, Paged::of(pair, feed, Start::At, None)?)?,
        },
        Chain::AfterToInsert => insert(pair, Paged::of(pair, feed, Start::After, limit)?)?,
        Chain::RangeToApply => apply(pair, Paged::of(pair, feed, Start::At, None)?)?,
        Chain::RangeToLookup => look_up(pair, Paged::of(pair, feed, Start::At, None)?, feed.case)?,
        Chain::SuccessorToRange => return count_and_range(pair, Near::of(pair, feed, Way::Up)?, feed),
        Chain::SuccessorToInsert => return insert_near(pair, Near::of(pair, feed, Way::Up)?),
        Chain::PredecessorToDelete => return delete_near(pair, Near::of(pair, feed, Way::Down)?),
        Chain::LookupToInsert => return insert_answers(pair, feed),
        Chain::LookupToApply => return apply_answers(pair, feed),
        Chain::CountToUpdate => return update_by_counts(pair, feed),
    };
    Ok(Found { ranges: Some(ranges), near: None })
}

/// The results that a chain found and passed to a further call.
pub struct Found<K: TestKey, V: TestValue> {
    ranges: Option<Paged<K, V>>,
    near: Option<Near<K, V>>,
}

impl<K: TestKey, V: TestValue> Found<K, V> {
    /// Compares the results with the expected ones.
    ///
    /// # Errors
    /// If reading the results fails.
    pub fn check(&self, case: &str) -> Result<()> {
        self.ranges.as_ref().map_or(Ok(()), |ranges| ranges.check(case))?;
        self.near.as_ref().map_or(Ok(()), |near| near.check(case))
    }

    const NOTHING: Self = Self { ranges: None, near: None };
}

/// Keys in the form in which they lie in buffers.
fn upload<K: TestKey>(device: &Device, keys: &[K]) -> Result<Buffer<K::Native>> {
    device.upload_keys(keys)
}

/// What ranges found, and what they should have found.
struct Paged<K: TestKey, V: TestValue> {
    there: DeviceRanges<K, V>,
    expected: Vec<Vec<(K, V)>>,
}

impl<K: TestKey, V: TestValue> Paged<K, V> {
    fn of<D: Deref<Target = Snapshot<K, V>>>(
        pair: &Pair<K, V, D>,
        feed: &Feed<'_, K, V>,
        start: Start,
        limit: Option<u32>,
    ) -> Result<Self> {
        let (lower, upper) = (upload(feed.device, feed.lower)?, upload(feed.device, feed.upper)?);
        let on_device = pair.dictionary.on_device();
        let there = match (start, limit) {
            (Start::At, None) => on_device.range(&lower, &upper)?,
            (Start::At, Some(limit)) => on_device.range_first(&lower, &upper, limit)?,
            (Start::After, limit) => on_device.range_after(&lower, &upper, limit.unwrap_or(u32::MAX))?,
        };
        let found = Self { there, expected: expected(pair, feed.lower, feed.upper, start, limit) };
        found.check_lengths(feed.case);
        Ok(found)
    }

    fn entries(&self) -> impl Iterator<Item = (K, V)> {
        self.expected.iter().flatten().copied()
    }

    /// If a buffer is longer than the result, the next call would also use the elements behind it.
    fn check_lengths(&self, case: &str) {
        let total = self.expected.iter().map(Vec::len).sum();
        check_length(&self.there.offsets, self.expected.len() + 1, "offsets", case);
        check_length(&self.there.keys, total, "keys of ranges", case);
        check_length(&self.there.values, total, "values of ranges", case);
    }

    fn check(&self, case: &str) -> Result<()> {
        let found = self.there.read()?;
        let found: Vec<_> =
            found.iter().map(|(keys, values)| keys.iter().copied().zip(values.iter().copied())).collect();
        let is_same = found.into_iter().map(coded).eq(self.expected.iter().cloned().map(coded));
        assert!(is_same, "{case}: what ranges found");
        Ok(())
    }
}

/// Entries with codes instead of keys: all distinct keys have distinct codes.
fn coded<K: TestKey, V: TestValue>(entries: impl IntoIterator<Item = (K, V)>) -> Vec<(K::Code, V)> {
    entries.into_iter().map(|(key, value)| (key.to_code(), value)).collect()
}

fn expected<K: TestKey, V: TestValue, D: Deref<Target = Snapshot<K, V>>>(
    pair: &Pair<K, V, D>,
    lower: &[K],
    upper: &[K],
    start: Start,
    limit: Option<u32>,
) -> Vec<Vec<(K, V)>> {
    let limit = limit.map_or(usize::MAX, |limit| limit as usize);
    let page = |(&lower, &upper): (&K, &K)| {
        let entries = pair.entries(start, lower, upper).take(limit);
        entries.map(|(&code, &value)| (K::from_code(code), value)).collect()
    };
    lower.iter().zip(upper).map(page).collect()
}

fn check_length<T: gpu_lsm::Value>(buffer: &Buffer<T>, expected: usize, what: &str, case: &str) {
    assert_eq!(buffer.len(), expected, "{case}: the length of {what}");
}

fn delete<K: TestKey, V: TestValue>(pair: &mut Pair<K, V>, found: Paged<K, V>) -> Result<Paged<K, V>> {
    pair.dictionary.delete(&found.there.keys)?;
    pair.tell_model(&found.entries().map(|(key, _)| (key, None)).collect::<Vec<_>>());
    Ok(found)
}

fn insert<K: TestKey, V: TestValue>(pair: &mut Pair<K, V>, found: Paged<K, V>) -> Result<Paged<K, V>> {
    pair.dictionary.insert(&found.there.keys, &found.there.values)?;
    pair.tell_model(&found.entries().map(|(key, value)| (key, Some(value))).collect::<Vec<_>>());
    Ok(found)
}

fn apply<K: TestKey, V: TestValue>(pair: &mut Pair<K, V>, found: Paged<K, V>) -> Result<Paged<K, V>> {
    let operation = |(i, (key, value)): (usize, (K, V))| (key, i.is_multiple_of(2).then_some(value));
    let operations: Vec<Operation<K, V>> = found.entries().enumerate().map(operation).collect();
    let (_, _, flags) = columns(&operations);
    pair.dictionary.apply_columns(&found.there.keys, &found.there.values, flags)?;
    pair.tell_model(&operations);
    Ok(found)
}

fn look_up<K: TestKey, V: TestValue>(
    pair: &Pair<K, V>,
    found: Paged<K, V>,
    case: &str,
) -> Result<Paged<K, V>> {
    let answers = pair.dictionary.on_device().lookup(&found.there.keys)?;
    let keys: Vec<K> = found.entries().map(|(key, _)| key).collect();
    check_length(&answers.found, keys.len(), "found flags", case);
    check_length(&answers.values, keys.len(), "values of lookups", case);
    pair.check_answers(&keys, &answers.read()?, case);
    Ok(found)
}

/// Neighbours of the lower bounds, and what they should be: zero if there is none.
struct Near<K: TestKey, V: TestValue> {
    there: DeviceNeighbours<K, V>,
    expected: Vec<(K, V)>,
}

impl<K: TestKey, V: TestValue> Near<K, V> {
    fn of(pair: &Pair<K, V>, feed: &Feed<'_, K, V>, way: Way) -> Result<Self> {
        let queries = upload(feed.device, feed.lower)?;
        let (on_device, model) = (pair.dictionary.on_device(), &pair.model);
        let there = match way {
            Way::Down => on_device.predecessor(&queries)?,
            _ => on_device.successor(&queries)?,
        };
        let nearest = |key: &K| {
            let code = key.to_code();
            let entry = match way {
                Way::Down => model.range(..=code).next_back(),
                _ => model.range(code..).next(),
            };
            entry.map_or((K::zero(), V::zeroed()), |(&code, &value)| (K::from_code(code), value))
        };
        check_length(&there.found, feed.lower.len(), "found flags", feed.case);
        check_length(&there.keys, feed.lower.len(), "keys of neighbours", feed.case);
        check_length(&there.values, feed.lower.len(), "values of neighbours", feed.case);
        Ok(Self { there, expected: feed.lower.iter().map(nearest).collect() })
    }

    fn operations(&self, operation: impl Fn(V) -> Option<V>) -> Vec<Operation<K, V>> {
        self.expected.iter().map(|&(key, value)| (key, operation(value))).collect()
    }

    fn check(&self, case: &str) -> Result<()> {
        let found = self.there.read()?;
        let found = found.keys().iter().copied().zip(found.values().iter().copied());
        assert_eq!(coded(found), coded(self.expected.iter().copied()), "{case}: what neighbours are");
        Ok(())
    }
}

fn insert_near<K: TestKey, V: TestValue>(pair: &mut Pair<K, V>, near: Near<K, V>) -> Result<Found<K, V>> {
    pair.dictionary.insert(&near.there.keys, &near.there.values)?;
    pair.tell_model(&near.operations(Some));
    Ok(Found { ranges: None, near: Some(near) })
}

fn delete_near<K: TestKey, V: TestValue>(pair: &mut Pair<K, V>, near: Near<K, V>) -> Result<Found<K, V>> {
    pair.dictionary.delete(&near.there.keys)?;
    pair.tell_model(&near.operations(|_| None));
    Ok(Found { ranges: None, near: Some(near) })
}

fn count_and_range<K: TestKey, V: TestValue>(
    pair: &Pair<K, V>,
    near: Near<K, V>,
    feed: &Feed<'_, K, V>,
) -> Result<Found<K, V>> {
    let upper = upload(feed.device, feed.upper)?;
    let on_device = pair.dictionary.on_device();
    let counts = on_device.count(&near.there.keys, &upper)?;
    let there = on_device.range(&near.there.keys, &upper)?;
    let lower: Vec<K> = near.expected.iter().map(|entry| entry.0).collect();
    let found = Paged { there, expected: expected(pair, &lower, feed.upper, Start::At, None) };
    found.check_lengths(feed.case);
    let counts: Vec<u64> = counts.read()?.into_iter().map(u64::from).collect();
    pair.check_counts(&lower, feed.upper, &counts, feed.case);
    Ok(Found { ranges: Some(found), near: Some(near) })
}

/// Inserts the values that were found, for the keys in reverse order.
fn insert_answers<K: TestKey, V: TestValue>(
    pair: &mut Pair<K, V>,
    feed: &Feed<'_, K, V>,
) -> Result<Found<K, V>> {
    let answers = pair.dictionary.on_device().lookup(&upload(feed.device, feed.lower)?)?;
    check_length(&answers.values, feed.lower.len(), "values of lookups", feed.case);
    let backwards: Vec<K> = feed.lower.iter().rev().copied().collect();
    let value = |key: &K| pair.model.get(&key.to_code()).copied().unwrap_or(V::zeroed());
    let operations: Vec<Operation<K, V>> =
        backwards.iter().zip(feed.lower).map(|(&to, from)| (to, Some(value(from)))).collect();
    pair.dictionary.insert(&backwards, &answers.values)?;
    pair.tell_model(&operations);
    Ok(Found::NOTHING)
}

/// Deletes the keys that were found, and inserts the others with the value of a missing answer.
fn apply_answers<K: TestKey, V: TestValue>(
    pair: &mut Pair<K, V>,
    feed: &Feed<'_, K, V>,
) -> Result<Found<K, V>> {
    let keys = upload(feed.device, feed.lower)?;
    let answers = pair.dictionary.on_device().lookup(&keys)?;
    check_length(&answers.found, feed.lower.len(), "found flags", feed.case);
    let operation = |&key: &K| (key, (!pair.model.contains_key(&key.to_code())).then_some(V::zeroed()));
    let operations: Vec<Operation<K, V>> = feed.lower.iter().map(operation).collect();
    pair.dictionary.apply_columns(keys, &answers.values, &answers.found)?;
    pair.tell_model(&operations);
    Ok(Found::NOTHING)
}

fn update_by_counts<K: TestKey, V: TestValue>(
    pair: &mut Pair<K, V>,
    feed: &Feed<'_, K, V>,
) -> Result<Found<K, V>> {
    let counts = pair.dictionary.on_device().count(feed.lower, feed.upper)?;
    check_length(&counts, feed.lower.len(), "counts", feed.case);
    let bounds = feed.lower.iter().zip(feed.upper);
    let expected: Vec<u64> =
        bounds.map(|(&lower, &upper)| pair.entries(Start::At, lower, upper).count() as u64).collect();
    let counts: &dyn Any = &counts;
    let operations: Vec<Operation<K, V>> = if let Some(values) = counts.downcast_ref::<Buffer<V>>() {
        pair.dictionary.insert(feed.lower, values)?;
        feed.lower.iter().zip(expected).map(|(&key, count)| (key, Some(V::from_number(count)))).collect()
    } else if let Some(keys) = counts.downcast_ref::<Buffer<K::Native>>() {
        pair.dictionary.delete(keys)?;
        expected.into_iter().map(|count| (K::coded(count), None)).collect()
    } else {
        Vec::new()
    };
    pair.tell_model(&operations);
    Ok(Found::NOTHING)
}
