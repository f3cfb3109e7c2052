//! Whole dictionaries from one Parquet file and to one, a piece at a time.

use crate::error::{Error, Result};
use crate::types::{StoredKey, StoredValue};
use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use gpu_lsm::{Config, Device, Dictionary, ShardedSnapshot, Snapshot};
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::arrow::{ArrowWriter, ProjectionMask};
use parquet::basic::Compression;
use parquet::file::properties::WriterProperties;
use parquet::file::reader::ChunkReader;
use std::fmt::Display;
use std::io::Write;
use std::sync::Arc;

/// Rows that are in memory at a time.
const ROWS: u32 = 1 << 18;

/// The names of the columns with keys and values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ColumnNames {
    /// The column with keys.
    pub key: String,
    /// The column with values. Sets have none.
    pub value: String,
}

impl Default for ColumnNames {
    fn default() -> Self {
        Self { key: "key".into(), value: "value".into() }
    }
}

/// Makes a dictionary of the rows of a Parquet file, in their order: of several rows with one key, the last wins. Waits for the
/// device at each of its pieces.
///
/// The columns must have the types that runs have; other columns are not read. The host's memory holds one piece at a time.
///
/// ```
/// use gpu_lsm::{Config, Device, Dictionary};
/// use gpu_lsm_store::{ColumnNames, read_parquet, write_parquet};
/// let squares = Dictionary::build(&Device::host(), Config::new(), &[3u32, 1, 2], &[9u64, 1, 4])?;
/// let mut file = Vec::new();
/// let names = ColumnNames { key: "n".into(), value: "square".into() };
/// assert_eq!(write_parquet(&squares, &mut file, &names)?, 3);
/// let again = read_parquet::<u32, u64, _>(&Device::host(), Config::new(), bytes::Bytes::from(file), &names)?;
/// assert_eq!(again.get(3)?, Some(9));
/// # Ok::<(), gpu_lsm_store::Error>(())
/// ```
///
/// # Errors
/// [`Error::Table`] if the file is damaged, or a column is missing, has another type, or has nulls; or if the device fails.
pub fn read_parquet<K: StoredKey, V: StoredValue, R: ChunkReader + 'static>(
    device: &Device,
    config: Config,
    file: R,
    names: &ColumnNames,
) -> Result<Dictionary<K, V>> {
    let mut dictionary = Dictionary::with_config(device, config)?;
    let builder = ParquetRecordBatchReaderBuilder::try_new(file).map_err(unreadable)?;
    let mut wanted = vec![names.key.as_str()];
    wanted.extend(V::data_type().map(|_| names.value.as_str()));
    let columns = ProjectionMask::columns(builder.parquet_schema(), wanted.iter().copied());
    let reader =
        builder.with_projection(columns).with_batch_size(ROWS as usize).build().map_err(unreadable)?;
    for rows in reader {
        let rows = rows.map_err(unreadable)?;
        let keys = K::from_array(column(&rows, &names.key)?)
            .ok_or_else(|| other_type(&rows, &names.key, K::NAME))?;
        let keys: Vec<K> = keys.into_iter().map(K::from_code).collect();
        let values = match V::data_type() {
            Some(_) => V::from_array(column(&rows, &names.value)?)
                .ok_or_else(|| other_type(&rows, &names.value, V::NAME))?,
            None => vec![V::zeroed(); keys.len()],
        };
        dictionary.insert(keys, values)?;
    }
    Ok(dictionary)
}

fn unreadable(error: impl Display) -> Error {
    Error::Table { what: error.to_string() }
}

fn column<'a>(rows: &'a RecordBatch, name: &str) -> Result<&'a ArrayRef> {
    let missing = || Error::Table { what: format!("it has no column {name:?}") };
    rows.column_by_name(name).ok_or_else(missing)
}

fn other_type(rows: &RecordBatch, name: &str, wanted: &str) -> Error {
    let found = rows.column_by_name(name).map(|column| column.data_type().to_string()).unwrap_or_default();
    Error::Table { what: format!("column {name:?} has the type {found} or nulls, where {wanted} is wanted") }
}

/// The types of the key and value columns of a Parquet file, by the names that stores give them: `("u64", "f32")`. If there is no
/// column of values, they are those of a set: `"()"`.
///
/// # Errors
/// [`Error::Table`] if the file is damaged, has no column of keys, or has other types than stores have columns of.
pub fn column_types<R: ChunkReader + 'static>(file: R, names: &ColumnNames) -> Result<(String, String)> {
    let builder = ParquetRecordBatchReaderBuilder::try_new(file).map_err(unreadable)?;
    let name = |field: &Field| -> Result<String> {
        let name = match field.data_type() {
            DataType::UInt32 => "u32",
            DataType::UInt64 => "u64",
            DataType::Int32 => "i32",
            DataType::Int64 => "i64",
            DataType::Float32 => "f32",
            DataType::Float64 => "f64",
            other => {
                let what = format!(
                    "column {:?} has the type {other}; cast it to a number of 32 or 64 bits",
                    field.name()
                );
                return Err(Error::Table { what });
            }
        };
        Ok(name.into())
    };
    let missing = |name: &str| Error::Table { what: format!("it has no column {name:?}") };
    let key = builder.schema().field_with_name(&names.key).map_err(|_| missing(&names.key))?;
    let value = builder.schema().field_with_name(&names.value);
    Ok((name(key)?, value.map_or(Ok("()".into()), name)?))
}

/// Writes the live entries of a snapshot as one Parquet file, in ascending order of keys, and returns their number. Waits for
/// the device at each of its pieces. The host's memory holds a few pieces at a time.
///
/// # Errors
/// [`Error::Table`] if the file can't be written; or if the device fails.
pub fn write_parquet<K: StoredKey, V: StoredValue>(
    snapshot: &Snapshot<K, V>,
    file: impl Write + Send,
    names: &ColumnNames,
) -> Result<u64> {
    write_pieces(snapshot.scan(ROWS), file, names)
}

/// As [`write_parquet`], of a sharded dictionary.
///
/// # Errors
/// Those of [`write_parquet`].
pub fn write_parquet_sharded<K: StoredKey, V: StoredValue>(
    snapshot: &ShardedSnapshot<K, V>,
    file: impl Write + Send,
    names: &ColumnNames,
) -> Result<u64> {
    write_pieces(snapshot.scan(ROWS), file, names)
}

fn write_pieces<K: StoredKey, V: StoredValue>(
    pieces: impl Iterator<Item = Result<(Vec<K>, Vec<V>), gpu_lsm::Error>>,
    file: impl Write + Send,
    names: &ColumnNames,
) -> Result<u64> {
    let schema = schema::<K, V>(names);
    let properties = WriterProperties::builder().set_compression(Compression::SNAPPY).build();
    let mut writer = ArrowWriter::try_new(file, Arc::clone(&schema), Some(properties)).map_err(unreadable)?;
    let mut written = 0;
    for piece in pieces {
        let (keys, values) = piece?;
        written += keys.len() as u64;
        let mut columns = vec![K::to_array(keys.iter().map(|key| key.to_code()).collect())];
        if V::data_type().is_some() {
            columns.push(V::to_array(values));
        }
        let rows = RecordBatch::try_new(Arc::clone(&schema), columns).map_err(unreadable)?;
        writer.write(&rows).map_err(unreadable)?;
    }
    writer.close().map_err(unreadable)?;
    Ok(written)
}

fn schema<K: StoredKey, V: StoredValue>(names: &ColumnNames) -> SchemaRef {
    let mut fields = vec![Field::new(&names.key, K::data_type(), false)];
    fields.extend(V::data_type().map(|value| Field::new(&names.value, value, false)));
    Arc::new(Schema::new(fields))
}
