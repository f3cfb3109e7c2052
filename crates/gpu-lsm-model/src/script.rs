//! The scripts of `testdata`, and what their numbers and intervals mean.

use gpu_lsm::{Key, Morton};
use gpu_lsm_primitives::Code;
use std::ops::Bound;
use std::path::Path;
use toml::{Table, Value};

/// Every script of `testdata`.
pub fn scripts() -> Vec<Value> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata");
    let files = folder.read_dir().unwrap().map(|file| file.unwrap().path());
    let files = files.filter(|file| file.extension().is_some_and(|extension| extension == "toml"));
    let scripts: Vec<Value> = files.flat_map(|file| scripts_of(&file)).collect();
    assert!(scripts.len() >= 105, "{} scripts", scripts.len());
    scripts
}

fn scripts_of(file: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(file).unwrap();
    text.parse::<Table>().unwrap()["script"].as_array().unwrap().clone()
}

/// An interval from a key or after it, and to a key or below it; a bound that is left out is open.
pub fn interval<K: Key>(step: &Value) -> (Bound<K>, Bound<K>) {
    let bound = |included: &str, excluded: &str| match (step.get(included), step.get(excluded)) {
        (Some(key), None) => Bound::Included(number(key)),
        (None, Some(key)) => Bound::Excluded(number(key)),
        (None, None) => Bound::Unbounded,
        _ => panic!("{included} or {excluded}, not both: {step}"),
    };
    (bound("from", "after"), bound("to", "below"))
}

/// A column of a step.
pub fn numbers<T: Key>(step: &Value, column: &str) -> Vec<T> {
    step[column].as_array().unwrap().iter().map(number).collect()
}

/// A number; a string if it is too large for the format's integers; or a point, as its coordinates.
pub fn number<T: Key>(value: &Value) -> T {
    let number = match value {
        Value::Integer(number) => u64::try_from(*number).unwrap(),
        Value::String(digits) => digits.parse().unwrap(),
        Value::Array(point) => Morton { x: number(&point[0]), y: number(&point[1]) }.to_code(),
        other => panic!("{other} is no number"),
    };
    T::from_code(Code::truncated(number))
}
