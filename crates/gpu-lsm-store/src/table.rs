//! Whole dictionaries from one Parquet file and to one, a piece at a time.

use crate::error::{Error, Result};
use crate::layout::{as_stored, name_of};
use crate::types::{StoredKey, StoredValue, Types};
use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{Field, Fields, Schema};
use gpu_lsm::{Config, Device, Dictionary, Key, ShardedSnapshot, Snapshot};
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
    for rows in read_entries::<K, V, _>(file, names, &Types::of::<K, V>())? {
        let (keys, values) = rows?;
        dictionary.insert(keys, values)?;
    }
    Ok(dictionary)
}

/// The rows of a Parquet file as keys and values, a piece at a time. The columns must have these types, which need not be
/// those of the keys and values: see [`Types`]. Days in 32 bits are `datetime64[D]`, and timestamps may have any time zone.
///
/// # Errors
/// [`Error::OtherWidth`]; [`Error::Table`], also of each piece, if the file is damaged, or a column is missing, has another
/// type, or has nulls.
pub fn read_entries<K: StoredKey, V: StoredValue, R: ChunkReader + 'static>(
    file: R,
    names: &ColumnNames,
    types: &Types,
) -> Result<impl Iterator<Item = Result<(Vec<K>, Vec<V>)>> + use<K, V, R>> {
    let layout = types.layout::<K, V>()?;
    let builder = ParquetRecordBatchReaderBuilder::try_new(file).map_err(unreadable)?;
    let wanted = [Some(&names.key), layout.value.as_ref().map(|_| &names.value)];
    let wanted = wanted.into_iter().flatten().map(String::as_str);
    // By their places, because a mask by names takes dots for paths in nested columns.
    let wanted = wanted.filter_map(|name| builder.schema().index_of(name).ok());
    let columns = ProjectionMask::roots(builder.parquet_schema(), wanted);
    let reader =
        builder.with_projection(columns).with_batch_size(ROWS as usize).build().map_err(unreadable)?;
    let (names, types) = (names.clone(), types.clone());
    Ok(reader.map(move |rows| {
        let rows = rows.map_err(unreadable)?;
        let keys = layout.codes(&as_stored(column(&rows, &names.key)?, &types.key));
        let keys = keys.ok_or_else(|| other_type(&rows, &names.key, &types.key))?;
        let values = layout.value.as_ref().map(|_| column(&rows, &names.value)).transpose()?;
        let values = values.map(|values| as_stored(values, &types.value));
        let values = layout.values(values.as_ref(), keys.len());
        let values = values.ok_or_else(|| other_type(&rows, &names.value, &types.value))?;
        Ok((keys.into_iter().map(K::from_code).collect(), values))
    }))
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

/// The types of the key and value columns of a Parquet file, by the [names](Types) that stores give them: `("u64", "f32")`. If there is no
/// column of values, they are those of a set: `"()"`.
///
/// # Errors
/// [`Error::Table`] if the file is damaged, has no column of keys, or has other types than stores have columns of.
pub fn column_types<R: ChunkReader + 'static>(file: R, names: &ColumnNames) -> Result<(String, String)> {
    let builder = ParquetRecordBatchReaderBuilder::try_new(file).map_err(unreadable)?;
    let name = |field: &Field| {
        let (name, other) = (field.name(), field.data_type());
        let what =
            format!("column {name:?} has the type {other}; cast it to a number of 32 or 64 bits, or a date");
        name_of(other).ok_or(Error::Table { what })
    };
    let missing = |name: &str| Error::Table { what: format!("it has no column {name:?}") };
    let key = builder.schema().field_with_name(&names.key).map_err(|_| missing(&names.key))?;
    let value = builder.schema().field_with_name(&names.value);
    Ok((name(key)?, value.map_or(Ok("()".into()), name)?))
}

/// The columns of a Parquet file, by their names and the types that Arrow gives them.
///
/// # Errors
/// [`Error::Table`] if the file is damaged.
pub fn parquet_fields<R: ChunkReader + 'static>(file: R) -> Result<Fields> {
    let builder = ParquetRecordBatchReaderBuilder::try_new(file).map_err(unreadable)?;
    Ok(builder.schema().fields().clone())
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
    write_entries(snapshot.scan(ROWS), file, names, &Types::of::<K, V>())
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
    write_entries(snapshot.scan(ROWS), file, names, &Types::of::<K, V>())
}

/// Writes entries as one Parquet file, a piece at a time, and returns their number. The columns have these types, which need not
/// be those of the keys and values: see [`Types`].
///
/// # Errors
/// [`Error::OtherWidth`]; those of the pieces; [`Error::Table`] if the file can't be written.
pub fn write_entries<K: StoredKey, V: StoredValue>(
    pieces: impl Iterator<Item = Result<(Vec<K>, Vec<V>), gpu_lsm::Error>>,
    file: impl Write + Send,
    names: &ColumnNames,
    types: &Types,
) -> Result<u64> {
    let layout = types.layout::<K, V>()?;
    let fields = [&names.key, &names.value].into_iter().zip(layout.types());
    let fields: Vec<_> = fields.map(|(name, column)| Field::new(name, column, false)).collect();
    let schema = Arc::new(Schema::new(fields));
    let properties = WriterProperties::builder().set_compression(Compression::SNAPPY).build();
    let mut writer = ArrowWriter::try_new(file, Arc::clone(&schema), Some(properties)).map_err(unreadable)?;
    let mut written = 0;
    for piece in pieces {
        let (keys, values) = piece?;
        written += keys.len() as u64;
        let mut columns = vec![layout.key_array(keys.into_iter().map(Key::to_code).collect())];
        columns.extend(layout.value_array(&values));
        let rows = RecordBatch::try_new(Arc::clone(&schema), columns).map_err(unreadable)?;
        writer.write(&rows).map_err(unreadable)?;
    }
    writer.close().map_err(unreadable)?;
    Ok(written)
}
