//! cut and join: the levels of a part of the keys, and of two dictionaries whose keys do not overlap.
//!
//! Runs are sorted, so a part of the keys is a part of each run, and two runs without common keys are merged into one.
//! Nothing is sorted again, and a run that lies within the part is shared.

use crate::core::Core;
use crate::error::Result;
use crate::levels::{Levels, PlacedRun};
use gpu_lsm_primitives::{Backend, Bounds, Code, Run, Start, Tombstones, Value};
use std::collections::BTreeMap;

impl<B: Backend, K: Code, V: Value> Core<B, K, V> {
    /// A dictionary of the entries from one key to another, both inclusive. Waits for each run.
    pub(crate) fn cut(&self, first: K, last: K) -> Result<Self> {
        let (lower, upper) = (self.backend.upload(&[first])?, self.backend.upload(&[last])?);
        let mut oldest_first = Vec::new();
        for run in self.runs().rev() {
            let bounds = self.backend.bounds(run, &lower, &upper, Start::At)?;
            let is_oldest = oldest_first.is_empty();
            oldest_first.extend(self.cut_run(run, &bounds, is_oldest)?);
        }
        oldest_first.reverse();
        self.of_runs(oldest_first)
    }

    /// The entries of a run in one interval, if there are any. The oldest run loses its tombstones.
    fn cut_run(
        &self,
        run: &PlacedRun<B, K, V>,
        bounds: &Bounds<B>,
        is_oldest: bool,
    ) -> Result<Option<Run<B, K, V>>> {
        let len = self.backend.read_counts(&[&bounds.total])?[0] as usize;
        let tombstones = if is_oldest { Tombstones::Drop } else { Tombstones::Keep };
        if len == run.len && (run.tombstones == 0 || !is_oldest) {
            return Ok(Some(Run::clone(run)));
        }
        if len == 0 {
            return Ok(None);
        }
        let part = self.backend.expand(run, bounds, len)?.entries;
        let part = self.backend.settle(part, Vec::new(), tombstones)?;
        Ok(Some(part).filter(|part| part.len > 0))
    }

    /// A dictionary of the entries of two, which have no keys in common. Runs on the same level become one. Waits for
    /// each of these.
    pub(crate) fn join(&self, other: &Self) -> Result<Self> {
        let mut by_level = BTreeMap::<usize, Vec<&PlacedRun<B, K, V>>>::new();
        for (level, run) in self.levels.by_level().chain(other.levels.by_level()) {
            by_level.entry(level).or_default().push(run);
        }
        let joined = by_level.into_values().map(|runs| match runs[..] {
            [one, other] => self.backend.settle(one.pile(), vec![other.pile()], Tombstones::Keep),
            _ => Ok(Run::clone(runs[0])),
        });
        self.of_runs(joined.collect::<Result<_, _>>()?)
    }

    /// Every `stride`-th key of each run, in no order; fewer of a run if an array cannot hold as many offsets. Waits for each
    /// run.
    pub(crate) fn sampled(&self, stride: u32) -> Result<Vec<K>> {
        let at_once = (self.backend.max_len(size_of::<u32>()) - 1).max(1);
        let mut sample = Vec::new();
        for run in self.runs() {
            let stride = stride.max((run.len as u64).div_ceil(at_once) as u32);
            let starts: Vec<u32> = (stride / 2..run.len as u32).step_by(stride as usize).collect();
            if starts.is_empty() {
                continue;
            }
            let offsets: Vec<u32> = (0..=starts.len() as u32).collect();
            let offsets = self.backend.upload(&offsets)?;
            let bounds = Bounds {
                total: self.backend.last(&offsets)?,
                offsets,
                lens: self.backend.upload(&vec![1; starts.len()])?,
                starts: self.backend.upload(&starts)?,
            };
            let keys = self.backend.expand(&*run.without_values(&self.backend)?, &bounds, starts.len())?;
            sample.extend(self.backend.download(&keys.entries.keys, starts.len())?);
        }
        Ok(sample)
    }

    /// The same options with other runs, newest first. Nothing is known to be dead: that was known of other keys.
    fn of_runs(&self, runs: Vec<Run<B, K, V>>) -> Result<Self> {
        let levels = Levels::stacked(runs, self.b());
        let levels = if levels.want_cleanup(self.b()) { self.cleaned_up(&levels)? } else { levels };
        let (backend, config) = (self.backend.clone(), self.config);
        Ok(Self { backend, config, levels, dead: std::sync::Arc::default() })
    }
}
