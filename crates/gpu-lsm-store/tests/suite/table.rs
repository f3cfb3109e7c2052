//! Whole dictionaries from one Parquet file and to one.

use arrow_array::{Date32Array, RecordBatch, TimestampMicrosecondArray};
use bytes::Bytes;
use gpu_lsm::{Config, Device, Dictionary, Key};
use gpu_lsm_store::{ColumnNames, Error, Types, column_types, read_entries, read_parquet, write_parquet};
use parquet::arrow::ArrowWriter;
use std::sync::Arc;

#[test]
fn live_entries_pass_through_a_file() {
    let keys: Vec<i64> = (0..600_000).map(|i| (i * 7919) % 1_000_003 - 500_000).collect();
    let values: Vec<f32> = keys.iter().map(|&key| key as f32).collect();
    let mut dictionary = Dictionary::build(&Device::host(), Config::new(), &keys, &values).unwrap();
    dictionary.delete(&keys[..1000]).unwrap();
    let mut file = Vec::new();
    let names = ColumnNames::default();
    assert_eq!(write_parquet(&dictionary, &mut file, &names).unwrap(), 599_000);
    let again =
        read_parquet::<i64, f32, _>(&Device::host(), Config::new(), Bytes::from(file), &names).unwrap();
    let all =
        |dictionary: &Dictionary<i64, f32>| dictionary.range(&[i64::MIN], &[i64::MAX]).unwrap().into_parts();
    assert_eq!(all(&again), all(&dictionary));
}

#[test]
fn sets_have_no_column_of_values() {
    let set = Dictionary::build(&Device::host(), Config::new(), &[3u32, 1], &[(); 2]).unwrap();
    let (mut file, names) = (Vec::new(), ColumnNames::default());
    write_parquet(&set, &mut file, &names).unwrap();
    let again =
        read_parquet::<u32, (), _>(&Device::host(), Config::new(), Bytes::from(file), &names).unwrap();
    assert_eq!(again.range(&[0], &[9]).unwrap().keys(), [1, 3]);
}

#[test]
fn wrong_columns_are_named() {
    let squares = Dictionary::build(&Device::host(), Config::new(), &[1u32], &[1u32]).unwrap();
    let (mut file, names) = (Vec::new(), ColumnNames::default());
    write_parquet(&squares, &mut file, &names).unwrap();
    let file = Bytes::from(file);
    let read = |file: &Bytes, key: &str| {
        let names = ColumnNames { key: key.into(), value: "value".into() };
        read_parquet::<u64, u32, _>(&Device::host(), Config::new(), file.clone(), &names).unwrap_err()
    };
    assert!(matches!(read(&file, "key"), Error::Table { what } if what.contains("UInt32")));
    assert!(matches!(read(&file, "id"), Error::Table { what } if what.contains("\"id\"")));
    assert!(matches!(read(&file.slice(..file.len() - 9), "key"), Error::Table { .. }));
}

#[test]
fn names_of_columns_may_have_dots() {
    let squares = Dictionary::build(&Device::host(), Config::new(), &[2u32, 3], &[4u32, 9]).unwrap();
    let names = ColumnNames { key: "number.id".into(), value: "number.square".into() };
    let mut file = Vec::new();
    write_parquet(&squares, &mut file, &names).unwrap();
    let file = Bytes::from(file);
    assert_eq!(column_types(file.clone(), &names).unwrap(), ("u32".into(), "u32".into()));
    let again = read_parquet::<u32, u32, _>(&Device::host(), Config::new(), file, &names).unwrap();
    assert_eq!(
        again.range(&[0], &[9]).unwrap().into_parts(),
        squares.range(&[0], &[9]).unwrap().into_parts()
    );
}

/// As other programs write them.
#[test]
fn days_and_times_of_a_zone_are_read() {
    let days = Date32Array::from(vec![-1, 0, 20_000]);
    let times = TimestampMicrosecondArray::from(vec![5, -6, 7]).with_timezone("Europe/Rome");
    let rows = RecordBatch::try_from_iter([("key", Arc::new(days) as _), ("value", Arc::new(times) as _)]);
    let rows = rows.unwrap();
    let mut file = Vec::new();
    let mut writer = ArrowWriter::try_new(&mut file, rows.schema(), None).unwrap();
    writer.write(&rows).unwrap();
    writer.close().unwrap();
    let (file, names) = (Bytes::from(file), ColumnNames::default());
    let (key, value) = column_types(file.clone(), &names).unwrap();
    assert_eq!((key.as_str(), value.as_str()), ("datetime64[D]", "datetime64[us]"));
    let read = |key: &str, value: &str| -> Result<Vec<_>, Error> {
        read_entries::<u64, u64, _>(file.clone(), &names, &Types::named(key, value)).unwrap().collect()
    };
    let codes: Vec<u64> = [-1i64, 0, 20_000].map(Key::to_code).to_vec();
    let values: Vec<u64> = [5i64, -6, 7].map(i64::cast_unsigned).to_vec();
    assert_eq!(read(&key, &value).unwrap(), [(codes, values)]);
    // Other units, and numbers, are other types.
    assert!(matches!(read("datetime64[h]", &value), Err(Error::Table { .. })));
    assert!(matches!(read("i64", &value), Err(Error::Table { .. })));
    assert!(matches!(read(&key, "datetime64[ms]"), Err(Error::Table { .. })));
}
