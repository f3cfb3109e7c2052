//! A file of a run is any bytes, and the manifest says that it is right.

#![no_main]

use bytes::Bytes;
use gpu_lsm::{Columns, Device};
use gpu_lsm_fuzz_store::{
    Folder, NEWEST_MANIFEST, NEXT_RECORD, allow_panics_of_parquet, check_error, layout, live, on_one_thread,
};
use gpu_lsm_store::manifest::{Manifest, RunEntry, RunFile};
use gpu_lsm_store::names::{self, FileId};
use gpu_lsm_store::{Checksum, Result, StoredKey, StoredValue, run_file};
use libfuzzer_sys::fuzz_target;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// No manifest of `testdata` names it.
const ID: FileId = FileId { epoch: 1, number: 100 };
/// So many that a run of the fuzzer's is on the newest level.
const BATCH_SIZE: u64 = 64;

fuzz_target!(init: { on_one_thread(); allow_panics_of_parquet() }, |bytes: &[u8]| {
    let bytes = Bytes::copy_from_slice(bytes);
    let entries = rows(&bytes).unwrap_or(1);
    let file = RunFile { id: ID, entries, bytes: bytes.len() as u64, crc32c: Checksum::of(&bytes) };
    read::<i32, ()>(&file, &bytes).err().into_iter().for_each(check_error);
    match read::<u64, u32>(&file, &bytes) {
        Ok(columns) => {
            assert_eq!(columns.keys.len() as u64, entries);
            encode_again(&columns);
            open(&columns, file, bytes);
        }
        Err(error) => check_error(error),
    }
});

/// The run of a file.
fn read<K: StoredKey, V: StoredValue>(file: &RunFile, bytes: &Bytes) -> Result<Columns<K::Code, V>> {
    run_file::read(&layout::<K, V>(), std::slice::from_ref(file), |_| Ok(bytes.clone()))
}

/// The number of rows that the file says it has.
fn rows(bytes: &Bytes) -> Option<u64> {
    let open = || ParquetRecordBatchReaderBuilder::try_new(bytes.clone());
    let reader = catch_unwind(AssertUnwindSafe(open)).ok()?.ok()?;
    u64::try_from(reader.metadata().file_metadata().num_rows()).ok()
}

/// What was read can be written, and is then read again.
fn encode_again(columns: &Columns<u64, u32>) {
    let (layout, entries) = (layout::<u64, u32>(), columns.keys.len());
    let bytes = run_file::encode(&layout, columns, 0..entries).expect("columns can be written");
    let file =
        RunFile { id: ID, entries: entries as u64, bytes: bytes.len() as u64, crc32c: Checksum::of(&bytes) };
    let again = read::<u64, u32>(&file, &bytes).expect("what was written can be read");
    assert_eq!(&again, columns);
}

/// Opens a store with this run above the oldest one.
fn open(columns: &Columns<u64, u32>, file: RunFile, bytes: Bytes) {
    let golden = Folder::golden("u64-u32");
    let newest = golden.get(&names::manifest(NEWEST_MANIFEST)).expect("testdata has it");
    let mut manifest = Manifest::decode(NEWEST_MANIFEST, &newest).expect("testdata is right");
    manifest.number += 1;
    manifest.batch_size = BATCH_SIZE;
    manifest.log.position = NEXT_RECORD;
    let (Some(&first), Some(&last)) = (columns.keys.first(), columns.keys.last()) else { return };
    let tombstones = columns.marks.iter().map(|word| u64::from(word.count_ones())).sum();
    let run = RunEntry { level: 0, entries: file.entries, tombstones, first, last, files: vec![file] };
    manifest.shards[0].runs[0] = run;
    let store = golden
        .with(&names::manifest(manifest.number), manifest.encode())
        .with(&names::run(ID), bytes)
        .into_store();
    match store.load::<u64, u32>(&Device::host()) {
        Ok(loaded) => {
            let found = loaded.iter().map(|entry| entry.expect("the host never fails"));
            assert!(found.eq(expected(columns)), "another answer than the columns give");
        }
        Err(error) => check_error(error),
    }
    live::<u64, u32>(&store);
}

/// The entries of the run above those of the oldest run of `testdata`.
fn expected(columns: &Columns<u64, u32>) -> BTreeMap<u64, u32> {
    assert!(columns.keys.is_sorted_by(|a, b| a < b), "keys that do not ascend are refused");
    let mut entries: BTreeMap<u64, u32> = (0..50).map(|key| (key, key as u32 + 100)).collect();
    for (i, (&key, &value)) in columns.keys.iter().zip(&columns.values).enumerate() {
        match columns.marks.get(i / 32).is_some_and(|word| word >> (i % 32) & 1 == 1) {
            true => drop(entries.remove(&key)),
            false => drop(entries.insert(key, value)),
        }
    }
    entries
}
