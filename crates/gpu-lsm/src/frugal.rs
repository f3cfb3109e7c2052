//! frugal: deletes and cleanups with little memory, used if a dictionary is full.
//!
//! A usual merge needs memory for its input, for its output and for the entries selected from that. The frugal way
//! walks through the runs side by side, a chunk at a time. A chunk is the entries up to the nearest end of a window of
//! each run; it is merged and settled as in any update. The first walk counts the entries that stay, and the second
//! copies them into arrays of exactly that size. So beside the old runs, only the new run and one chunk need memory.
//! The resulting levels are the same as in the usual way.

use crate::core::Core;
use crate::error::Result;
use crate::intervals::Slices;
use crate::levels::{Levels, PlacedRun};
use crate::lists::{copied, extend};
use crate::placement;
use gpu_lsm_primitives::{Backend, Code, Pile, Run, Start, Tombstones, Value, Way, mark_words};

/// The input of one new run: some runs, newest first, and above them deletes of ascending keys.
struct Sources<'a, B: Backend, K: Code, V: Value> {
    deletes: &'a [K],
    runs: Vec<PlacedRun<B, K, V>>,
    tombstones: Tombstones,
    /// The number of entries of each run, and of deletes, in a chunk.
    window: usize,
}

/// Entries and tombstones of a run.
#[derive(Clone, Copy, Default)]
struct Lengths {
    entries: usize,
    tombstones: usize,
}

/// The position of a walk through sources.
struct Place<K> {
    from: K,
    way: Way,
    deletes: usize,
}

impl<B: Backend, K: Code, V: Value> Core<B, K, V> {
    /// The levels after a batch of this many deletes. The keys are ascending and distinct.
    pub(crate) fn frugally_deleted(&self, deletes: &[K], operations: usize) -> Result<Levels<B, K, V>> {
        let mut rest = self.levels.clone();
        let runs = rest.take_for(operations as u64, self.b());
        let tombstones = if rest.has_runs() { Tombstones::Keep } else { Tombstones::Drop };
        let sources = self.sources(deletes, runs, tombstones);
        let lengths = self.measured(&sources)?;
        if self.would_want_cleanup(&rest, lengths) {
            return self.frugally_cleaned_up(deletes);
        }
        rest.place(self.written(&sources, lengths)?, self.b());
        Ok(rest)
    }

    /// One run of the entries that stay live after deletes, in place of all levels.
    pub(crate) fn frugally_cleaned_up(&self, deletes: &[K]) -> Result<Levels<B, K, V>> {
        let sources = self.sources(deletes, self.runs().cloned().collect(), Tombstones::Drop);
        let lengths = self.measured(&sources)?;
        Ok(Levels::of(self.written(&sources, lengths)?, self.b()))
    }

    /// The live keys in intervals that do not overlap, on the host, by walking through them.
    pub(crate) fn frugal_keys_in(&self, intervals: Slices<'_, K>) -> Result<Vec<K>> {
        let meter = self.backend.meter();
        let size = placement::frugal_chunk(self.levels.entries()) as u32 / (self.runs().count() as u32 + 1);
        let mut keys = Vec::new();
        let intervals = intervals.lower.iter().zip(intervals.upper).filter(|(lower, upper)| lower <= upper);
        for (&lower, &upper) in intervals {
            let (mut from, mut way) = (lower, Way::Up);
            loop {
                let mut chunk = self.chunk(from, way, size.max(1))?;
                chunk.keys.truncate(chunk.keys.partition_point(|key| *key <= upper));
                extend(meter, &mut keys, chunk.keys)?;
                if chunk.reached >= upper {
                    break;
                }
                (from, way) = (chunk.reached, Way::UpAfter);
            }
        }
        Ok(keys)
    }

    fn sources<'a>(
        &self,
        deletes: &'a [K],
        runs: Vec<PlacedRun<B, K, V>>,
        tombstones: Tombstones,
    ) -> Sources<'a, B, K, V> {
        let window = placement::frugal_chunk(self.levels.entries()) as usize / (runs.len() + 1);
        Sources { deletes, runs, tombstones, window: window.max(1) }
    }

    /// Whether the space rule would merge all runs after a run of these lengths is placed above the rest.
    fn would_want_cleanup(&self, rest: &Levels<B, K, V>, new: Lengths) -> bool {
        let entries = rest.entries() + new.entries as u64;
        let tombstones = rest.tombstones() + new.tombstones as u64;
        let oldest = if rest.has_runs() { rest.oldest_len() } else { new.entries as u64 };
        placement::wants_cleanup(entries, oldest, tombstones, self.b())
    }

    /// Counts the entries that stay.
    fn measured(&self, sources: &Sources<'_, B, K, V>) -> Result<Lengths> {
        let mut lengths = Lengths::default();
        self.walk(sources, &mut |chunk| {
            lengths.entries += chunk.len;
            lengths.tombstones += chunk.tombstones;
            Ok(())
        })?;
        Ok(lengths)
    }

    /// The entries that stay, as a run.
    fn written(&self, sources: &Sources<'_, B, K, V>, lengths: Lengths) -> Result<Run<B, K, V>> {
        let (mut keys, mut values) =
            (self.backend.room::<K>(lengths.entries)?, self.backend.room::<V>(lengths.entries)?);
        let mut marks = copied(self.backend.meter(), (0..mark_words(lengths.entries)).map(|_| 0))?;
        let mut done = 0;
        self.walk(sources, &mut |chunk| {
            self.backend.copy_into(&chunk.keys, chunk.len, &mut keys, done)?;
            self.backend.copy_into(&chunk.values, chunk.len, &mut values, done)?;
            if let Some(bits) = &chunk.marks {
                let bits = self.backend.download(bits, mark_words(chunk.len))?;
                for i in (0..chunk.len).filter(|i| bits[i / 32] >> (i % 32) & 1 == 1) {
                    marks[(done + i) / 32] |= 1 << ((done + i) % 32);
                }
            }
            done += chunk.len;
            Ok(())
        })?;
        let marks = if lengths.tombstones > 0 { Some(self.backend.upload(&marks)?) } else { None };
        let pile = Pile { keys, values, marks, len: lengths.entries };
        Ok(self.backend.settle(pile, Vec::new(), Tombstones::Keep)?)
    }

    /// Calls `take` with runs of the entries that stay, one after the other in the order of keys.
    fn walk(
        &self,
        sources: &Sources<'_, B, K, V>,
        take: &mut impl FnMut(&Run<B, K, V>) -> Result<()>,
    ) -> Result<()> {
        let mut place = Place { from: K::MIN, way: Way::Up, deletes: 0 };
        loop {
            let reached = self.reached(sources, &place)?;
            let deletes = &sources.deletes[place.deletes..];
            let deletes = &deletes[..deletes.partition_point(|key| *key <= reached)];
            take(&self.chunk_up_to(sources, &place, deletes, reached)?)?;
            if reached == K::MAX {
                return Ok(());
            }
            place = Place { from: reached, way: Way::UpAfter, deletes: place.deletes + deletes.len() };
        }
    }

    /// The key up to which neither a run nor the deletes have more than a window.
    fn reached(&self, sources: &Sources<'_, B, K, V>, place: &Place<K>) -> Result<K> {
        let Place { from, way, deletes } = *place;
        let last_delete = sources.deletes.get(deletes + sources.window - 1).copied().unwrap_or(K::MAX);
        let from = self.backend.upload(&[from])?;
        let mut reached = self.backend.upload(&[last_delete])?;
        for run in &sources.runs {
            reached = self.backend.window(run, &from, way, sources.window as u32, Some(reached), None)?.1;
        }
        Ok(self.backend.download(&reached, 1)?[0])
    }

    /// The entries that stay, from a place up to a key.
    fn chunk_up_to(
        &self,
        sources: &Sources<'_, B, K, V>,
        place: &Place<K>,
        deletes: &[K],
        reached: K,
    ) -> Result<Run<B, K, V>> {
        let backend = &self.backend;
        let start = if place.way == Way::Up { Start::At } else { Start::After };
        let (lower, upper) = (backend.upload(&[place.from])?, backend.upload(&[reached])?);
        let mut pile = Pile {
            keys: backend.upload(deletes)?,
            values: backend.upload(&copied(backend.meter(), deletes.iter().map(|_| V::zeroed()))?)?,
            marks: Some(backend.marks(0, deletes.len())?).filter(|_| !deletes.is_empty()),
            len: deletes.len(),
        };
        for run in &sources.runs {
            let bounds = backend.bounds(run, &lower, &upper, start)?;
            let total = backend.read_counts(&[&bounds.total])?[0] as usize;
            if total > 0 {
                let older = backend.expand(run, &bounds, total)?.entries;
                pile = if pile.len == 0 { older } else { backend.merge(&pile, &older)? };
            }
        }
        Ok(backend.settle(pile, Vec::new(), sources.tombstones)?)
    }
}
