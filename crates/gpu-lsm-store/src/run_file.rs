//! Files of runs: a stretch of a run's entries as Parquet, with the columns `key`, `value` and `deleted`.
//!
//! Parquet has no checksum of its own that readers check, so the manifest has one of the whole file.

use crate::checksum::Checksum;
use crate::code::StoredCode;
use crate::error::{Error, Result};
use crate::layout::Layout;
use crate::manifest::{MOST_FILE_ENTRIES, RunFile};
use crate::names;
use crate::threads::each;
use arrow_array::{ArrayRef, BooleanArray, RecordBatch};
use arrow_buffer::{BooleanBuffer, Buffer};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use bytes::Bytes;
use gpu_lsm::{Columns, Value};
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::basic::Encoding;
use parquet::errors::ParquetError;
use parquet::file::properties::{EnabledStatistics, WriterProperties, WriterVersion};
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

/// The most entries of a file. A longer run has several files, which are written and read in parallel.
pub const MOST_ENTRIES: usize = MOST_FILE_ENTRIES as usize;
/// Entries of a row group.
const ROW_GROUP: usize = 1 << 20;
/// Entries that are decoded at a time.
const STEP: usize = 1 << 16;
/// Files that are read and decoded at a time.
const AT_A_TIME: usize = 4;

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

/// The entries of a run whose files are as the manifest says. They are read and decoded in parallel, each to its place in the run.
/// Blocks the thread.
///
/// # Errors
/// [`Error::Corrupt`] if a file is not as the manifest says; if a file can't be read; or if memory runs out.
pub fn read<C: StoredCode + Send, V: Value>(
    layout: &Layout,
    files: &[RunFile],
    bytes_of: impl Fn(&RunFile) -> Result<Bytes> + Sync,
) -> Result<Columns<C, V>> {
    let entries = files.iter().map(|file| file.entries as usize).sum();
    let mut run = Columns::zeroed(entries).map_err(gpu_lsm::Error::from)?;
    let decode = |(file, room): (&RunFile, Room<'_, C, V>)| decode(layout, file, bytes_of(file)?, room);
    let rooms = rooms(&mut run.keys, &mut run.values, files);
    let (mut at, mut marks) = (0, Vec::new());
    for (file, deleted) in files.iter().zip(each(rooms, AT_A_TIME, decode)) {
        deleted?.into_iter().for_each(|i| set(&mut marks, at + i as usize));
        at += file.entries as usize;
    }
    if !marks.is_empty() {
        marks.resize(entries.div_ceil(32), 0);
    }
    Ok(Columns { marks, ..run })
}

/// The place of a file's entries in a run: zeros.
struct Room<'a, C, V> {
    keys: &'a mut [C],
    values: &'a mut [V],
}

/// The files of a run with their places.
fn rooms<'a, C, V>(
    mut keys: &'a mut [C],
    mut values: &'a mut [V],
    files: &'a [RunFile],
) -> Vec<(&'a RunFile, Room<'a, C, V>)> {
    let room = |file: &'a RunFile| {
        let first_keys = keys.split_off_mut(..file.entries as usize).unwrap_or_default();
        let first_values = values.split_off_mut(..file.entries as usize).unwrap_or_default();
        (file, Room { keys: first_keys, values: first_values })
    };
    files.iter().map(room).collect()
}

/// Writes the entries of a file to their place, and returns the positions of tombstones among them.
fn decode<C: StoredCode, V: Value>(
    layout: &Layout,
    file: &RunFile,
    bytes: Bytes,
    room: Room<'_, C, V>,
) -> Result<Vec<u32>> {
    let corrupt = |what: String| Error::corrupt(names::run(file.id), what);
    check(file, &bytes)?;
    // Parquet's reader panics at some files that were forged.
    let decoded = catch_unwind(AssertUnwindSafe(|| decode_rows(layout, bytes, room)));
    let decoded = decoded.map_err(|_| corrupt("it can't be decoded".into()))?;
    let deleted = decoded.map_err(|error| corrupt(error.to_string()))?;
    deleted.ok_or_else(|| corrupt("it has not the columns or the rows of a run".into()))
}

/// `None` if the file has other columns, or not as many rows as there is room for.
fn decode_rows<C: StoredCode, V: Value>(
    layout: &Layout,
    bytes: Bytes,
    Room { keys, values }: Room<'_, C, V>,
) -> Result<Option<Vec<u32>>, ParquetError> {
    let reader = ParquetRecordBatchReaderBuilder::try_new(bytes)?;
    let metadata = reader.metadata();
    let in_groups = metadata.row_groups().iter().map(|group| group.num_rows()).sum::<i64>();
    let is_room = |rows: i64| usize::try_from(rows) == Ok(keys.len());
    if reader.schema().fields() != schema(layout).fields()
        || !is_room(metadata.file_metadata().num_rows())
        || !is_room(in_groups)
    {
        return Ok(None);
    }
    let (mut at, mut deleted) = (0, Vec::new());
    for rows in reader.with_batch_size(STEP).build()? {
        let rows = rows?;
        let range = at..at + rows.num_rows();
        // A forged file may have more rows than it says.
        let (Some(to_keys), Some(to_values)) = (keys.get_mut(range.clone()), values.get_mut(range)) else {
            return Ok(None);
        };
        let Some(marked) = copy_rows(layout, &rows, to_keys, to_values) else { return Ok(None) };
        deleted.extend(marked.values().set_indices().map(|i| (at + i) as u32));
        at += rows.num_rows();
    }
    Ok((at == keys.len()).then_some(deleted))
}

/// Copies rows to their place, and returns which of them are tombstones. `None` if they have other columns.
fn copy_rows<'a, C: StoredCode, V: Value>(
    layout: &Layout,
    rows: &'a RecordBatch,
    keys: &mut [C],
    values: &mut [V],
) -> Option<&'a BooleanArray> {
    layout.copy_codes(rows.columns().first()?, keys)?;
    layout.copy_values(rows.columns().get(1), values)?;
    rows.columns().last()?.as_any().downcast_ref()
}

fn set(marks: &mut Vec<u32>, i: usize) {
    if marks.len() <= i / 32 {
        marks.resize(i / 32 + 1, 0);
    }
    marks[i / 32] |= 1 << (i % 32);
}
