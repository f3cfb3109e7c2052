//! The form of batches in the log.

use crate::checksum::Checksum;
use crate::error::Result;
use crate::layout::Layout;
use crate::names;
use crate::objects::Objects;
use crate::operation::Operation;
use crate::protocol::FileIds;
use crate::record::{BatchEntry, Origin, Part, Place};
use crate::runtime::wait;
use crate::types::{StoredKey, StoredValue};
use crate::upload::create_once;
use bytes::Bytes;
use gpu_lsm::{Batch, Key, Value};
use std::sync::Arc;

/// What turns operations into entries of records.
pub(crate) struct Batches {
    pub(crate) objects: Arc<dyn Objects>,
    /// Identities of parts. They stay those of the first epoch, if the writer must take another: they ascend either way.
    pub(crate) ids: FileIds,
    pub(crate) layout: Layout,
    pub(crate) part_bytes: usize,
}

impl Batches {
    /// The form of an operation in the log. Large ones are written as parts at once.
    pub(crate) fn write<K: StoredKey, V: StoredValue>(
        &self,
        operation: &Operation<K, V>,
        origin: Option<Origin>,
    ) -> Result<(BatchEntry, Bytes)> {
        let (rows, code) = (operation.rows(), operation.code().into());
        let row_bytes = 2 * size_of::<K::Code>() + size_of::<V>();
        let part_rows = (self.part_bytes / row_bytes).max(1);
        let (place, payload) = if rows <= part_rows {
            let stream = operation.encode(&self.layout, 0..rows)?;
            (Place::Here(stream.len() as u64), stream.into())
        } else {
            (Place::Parts(self.write_parts(operation, part_rows)?), Bytes::new())
        };
        let crc32c = operation.checksum();
        Ok((BatchEntry { operation: code, rows: rows as u64, crc32c, place, origin }, payload))
    }

    fn write_parts<K: StoredKey, V: StoredValue>(
        &self,
        operation: &Operation<K, V>,
        part_rows: usize,
    ) -> Result<Vec<Part>> {
        let mut parts = Vec::new();
        for start in (0..operation.rows()).step_by(part_rows) {
            let range = start..operation.rows().min(start + part_rows);
            let (id, rows) = (self.ids.next(), range.len() as u64);
            let bytes = Bytes::from(operation.encode(&self.layout, range)?);
            let part = Part { id, rows, bytes: bytes.len() as u64, crc32c: Checksum::of(&bytes) };
            parts.push((part, bytes));
        }
        let objects = Arc::clone(&self.objects);
        wait(async move {
            let write = |(part, bytes): (Part, Bytes)| {
                let objects = Arc::clone(&objects);
                async move {
                    create_once(&objects, &names::part(part.id), bytes, part.crc32c).await?;
                    Ok(part)
                }
            };
            futures_util::future::try_join_all(parts.into_iter().map(write)).await
        })
    }
}

/// Inserts followed by deletes.
pub(crate) fn inserts_and_deletes<K: Key, V: Value>(
    keys: &[K],
    values: &[V],
    deletes: &[K],
) -> Result<Batch<K, V>> {
    if keys.len() != values.len() {
        return Err(gpu_lsm::Error::UnequalColumns { keys: keys.len(), values: values.len() }.into());
    }
    let all = [keys, deletes].concat();
    let mut all_values = values.to_vec();
    all_values.resize(all.len(), V::zeroed());
    let mut marks = vec![0; all.len().div_ceil(32)];
    (keys.len()..all.len()).for_each(|i| marks[i / 32] |= 1 << (i % 32));
    Ok(Batch::from_columns(all, all_values, marks).expect("the columns have equal lengths"))
}
