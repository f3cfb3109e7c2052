//! Dictionaries that all threads of Python share. Every call releases the interpreter while it computes or waits.

use crate::failure::Outcome;
use crate::kind::Kind;
use crate::process::Owned;
use pyo3::prelude::*;
use std::sync::{PoisonError, RwLock};

/// A dictionary, with the kind of its keys, that one call changes at a time.
pub(crate) struct Locked<T: ?Sized> {
    kind: Kind,
    inner: Owned<RwLock<Box<T>>>,
}

impl<T: ?Sized + Send + Sync> Locked<T> {
    pub(crate) fn new(kind: Kind, inner: Box<T>) -> Self {
        Self { kind, inner: Owned::new(RwLock::new(inner)) }
    }

    pub(crate) fn kind(&self) -> Kind {
        self.kind
    }

    /// Changes it. Whoever else wants to change it, or to see its current state, waits.
    pub(crate) fn change<R: Send>(
        &self,
        py: Python<'_>,
        change: impl FnOnce(Kind, &mut T) -> Outcome<R> + Send,
    ) -> PyResult<R> {
        let (inner, kind) = (self.inner.get()?, self.kind);
        // A call that panicked has changed nothing: updates end with the exchange of one list.
        Ok(py.detach(|| change(kind, &mut **inner.write().unwrap_or_else(PoisonError::into_inner)))?)
    }

    /// Looks at it.
    pub(crate) fn see<R: Send>(&self, py: Python<'_>, see: impl FnOnce(&T) -> R + Send) -> Outcome<R> {
        let inner = self.inner.get()?;
        Ok(py.detach(|| see(&**inner.read().unwrap_or_else(PoisonError::into_inner))))
    }
}
