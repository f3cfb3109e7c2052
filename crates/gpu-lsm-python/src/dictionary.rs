//! Dictionaries, as Python sees them.

use crate::buffer::Buffer;
use crate::columns::{Column, WordColumn};
use crate::home::{ConfigArguments, HomeArguments, plan};
use crate::kind::Kind;
use crate::locked::Locked;
use crate::parquet::opened;
use crate::raw::Updates;
use crate::snapshot::Snapshot;
use gpu_lsm_store::{ColumnNames, Types};
use pyo3::prelude::*;
use std::path::PathBuf;

/// A dictionary whose keys are words, and whose values are words too.
#[pyclass(frozen)]
pub(crate) struct Dictionary(Locked<dyn Updates>);

impl Dictionary {
    pub(crate) fn new(kind: Kind, updates: Box<dyn Updates>) -> Self {
        Self(Locked::new(kind, updates))
    }
}

#[pymethods]
impl Dictionary {
    #[new]
    fn open(
        py: Python<'_>,
        kind: &str,
        words: usize,
        home: HomeArguments<'_>,
        config: ConfigArguments,
    ) -> PyResult<Self> {
        let plan = plan(kind, words, home, config)?;
        Ok(Self::new(plan.kind, py.detach(|| plan.make())?))
    }

    /// The current state.
    fn snapshot(&self, py: Python<'_>) -> PyResult<Snapshot> {
        Ok(Snapshot::new(self.0.kind(), self.0.see(py, |updates| updates.snapshot())?))
    }

    /// A dictionary that starts with the current state and goes its own way.
    fn fork(&self, py: Python<'_>) -> PyResult<Self> {
        Ok(Self::new(self.0.kind(), self.0.see(py, |updates| updates.fork())??))
    }

    /// Inserts, then deletes, as one batch.
    fn update(
        &self,
        py: Python<'_>,
        keys: Column<'_>,
        values: WordColumn<'_>,
        deletes: Column<'_>,
    ) -> PyResult<()> {
        let (keys, values, deletes) = (keys.words()?, values.as_slice()?, deletes.words()?);
        self.0.change(py, |kind, updates| updates.update(&kind.encode(&keys), values, &kind.encode(&deletes)))
    }

    /// The same with buffers.
    fn update_there(&self, py: Python<'_>, keys: &Buffer, values: &Buffer, deletes: &Buffer) -> PyResult<()> {
        let columns = [keys.held()?, values.held()?, deletes.held()?];
        self.0.change(py, |kind, updates| updates.update_there(kind, columns))
    }

    fn delete(&self, py: Python<'_>, keys: Column<'_>) -> PyResult<()> {
        let keys = keys.words()?;
        self.0.change(py, |kind, updates| updates.delete(&kind.encode(&keys)))
    }

    /// Mixed operations in their order. A flag is not zero for a delete.
    fn apply(
        &self,
        py: Python<'_>,
        keys: Column<'_>,
        values: WordColumn<'_>,
        deletes: WordColumn<'_>,
    ) -> PyResult<()> {
        let (keys, values, deletes) = (keys.words()?, values.as_slice()?, deletes.as_slice()?);
        self.0.change(py, |kind, updates| updates.apply(&kind.encode(&keys), values, deletes))
    }

    fn delete_range(&self, py: Python<'_>, lower: Column<'_>, upper: Column<'_>) -> PyResult<()> {
        let (lower, upper) = (lower.words()?, upper.words()?);
        self.0.change(py, |kind, updates| updates.delete_range(&kind.encode(&lower), &kind.encode(&upper)))
    }

    fn clear(&self, py: Python<'_>) -> PyResult<()> {
        self.0.change(py, |_, updates| updates.clear())
    }

    fn cleanup(&self, py: Python<'_>) -> PyResult<()> {
        self.0.change(py, |_, updates| updates.cleanup())
    }

    fn set_byte_budget(&self, py: Python<'_>, bytes: Option<u64>) -> PyResult<()> {
        self.0.change(py, |_, updates| updates.set_byte_budget(bytes))
    }

    /// Inserts the rows of a Parquet file: a column of keys and, unless it is a set, one of values.
    fn read_parquet(
        &self,
        py: Python<'_>,
        path: PathBuf,
        types: (String, String),
        names: (String, String),
    ) -> PyResult<()> {
        let (names, types) = (ColumnNames { key: names.0, value: names.1 }, Types::named(types.0, types.1));
        self.0.change(py, |_, updates| updates.read_parquet(opened(&path)?, &names, &types))
    }
}
