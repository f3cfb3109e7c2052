//! The scripts of `testdata`: operations with their expected answers, on every device. Bindings run the same files.

use crate::calls::{Queries, Updates};
use crate::on_every_device;
use crate::support::wide;
use gpu_lsm::{
    Batch, Config, Device, Dictionary, Key, Morton, Ranges, Sharded, ShardedSnapshot, Sharding, Snapshot,
};
use gpu_lsm_model::{interval, number, numbers, scripts};
use gpu_lsm_primitives::Code;
use toml::Value;

on_every_device!(every_script_gives_its_answers);

fn every_script_gives_its_answers(device: &Device) {
    every_script(device, false);
}

/// Runs every script on a plain dictionary, or on sharded ones.
pub(crate) fn every_script(device: &Device, in_shards: bool) {
    for script in &scripts() {
        match script["keys"].as_str().unwrap() {
            "u32" if in_shards => run_in_shards::<u32>(device, script, no_query),
            "u32" => run::<u32>(device, script, no_query),
            "u64" if in_shards => wide(device, || run_in_shards::<u64>(device, script, no_query)),
            "u64" => wide(device, || run::<u64>(device, script, no_query)),
            "point" if in_shards => wide(device, || run_in_shards(device, script, sharded_rectangles)),
            "point" => wide(device, || run(device, script, rectangles)),
            other => panic!("no keys are called {other}"),
        }
    }
}

/// Performs a query that only one type of keys has, and compares the answer.
type Special<S> = fn(&S, &Value, &str);

fn config(script: &Value) -> Config {
    Config::new().with_batch_size(script["batch_size"].as_integer().unwrap() as usize)
}

fn run<K: Key>(device: &Device, script: &Value, special: Special<Snapshot<K, u32>>) {
    run_on(Dictionary::<K, u32>::with_config(device, config(script)).unwrap(), device, script, special);
}

fn run_in_shards<K: Key>(device: &Device, script: &Value, special: Special<ShardedSnapshot<K, u32>>) {
    // The scripts have small keys and keys near the ends of the domain.
    let boundaries = [3, 7, 20, 50, 1000, u64::MAX / 2].map(|code| K::from_code(Code::truncated(code)));
    for shards in [1, 2, 3, 7] {
        let sharding = Sharding::new().with_boundaries(&boundaries[..shards - 1]);
        let devices = vec![device.clone(); shards.min(2)];
        let dictionary = Sharded::<K, u32>::with_sharding(&devices, config(script), &sharding).unwrap();
        run_on(dictionary, device, script, special);
    }
}

fn run_on<K: Key, D: Updates<K, u32>>(
    mut dictionary: D,
    device: &Device,
    script: &Value,
    special: Special<D::Snapshot>,
) {
    let mut other = None;
    for (i, step) in script["steps"].as_array().unwrap().iter().enumerate() {
        let case = format!("{}, step {i}", script["name"]);
        match step["do"].as_str().unwrap() {
            "fork" => {
                let fork = dictionary.forked();
                other = Some(std::mem::replace(&mut dictionary, fork));
            }
            "swap" => std::mem::swap(&mut dictionary, other.as_mut().unwrap()),
            _ if update(&mut dictionary, device, step) => {}
            _ => query(dictionary.now(), step, &case, special),
        }
        dictionary.now().verify().unwrap_or_else(|error| panic!("{case}: {error}"));
    }
}

/// Performs a step, if it is an update.
fn update<K: Key>(dictionary: &mut impl Updates<K, u32>, device: &Device, step: &Value) -> bool {
    let keys = |column: &str| numbers::<K>(step, column);
    let values = |column: &str| numbers::<u32>(step, column);
    match step["do"].as_str().unwrap() {
        "insert" => dictionary.insert(&keys("keys"), &values("values")),
        "delete" => dictionary.delete(&keys("keys")),
        "update" => dictionary.update(&keys("keys"), &values("values"), &keys("deletes")),
        "delete_range" => dictionary.delete_range(&keys("lower"), &keys("upper")),
        "delete_in" => dictionary.delete_in(interval::<K>(step)),
        "cleanup" => dictionary.cleanup(),
        "clear" => dictionary.clear(),
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
        "apply_columns" => {
            let deletes = device.upload(&values("deletes")).unwrap();
            dictionary.apply_columns(&keys("keys"), &values("values"), &deletes)
        }
        _ => return false,
    }
    .unwrap();
    true
}

/// Performs a step's query and compares the answer.
fn query<K: Key, S: Queries<K, u32>>(dictionary: &S, step: &Value, case: &str, special: Special<S>) {
    let keys = |column: &str| numbers::<K>(step, column);
    let values = |column: &str| numbers::<u32>(step, column);
    let limit = || number(&step["limit"]);
    let check_ranges = |ranges: Ranges<K, u32>| check_ranges(&ranges, step, case);
    let entries = || number::<u64>(&step["entries"]);
    let check_entries = |found: (Vec<K>, Vec<u32>)| {
        assert_eq!(found, (keys("found_keys"), values("values")), "{case}");
    };
    match step["do"].as_str().unwrap() {
        "lookup" => {
            let answers = dictionary.lookup(&keys("keys")).unwrap();
            assert_eq!(answers.found(), values("found"), "{case}");
            assert_eq!(answers.values(), values("values"), "{case}");
        }
        "get" => {
            let expected = step.get("value").map(number::<u32>);
            assert_eq!(dictionary.get(number(&step["key"])).unwrap(), expected, "{case}");
        }
        "contains" => {
            let is_present = dictionary.contains(number(&step["key"])).unwrap();
            assert_eq!(is_present, step["present"].as_bool().unwrap(), "{case}");
        }
        "count" => {
            let counts = dictionary.count(&keys("lower"), &keys("upper")).unwrap();
            assert_eq!(counts, numbers::<u64>(step, "counts"), "{case}");
        }
        "count_in" => assert_eq!(dictionary.count_in(interval::<K>(step)).unwrap(), entries(), "{case}"),
        "range" => check_ranges(dictionary.range(&keys("lower"), &keys("upper")).unwrap()),
        "range_in" => check_entries(dictionary.range_in(interval::<K>(step)).unwrap()),
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
            let (found, found_keys, found_values) = near.into_parts();
            assert_eq!(found, values("found"), "{case}");
            check_entries((found_keys, found_values));
        }
        "len" => assert_eq!(dictionary.len().unwrap(), entries(), "{case}"),
        "scan" => {
            let chunks = dictionary.scan(number(&step["chunk"]));
            let (found, its_values): (Vec<_>, Vec<_>) = chunks.into_iter().unzip();
            check_entries((found.concat(), its_values.concat()));
        }
        "iter" => check_entries(dictionary.all().into_iter().unzip()),
        _ => special(dictionary, step, case),
    }
}

fn no_query<S>(_: &S, step: &Value, case: &str) {
    panic!("{case}: no query of these keys is called {}", step["do"]);
}

/// Rectangles of points, with their results on the host and on the device.
fn rectangles(dictionary: &Snapshot<Morton, u32>, step: &Value, case: &str) {
    assert_eq!(step["do"].as_str(), Some("rectangles"), "{case}");
    let (lower, upper) = (numbers::<Morton>(step, "lower"), numbers::<Morton>(step, "upper"));
    check_ranges(&dictionary.rectangles(&lower, &upper).unwrap(), step, case);
    let there = dictionary.on_device().rectangles(lower, upper).unwrap();
    check_ranges(&there.read().unwrap(), step, case);
}

fn sharded_rectangles(dictionary: &ShardedSnapshot<Morton, u32>, step: &Value, case: &str) {
    assert_eq!(step["do"].as_str(), Some("rectangles"), "{case}");
    let (lower, upper) = (numbers::<Morton>(step, "lower"), numbers::<Morton>(step, "upper"));
    check_ranges(&dictionary.rectangles(&lower, &upper).unwrap(), step, case);
}

fn check_ranges<K: Key>(ranges: &Ranges<K, u32>, step: &Value, case: &str) {
    assert_eq!(ranges.offsets(), numbers::<u64>(step, "offsets"), "{case}");
    assert_eq!(
        (ranges.keys(), ranges.values()),
        (&numbers::<K>(step, "found_keys")[..], &numbers::<u32>(step, "values")[..]),
        "{case}"
    );
}
