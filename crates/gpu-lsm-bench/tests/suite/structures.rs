//! Checks every structure in every experiment against the reference.

use crate::support::{folder, run};
use gpu_lsm::Device;
use gpu_lsm_bench::error::Error;
use gpu_lsm_bench::measure::contender::contenders;
use gpu_lsm_bench::measure::structure::{Found, Intervals};
use gpu_lsm_bench::record::experiment::Experiment;
use std::collections::BTreeSet;

fn names(device: &Device) -> BTreeSet<String> {
    contenders(device).iter().map(|contender| contender.name.to_owned()).collect()
}

#[test]
fn every_experiment_verifies_every_structure_on_the_host() {
    let results = folder();
    let mut seen = BTreeSet::new();
    for experiment in Experiment::ALL {
        let records = run(experiment, results.path()).expect("every answer is right");
        assert!(records.iter().all(|record| record.verified && record.seconds > 0.0), "{experiment:?}");
        seen.extend(records.into_iter().map(|record| record.sample.structure));
    }
    assert!(seen.remove("copy") && seen.remove("bare_sort") && seen.remove("gpu-lsm-shards"));
    assert_eq!(seen, names(&Device::host()));
}

#[test]
fn what_a_structure_has_not_is_a_typed_error() {
    let cuckoo = contenders(&Device::host()).into_iter().find(|contender| contender.name == "cuckoo_hash");
    let mut cuckoo = cuckoo.expect("it is there").make(16, 1).expect("it can be made");
    cuckoo.build(&[1, 2, 3], &[4, 5, 6]).expect("it can be built");
    let intervals = Intervals { lower: &[1], upper: &[2] };
    assert!(matches!(cuckoo.count(intervals), Err(Error::Unsupported { operation: "count", .. })));
    assert!(matches!(cuckoo.cleanup(), Err(Error::Unsupported { operation: "cleanup", .. })));
    let Found { found, values } = cuckoo.lookup(&[2, 9]).expect("it answers").1;
    assert_eq!((found, values[0]), (vec![1, 0], 5));
}

#[cfg(feature = "wgpu")]
mod gpu {
    use super::names;
    use crate::support::{folder, tiny};
    use gpu_lsm::Device;
    use gpu_lsm_bench::command::bench::Bench;
    use gpu_lsm_bench::measure::contender::contenders;
    use gpu_lsm_bench::measure::progress::Quiet;
    use gpu_lsm_bench::measure::structure::Update;
    use gpu_lsm_bench::record::experiment::Experiment;
    use std::collections::BTreeSet;

    #[test]
    fn every_structure_is_verified_on_the_gpu_and_its_bytes_are_counted() {
        let results = folder();
        let device = Device::gpu().expect("there is a GPU");
        let bench = Bench::new(&device, results.path(), "a test", false).expect("it can be read");
        let records =
            bench.run(Experiment::Traffic, tiny(), true, &mut Quiet).expect("every answer is right");
        let seen: BTreeSet<_> = records.iter().map(|record| record.sample.structure.clone()).collect();
        assert!(names(&device).is_subset(&seen));
        let mut operations = records.iter().filter(|record| record.sample.case != "copy");
        assert!(
            operations
                .all(|record| record.verified && record.launches > 0 && record.moved > record.operations)
        );
    }

    /// The wait that ends a measurement belongs to the bench. An operation that a structure lacks leaves no clock
    /// running.
    #[test]
    fn waits_are_the_operations_own_and_what_is_unsupported_leaves_no_clock_running() {
        let device = Device::gpu().expect("there is a GPU");
        for contender in contenders(&device) {
            let mut structure = contender.make(4, 3).expect("it can be made");
            let name = contender.name;
            if name == "cuckoo_hash" {
                structure.build(&[1, 2, 3], &[4, 5, 6]).expect("it can be built");
                for _ in 0..3 {
                    structure.cleanup().expect_err("it has none");
                }
            } else {
                let batch = Update { keys: &[1, 2, 3, 4], values: &[4, 5, 6, 7], deletes: &[] };
                let timing = structure.update(batch).expect("it takes a batch");
                assert_eq!(timing.traffic.waits, u64::from(name == "gpu-lsm"), "{name}");
            }
            let (timing, answers) = structure.lookup(&[2, 9]).expect("it answers");
            assert_eq!((timing.traffic.waits, timing.traffic.downloaded), (0, 0), "{name}");
            assert_eq!((answers.found, answers.values[0]), (vec![1, 0], 5), "{name}");
        }
    }
}
