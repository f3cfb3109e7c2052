//! Snapshots, as Python sees them. Every call releases the interpreter while it computes.

use crate::buffer::Buffer;
use crate::columns::{Column, WordColumn, array, array_of_codes, flags};
use crate::failure::Outcome;
use crate::held::Ask;
use crate::kind::{Codes, Kind};
use crate::parquet::created;
use crate::process::Owned;
use crate::raw::{Chunk, Part, Queries, Way};
use gpu_lsm_store::{ColumnNames, Types};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

/// The most queries of one step. Between steps, signals are handled.
const STEP: usize = 1 << 20;

type Array<'py> = Bound<'py, PyAny>;

/// A level of a section: its number, entries, tombstones and bytes.
type Level = (usize, u64, u64, u64);

/// A section: its device, levels, bytes in use and peak bytes.
type Section = (String, Vec<Level>, u64, u64);

/// The state of a dictionary at one moment.
#[pyclass(frozen)]
pub(crate) struct Snapshot {
    kind: Kind,
    queries: Owned<Arc<dyn Queries>>,
}

impl Snapshot {
    pub(crate) fn new(kind: Kind, queries: Arc<dyn Queries>) -> Self {
        Self { kind, queries: Owned::new(queries) }
    }

    /// Answers intervals step by step.
    fn intervals<T: Send>(
        &self,
        py: Python<'_>,
        (lower, upper): (&Column<'_>, &Column<'_>),
        ask: impl Fn(&dyn Queries, &Codes<'_>, &Codes<'_>) -> Outcome<T> + Sync,
        append: impl Fn(&mut T, T) + Sync,
    ) -> PyResult<T> {
        let (queries, kind) = (self.queries.get()?, self.kind);
        let (lower, upper) = (lower.words()?, upper.words()?);
        let len = lower.len().max(upper.len());
        if lower.len() != upper.len() || len <= STEP {
            return Ok(py.detach(|| ask(&**queries, &kind.encode(&lower), &kind.encode(&upper)))?);
        }
        stepwise(py, len, append, |range| {
            let (lower, upper) = (lower.part(range.clone()), upper.part(range));
            ask(&**queries, &kind.encode(&lower), &kind.encode(&upper))
        })
    }

    /// Answers queries of single keys step by step.
    fn keys<T: Send>(
        &self,
        py: Python<'_>,
        keys: &Column<'_>,
        ask: impl Fn(&dyn Queries, &Codes<'_>) -> Outcome<T> + Sync,
        append: impl Fn(&mut T, T) + Sync,
    ) -> PyResult<T> {
        let (queries, kind) = (self.queries.get()?, self.kind);
        let keys = keys.words()?;
        stepwise(py, keys.len(), append, |range| ask(&**queries, &kind.encode(&keys.part(range))))
    }

    fn neighbours<'py>(
        &self,
        py: Python<'py>,
        keys: &Column<'_>,
        way: Way,
    ) -> PyResult<(Array<'py>, Array<'py>, Array<'py>)> {
        let kind = self.kind;
        let ask = |queries: &dyn Queries, keys: &Codes<'_>| {
            let mut nearest = queries.neighbours(keys, way)?;
            nearest.keys = kind.decode(nearest.keys);
            nearest.keys.zero_missing(&nearest.found);
            Ok(nearest)
        };
        let nearest = self.keys(py, keys, ask, |all, more| all.append(more))?;
        Ok((array_of_codes(py, nearest.keys), array(py, nearest.values), flags(py, nearest.found)))
    }
}

#[pymethods]
impl Snapshot {
    /// Values and whether they were found.
    fn lookup<'py>(&self, py: Python<'py>, keys: Column<'_>) -> PyResult<(Array<'py>, Array<'py>)> {
        let answers =
            self.keys(py, &keys, |queries, keys| queries.lookup(keys), |all, more| all.append(more))?;
        Ok((array(py, answers.values), flags(py, answers.found)))
    }

    /// The number of entries in each interval.
    fn count<'py>(&self, py: Python<'py>, lower: Column<'_>, upper: Column<'_>) -> PyResult<Array<'py>> {
        let ask = |queries: &dyn Queries, lower: &Codes<'_>, upper: &Codes<'_>| queries.count(lower, upper);
        let counts = self.intervals(py, (&lower, &upper), ask, |all, more| all.extend(more))?;
        Ok(array(py, counts))
    }

    /// Offsets, keys and values of the entries in each interval: all, or the first ones.
    #[pyo3(signature = (lower, upper, limit, after))]
    fn range<'py>(
        &self,
        py: Python<'py>,
        lower: Column<'_>,
        upper: Column<'_>,
        limit: Option<u32>,
        after: bool,
    ) -> PyResult<(Array<'py>, Array<'py>, Array<'py>)> {
        let part = match (limit, after) {
            (None, _) => Part::All,
            (Some(limit), false) => Part::First(limit),
            (Some(limit), true) => Part::After(limit),
        };
        self.found(py, (&lower, &upper), part)
    }

    /// Offsets, keys and values of the points in each rectangle.
    fn rectangles<'py>(
        &self,
        py: Python<'py>,
        lower: Column<'_>,
        upper: Column<'_>,
    ) -> PyResult<(Array<'py>, Array<'py>, Array<'py>)> {
        self.found(py, (&lower, &upper), Part::Rectangle)
    }

    /// Keys and values of the first entries at or after keys, and whether there are any.
    fn successor<'py>(
        &self,
        py: Python<'py>,
        keys: Column<'_>,
    ) -> PyResult<(Array<'py>, Array<'py>, Array<'py>)> {
        self.neighbours(py, &keys, Way::Up)
    }

    /// Keys and values of the last entries at or before keys, and whether there are any.
    fn predecessor<'py>(
        &self,
        py: Python<'py>,
        keys: Column<'_>,
    ) -> PyResult<(Array<'py>, Array<'py>, Array<'py>)> {
        self.neighbours(py, &keys, Way::Down)
    }

    /// Copies keys to the device.
    fn upload_keys(&self, py: Python<'_>, keys: Column<'_>) -> PyResult<Buffer> {
        let (queries, kind, words) = (self.queries.get()?, self.kind, keys.words()?);
        Ok(Buffer::new(py.detach(|| queries.upload_keys(kind, &words))?))
    }

    /// Copies values of this many keys to the device.
    fn upload_values(&self, py: Python<'_>, values: WordColumn<'_>, count: usize) -> PyResult<Buffer> {
        let (queries, words) = (self.queries.get()?, values.as_slice()?);
        Ok(Buffer::new(py.detach(|| queries.upload_values(words, count))?))
    }

    /// Answers a query of buffers with buffers.
    #[pyo3(signature = (what, first, second, limit))]
    fn ask(
        &self,
        py: Python<'_>,
        what: &str,
        first: &Buffer,
        second: Option<&Buffer>,
        limit: Option<u32>,
    ) -> PyResult<Vec<Buffer>> {
        let (queries, kind, first) = (self.queries.get()?, self.kind, first.held()?);
        let second = second.map_or(Ok(first), Buffer::held)?;
        let ask = match what {
            "lookup" => Ask::Lookup(first),
            "count" => Ask::Count(first, second),
            "range" => Ask::Range(first, second, limit),
            "successor" => Ask::Successor(first),
            "predecessor" => Ask::Predecessor(first),
            _ => return Err(PyValueError::new_err(format!("no query is called {what:?}"))),
        };
        let answers = py.detach(|| queries.ask(kind, &ask))?;
        Ok(answers.into_iter().map(Buffer::new).collect())
    }

    /// All entries in chunks.
    fn scan(&self, chunk: u32) -> PyResult<Scan> {
        let chunks = self.queries.get()?.scan(chunk);
        Ok(Scan { kind: self.kind, chunks: Owned::new(Mutex::new(chunks)) })
    }

    /// The number of live entries.
    fn len(&self, py: Python<'_>) -> PyResult<u64> {
        let queries = self.queries.get()?;
        Ok(py.detach(|| queries.len())?)
    }

    /// Checks every rule of runs and levels.
    fn verify(&self, py: Python<'_>) -> PyResult<()> {
        let queries = self.queries.get()?;
        Ok(py.detach(|| queries.verify())?)
    }

    /// The batch size and the byte budget.
    fn config(&self) -> PyResult<(usize, Option<u64>)> {
        let config = self.queries.get()?.config();
        Ok((config.batch_size(), config.byte_budget()))
    }

    /// Writes the live entries to a Parquet file, and returns their number.
    fn write_parquet(
        &self,
        py: Python<'_>,
        path: PathBuf,
        types: (String, String),
        names: (String, String),
    ) -> PyResult<u64> {
        let queries = self.queries.get()?;
        let (names, types) = (ColumnNames { key: names.0, value: names.1 }, Types::named(types.0, types.1));
        Ok(py.detach(|| queries.write_parquet(created(&path)?, &names, &types))?)
    }

    /// Device, levels and bytes of each section.
    fn sections(&self) -> PyResult<Vec<Section>> {
        let sections = self.queries.get()?.sections().into_iter();
        Ok(sections
            .map(|section| {
                let statistics = section.statistics;
                let level = |level: &gpu_lsm::LevelStatistics| {
                    (level.level, level.entries, level.tombstones, level.bytes)
                };
                let levels = statistics.levels.iter().map(level).collect();
                (section.device, levels, statistics.bytes_in_use, statistics.peak_bytes)
            })
            .collect())
    }
}

impl Snapshot {
    pub(crate) fn queries(&self) -> Outcome<&Arc<dyn Queries>> {
        self.queries.get()
    }

    fn found<'py>(
        &self,
        py: Python<'py>,
        bounds: (&Column<'_>, &Column<'_>),
        part: Part,
    ) -> PyResult<(Array<'py>, Array<'py>, Array<'py>)> {
        let kind = self.kind;
        let ask = |queries: &dyn Queries, lower: &Codes<'_>, upper: &Codes<'_>| {
            let mut found = queries.range(lower, upper, part)?;
            found.keys = kind.decode(found.keys);
            Ok(found)
        };
        let found = self.intervals(py, bounds, ask, |all, more| all.append(more))?;
        Ok((array(py, found.offsets), array_of_codes(py, found.keys), array(py, found.values)))
    }
}

/// Asks at most [`STEP`] queries at a time, and handles signals in between.
fn stepwise<T: Send>(
    py: Python<'_>,
    len: usize,
    append: impl Fn(&mut T, T),
    ask: impl Fn(Range<usize>) -> Outcome<T> + Sync,
) -> PyResult<T> {
    let mut all = py.detach(|| ask(0..len.min(STEP)))?;
    for start in (STEP..len).step_by(STEP) {
        py.check_signals()?;
        append(&mut all, py.detach(|| ask(start..len.min(start + STEP)))?);
    }
    Ok(all)
}

/// The chunks of a scan that are still to come.
type Chunks = Box<dyn Iterator<Item = Outcome<Chunk>> + Send>;

/// All entries of a snapshot, chunk by chunk.
#[pyclass(frozen)]
pub(crate) struct Scan {
    kind: Kind,
    chunks: Owned<Mutex<Chunks>>,
}

#[pymethods]
impl Scan {
    /// Keys and values of the next chunk.
    fn next<'py>(&self, py: Python<'py>) -> PyResult<Option<(Array<'py>, Array<'py>)>> {
        let (chunks, kind) = (self.chunks.get()?, self.kind);
        let chunk = py.detach(|| chunks.lock().unwrap_or_else(PoisonError::into_inner).next());
        let Some((keys, values)) = chunk.transpose()? else { return Ok(None) };
        let keys = py.detach(|| kind.decode(keys));
        Ok(Some((array_of_codes(py, keys), array(py, values))))
    }
}
