//! Durable dictionaries, as Python sees them.

use crate::columns::{Column, WordColumn};
use crate::failure::{Failure, Outcome};
use crate::kind::Kind;
use crate::locked::Locked;
use crate::process::Owned;
use crate::raw::{Durables, Origin};
use crate::report::{Objects, collected};
use crate::snapshot::Snapshot;
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use std::time::Duration;

/// How long a call waits for the store before it looks whether it was interrupted.
const PATIENCE: Duration = Duration::from_millis(100);

/// Operations in their order, as columns of keys, values and flags that are not zero for a delete; and the caller and its
/// number for them.
#[derive(FromPyObject)]
struct Submission<'py>(Column<'py>, WordColumn<'py>, WordColumn<'py>, Option<String>, Option<u64>);

/// A dictionary whose updates are in a store when they return.
#[pyclass(frozen)]
pub(crate) struct Durable(Locked<dyn Durables>);

impl Durable {
    pub(crate) fn new(kind: Kind, durables: Box<dyn Durables>) -> Self {
        Self(Locked::new(kind, durables))
    }
}

#[pymethods]
impl Durable {
    /// The current state.
    fn snapshot(&self, py: Python<'_>) -> PyResult<Snapshot> {
        Ok(Snapshot::new(self.0.kind(), self.0.see(py, |durables| durables.snapshot())?))
    }

    /// The state that is in the store.
    fn durable(&self, py: Python<'_>) -> PyResult<Snapshot> {
        Ok(Snapshot::new(self.0.kind(), self.0.see(py, |durables| durables.durable())?))
    }

    /// Applies a [`Submission`].
    #[pyo3(signature = (*batch))]
    fn submit(&self, py: Python<'_>, batch: &Bound<'_, PyTuple>) -> PyResult<Receipt> {
        let Submission(keys, values, deletes, caller, number) = batch.extract()?;
        let (keys, values, deletes) = (keys.words()?, values.as_slice()?, deletes.as_slice()?);
        let origin = origin(caller, number)?;
        let receipt =
            self.0.change(py, |kind, to| to.submit(&kind.encode(&keys), values, deletes, origin))?;
        Ok(Receipt(Owned::new(receipt)))
    }

    /// The same, and waits until it is durable. Others may update meanwhile.
    #[pyo3(signature = (*batch))]
    fn perform(&self, py: Python<'_>, batch: &Bound<'_, PyTuple>) -> PyResult<()> {
        let Err(failure) = self.submit(py, batch)?.outcome(py)? else { return Ok(()) };
        let error = PyErr::from(failure);
        // Memory goes back to what is durable. That usually fails as the batch did.
        match self.flush(py) {
            Err(other) if !is_same(py, &error, &other) => {
                let note = format!("Going back to what is durable failed, too: {}", other.value(py));
                error.value(py).call_method1("add_note", (note,))?;
            }
            _ => {}
        }
        Err(error)
    }

    fn delete_range(&self, py: Python<'_>, lower: Column<'_>, upper: Column<'_>) -> PyResult<()> {
        let (lower, upper) = (lower.words()?, upper.words()?);
        self.0.change(py, |kind, durables| durables.delete_range(&kind.encode(&lower), &kind.encode(&upper)))
    }

    fn clear(&self, py: Python<'_>) -> PyResult<()> {
        self.0.change(py, |_, durables| durables.clear())
    }

    fn cleanup(&self, py: Python<'_>) -> PyResult<()> {
        self.0.change(py, |_, durables| durables.cleanup())
    }

    /// The number of a caller's last batch.
    fn last_of(&self, py: Python<'_>, caller: &str) -> PyResult<u64> {
        Ok(self.0.see(py, |durables| durables.last_of(caller))?)
    }

    /// Waits until everything is durable.
    fn flush(&self, py: Python<'_>) -> PyResult<()> {
        self.0.change(py, |_, durables| durables.flush())
    }

    /// Publishes a version.
    fn checkpoint(&self, py: Python<'_>) -> PyResult<u64> {
        self.0.change(py, |_, durables| durables.checkpoint())
    }

    /// Deletes everything that no version needs.
    fn collect(&self, py: Python<'_>) -> PyResult<Objects> {
        Ok(collected(&self.0.change(py, |_, durables| durables.collect())?))
    }
}

fn origin(caller: Option<String>, number: Option<u64>) -> Outcome<Origin> {
    match (caller, number) {
        (Some(caller), Some(number)) => Ok(Some((caller, number))),
        (None, None) => Ok(None),
        _ => Err(Failure::NoOrigin),
    }
}

/// Whether two errors say the same.
fn is_same(py: Python<'_>, one: &PyErr, other: &PyErr) -> bool {
    one.value(py).to_string() == other.value(py).to_string()
}

/// Stands for a batch that may not be durable yet.
#[pyclass(frozen)]
pub(crate) struct Receipt(Owned<gpu_lsm_store::Receipt>);

#[pymethods]
impl Receipt {
    /// The number of the record that has the batch. Waits until it is durable, or is known not to be.
    fn wait(&self, py: Python<'_>) -> PyResult<u64> {
        Ok(self.outcome(py)??)
    }

    /// Whether the outcome is known.
    fn done(&self) -> PyResult<bool> {
        Ok(self.0.get()?.outcome().is_some())
    }
}

impl Receipt {
    /// What became of the batch. Waits for it, unless a signal handler raises.
    fn outcome(&self, py: Python<'_>) -> PyResult<Outcome<u64>> {
        let receipt = self.0.get()?;
        loop {
            if let Some(outcome) = py.detach(|| receipt.wait_for(PATIENCE)) {
                return Ok(outcome.map_err(Failure::from));
            }
            py.check_signals()?;
        }
    }
}
