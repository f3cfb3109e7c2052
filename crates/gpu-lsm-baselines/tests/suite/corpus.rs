//! The scripts of `testdata` that use only what these dictionaries can do.

use crate::on_every_backend;
use crate::support::{Dictionary, Operation, Pair, answers_of, entries_of};
use gpu_lsm_baselines::{Baselines, LARGEST_KEY, PaperLsm, SortedArray};
use gpu_lsm_primitives::Array;
use std::path::Path;
use toml::{Table, Value};

on_every_backend!(
    every_script_of_what_the_papers_lsm_does_gives_its_answers,
    every_script_of_what_the_sorted_array_does_gives_its_answers,
);

fn every_script_of_what_the_papers_lsm_does_gives_its_answers<B: Baselines>(backend: &B) {
    every_script::<B, PaperLsm<B>>(backend);
}

fn every_script_of_what_the_sorted_array_does_gives_its_answers<B: Baselines>(backend: &B) {
    every_script::<B, SortedArray<B>>(backend);
}

fn every_script<B: Baselines, D: Dictionary<B>>(backend: &B) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata");
    let (mut run, mut not_ours) = (0, Vec::new());
    let files = folder.read_dir().unwrap().map(|file| file.unwrap().path());
    for file in files.filter(|file| file.extension().is_some_and(|extension| extension == "toml")) {
        let text = std::fs::read_to_string(file).unwrap();
        for script in text.parse::<Table>().unwrap()["script"].as_array().unwrap() {
            if is_ours(script) {
                run_script::<B, D>(backend, script);
                run += 1;
            } else {
                not_ours.push(script["name"].to_string());
            }
        }
    }
    assert!(run >= 35, "{run} scripts; not these: {not_ours:?}");
}

/// Whether a script has 32-bit keys, stores no key of more than 31 bits, never inserts a key after deleting it in the
/// same batch, and asks only queries that these dictionaries answer.
fn is_ours(script: &Value) -> bool {
    let fits = |column: &Value| column.as_array().unwrap().iter().all(|key| number(key) <= LARGEST_KEY);
    let is_ours = |step: &Value| match step["do"].as_str().unwrap() {
        "insert" | "delete" => fits(&step["keys"]),
        "update" => fits(&step["keys"]) && fits(&step["deletes"]),
        "apply" => {
            let operations = operations_of(step);
            let mut later = operations.iter().enumerate();
            operations.iter().all(|operation| operation.0 <= LARGEST_KEY)
                && !later.any(|(i, &(key, value))| value.is_some() && operations[..i].contains(&(key, None)))
        }
        "lookup" | "count" | "range" | "len" | "cleanup" => true,
        _ => false,
    };
    script["keys"].as_str() == Some("u32") && script["steps"].as_array().unwrap().iter().all(is_ours)
}

fn run_script<B: Baselines, D: Dictionary<B>>(backend: &B, script: &Value) {
    let batch_size = script["batch_size"].as_integer().unwrap() as usize;
    let mut pair = Pair::<B, D>::new(backend, batch_size, 255);
    for (i, step) in script["steps"].as_array().unwrap().iter().enumerate() {
        let column = |name: &str| numbers(&step[name]);
        match step["do"].as_str().unwrap() {
            "insert" => pair.insert(&column("keys"), &column("values")),
            "delete" => pair.delete(&column("keys")),
            "update" => {
                let inserts = column("keys").into_iter().zip(column("values").into_iter().map(Some));
                let deletes = column("deletes").into_iter().map(|key| (key, None));
                pair.update(&inserts.chain(deletes).collect::<Vec<_>>());
            }
            "apply" => pair.update(&operations_of(step)),
            "cleanup" => pair.dictionary.cleanup().unwrap(),
            _ => query(&pair, step, &format!("{}, step {i}", script["name"])),
        }
    }
}

/// Runs a step's query and compares the answer.
fn query<B: Baselines, D: Dictionary<B>>(pair: &Pair<B, D>, step: &Value, case: &str) {
    let column = |name: &str| numbers(&step[name]);
    let there = |name: &str| pair.upload(&column(name));
    match step["do"].as_str().unwrap() {
        "lookup" => {
            let answers = pair.dictionary.lookup(&there("keys")).unwrap();
            let expected = column("found").into_iter().zip(column("values"));
            let expected = expected.map(|(found, value)| (found == 1).then_some(value));
            assert!(answers_of(&pair.backend, &answers).into_iter().eq(expected), "{case}");
        }
        "count" => {
            let counts = pair.dictionary.count(&there("lower"), &there("upper")).unwrap();
            assert_eq!(pair.backend.download(&counts, counts.len()).unwrap(), column("counts"), "{case}");
        }
        "range" => {
            let ranges = pair.dictionary.range(&there("lower"), &there("upper")).unwrap();
            let expected = (column("offsets"), column("found_keys"), column("values"));
            assert_eq!(entries_of(&pair.backend, &ranges), expected, "{case}");
        }
        "len" => {
            let counts = pair.dictionary.count(&pair.upload(&[0]), &pair.upload(&[u32::MAX])).unwrap();
            let expected = number(&step["entries"]);
            assert_eq!(pair.backend.download(&counts, 1).unwrap(), [expected], "{case}");
        }
        other => panic!("nothing is called {other}"),
    }
}

fn operations_of(step: &Value) -> Vec<Operation> {
    let operation = |operation: &Value| {
        let operation = operation.as_array().unwrap();
        (number(&operation[0]), operation.get(1).map(number))
    };
    step["operations"].as_array().unwrap().iter().map(operation).collect()
}

fn numbers(column: &Value) -> Vec<u32> {
    column.as_array().unwrap().iter().map(number).collect()
}

fn number(value: &Value) -> u32 {
    u32::try_from(value.as_integer().unwrap()).unwrap()
}
