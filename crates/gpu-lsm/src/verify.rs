//! verify: every rule that a run and the list of runs keep, checked on the host.

use crate::core::{Core, lens};
use crate::error::{Error, Result};
use crate::levels;
use gpu_lsm_primitives::{Array, Backend, Key, Run, Tally, Value, reference};

impl<B: Backend, K: Key, V: Value> Core<B, K, V> {
    pub(crate) fn verify(&self) -> Result<()> {
        self.backend.alive()?;
        let oldest = self.levels.iter().rposition(Option::is_some);
        for (level, run) in self.levels.iter().enumerate() {
            let Some(run) = run else { continue };
            let corrupt = |what: String| Err(Error::Corrupt { level, what });
            if let Some(what) = self.broken_rule(run)? {
                return corrupt(what);
            }
            if !levels::fits(run.len as u64, level, self.b()) {
                return corrupt(format!("it has {} entries, more than the level holds", run.len));
            }
            if Some(level) == oldest && run.tombstones > 0 {
                return corrupt(format!("the oldest run has {} tombstones", run.tombstones));
            }
        }
        self.verify_tallies()?;
        self.verify_space(oldest.unwrap_or(0))
    }

    /// Checks that each tally is that of its run above what is older now.
    fn verify_tallies(&self) -> Result<()> {
        let runs = self.keys_of_runs()?;
        for (i, run) in runs.iter().enumerate() {
            let Some(tally) = run.tally.get() else { continue };
            let again = self.tally(run, &runs[i + 1..])?;
            let words = |tally: &Tally<B>| self.backend.download(&tally.words, tally.words.len());
            if tally.total != again.total || words(tally)? != words(&again)? {
                let level = self.levels.iter().enumerate().filter(|(_, run)| run.is_some()).nth(i);
                let what = "its tally is not that of its entries and what is older".into();
                return Err(Error::Corrupt { level: level.map_or(0, |(level, _)| level), what });
            }
        }
        Ok(())
    }

    fn verify_space(&self, oldest: usize) -> Result<()> {
        let lens = lens(&self.levels);
        let entries = lens.iter().sum();
        let tombstones = self.runs().map(|run| run.tombstones as u64).sum();
        let oldest_len = lens.get(oldest).copied().unwrap_or(0);
        if levels::wants_cleanup(entries, oldest_len, tombstones, self.b()) {
            let what = format!("{entries} entries are more than the space rule allows");
            return Err(Error::Corrupt { level: oldest, what });
        }
        Ok(())
    }

    /// The first rule that a run breaks.
    fn broken_rule(&self, run: &Run<B, K, V>) -> Result<Option<String>> {
        if run.len == 0 {
            return Ok(Some("it is empty".into()));
        }
        if let Some(what) = self.broken_order(run)? {
            return Ok(Some(what));
        }
        let values = self.backend.download(&run.values, run.len)?;
        let marks = match &run.marks {
            Some(marks) => self.backend.download(marks, marks.len())?,
            None => Vec::new(),
        };
        Ok(broken_mark(run, &values, &marks))
    }

    /// The first rule that a run's keys or its index break.
    fn broken_order(&self, run: &Run<B, K, V>) -> Result<Option<String>> {
        let keys = self.backend.download(&run.keys, run.len)?;
        if let Some(i) = keys.windows(2).position(|pair| pair[0] >= pair[1]) {
            return Ok(Some(format!("key {} at {i} is not below key {}", keys[i], keys[i + 1])));
        }
        let index = self.backend.download(&run.index, run.index.len())?;
        let is_right = reference::index(&keys, index.len()).eq(index);
        Ok((!is_right).then(|| "its index is not that of its keys".into()))
    }
}

fn broken_mark<B: Backend, K: Key, V: Value>(
    run: &Run<B, K, V>,
    values: &[V],
    marks: &[u32],
) -> Option<String> {
    let set: usize = marks.iter().map(|word| word.count_ones() as usize).sum();
    if set != run.tombstones {
        return Some(format!("{set} bits are set for {} tombstones", run.tombstones));
    }
    if run.marks.is_some() && marks.len() != run.len.div_ceil(32) {
        return Some(format!("{} words are the marks of {} entries", marks.len(), run.len));
    }
    if run.marks.is_some() && run.tombstones == 0 {
        return Some("it has marks but no tombstones".into());
    }
    let is_set = |i: usize| marks[i / 32] >> (i % 32) & 1 == 1;
    if (run.len..marks.len() * 32).any(is_set) {
        return Some("a bit is set past the last entry".into());
    }
    let is_zero = |value: &V| bytemuck::bytes_of(value).iter().all(|&byte| byte == 0);
    let first = (0..marks.len() * 32).find(|&i| is_set(i) && !is_zero(&values[i]))?;
    Some(format!("the tombstone at {first} has a value"))
}
