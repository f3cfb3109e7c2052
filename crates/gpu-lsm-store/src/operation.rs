//! The operations of batches, and their form in the log.
//!
//! | code | columns | what it does |
//! |---|---|---|
//! | `apply` | `key`, `value` unless the dictionary is a set, `deleted` if any row is a delete | inserts and deletes, in this order |
//! | `delete_range` | `lower`, `upper` | deletes everything in intervals, both ends inclusive |
//! | `cleanup`, `clear` | none | as the methods of these names |
//!
//! A batch's checksum is that of its code, followed by the bytes of its columns: codes of keys, values, and 32 deletes per
//! word, if there are any. It does not depend on how the columns are written.

use crate::checksum::Checksum;
use crate::error::{Error, Result};
use crate::layout::Layout;
use crate::stream;
use crate::types::{StoredKey, StoredValue};
use arrow_array::{Array, ArrayRef, BooleanArray};
use arrow_buffer::{BooleanBuffer, Buffer};
use arrow_schema::DataType;
use gpu_lsm::Batch;
use std::ops::Range;
use std::sync::Arc;

/// An update of a dictionary that the log can hold.
#[derive(Debug, Clone, PartialEq)]
pub enum Operation<K: StoredKey, V: StoredValue> {
    /// Inserts and deletes, in their order.
    Apply(Batch<K, V>),
    /// Deletes everything between lower and upper bounds, both inclusive.
    DeleteRange(Vec<K>, Vec<K>),
    /// Merges all levels.
    Cleanup,
    /// Deletes everything.
    Clear,
}

impl<K: StoredKey, V: StoredValue> Operation<K, V> {
    /// The code in the log.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Apply(_) => "apply",
            Self::DeleteRange(..) => "delete_range",
            Self::Cleanup => "cleanup",
            Self::Clear => "clear",
        }
    }

    /// The number of rows.
    pub fn rows(&self) -> usize {
        match self {
            Self::Apply(batch) => batch.len(),
            Self::DeleteRange(lower, _) => lower.len(),
            Self::Cleanup | Self::Clear => 0,
        }
    }

    /// The checksum of its code and columns.
    pub fn checksum(&self) -> Checksum {
        let checksum = Checksum::of(self.code().as_bytes());
        match self {
            Self::Apply(batch) => {
                let (keys, values, marks) = batch.columns();
                let checksum = and_keys(checksum, keys).and(bytemuck::cast_slice(values));
                if batch.has_deletes() { checksum.and(bytemuck::cast_slice(marks)) } else { checksum }
            }
            Self::DeleteRange(lower, upper) => and_keys(and_keys(checksum, lower), upper),
            Self::Cleanup | Self::Clear => checksum,
        }
    }

    /// Some of its rows as an Arrow stream; no bytes if it has no columns.
    ///
    /// # Errors
    /// If Arrow can't write the columns.
    pub fn encode(&self, layout: &Layout, rows: Range<usize>) -> Result<Vec<u8>> {
        let columns = match self {
            Self::Apply(batch) => apply_columns(layout, batch, rows),
            Self::DeleteRange(lower, upper) => {
                let keys = |keys: &[K]| layout.key_array(codes(keys));
                vec![("lower", keys(&lower[rows.clone()])), ("upper", keys(&upper[rows]))]
            }
            Self::Cleanup | Self::Clear => return Ok(Vec::new()),
        };
        stream::encode(&columns).map_err(|error| Error::Table { what: error.to_string() })
    }

    /// The operation with this code whose rows are in these streams, one after the other. `None` if they are not those of
    /// such an operation.
    pub fn decode<'a>(
        layout: &Layout,
        code: &str,
        pieces: impl IntoIterator<Item = (u64, &'a [u8])>,
    ) -> Option<Self> {
        let mut pieces = pieces.into_iter();
        match code {
            "apply" => decode_apply(layout, pieces).map(Self::Apply),
            "delete_range" => {
                decode_delete_range(layout, pieces).map(|(lower, upper)| Self::DeleteRange(lower, upper))
            }
            "cleanup" => pieces.all(|(rows, bytes)| rows == 0 && bytes.is_empty()).then_some(Self::Cleanup),
            "clear" => pieces.all(|(rows, bytes)| rows == 0 && bytes.is_empty()).then_some(Self::Clear),
            _ => None,
        }
    }
}

fn codes<K: StoredKey>(keys: &[K]) -> Vec<K::Code> {
    keys.iter().map(|key| key.to_code()).collect()
}

fn and_keys<K: StoredKey>(checksum: Checksum, keys: &[K]) -> Checksum {
    checksum.and(bytemuck::cast_slice(&codes(keys)))
}

fn apply_columns<K: StoredKey, V: StoredValue>(
    layout: &Layout,
    batch: &Batch<K, V>,
    rows: Range<usize>,
) -> Vec<(&'static str, ArrayRef)> {
    let (keys, values, marks) = batch.columns();
    let mut columns = vec![("key", layout.key_array(codes(&keys[rows.clone()])))];
    columns.extend(layout.value_array(&values[rows.clone()]).map(|values| ("value", values)));
    if batch.has_deletes() {
        let deleted = BooleanBuffer::new(Buffer::from_slice_ref(marks), rows.start, rows.len());
        columns.push(("deleted", Arc::new(BooleanArray::new(deleted, None))));
    }
    columns
}

fn decode_apply<'a, K: StoredKey, V: StoredValue>(
    layout: &Layout,
    pieces: impl Iterator<Item = (u64, &'a [u8])>,
) -> Option<Batch<K, V>> {
    let (mut batch_keys, mut values, mut marks) = (Vec::new(), Vec::new(), Vec::new());
    for (rows, piece) in pieces {
        let mut types = layout.types();
        let columns = stream::decode(piece, rows, &types).or_else(|| {
            types.push(DataType::Boolean);
            stream::decode(piece, rows, &types)
        })?;
        let deleted = (types.last() == Some(&DataType::Boolean)).then(|| columns.last()).flatten();
        if let Some(deleted) = deleted {
            let deleted = deleted.as_any().downcast_ref::<BooleanArray>()?;
            for i in deleted.values().set_indices() {
                let i = batch_keys.len() + i;
                marks.resize(marks.len().max(i / 32 + 1), 0);
                marks[i / 32] |= 1 << (i % 32);
            }
        }
        let codes = layout.codes::<K::Code>(&columns[0])?;
        values.extend(layout.values::<V>(columns.get(1), codes.len())?);
        batch_keys.extend(codes.into_iter().map(K::from_code));
    }
    Batch::from_columns(batch_keys, values, marks)
}

fn decode_delete_range<'a, K: StoredKey>(
    layout: &Layout,
    pieces: impl Iterator<Item = (u64, &'a [u8])>,
) -> Option<(Vec<K>, Vec<K>)> {
    let (mut lower, mut upper) = (Vec::new(), Vec::new());
    for (rows, piece) in pieces {
        let columns = stream::decode(piece, rows, &[layout.key.clone(), layout.key.clone()])?;
        for (bounds, column) in [&mut lower, &mut upper].into_iter().zip(&columns) {
            bounds.extend(layout.codes(column)?.into_iter().map(K::from_code));
        }
    }
    Some((lower, upper))
}
