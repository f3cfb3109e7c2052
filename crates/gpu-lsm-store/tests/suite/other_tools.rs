//! DuckDB and Polars find exactly the live entries, with the queries of `docs/format.md`.

use gpu_lsm::{Config, Device};
use gpu_lsm_store::{ColumnNames, Options, Store, write_parquet};
use std::path::Path;
use std::process::Command;

#[test]
fn documented_queries_find_the_live_entries() {
    let folder = crate::folder("other_tools");
    let store = Store::at(folder.to_str().unwrap()).unwrap();
    let options = Options::new().with_config(Config::new().with_batch_size(1 << 10));
    let mut durable = store.write::<u64, u32>(&Device::host(), options).unwrap();
    let spread = |i: u64| i.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 16;
    let keys: Vec<u64> = (0..20_000).map(spread).collect();
    let values: Vec<u32> = (0..20_000).collect();
    durable.insert(&keys, &values).unwrap();
    // New keys, overwritten ones and deleted ones, of which some are not there.
    let newer: Vec<u64> = (19_000..20_500).map(spread).collect();
    let deleted: Vec<u64> = (18_000..18_700).chain(30_000..30_010).map(spread).collect();
    durable.update(&newer, &values[..1500], &deleted).unwrap();
    durable.checkpoint().unwrap();
    assert_eq!(durable.runs().unwrap().len(), 2);

    let expected = folder.join("expected.parquet");
    let file = std::fs::File::create(&expected).unwrap();
    let live = write_parquet(&durable, file, &ColumnNames::default()).unwrap();
    assert_eq!(live, 20_500 - 700);
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/other_tools.py");
    let found = Command::new("python3").arg(script).arg(&folder).arg(&expected).output().unwrap();
    assert!(found.status.success(), "{}", String::from_utf8_lossy(&found.stderr));
    assert_eq!(String::from_utf8_lossy(&found.stdout).trim(), live.to_string());
    std::fs::remove_dir_all(folder).unwrap();
}
