//! The levels of a dictionary: at most one run each, the newest first.

use crate::error::Result;
use crate::placement;
use gpu_lsm_primitives::{Array, Backend, Code, Run, Tally, Value};
use std::ops::Deref;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

/// The highest level that a run can be on: that of 2^64 entries with `b = 1`.
const HIGHEST_LEVEL: usize = 64;

/// A number that no other run of this process ever has. A run keeps it for life, in every snapshot.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RunId(u64);

impl RunId {
    fn new() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        Self(NEXT.fetch_add(1, Ordering::Relaxed))
    }
}

/// A run on a level, above the runs that are older than it.
#[derive(Clone)]
pub(crate) struct PlacedRun<B: Backend, K: Code, V: Value> {
    pub(crate) id: RunId,
    run: Run<B, K, V>,
    /// The tally also depends on the older runs, which do not change while this run is above them: see [`Levels`].
    tally: Arc<OnceLock<Tally<B>>>,
    /// The first and the last key, once they were asked for.
    ends: Arc<OnceLock<(K, K)>>,
}

impl<B: Backend, K: Code, V: Value> Deref for PlacedRun<B, K, V> {
    type Target = Run<B, K, V>;
    fn deref(&self) -> &Run<B, K, V> {
        &self.run
    }
}

impl<B: Backend, K: Code, V: Value> PlacedRun<B, K, V> {
    pub(crate) fn new(run: Run<B, K, V>) -> Self {
        Self { id: RunId::new(), run, tally: Arc::default(), ends: Arc::default() }
    }

    /// The stand-in for the runs of an empty dictionary.
    pub(crate) fn empty(backend: &B) -> Result<Self> {
        Ok(Self::new(Run::empty(backend)?))
    }

    /// The same run seen without its values.
    pub(crate) fn without_values(&self, backend: &B) -> Result<PlacedRun<B, K, ()>> {
        let Run { keys, marks, len, tombstones, index, .. } = self.run.clone();
        let run = Run { keys, values: backend.room(len)?, marks, len, tombstones, index };
        Ok(PlacedRun { id: self.id, run, tally: Arc::clone(&self.tally), ends: Arc::clone(&self.ends) })
    }

    /// The tally, once it was made.
    pub(crate) fn tally(&self) -> Option<&Tally<B>> {
        self.tally.get()
    }

    /// Keeps a tally, unless the run has one: another thread may have made the same tally in the meantime.
    pub(crate) fn keep_tally(&self, tally: Tally<B>) {
        self.tally.get_or_init(|| tally);
    }

    /// The first and the last key. Waits for the device, for each of the two, the first time.
    pub(crate) fn ends(&self, backend: &B) -> Result<(K, K)> {
        if let Some(&ends) = self.ends.get() {
            return Ok(ends);
        }
        let first = backend.download(&self.keys, 1)?[0];
        let last = backend.download(&backend.slice(&self.keys, self.len - 1..self.len)?, 1)?[0];
        Ok(*self.ends.get_or_init(|| (first, last)))
    }

    /// The bytes that the run occupies, including its tally.
    pub(crate) fn bytes(&self) -> u64 {
        self.run.bytes() + self.tally().map_or(0, |tally| tally.words.bytes())
    }
}

/// The runs of a dictionary by level.
///
/// Runs below a run that stays never change: either only the newest runs are taken out, or all. So a tally, which
/// depends on a run and on those below it, stays correct.
#[derive(Clone)]
pub(crate) struct Levels<B: Backend, K: Code, V: Value> {
    levels: Vec<Option<PlacedRun<B, K, V>>>,
}

impl<B: Backend, K: Code, V: Value> Default for Levels<B, K, V> {
    fn default() -> Self {
        Self { levels: Vec::new() }
    }
}

impl<B: Backend, K: Code, V: Value> Levels<B, K, V> {
    /// A single run in place of all others, on the lowest level that holds it.
    pub(crate) fn of(run: Run<B, K, V>, b: u64) -> Self {
        let mut levels = Self::default();
        levels.place(run, b);
        levels
    }

    /// Runs, newest first, each on the lowest level that holds it and is below those of newer ones. No run is empty.
    pub(crate) fn stacked(runs: Vec<Run<B, K, V>>, b: u64) -> Self {
        let mut levels = Self::default();
        for run in runs {
            let level = placement::level_for(run.len as u64, b).max(levels.levels.len());
            levels.place_below(level, run);
        }
        levels
    }

    /// The runs, newest first.
    pub(crate) fn runs(&self) -> impl DoubleEndedIterator<Item = &PlacedRun<B, K, V>> {
        self.levels.iter().flatten()
    }

    /// The runs with their levels, newest first.
    pub(crate) fn by_level(&self) -> impl DoubleEndedIterator<Item = (usize, &PlacedRun<B, K, V>)> {
        self.levels.iter().enumerate().filter_map(|(level, run)| Some((level, run.as_ref()?)))
    }

    /// The identities of the runs, newest first.
    pub(crate) fn ids(&self) -> Vec<RunId> {
        self.runs().map(|run| run.id).collect()
    }

    pub(crate) fn has_runs(&self) -> bool {
        self.runs().next().is_some()
    }

    /// The length of the run on each level; zero if the level is empty.
    pub(crate) fn lens(&self) -> Vec<u64> {
        self.levels.iter().map(|run| run.as_ref().map_or(0, |run| run.len as u64)).collect()
    }

    pub(crate) fn entries(&self) -> u64 {
        self.runs().map(|run| run.len as u64).sum()
    }

    pub(crate) fn tombstones(&self) -> u64 {
        self.runs().map(|run| run.tombstones as u64).sum()
    }

    /// Entries that are not tombstones, including hidden ones.
    pub(crate) fn positive_entries(&self) -> u64 {
        self.entries() - self.tombstones()
    }

    /// The length of the oldest run.
    pub(crate) fn oldest_len(&self) -> u64 {
        self.runs().next_back().map_or(0, |run| run.len as u64)
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.runs().map(PlacedRun::bytes).sum()
    }

    /// Takes out the runs that a batch of this many operations is merged with, newest first.
    pub(crate) fn take_for(&mut self, operations: u64, b: u64) -> Vec<PlacedRun<B, K, V>> {
        let through = placement::merge_through(&self.lens(), operations, b);
        self.levels.iter_mut().take(through + 1).filter_map(Option::take).collect()
    }

    /// Puts a run on the lowest level that holds it. That level and all newer ones must be empty. An empty run is
    /// dropped.
    pub(crate) fn place(&mut self, run: Run<B, K, V>, b: u64) {
        if run.len == 0 {
            return;
        }
        let level = placement::level_for(run.len as u64, b);
        if self.levels.len() <= level {
            self.levels.resize_with(level + 1, || None);
        }
        debug_assert!(self.levels[..=level].iter().all(Option::is_none), "a new run is above all others");
        self.levels[level] = Some(PlacedRun::new(run));
    }

    /// Whether a run of this length may be placed below all others, on this level; else says why not.
    pub(crate) fn check_below(&self, level: usize, len: usize) -> Result<(), String> {
        if len > 0 && (self.levels.len()..=HIGHEST_LEVEL).contains(&level) {
            return Ok(());
        }
        Err(format!("a run of {len} entries can't be next, on level {level}"))
    }

    /// Places a run below all others, where [`check_below`](Self::check_below) says that it may be.
    pub(crate) fn place_below(&mut self, level: usize, run: Run<B, K, V>) {
        self.levels.resize_with(level, || None);
        self.levels.push(Some(PlacedRun::new(run)));
    }

    /// The first broken rule of the list of runs, and the level that breaks it.
    pub(crate) fn broken_rule(&self, b: u64) -> Option<(usize, String)> {
        for (level, run) in self.by_level() {
            if !placement::fits(run.len as u64, level, b) {
                return Some((level, format!("it has {} entries, more than the level holds", run.len)));
            }
        }
        let (oldest, run) = self.by_level().next_back()?;
        if run.tombstones > 0 {
            return Some((oldest, format!("the oldest run has {} tombstones", run.tombstones)));
        }
        let what = format!("{} entries are more than the space rule allows", self.entries());
        self.want_cleanup(b).then_some((oldest, what))
    }

    /// Whether the space rule requires that all runs be merged.
    pub(crate) fn want_cleanup(&self, b: u64) -> bool {
        placement::wants_cleanup(self.entries(), self.oldest_len(), self.tombstones(), b)
    }
}
