//! index: for each part of a run's key range, where its keys start, and a filter of them. Twin of gpu/index.rs.

use super::{Host, HostArray};
use crate::code::Code;
use crate::entries::{INDEX_WORDS, Run, filter_place, index_len, index_parts};
use crate::error::Result;
use crate::tuning::{FILTER_KEYS, HOST_TILE};
use crate::value::Value;
use rayon::prelude::*;

/// Each task finds its first key with a binary search, and then walks through its parts.
pub(super) fn index<K: Code>(host: &Host, keys: &[K]) -> Result<HostArray<u32>> {
    let mut index = host.zeroed::<u32>(index_len(keys.len()))?;
    let (Some(&first), Some(&last)) = (keys.first(), keys.last()) else {
        return Ok(index.share());
    };
    let (first, span) = (first.to_u64(), last.to_u64() - first.to_u64());
    let parts = index_parts(keys.len()) as u64;
    let shift = (0..).find(|shift| span >> shift < parts).unwrap_or(0);
    // The largest key that can be in a part.
    let last_of = |part: u64| {
        let behind = ((u128::from(part) + 1) << shift) + u128::from(first);
        u64::try_from(behind - 1).unwrap_or(u64::MAX)
    };
    let (head, records) = index.slice_mut().split_at_mut(INDEX_WORDS as usize);
    head[0] = shift;
    records.par_chunks_mut(TASK_PARTS * INDEX_WORDS as usize).enumerate().for_each(|(task, records)| {
        let task_part = (task * TASK_PARTS) as u64;
        let mut start = keys.partition_point(|key| ((*key).to_u64() - first) >> shift < task_part);
        for (part, record) in (task_part..).zip(records.chunks_exact_mut(INDEX_WORDS as usize)) {
            let (place, filter) = record.split_at_mut(1);
            place[0] = start as u32;
            start += set_filter(filter, &keys[start..], last_of(part));
        }
    });
    Ok(index.share())
}

/// The number of parts whose records one task writes.
const TASK_PARTS: usize = HOST_TILE / 32;

/// Sets the filter bits of a part's keys, or all bits if the part has too many. The part's keys are the first of
/// `keys`, up to the value `last`. Returns how many they are.
fn set_filter<K: Code>(filter: &mut [u32], keys: &[K], last: u64) -> usize {
    let is_in_part = |key: &K| (*key).to_u64() <= last;
    let most = FILTER_KEYS as usize;
    let mut len = 0;
    for key in keys.iter().take(most + 1).take_while(|key| is_in_part(key)) {
        let (word, bits) = filter_place((*key).to_u64());
        filter[word] |= bits;
        len += 1;
    }
    if len > most {
        filter.fill(u32::MAX);
        len += keys[len..].partition_point(is_in_part);
    }
    len
}

/// Finds the position of a query among a run's keys.
#[derive(Clone, Copy)]
pub(super) struct Indexed<'a, K> {
    pub(super) keys: &'a [K],
    pub(super) index: &'a [u32],
}

impl<'a, K: Code> Indexed<'a, K> {
    /// For a settled run.
    pub(super) fn new<V: Value>(run: &'a Run<Host, K, V>) -> Self {
        Self { keys: &run.keys[..run.len], index: &run.index }
    }

    /// The start of the record of the part that contains `query`; nothing if the query is before or behind all parts.
    fn record_of(&self, query: K) -> Option<usize> {
        let first = (*self.keys.first()?).to_u64();
        let part = query.to_u64().checked_sub(first)? >> self.index[0];
        let parts = self.index.len() as u64 / u64::from(INDEX_WORDS) - 2;
        (part < parts).then(|| (part as usize + 1) * INDEX_WORDS as usize)
    }

    /// A lower and an upper bound of the number of keys smaller than `query`.
    pub(super) fn between(&self, query: K) -> (u32, u32) {
        match self.record_of(query) {
            Some(record) => (self.index[record], self.index[record + INDEX_WORDS as usize]),
            None if self.keys.first().is_none_or(|first| query < *first) => (0, 0),
            None => (self.keys.len() as u32, self.keys.len() as u32),
        }
    }

    /// The same, but nothing if the filter says that the run does not have the key.
    pub(super) fn between_if_there(&self, query: K) -> Option<(u32, u32)> {
        let record = self.record_of(query)?;
        let (word, bits) = filter_place(query.to_u64());
        let may_be_there = self.index[record + 1 + word] & bits == bits;
        may_be_there.then(|| (self.index[record], self.index[record + INDEX_WORDS as usize]))
    }

    /// The number of keys smaller than `query`.
    pub(super) fn smaller(&self, query: K) -> usize {
        self.smaller_between(query, self.between(query))
    }

    /// The same, with known bounds.
    pub(super) fn smaller_between(&self, query: K, (low, high): (u32, u32)) -> usize {
        low as usize + self.keys[low as usize..high as usize].partition_point(|key| *key < query)
    }

    /// The number of keys not larger than `query`.
    pub(super) fn not_larger(&self, query: K) -> usize {
        let at = self.smaller(query);
        at + usize::from(self.keys.get(at) == Some(&query))
    }
}
