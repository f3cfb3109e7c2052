//! A batch on its way into a dictionary.

use crate::error::{Error, Result, check_columns};
use gpu_lsm_primitives::baselines::{Baselines, Pairs};
use gpu_lsm_primitives::{Array, entries::mark_words};

/// Operations in order: keys, their values, and a bit for each delete.
pub(crate) struct Batch<'a, B: Baselines> {
    keys: &'a B::Array<u32>,
    values: B::Array<u32>,
    marks: Option<B::Array<u32>>,
}

impl<'a, B: Baselines> Batch<'a, B> {
    pub(crate) fn inserts(keys: &'a B::Array<u32>, values: &B::Array<u32>) -> Result<Self> {
        check_columns(keys.len(), values.len())?;
        Ok(Self { keys, values: values.clone(), marks: None })
    }

    pub(crate) fn deletes(backend: &B, keys: &'a B::Array<u32>) -> Result<Self> {
        Ok(Self { keys, values: backend.room(0)?, marks: Some(backend.marks(0, keys.len())?) })
    }

    pub(crate) fn mixed(
        keys: &'a B::Array<u32>,
        values: &B::Array<u32>,
        marks: &B::Array<u32>,
    ) -> Result<Self> {
        let (words, keys_len) = (marks.len(), keys.len());
        if words < mark_words(keys_len) {
            return Err(Error::FewMarks { words, keys: keys_len });
        }
        Ok(Self { marks: Some(marks.clone()), ..Self::inserts(keys, values)? })
    }

    pub(crate) fn len(&self) -> usize {
        self.keys.len()
    }

    /// The batch sorted by its key variables, status bits included, and padded with its first key up to `len`. The batch
    /// must not be empty.
    pub(crate) fn sorted(&self, backend: &B, len: usize) -> Result<Pairs<B>> {
        let encoded = backend.encode_keys(self.keys, self.marks.as_ref(), len)?;
        let sorted = backend.sort(&encoded)?;
        let values = backend.encode_values(&self.values, &sorted.positions, self.len())?;
        Ok(Pairs { keys: sorted.keys, values })
    }
}
