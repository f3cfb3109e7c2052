//! Files of runs: a stretch of a run's entries as Parquet, with the columns `key`, `value` and `deleted`.
//!
//! Parquet has no checksum of its own that readers check, so the manifest has one of the whole file.

use crate::checksum::Checksum;
use crate::code::StoredCode;
use crate::error::{Error, Result};
use crate::layout::Layout;
use crate::manifest::{MOST_FILE_ENTRIES, RunFile};
use crate::names;
use arrow_array::{Array, ArrayRef, BooleanArray, RecordBatch};
use arrow_buffer::{BooleanBuffer, Buffer};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use bytes::Bytes;
use gpu_lsm::{Columns, Value};
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::{ParquetRecordBatchReader, ParquetRecordBatchReaderBuilder};
use parquet::basic::Encoding;
use parquet::errors::ParquetError;
use parquet::file::properties::{EnabledStatistics, WriterProperties, WriterVersion};
use std::ops::Range;
use std::sync::Arc;

/// The most entries of a file. A longer run has several files, which are written and read in parallel.
pub const MOST_ENTRIES: usize = MOST_FILE_ENTRIES as usize;
/// Entries of a row group.
const ROW_GROUP: usize = 1 << 20;
/// Entries that are decoded at a time.
const STEP: usize = 1 << 16;

/// The bytes of a file with some of a run's entries.
///
/// # Errors
/// If Parquet can't be written.
pub fn encode<C: StoredCode, V: Value>(
    layout: &Layout,
    run: &Columns<C, V>,
    entries: Range<usize>,
) -> Result<Bytes> {
    let batch = rows(layout, run, entries).map_err(|error| failed(&error))?;
    let mut bytes = Vec::new();
    let write = |bytes| -> Result<(), ParquetError> {
        let mut writer = ArrowWriter::try_new(bytes, batch.schema(), Some(properties(&batch.schema())))?;
        writer.write(&batch)?;
        writer.close().map(drop)
    };
    write(&mut bytes).map_err(|error| failed(&error))?;
    Ok(bytes.into())
}

fn failed(error: &impl ToString) -> Error {
    Error::Table { what: error.to_string() }
}

/// The columns of a run's file.
fn rows<C: StoredCode, V: Value>(
    layout: &Layout,
    run: &Columns<C, V>,
    entries: Range<usize>,
) -> Result<RecordBatch, arrow_schema::ArrowError> {
    let mut columns: Vec<ArrayRef> = vec![layout.key_array(run.keys[entries.clone()].to_vec())];
    columns.extend(layout.value_array(&run.values[entries.clone()]));
    columns.push(Arc::new(BooleanArray::new(deleted(&run.marks, entries), None)));
    RecordBatch::try_new(schema(layout), columns)
}

/// The schema of a run's file.
fn schema(layout: &Layout) -> SchemaRef {
    let names = ["key", "value"].into_iter().zip(layout.types());
    let mut fields: Vec<_> = names.map(|(name, column)| Field::new(name, column, false)).collect();
    fields.push(Field::new("deleted", DataType::Boolean, false));
    Arc::new(Schema::new(fields))
}

/// The bits of some entries. Runs without tombstones have no marks.
fn deleted(marks: &[u32], entries: Range<usize>) -> BooleanBuffer {
    match marks {
        [] => BooleanBuffer::new_unset(entries.len()),
        _ => BooleanBuffer::new(Buffer::from_slice_ref(marks), entries.start, entries.len()),
    }
}

/// Keys ascend, so integers are written as their differences. Only keys have statistics, by which other programs skip row
/// groups.
fn properties(schema: &Schema) -> WriterProperties {
    let properties = WriterProperties::builder()
        .set_created_by("gpu-lsm".into())
        .set_writer_version(WriterVersion::PARQUET_2_0)
        .set_dictionary_enabled(false)
        .set_encoding(Encoding::PLAIN)
        .set_statistics_enabled(EnabledStatistics::None)
        .set_column_statistics_enabled("key".into(), EnabledStatistics::Chunk)
        .set_max_row_group_row_count(Some(ROW_GROUP));
    let properties = match schema.field(0).data_type() {
        DataType::Float32 | DataType::Float64 => properties,
        _ => properties.set_column_encoding("key".into(), Encoding::DELTA_BINARY_PACKED),
    };
    properties.build()
}

/// Checks that a file has the length and the checksum that the manifest says.
///
/// # Errors
/// [`Error::Corrupt`] if it has not.
pub fn check(file: &RunFile, bytes: &Bytes) -> Result<()> {
    if bytes.len() as u64 == file.bytes && Checksum::of(bytes) == file.crc32c {
        return Ok(());
    }
    Err(Error::corrupt(names::run(file.id), "its length or checksum is not that in the manifest"))
}

/// Adds the entries of a file, which must be as the manifest says, to those of the files before it.
///
/// # Errors
/// [`Error::Corrupt`] if the file is not as the manifest says.
pub fn decode<C: StoredCode, V: Value>(
    layout: &Layout,
    file: &RunFile,
    bytes: Bytes,
) -> Result<Columns<C, V>> {
    let corrupt = |what: String| Error::corrupt(names::run(file.id), what);
    check(file, &bytes)?;
    let columns = columns::<C, V>(layout, bytes, file.entries).map_err(|error| corrupt(error.to_string()))?;
    match columns {
        Some(columns) if columns.keys.len() as u64 == file.entries => Ok(columns),
        _ => Err(corrupt("it has not the columns of a run".into())),
    }
}

/// The entries of a file; `None` if it has other columns.
fn columns<C: StoredCode, V: Value>(
    layout: &Layout,
    bytes: Bytes,
    entries: u64,
) -> Result<Option<Columns<C, V>>, ParquetError> {
    let reader = ParquetRecordBatchReaderBuilder::try_new(bytes)?;
    let found = reader.metadata().file_metadata().num_rows();
    if reader.schema().fields() != schema(layout).fields() || u64::try_from(found) != Ok(entries) {
        return Ok(None);
    }
    read_all(layout, reader.with_batch_size(STEP).build()?, entries as usize)
}

fn read_all<C: StoredCode, V: Value>(
    layout: &Layout,
    reader: ParquetRecordBatchReader,
    entries: usize,
) -> Result<Option<Columns<C, V>>, ParquetError> {
    let mut columns = Columns { keys: Vec::new(), values: Vec::new(), marks: Vec::new() };
    columns.keys.reserve_exact(entries.min(MOST_ENTRIES));
    columns.values.reserve_exact(entries.min(MOST_ENTRIES));
    for batch in reader {
        let batch = batch?;
        // A forged file may have more rows than it says, and few bytes for many rows.
        if columns.keys.len() + batch.num_rows() > entries {
            return Ok(None);
        }
        let (keys, deleted) = (batch.column(0), batch.column(batch.num_columns() - 1));
        let (Some(keys), Some(deleted)) =
            (layout.codes::<C>(keys), deleted.as_any().downcast_ref::<BooleanArray>())
        else {
            return Ok(None);
        };
        mark(&mut columns.marks, columns.keys.len(), deleted);
        let Some(values) = layout.values::<V>(batch.columns().get(1), keys.len()) else { return Ok(None) };
        columns.keys.extend(keys);
        columns.values.extend(values);
    }
    Ok(Some(columns))
}

/// Sets the marks of deleted entries, the first of which is at this position.
fn mark(marks: &mut Vec<u32>, at: usize, deleted: &BooleanArray) {
    for i in deleted.values().set_indices() {
        set(marks, at + i);
    }
}

fn set(marks: &mut Vec<u32>, i: usize) {
    if marks.len() <= i / 32 {
        marks.resize(i / 32 + 1, 0);
    }
    marks[i / 32] |= 1 << (i % 32);
}

/// Puts the files of a run together.
pub fn concat<K, V: Value>(files: impl IntoIterator<Item = Columns<K, V>>) -> Columns<K, V> {
    let mut run = Columns { keys: Vec::new(), values: Vec::new(), marks: Vec::new() };
    files.into_iter().for_each(|file| append(&mut run, file));
    run
}

/// Puts a file behind those that were before it in a run.
pub fn append<K, V: Value>(run: &mut Columns<K, V>, file: Columns<K, V>) {
    let at = run.keys.len();
    if at == 0 {
        *run = file;
    } else {
        for (i, word) in file.marks.iter().enumerate() {
            (0..32).filter(|bit| word >> bit & 1 == 1).for_each(|bit| set(&mut run.marks, at + i * 32 + bit));
        }
        run.keys.extend(file.keys);
        run.values.extend(file.values);
    }
    if !run.marks.is_empty() {
        run.marks.resize(run.keys.len().div_ceil(32), 0);
    }
}
