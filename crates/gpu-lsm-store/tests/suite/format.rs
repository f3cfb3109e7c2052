//! Manifests, log records and files of runs, as bytes and back.

use bytes::Bytes;
use gpu_lsm::{Batch, Columns, Key, Morton};
use gpu_lsm_store::code::StoredCode;
use gpu_lsm_store::layout::Layout;
use gpu_lsm_store::manifest::{Boundary, FORMAT, Kind, Last, LogState, Manifest, RunEntry, RunFile, Shard};
use gpu_lsm_store::names::FileId;
use gpu_lsm_store::nonce::Nonce;
use gpu_lsm_store::operation::Operation;
use gpu_lsm_store::record::{BatchEntry, Content, Header, Origin, Part, Place, Record};
use gpu_lsm_store::{Checksum, Error, StoredKey, StoredValue, Types, run_file};
use std::fmt::Debug;
use std::ops::Range;

const NONCE: Nonce = Nonce { writer: u64::MAX, attempt: 7 };

fn file(number: u64) -> RunFile {
    RunFile { id: FileId { epoch: 3, number }, entries: 5, bytes: 99, crc32c: Checksum(0xab) }
}

pub(crate) fn manifest() -> Manifest {
    let run = RunEntry {
        level: 2,
        entries: 10,
        tombstones: 1,
        first: 4,
        last: (1 << 63) - 1,
        files: vec![file(1), file(2)],
    };
    Manifest {
        format: FORMAT,
        number: 12,
        nonce: NONCE,
        epoch: 3,
        kind: Kind::Version,
        key: "u64".into(),
        value: "[f32; 2]".into(),
        batch_size: 1 << 16,
        log: LogState {
            position: 57,
            epoch: 3,
            fences: vec![40],
            last_part: Some(FileId { epoch: 2, number: 9 }),
        },
        versions: vec![9, 12],
        boundary: Boundary { manifest: 9, log: 40 },
        callers: [("a \"caller\"".into(), Last { number: 5, crc32c: Checksum(1) })].into(),
        shards: vec![Shard { from: 0, runs: vec![run] }, Shard { from: 1 << 63, runs: vec![] }],
    }
}

fn record() -> Record {
    let here = BatchEntry {
        operation: "apply".into(),
        rows: 2,
        crc32c: Checksum(3),
        place: Place::Here(4),
        origin: Some(Origin { caller: "me".into(), number: 1 }),
    };
    let part = Part { id: FileId { epoch: 1, number: 2 }, rows: 9, bytes: 8, crc32c: Checksum(u32::MAX) };
    let parts = BatchEntry { place: Place::Parts(vec![part]), origin: None, ..here.clone() };
    let header = Header { epoch: 3, nonce: NONCE, content: Content::Batches(vec![here, parts]) };
    Record { header, payload: Bytes::from_static(b"rows") }
}

pub(crate) fn is_corrupt<T>(decoded: Result<T, Error>) -> bool {
    matches!(decoded.err(), Some(Error::Corrupt { .. }))
}

/// All bytes with one bit flipped, and all prefixes.
fn damaged(bytes: &[u8]) -> impl Iterator<Item = Bytes> + '_ {
    let flipped = (0..bytes.len() * 8).map(|bit| {
        let mut flipped = bytes.to_vec();
        flipped[bit / 8] ^= 1 << (bit % 8);
        flipped.into()
    });
    flipped.chain((0..bytes.len()).map(|len| Bytes::copy_from_slice(&bytes[..len])))
}

#[test]
fn a_manifest_returns_from_its_bytes_and_damage_is_noticed() {
    let bytes = manifest().encode();
    assert_eq!(Manifest::decode(12, &bytes).unwrap(), manifest());
    assert!(is_corrupt(Manifest::decode(13, &bytes)));
    for damaged in damaged(&bytes) {
        assert!(is_corrupt(Manifest::decode(12, &damaged)));
    }
}

#[test]
fn a_manifest_that_contradicts_itself_is_refused() {
    let broken: [fn(&mut Manifest); 26] = [
        |manifest| manifest.shards.clear(),
        |manifest| manifest.shards[0].from = 1,
        |manifest| manifest.shards[1].from = 0,
        |manifest| manifest.shards[0].runs[0].entries = 11,
        |manifest| manifest.shards[0].runs[0].tombstones = 11,
        |manifest| manifest.shards[0].runs[0].last = 3,
        |manifest| manifest.shards[0].runs[0].last = 1 << 63,
        |manifest| manifest.shards[1].runs = manifest.shards[0].runs.clone(),
        |manifest| manifest.shards[0].runs[0].files[0].bytes = u64::MAX,
        // In sum, both files have the entries that the run says.
        |manifest| manifest.shards[0].runs[0].files[0].entries = u64::MAX - 2,
        |manifest| manifest.batch_size = 0,
        |manifest| manifest.epoch = u64::MAX,
        |manifest| manifest.log.position = u64::MAX,
        // What the next writer writes would be void.
        |manifest| manifest.log.epoch = 4,
        |manifest| manifest.versions = vec![12, 9],
        |manifest| manifest.versions = vec![9, 13],
        |manifest| manifest.boundary.manifest = 13,
        |manifest| manifest.boundary.log = 58,
        |manifest| manifest.number = u64::MAX,
        // Numbers begin with 1. A fuzzer found that a writer which fences at 0 takes records behind it for its own.
        |manifest| (manifest.log.position, manifest.boundary.log) = (0, 0),
        |manifest| manifest.boundary.log = 0,
        |manifest| manifest.versions = vec![0, 12],
        |manifest| manifest.log.fences = vec![41, 40],
        |manifest| manifest.log.fences = vec![40, 57],
        |manifest| manifest.boundary.manifest = 0,
        |manifest| (manifest.epoch, manifest.log.epoch) = (0, 0),
    ];
    for (i, damage) in broken.iter().enumerate() {
        let mut manifest = manifest();
        damage(&mut manifest);
        assert!(is_corrupt(Manifest::decode(manifest.number, &manifest.encode())), "{i}");
    }
}

#[test]
fn a_later_format_is_named_even_if_its_members_are_not_known() {
    let text = r#"{"format":2,"whatever":[]}"#;
    let bytes = format!("{{\"crc32c\":\"{}\",\"manifest\":{text}}}\n", Checksum::of(text.as_bytes()));
    let error = Manifest::decode(1, bytes.as_bytes()).unwrap_err();
    assert_eq!(error, Error::NewerFormat { format: 2, known: 1 });
}

#[test]
fn a_record_returns_from_its_bytes_and_damage_is_noticed() {
    for record in [record(), Record::fence(9, NONCE)] {
        let bytes = record.encode();
        assert_eq!(Record::decode(1, &bytes).unwrap(), record);
        for damaged in damaged(&bytes) {
            assert!(is_corrupt(Record::decode(1, &damaged)));
        }
    }
    let mut wrong = record();
    wrong.payload = Bytes::from_static(b"more rows");
    assert!(is_corrupt(Record::decode(1, &wrong.encode())));
}

pub(crate) fn layout<K: StoredKey, V: StoredValue>() -> Layout {
    Types::of::<K, V>().layout::<K, V>().unwrap()
}

/// What a manifest says of a file of so many entries.
pub(crate) fn file_of(number: u64, entries: u64, bytes: &Bytes) -> RunFile {
    RunFile { entries, bytes: bytes.len() as u64, crc32c: Checksum::of(bytes), ..file(number) }
}

/// The run of these files.
pub(crate) fn read<C: StoredCode + Send, V: StoredValue>(
    layout: &Layout,
    files: &[(RunFile, Bytes)],
) -> Result<Columns<C, V>, Error> {
    let named: Vec<RunFile> = files.iter().map(|(file, _)| file.clone()).collect();
    run_file::read(layout, &named, |named| {
        let (_, bytes) = files.iter().find(|(file, _)| file == named).unwrap();
        Ok(bytes.clone())
    })
}

/// Runs of several files with these keys and values, with tombstones and without.
fn runs_return<K: StoredKey, V: StoredValue + PartialEq + Debug>(keys: &[K], value: impl Fn(u32) -> V) {
    let keys: Vec<_> = keys.iter().map(|key| key.to_code()).collect();
    let values: Vec<V> = (0..keys.len() as u32).map(value).collect();
    let (layout, mut run) = (layout::<K, V>(), Columns { keys, values, marks: vec![] });
    for has_tombstones in [false, true] {
        if has_tombstones {
            run.marks = vec![0; run.keys.len().div_ceil(32)];
            run.marks[0] = 0b101;
            (run.values[0], run.values[2]) = (V::zeroed(), V::zeroed());
        }
        let cut = run.keys.len() / 2;
        let files = [0..cut, cut..run.keys.len()].map(|range| {
            let bytes = run_file::encode(&layout, &run, range.clone()).unwrap();
            (file_of(range.start as u64, range.len() as u64, &bytes), bytes)
        });
        let read = read::<K::Code, V>(&layout, &files);
        assert_eq!(read.unwrap(), run, "{} {}", K::NAME, V::NAME);
    }
}

#[test]
fn runs_of_all_types_return_from_their_files() {
    let numbers: Vec<u32> = (0..77).map(|i| i * 50_000_000).collect();
    runs_return(&numbers, |i| i);
    runs_return(&numbers.iter().map(|&i| u64::from(i) << 30).collect::<Vec<_>>(), |i| f64::from(i) - 9.5);
    runs_return(&[i32::MIN, -7, 0, 7, i32::MAX], |i| i64::from(i) - 2);
    runs_return(&[i64::MIN, -7, 0, 7, i64::MAX], |i| [i; 4]);
    runs_return(&[<f32 as Key>::MIN, -1.0, -0.0, 0.0, f32::NAN], |i| f32::from_bits(i + 1));
    runs_return(&[<f64 as Key>::MIN, -1.0, -0.0, 0.0, <f64 as Key>::MAX], |i| u128::from(i) << 100);
    runs_return(&[(0, 5), (1, 0), (1, u32::MAX), (2, 0)], |i| [i as u8; 8]);
    runs_return(&[(0, 0), (1, 1), (2, 2), (9, 9)].map(|(x, y)| Morton { x, y }), |_| ());
}

/// The checksum is right, and the types are not.
#[test]
fn a_file_of_another_type_is_refused() {
    let run = Columns { keys: vec![1u64, 2], values: vec![1u32, 2], marks: vec![] };
    let bytes = run_file::encode(&layout::<u64, u32>(), &run, 0..2).unwrap();
    let decode = |layout: &Layout| read::<u64, u32>(layout, &[(file_of(1, 2, &bytes), bytes.clone())]);
    assert!(decode(&layout::<u64, u32>()).is_ok());
    assert!(is_corrupt(decode(&layout::<i64, u32>())));
    assert!(is_corrupt(decode(&layout::<u64, f32>())));
    assert!(is_corrupt(decode(&layout::<u64, ()>())));
}

fn operations_return<K: StoredKey, V: StoredValue + PartialEq + Debug>(operation: &Operation<K, V>) {
    let (layout, rows) = (layout::<K, V>(), operation.rows());
    for cut in [0, rows / 2, rows] {
        let mut pieces = vec![(rows as u64, operation.encode(&layout, 0..rows).unwrap())];
        if (1..rows).contains(&cut) {
            let piece = |rows: Range<usize>| (rows.len() as u64, operation.encode(&layout, rows).unwrap());
            pieces = [0..cut, cut..rows].map(piece).into();
        }
        let pieces = pieces.iter().map(|(rows, piece)| (*rows, &piece[..]));
        let again = Operation::<K, V>::decode(&layout, operation.code(), pieces);
        assert_eq!(again.as_ref(), Some(operation));
        assert_eq!(again.unwrap().checksum(), operation.checksum());
    }
}

#[test]
fn operations_return_from_their_streams() {
    let mixed: Batch<i64, [f32; 2]> =
        (0..100).map(|i| (i - 50, (i % 3 > 0).then_some([i as f32; 2]))).collect();
    operations_return(&Operation::Apply(mixed));
    let inserts: Batch<f32, u64> = (0..33).map(|i| (i as f32 - 9.0, i)).collect();
    operations_return(&Operation::Apply(inserts));
    let set: Batch<(u32, u32), ()> = [((1, 2), Some(())), ((3, 4), None)].into_iter().collect();
    operations_return(&Operation::Apply(set));
    operations_return(&Operation::<u32, u32>::Apply(Batch::new()));
    operations_return(&Operation::<u32, u32>::DeleteRange(vec![1, 2, 3], vec![4, 5, 6]));
    operations_return(&Operation::<u32, u32>::Cleanup);
    operations_return(&Operation::<u32, u32>::Clear);
}

/// A stream that a checksum does not protect is refused or gives rows; nothing panics.
#[test]
fn damaged_streams_are_refused_or_read() {
    let batch: Batch<u32, u32> = (0..9).map(|i| (i, (i % 3 > 0).then_some(i))).collect();
    let layout = layout::<u32, u32>();
    let stream = Operation::Apply(batch).encode(&layout, 0..9).unwrap();
    for damaged in damaged(&stream) {
        for rows in [9, u64::MAX] {
            Operation::<u32, u32>::decode(&layout, "apply", [(rows, &damaged[..])]);
        }
    }
}
