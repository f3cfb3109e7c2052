//! The newest manifest of a store is any text.

#![no_main]

use bytes::Bytes;
use gpu_lsm_fuzz_store::{Folder, NEWEST_MANIFEST, check_error, live, on_one_thread};
use gpu_lsm_store::manifest::Manifest;
use gpu_lsm_store::{Checksum, names};
use libfuzzer_sys::fuzz_target;
use serde_json::Value;

fuzz_target!(init: on_one_thread(), |bytes: &[u8]| {
    let bytes = mended(bytes);
    let number = number(&bytes).unwrap_or(NEWEST_MANIFEST);
    match Manifest::decode(number, &bytes) {
        Ok(manifest) => assert_eq!(Manifest::decode(number, &manifest.encode()), Ok(manifest)),
        Err(error) => check_error(error),
    }
    let folder = |golden: &str| {
        let golden = Folder::golden(golden).without_manifests_above(number);
        golden.with(&names::manifest(number), bytes.clone())
    };
    live::<u64, u32>(&folder("u64-u32").into_store());
    live::<i32, ()>(&folder("i32-set").into_store());
});

/// Where the checksum is, and where the manifest's own text begins and ends before the last bytes.
const CHECKSUM: std::ops::Range<usize> = 11..19;
const TEXT: usize = 32;
const AFTER_TEXT: usize = 2;

/// The same with the right checksum.
fn mended(bytes: &[u8]) -> Bytes {
    let mut bytes = bytes.to_vec();
    if let Some(end) = bytes.len().checked_sub(AFTER_TEXT).filter(|&end| end >= TEXT) {
        let checksum = Checksum::of(&bytes[TEXT..end]).to_string();
        bytes[CHECKSUM].copy_from_slice(checksum.as_bytes());
    }
    bytes.into()
}

/// The number that the manifest says it has.
fn number(bytes: &[u8]) -> Option<u64> {
    serde_json::from_slice::<Value>(bytes).ok()?.get("manifest")?.get("number")?.as_u64()
}
