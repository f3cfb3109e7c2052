//! The tables that `proof/scale` shares with us: its simulation has the arithmetic of levels once more, in Python, and
//! its tests read the same numbers.

use gpu_lsm::{Config, Device, Dictionary, Key, Value};
use std::path::Path;

/// The rows of a table of `testdata` below its head, as cells.
fn rows(name: &str) -> Vec<Vec<String>> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata").join(name);
    let text = std::fs::read_to_string(file).unwrap();
    text.lines().skip(1).map(|line| line.split('\t').map(Into::into).collect()).collect()
}

/// The level, the entries and the tombstones of each run, newest first.
fn occupancy(dictionary: &Dictionary<u64, u32>) -> String {
    let levels = dictionary.statistics().levels;
    let runs = levels.iter().map(|run| format!("{}:{}:{}", run.level, run.entries, run.tombstones));
    let runs = runs.collect::<Vec<_>>().join(" ");
    if runs.is_empty() { "-".into() } else { runs }
}

#[test]
fn levels_are_as_in_the_table() {
    let rows = rows("levels.tsv");
    assert!(rows.len() > 600, "{} batches", rows.len());
    let mut script = String::new();
    let mut dictionary = Dictionary::<u64, u32>::new(&Device::host()).unwrap();
    for (at, row) in rows.iter().enumerate() {
        let [b, insert_from, inserts, delete_from, deletes] =
            [1, 2, 3, 4, 5].map(|column| row[column].parse::<u64>().unwrap());
        if script != row[0] {
            script.clone_from(&row[0]);
            let config = Config::new().with_batch_size(b as usize);
            dictionary = Dictionary::with_config(&Device::host(), config).unwrap();
        }
        let inserted: Vec<u64> = (insert_from..insert_from + inserts).collect();
        let deleted: Vec<u64> = (delete_from..delete_from + deletes).collect();
        dictionary.update(&inserted, &vec![0; inserted.len()], &deleted).unwrap();
        assert_eq!(occupancy(&dictionary), row[6], "line {} of the table, {script}", at + 2);
    }
}

#[test]
fn footprints_are_as_in_the_table() {
    let rows = rows("footprints.tsv");
    assert!(rows.len() >= 30, "{} footprints", rows.len());
    for row in rows {
        let [n, batch, b, key, _, resident, peak] =
            [0, 1, 2, 3, 4, 5, 6].map(|column| row[column].parse::<u64>().unwrap());
        let expected =
            if key == 4 { expected::<u32, u32>(n, batch, b) } else { expected::<u64, u64>(n, batch, b) };
        assert_eq!(expected, (resident, peak), "{row:?}");
    }
}

fn expected<K: Key, V: Value>(n: u64, batch: u64, b: u64) -> (u64, u64) {
    let config = Config::new().with_batch_size(b as usize);
    let need = Dictionary::<K, V>::bytes_for(n, batch, &config).expected;
    (need.resident, need.peak)
}
