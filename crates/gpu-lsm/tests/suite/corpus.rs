//! The scripts of `testdata`: operations with their expected answers, on every device. Bindings run the same files.

use crate::on_every_device;
use crate::support::wide;
use gpu_lsm::{Batch, Config, Device, Dictionary, Key, Ranges};
use gpu_lsm_primitives::Code;
use std::path::Path;
use toml::{Table, Value};

on_every_device!(every_script_gives_its_answers);

fn every_script_gives_its_answers(device: &Device) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata");
    let mut scripts = 0;
    for file in folder.read_dir().unwrap() {
        let text = std::fs::read_to_string(file.unwrap().path()).unwrap();
        for script in text.parse::<Table>().unwrap()["script"].as_array().unwrap() {
            match script["keys"].as_str().unwrap() {
                "u32" => run::<u32>(device, script),
                "u64" => wide(device, || run::<u64>(device, script)),
                other => panic!("no keys are called {other}"),
            }
            scripts += 1;
        }
    }
    assert!(scripts >= 60, "{scripts} scripts");
}

fn run<K: Key>(device: &Device, script: &Value) {
    let batch_size = script["batch_size"].as_integer().unwrap() as usize;
    let config = Config::new().with_batch_size(batch_size);
    let mut dictionary = Dictionary::<K, u32>::with_config(device, config).unwrap();
    for (i, step) in script["steps"].as_array().unwrap().iter().enumerate() {
        let case = format!("{}, step {i}", script["name"]);
        if !update(&mut dictionary, step) {
            query(&dictionary, step, &case);
        }
        dictionary.verify().unwrap_or_else(|error| panic!("{case}: {error}"));
    }
}

/// Performs a step, if it is an update.
fn update<K: Key>(dictionary: &mut Dictionary<K, u32>, step: &Value) -> bool {
    let keys = |column: &str| column_of::<K>(step, column);
    let values = |column: &str| column_of::<u32>(step, column);
    match step["do"].as_str().unwrap() {
        "insert" => dictionary.insert(&keys("keys"), &values("values")),
        "delete" => dictionary.delete(&keys("keys")),
        "update" => dictionary.update(&keys("keys"), &values("values"), &keys("deletes")),
        "delete_range" => dictionary.delete_range(&keys("lower"), &keys("upper")),
        "cleanup" => dictionary.cleanup(),
        "apply" => {
            let mut batch = Batch::new();
            for operation in step["operations"].as_array().unwrap() {
                match operation.as_array().unwrap()[..] {
                    [ref key] => batch.delete(number(key)),
                    [ref key, ref value] => batch.insert(number(key), number(value)),
                    _ => panic!("an operation is a key, or a key and a value: {operation}"),
                }
            }
            dictionary.apply(&batch)
        }
        _ => return false,
    }
    .unwrap();
    true
}

/// Performs a step's query and compares the answer.
fn query<K: Key>(dictionary: &Dictionary<K, u32>, step: &Value, case: &str) {
    let keys = |column: &str| column_of::<K>(step, column);
    let values = |column: &str| column_of::<u32>(step, column);
    let limit = || number(&step["limit"]);
    let check_ranges = |ranges: Ranges<K, u32>| {
        assert_eq!(ranges.offsets(), column_of::<u64>(step, "offsets"), "{case}");
        assert_eq!(
            (ranges.keys(), ranges.values()),
            (&keys("found_keys")[..], &values("values")[..]),
            "{case}"
        );
    };
    match step["do"].as_str().unwrap() {
        "lookup" => {
            let answers = dictionary.lookup(&keys("keys")).unwrap();
            assert_eq!(answers.found(), values("found"), "{case}");
            assert_eq!(answers.values(), values("values"), "{case}");
        }
        "count" => {
            let counts = dictionary.count(&keys("lower"), &keys("upper")).unwrap();
            assert_eq!(counts, column_of::<u64>(step, "counts"), "{case}");
        }
        "range" => check_ranges(dictionary.range(&keys("lower"), &keys("upper")).unwrap()),
        "range_first" => {
            check_ranges(dictionary.range_first(&keys("lower"), &keys("upper"), limit()).unwrap());
        }
        "range_after" => {
            check_ranges(dictionary.range_after(&keys("lower"), &keys("upper"), limit()).unwrap());
        }
        way @ ("successor" | "predecessor") => {
            let near = match way {
                "successor" => dictionary.successor(&keys("keys")).unwrap(),
                _ => dictionary.predecessor(&keys("keys")).unwrap(),
            };
            assert_eq!(near.found(), values("found"), "{case}");
            assert_eq!(
                (near.keys(), near.values()),
                (&keys("found_keys")[..], &values("values")[..]),
                "{case}"
            );
        }
        "len" => assert_eq!(dictionary.len().unwrap(), number::<u64>(&step["entries"]), "{case}"),
        "scan" => {
            let chunks = dictionary.scan(number(&step["chunk"])).map(Result::unwrap);
            let (found, its_values): (Vec<_>, Vec<_>) = chunks.unzip();
            assert_eq!(found.concat(), keys("found_keys"), "{case}");
            assert_eq!(its_values.concat(), values("values"), "{case}");
        }
        other => panic!("nothing is called {other}"),
    }
}

fn column_of<T: Key>(step: &Value, column: &str) -> Vec<T> {
    step[column].as_array().unwrap().iter().map(number).collect()
}

/// A number; a string if it is too large for the format's integers.
fn number<T: Key>(value: &Value) -> T {
    let number = match value {
        Value::Integer(number) => u64::try_from(*number).unwrap(),
        Value::String(digits) => digits.parse().unwrap(),
        other => panic!("{other} is no number"),
    };
    T::from_code(Code::truncated(number))
}
