//! Durable dictionaries, as Python sees them. Every call releases the interpreter while it computes or waits.

use crate::columns::{Column, WordColumn};
use crate::failure::{Failure, Outcome};
use crate::kind::Kind;
use crate::process::Owned;
use crate::raw::{Durables, Origin};
use crate::report::{Objects, collected};
use crate::snapshot::Snapshot;
use pyo3::prelude::*;
use std::sync::{PoisonError, RwLock};
use std::time::Duration;

/// How long a call waits for the store before it looks whether it was interrupted.
const PATIENCE: Duration = Duration::from_millis(100);

/// A dictionary whose updates are in a store when they return.
#[pyclass(frozen)]
pub(crate) struct Durable {
    kind: Kind,
    durables: Owned<RwLock<Box<dyn Durables>>>,
}

impl Durable {
    pub(crate) fn new(kind: Kind, durables: Box<dyn Durables>) -> Self {
        Self { kind, durables: Owned::new(RwLock::new(durables)) }
    }

    fn change<T: Send>(
        &self,
        py: Python<'_>,
        change: impl FnOnce(Kind, &mut dyn Durables) -> Outcome<T> + Send,
    ) -> PyResult<T> {
        let (durables, kind) = (self.durables.get()?, self.kind);
        // A call that panicked has changed nothing: updates end with the exchange of one list.
        Ok(py.detach(|| change(kind, &mut **durables.write().unwrap_or_else(PoisonError::into_inner)))?)
    }

    fn see<T: Send>(&self, py: Python<'_>, see: impl FnOnce(&dyn Durables) -> T + Send) -> Outcome<T> {
        let durables = self.durables.get()?;
        Ok(py.detach(|| see(&**durables.read().unwrap_or_else(PoisonError::into_inner))))
    }
}

#[pymethods]
impl Durable {
    /// The current state.
    fn snapshot(&self, py: Python<'_>) -> PyResult<Snapshot> {
        Ok(Snapshot::new(self.kind, self.see(py, |durables| durables.snapshot())?))
    }

    /// The state that is in the store.
    fn durable(&self, py: Python<'_>) -> PyResult<Snapshot> {
        Ok(Snapshot::new(self.kind, self.see(py, |durables| durables.durable())?))
    }

    /// Applies mixed operations in their order. A flag is not zero for a delete.
    #[pyo3(signature = (keys, values, deletes, caller, number))]
    fn submit(
        &self,
        py: Python<'_>,
        keys: Column<'_>,
        values: WordColumn<'_>,
        deletes: WordColumn<'_>,
        caller: Option<String>,
        number: Option<u64>,
    ) -> PyResult<Receipt> {
        let (keys, values, deletes) = (keys.words()?, values.as_slice()?, deletes.as_slice()?);
        let origin = origin(caller, number)?;
        let submit =
            |kind: Kind, to: &mut dyn Durables| to.submit(&kind.encode(&keys), values, deletes, origin);
        Ok(Receipt(Owned::new(self.change(py, submit)?)))
    }

    /// The same, and waits until they are durable. Others may update meanwhile.
    #[pyo3(signature = (keys, values, deletes, caller, number))]
    fn perform(
        &self,
        py: Python<'_>,
        keys: Column<'_>,
        values: WordColumn<'_>,
        deletes: WordColumn<'_>,
        caller: Option<String>,
        number: Option<u64>,
    ) -> PyResult<()> {
        let outcome = self.submit(py, keys, values, deletes, caller, number)?.wait(py);
        if outcome.is_err() {
            // Memory goes back to what is durable. The error of the batch says more.
            let _ = self.flush(py);
        }
        outcome.map(drop)
    }

    fn delete_range(&self, py: Python<'_>, lower: Column<'_>, upper: Column<'_>) -> PyResult<()> {
        let (lower, upper) = (lower.words()?, upper.words()?);
        self.change(py, |kind, durables| durables.delete_range(&kind.encode(&lower), &kind.encode(&upper)))
    }

    fn clear(&self, py: Python<'_>) -> PyResult<()> {
        self.change(py, |_, durables| durables.clear())
    }

    fn cleanup(&self, py: Python<'_>) -> PyResult<()> {
        self.change(py, |_, durables| durables.cleanup())
    }

    /// The number of a caller's last batch.
    fn last_of(&self, py: Python<'_>, caller: &str) -> PyResult<u64> {
        Ok(self.see(py, |durables| durables.last_of(caller))?)
    }

    /// Waits until everything is durable.
    fn flush(&self, py: Python<'_>) -> PyResult<()> {
        self.change(py, |_, durables| durables.flush())
    }

    /// Publishes a version.
    fn checkpoint(&self, py: Python<'_>) -> PyResult<u64> {
        self.change(py, |_, durables| durables.checkpoint())
    }

    /// Deletes everything that no version needs.
    fn collect(&self, py: Python<'_>) -> PyResult<Objects> {
        Ok(collected(&self.change(py, |_, durables| durables.collect())?))
    }
}

fn origin(caller: Option<String>, number: Option<u64>) -> Outcome<Origin> {
    match (caller, number) {
        (Some(caller), Some(number)) => Ok(Some((caller, number))),
        (None, None) => Ok(None),
        _ => Err(Failure::NoOrigin),
    }
}

/// Stands for a batch that may not be durable yet.
#[pyclass(frozen)]
pub(crate) struct Receipt(Owned<gpu_lsm_store::Receipt>);

#[pymethods]
impl Receipt {
    /// The number of the record that has the batch. Waits until it is durable, or is known not to be.
    fn wait(&self, py: Python<'_>) -> PyResult<u64> {
        let receipt = self.0.get()?;
        loop {
            if let Some(outcome) = py.detach(|| receipt.wait_for(PATIENCE)) {
                return Ok(outcome.map_err(Failure::from)?);
            }
            py.check_signals()?;
        }
    }

    /// Whether the outcome is known.
    fn done(&self) -> PyResult<bool> {
        Ok(self.0.get()?.outcome().is_some())
    }
}
