//! The operations of a batch, on the device.

use crate::error::Result;
use gpu_lsm_primitives::{Array, Backend, Code, Value};

/// A key per operation, values for a prefix of them, and a bit per operation that is set for deletes.
pub(crate) struct Operations<B: Backend, K: Code, V: Value> {
    pub(crate) keys: B::Array<K>,
    pub(crate) values: B::Array<V>,
    pub(crate) marks: Option<B::Array<u32>>,
}

impl<B: Backend, K: Code, V: Value> Operations<B, K, V> {
    /// Inserts, followed by deletes.
    pub(crate) fn update(
        backend: &B,
        keys: B::Array<K>,
        values: B::Array<V>,
        deletes: B::Array<K>,
    ) -> Result<Self> {
        if deletes.is_empty() {
            return Ok(Self { keys, values, marks: None });
        }
        let inserts = keys.len();
        let keys = if inserts == 0 { deletes } else { backend.concat(&keys, &deletes)? };
        let marks = Some(backend.marks(inserts, keys.len())?);
        Ok(Self { keys, values, marks })
    }

    /// Inserts and deletes in any order. `flags` has a number for each, zero for an insert.
    pub(crate) fn mixed(
        backend: &B,
        keys: B::Array<K>,
        values: &B::Array<V>,
        flags: &B::Array<u32>,
    ) -> Result<Self> {
        let (values, marks) = backend.mask(values, flags)?;
        Ok(Self { keys, values, marks: Some(marks) })
    }

    /// Deletes only.
    pub(crate) fn deletes(backend: &B, keys: B::Array<K>) -> Result<Self> {
        let marks = Some(backend.marks(0, keys.len())?);
        Ok(Self { keys, values: backend.upload(&[])?, marks })
    }

    pub(crate) fn len(&self) -> usize {
        self.keys.len()
    }
}
