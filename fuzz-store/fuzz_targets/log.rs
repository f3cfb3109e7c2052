//! The last record of a store's log is any bytes.

#![no_main]

use bytes::Bytes;
use gpu_lsm::{Device, Dictionary};
use gpu_lsm_fuzz_store::{Folder, NEXT_RECORD, assert_same, check_error, layout, live, on_one_thread};
use gpu_lsm_store::operation::Operation;
use gpu_lsm_store::record::{BatchEntry, Content, Header, Part, Place, Record};
use gpu_lsm_store::{Checksum, Kept, StoredKey, StoredValue, names};
use libfuzzer_sys::fuzz_target;
use std::fmt::Debug;

fuzz_target!(init: on_one_thread(), |bytes: &[u8]| {
    Record::decode(1, &Bytes::copy_from_slice(bytes)).err().into_iter().for_each(check_error);
    follow::<u64, u32>("u64-u32", NEXT_RECORD, bytes);
    follow::<i32, ()>("i32-set", NEXT_RECORD - 2, bytes);
});

/// Reads a store whose log ends with the record. The dictionary must be that of the store without it, with the record's
/// operations applied.
fn follow<K: StoredKey, V: StoredValue + PartialEq + Debug>(golden: &str, number: u64, bytes: &[u8]) {
    let folder = Folder::golden(golden);
    let (bytes, operations) = mended::<K, V>(&folder, bytes);
    let store = folder.with(&names::record(number), bytes.clone()).into_store();
    let loaded = store.load::<K, V>(&Device::host());
    match (Record::decode(number, &bytes), loaded) {
        (Ok(record), Ok(loaded)) => {
            let mut expected =
                Folder::golden(golden).into_store().load::<K, V>(&Device::host()).expect("it is right");
            if record.header.epoch >= epoch(golden) {
                apply(&mut expected, &operations, record.batches().len());
            }
            assert_same(&expected, &loaded);
        }
        (Ok(_), Err(error)) => check_error(error),
        (Err(error), loaded) => {
            check_error(error);
            check_error(loaded.expect_err("a record that is damaged can't be replayed"));
        }
    }
    live::<K, V>(&store);
}

/// The highest epoch in the log of a store of `testdata`. Records of lower ones are void.
fn epoch(golden: &str) -> u64 {
    if golden == "u64-u32" { 2 } else { 1 }
}

fn apply<K: StoredKey, V: StoredValue>(
    dictionary: &mut Dictionary<K, V>,
    operations: &[Operation<K, V>],
    batches: usize,
) {
    assert_eq!(operations.len(), batches, "every batch was read");
    for operation in operations {
        dictionary.perform(operation).expect("the store did it too");
    }
}

const MAGIC: &[u8] = b"GPULSM\x01\n";
/// The header's length, the checksum and the magic.
const TRAILER: usize = 16;

/// The record with right lengths and checksums, as far as it can be read, and its operations up to one that can't be.
fn mended<K: StoredKey, V: StoredValue>(folder: &Folder, bytes: &[u8]) -> (Bytes, Vec<Operation<K, V>>) {
    let (payload, header) = split(bytes);
    let mut operations = Vec::new();
    let Ok(mut header) = serde_json::from_slice::<Header>(header) else {
        return (framed(payload, header), operations);
    };
    if let Content::Batches(batches) = &mut header.content {
        if let [BatchEntry { place: Place::Here(here), .. }] = &mut batches[..] {
            *here = payload.len() as u64;
        }
        let mut rest = payload;
        for batch in batches {
            let Some(operation) = operation::<K, V>(folder, batch, &mut rest) else { break };
            batch.crc32c = operation.checksum();
            operations.push(operation);
        }
    }
    (Record { header, payload: Bytes::copy_from_slice(payload) }.encode(), operations)
}

/// The operation of a batch, if its rows are as it says.
fn operation<K: StoredKey, V: StoredValue>(
    folder: &Folder,
    batch: &BatchEntry,
    payload: &mut &[u8],
) -> Option<Operation<K, V>> {
    let pieces = match &batch.place {
        Place::Here(here) => {
            let (piece, rest) = payload.split_at_checked(usize::try_from(*here).ok()?)?;
            *payload = rest;
            vec![(batch.rows, Bytes::copy_from_slice(piece))]
        }
        Place::Parts(parts) => parts.iter().map(|part| part_of(folder, part)).collect::<Option<_>>()?,
    };
    let pieces = pieces.iter().map(|(rows, piece)| (*rows, &piece[..]));
    let operation = Operation::decode(&layout::<K, V>(), &batch.operation, pieces)?;
    (operation.rows() as u64 == batch.rows).then_some(operation)
}

/// A part as the record says that it is.
fn part_of(folder: &Folder, part: &Part) -> Option<(u64, Bytes)> {
    let bytes = folder.get(&names::part(part.id))?;
    let is_right = bytes.len() as u64 == part.bytes && Checksum::of(&bytes) == part.crc32c;
    is_right.then_some((part.rows, bytes))
}

/// The payload and the header, which begins at the last member that only it has.
fn split(bytes: &[u8]) -> (&[u8], &[u8]) {
    let bytes = &bytes[..bytes.len().saturating_sub(TRAILER)];
    let begin = bytes.windows(HEADER.len()).rposition(|window| window == HEADER);
    bytes.split_at(begin.unwrap_or(bytes.len()))
}

const HEADER: &[u8] = b"{\"epoch\":";

/// A record with any header.
fn framed(payload: &[u8], header: &[u8]) -> Bytes {
    let mut bytes = [payload, header, &(header.len() as u32).to_le_bytes()].concat();
    let Checksum(checksum) = Checksum::of(&bytes);
    bytes.extend_from_slice(&checksum.to_le_bytes());
    bytes.extend_from_slice(MAGIC);
    bytes.into()
}
