//! The gate: measured ratios against recorded ones.

use crate::support::{folder, tiny};
use gpu_lsm::Device;
use gpu_lsm_bench::Error;
use gpu_lsm_bench::command::gate::{Accepted, FILE, Gate, Ratios, rows};
use gpu_lsm_bench::measure::progress::Quiet;
use std::fs;

fn ratios(all: &[(&str, f64)]) -> Ratios {
    all.iter().map(|&(name, ratio)| (name.to_owned(), ratio)).collect()
}

#[test]
fn a_row_fails_below_four_fifths_of_what_is_written_down() {
    let accepted = ratios(&[("a", 2.0), ("b", 0.5), ("c", 1.0)]);
    let measured = ratios(&[("a", 1.61), ("b", 0.39), ("c", 7.0)]);
    let passes: Vec<_> = rows(&accepted, &measured).unwrap().iter().map(|row| row.passes()).collect();
    assert_eq!(passes, [true, false, true]);
}

#[test]
fn other_rows_than_are_written_down_are_an_error() {
    let accepted = ratios(&[("a", 2.0)]);
    for measured in [ratios(&[]), ratios(&[("b", 2.0)]), ratios(&[("a", 2.0), ("b", 2.0)])] {
        assert!(matches!(rows(&accepted, &measured), Err(Error::Asked(_))));
    }
    assert!(matches!(rows(&ratios(&[]), &ratios(&[])), Err(Error::Asked(_))));
}

#[test]
fn without_anything_written_down_the_error_says_what_to_do() {
    let folder = folder();
    let device = Device::host();
    let error = Gate::new(&device, folder.path(), tiny()).check(&mut Quiet).unwrap_err().to_string();
    assert!(error.contains("bench gate --accept"), "{error}");
}

/// Unreachable ratios fail, and a tenth of the measured ratios passes.
#[test]
fn what_is_written_down_decides() {
    let folder = folder();
    let device = Device::host();
    let gate = Gate::new(&device, folder.path(), tiny());
    let accepted = gate.accept(&mut Quiet).unwrap();
    assert!(accepted.len() > 10 && accepted.iter().all(|row| row.passes()));
    let path = folder.path().join("host").join(FILE);
    for (factor, passes) in [(0.1, true), (1000.0, false)] {
        let mut written: Accepted = serde_json::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
        let original = written.clone();
        written.ratios.values_mut().for_each(|ratio| *ratio *= factor);
        fs::write(&path, serde_json::to_string(&written).unwrap()).unwrap();
        assert!(gate.check(&mut Quiet).unwrap().iter().all(|row| row.passes() == passes), "times {factor}");
        fs::write(&path, serde_json::to_string(&original).unwrap()).unwrap();
    }
}

/// Ratios that were measured elsewhere say nothing about this device and build.
#[test]
fn ratios_of_another_driver_or_build_are_an_error() {
    let folder = folder();
    let device = Device::host();
    let path = folder.path().join("host").join(FILE);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    let accepted = Accepted { driver: "another".into(), has_assertions: true, ratios: ratios(&[("a", 1.0)]) };
    fs::write(&path, serde_json::to_string(&accepted).unwrap()).unwrap();
    let error = Gate::new(&device, folder.path(), tiny()).check(&mut Quiet).unwrap_err().to_string();
    assert!(error.contains("another driver"), "{error}");
}
