//! The correct answers: a sorted vector on the host, and comparisons with it.

use crate::measure::structure::{Entries, Found, Intervals, Update};
use rayon::prelude::*;

/// The entries that a structure must hold, sorted by key.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Reference {
    entries: Vec<(u32, u32)>,
}

impl Reference {
    /// A reference with these entries. If a key occurs several times, its last entry wins.
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

    /// Compares the answers to lookups: 1 and the value if the key is present, else 0.
    ///
    /// # Errors
    /// The first difference.
    pub fn check_lookup(&self, keys: &[u32], answers: &Found<Vec<u32>>) -> Result<(), String> {
        check_len(keys.len(), answers.found.len())?;
        check_len(keys.len(), answers.values.len())?;
        let expected = |key: u32| {
            self.entries.binary_search_by_key(&key, |entry| entry.0).ok().map(|at| self.entries[at].1)
        };
        let is_wrong = |at: &usize| match (expected(keys[*at]), answers.found[*at]) {
            (Some(value), 1) => value != answers.values[*at],
            (None, 0) => false,
            _ => true,
        };
        (0..keys.len()).into_par_iter().find_first(is_wrong).map_or(Ok(()), |at| {
            let (key, found, value) = (keys[at], answers.found[at], answers.values[at]);
            Err(format!(
                "key {key} has the value {:?}, and the answer was found = {found}, value {value}",
                expected(key)
            ))
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
        if found.offsets[0] != 0 || !found.offsets.is_sorted() {
            let first = &found.offsets[..found.offsets.len().min(4)];
            return Err(format!("offsets must ascend from 0, and these start with {first:?}"));
        }
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

#[cfg(test)]
mod tests {
    use super::Reference;
    use crate::measure::structure::{Entries, Found, Intervals};

    fn reference() -> Reference {
        Reference::new(&[10, 20, 30], &[1, 2, 3])
    }

    #[test]
    fn a_lookup_says_0_or_1_and_nothing_else() {
        let check = |found: [u32; 2], values: [u32; 2]| {
            let answers = Found { found: found.to_vec(), values: values.to_vec() };
            reference().check_lookup(&[20, 25], &answers)
        };
        assert_eq!(check([1, 0], [2, 77]), Ok(()));
        for (found, values) in
            [([1, 0], [3, 0]), ([0, 0], [2, 0]), ([1, 1], [2, 0]), ([1, 2], [2, 0]), ([2, 0], [2, 0])]
        {
            assert!(check(found, values).is_err(), "{found:?} {values:?}");
        }
        let short = Found { found: vec![1], values: vec![2] };
        assert!(reference().check_lookup(&[20, 25], &short).is_err());
    }

    #[test]
    fn offsets_of_ranges_start_at_0_and_ascend() {
        let intervals = Intervals { lower: &[11, 10, 40], upper: &[12, 20, 50] };
        let check = |offsets: [u32; 4], keys: &[u32], values: &[u32]| {
            let found = Entries { offsets: offsets.to_vec(), keys: keys.to_vec(), values: values.to_vec() };
            reference().check_range(intervals, &found)
        };
        assert_eq!(check([0, 0, 2, 2], &[10, 20], &[1, 2]), Ok(()));
        assert!(check([2, 0, 2, 2], &[10, 20], &[1, 2]).is_err(), "the first is not 0");
        assert!(check([0, 0, 2, 1], &[10, 20], &[1, 2]).is_err(), "the last is less than the one before");
        assert!(check([1, 1, 3, 3], &[9, 10, 20], &[0, 1, 2]).is_err(), "all are one too many");
        assert!(check([0, 0, 2, 2], &[10, 20], &[1, 3]).is_err(), "a value is wrong");
    }
}
