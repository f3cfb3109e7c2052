//! What the answers must be: a sorted vector on the host, and comparisons with it.

use crate::structure::{Entries, Intervals, Update};
use rayon::prelude::*;

/// The entries that a structure must hold, sorted by key.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Reference {
    entries: Vec<(u32, u32)>,
}

impl Reference {
    /// A reference with these entries; of equal keys the last counts.
    pub fn new(keys: &[u32], values: &[u32]) -> Self {
        let mut numbered: Vec<_> =
            keys.iter().zip(values).zip(0u32..).map(|((&k, &v), at)| (k, at, v)).collect();
        numbered.par_sort_unstable();
        let last_of_each = numbered.chunk_by(|one, next| one.0 == next.0).map(|equal| equal[equal.len() - 1]);
        Self { entries: last_of_each.map(|(key, _, value)| (key, value)).collect() }
    }

    /// Inserts entries and then deletes keys.
    pub fn update(&mut self, update: Update<'_>) {
        let batch = Self::new(update.keys, update.values);
        let mut deletes = update.deletes.to_vec();
        deletes.par_sort_unstable();
        let mut merged = Vec::with_capacity(self.entries.len() + batch.entries.len());
        let (mut old, mut new) = (self.entries.iter().peekable(), batch.entries.iter().peekable());
        loop {
            let next = match (old.peek(), new.peek()) {
                (Some(one), Some(other)) if one.0 < other.0 => old.next(),
                (Some(one), Some(other)) if one.0 == other.0 => {
                    old.next();
                    new.next()
                }
                (Some(_), None) => old.next(),
                _ => new.next(),
            };
            let Some(&entry) = next else { break };
            if deletes.binary_search(&entry.0).is_err() {
                merged.push(entry);
            }
        }
        self.entries = merged;
    }

    /// The entries, ascending.
    pub fn entries(&self) -> &[(u32, u32)] {
        &self.entries
    }

    /// Compares answers to lookups.
    ///
    /// # Errors
    /// The first difference.
    pub fn check_lookup(&self, keys: &[u32], answers: &[Option<u32>]) -> Result<(), String> {
        check_len(keys.len(), answers.len())?;
        let expected = |key: &u32| {
            self.entries.binary_search_by_key(key, |entry| entry.0).ok().map(|at| self.entries[at].1)
        };
        let wrong = keys.par_iter().zip(answers).find_first(|(key, answer)| expected(key) != **answer);
        wrong.map_or(Ok(()), |(key, answer)| {
            Err(format!("key {key} has the value {:?}, and the answer was {answer:?}", expected(key)))
        })
    }

    /// Compares counts.
    ///
    /// # Errors
    /// The first difference.
    pub fn check_count(&self, intervals: Intervals<'_>, counts: &[u32]) -> Result<(), String> {
        check_len(intervals.lower.len(), counts.len())?;
        let queries = intervals.lower.par_iter().zip(intervals.upper).zip(counts);
        let wrong = queries
            .find_first(|((lower, upper), count)| self.between(**lower, **upper).len() != **count as usize);
        wrong.map_or(Ok(()), |((&lower, &upper), count)| {
            let expected = self.between(lower, upper).len();
            Err(format!("[{lower}, {upper}] has {expected} entries, and the answer was {count}"))
        })
    }

    /// Compares the results of ranges.
    ///
    /// # Errors
    /// The first difference.
    pub fn check_range(&self, intervals: Intervals<'_>, found: &Entries<Vec<u32>>) -> Result<(), String> {
        check_len(intervals.lower.len() + 1, found.offsets.len())?;
        for (query, (&lower, &upper)) in intervals.lower.iter().zip(intervals.upper).enumerate() {
            let expected = self.between(lower, upper);
            let (start, end) = (found.offsets[query] as usize, found.offsets[query + 1] as usize);
            let keys = found.keys.get(start..end).unwrap_or_default();
            let values = found.values.get(start..end).unwrap_or_default();
            let answer = keys.iter().copied().zip(values.iter().copied());
            if !answer.clone().eq(expected.iter().copied()) {
                let answer: Vec<_> = answer.take(4).collect();
                let expected = &expected[..expected.len().min(4)];
                return Err(format!(
                    "[{lower}, {upper}] starts with {expected:?}, and the answer was {answer:?}"
                ));
            }
        }
        Ok(())
    }

    fn between(&self, lower: u32, upper: u32) -> &[(u32, u32)] {
        let start = self.entries.partition_point(|entry| entry.0 < lower);
        let end = self.entries.partition_point(|entry| entry.0 <= upper);
        &self.entries[start..end.max(start)]
    }
}

fn check_len(expected: usize, len: usize) -> Result<(), String> {
    if len == expected { Ok(()) } else { Err(format!("{expected} answers were expected, and {len} came")) }
}
