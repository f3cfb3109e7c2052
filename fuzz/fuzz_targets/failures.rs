//! Calls that fail, because of the byte budget or on purpose: nothing has changed then, and later answers are right.

#![no_main]

use arbitrary::Arbitrary;
use gpu_lsm::{BackendError, Config, Error};
use gpu_lsm_fuzz::{Runner, Shape, Step, all, on_this_thread};
use gpu_lsm_model::{Layout, TestKey, TestValue};
use libfuzzer_sys::fuzz_target;

#[derive(Debug, Arbitrary)]
struct Script {
    is_wide: bool,
    /// Whether all levels are tallied before each step, so that bytes in use can be compared; and whether the budget is
    /// lifted while everything is compared.
    is_tallied: bool,
    batch_size: u8,
    budget: Option<u16>,
    /// Each step with the number of the call that fails in it, or zero.
    #[arbitrary(with = all)]
    steps: Vec<(Step, u8)>,
}

impl Script {
    /// So few bytes that most scripts exceed them.
    fn budget(&self) -> Option<u64> {
        self.budget.map(|bytes| u64::from(bytes % (1 << 14)))
    }
}

fuzz_target!(init: on_this_thread(), |script: Script| {
    if script.is_wide { follow::<i64, [u32; 4]>(&script) } else { follow::<u32, u32>(&script) }
});

fn follow<K: TestKey, V: TestValue>(script: &Script) {
    let config = Config::new().with_batch_size(usize::from(script.batch_size % 33) + 1);
    let config = script.budget().map_or(config, |bytes| config.with_byte_budget(bytes));
    let mut runner = Runner::<K, V>::new(config, Shape { layout: Layout::Spread, universe: 300 });
    for (step, k) in &script.steps {
        follow_step(&mut runner, step, u64::from(*k), script);
    }
    check(&mut runner, script);
}

fn follow_step<K: TestKey, V: TestValue>(runner: &mut Runner<K, V>, step: &Step, k: u64, script: &Script) {
    let has_budget = script.budget.is_some();
    let before = State::of(runner, script);
    runner.pair.dictionary.meter().fuse().fail_at(k);
    let result = runner.follow(step);
    let fuse = runner.pair.dictionary.meter().fuse();
    let has_burnt = k > 0 && !fuse.is_armed();
    fuse.fail_at(0);
    match result {
        Ok(()) => assert!(!has_burnt, "a failure is told: {step:?}"),
        Err(error) => {
            if !has_burnt {
                assert!(has_budget && is_over_budget(&error), "{step:?}: {error}");
                assert!(
                    !(step.shrinks() && runner.is_alone()),
                    "there is always room to shrink: {step:?}: {error}"
                );
            }
            assert_eq!(State::of(runner, script), before, "a call that failed changes nothing: {step:?}");
            check(runner, script);
        }
    }
}

/// What a failed call must not change.
#[derive(Debug, PartialEq)]
struct State {
    levels: Vec<(usize, u64, u64)>,
    /// Only if all levels are tallied: otherwise a failed query may have made some tallies.
    bytes_in_use: Option<u64>,
}

impl State {
    fn of<K: TestKey, V: TestValue>(runner: &Runner<K, V>, script: &Script) -> Self {
        // A budget may leave no room for tallies.
        let is_tallied = script.is_tallied && script.budget.is_none();
        if is_tallied {
            runner.pair.dictionary.len().expect("nothing can fail");
        }
        let statistics = runner.pair.dictionary.statistics();
        let levels = statistics.levels.iter();
        Self {
            levels: levels.map(|level| (level.level, level.entries, level.tombstones)).collect(),
            bytes_in_use: is_tallied.then_some(statistics.bytes_in_use),
        }
    }
}

/// Compares everything, as far as the budget allows.
fn check<K: TestKey, V: TestValue>(runner: &mut Runner<K, V>, script: &Script) {
    let budget = script.budget().filter(|_| script.is_tallied);
    if budget.is_some() {
        runner.pair.dictionary.set_byte_budget(None).expect("there is room without a budget");
    }
    if let Err(error) = runner.check_whole() {
        assert!(
            script.budget.is_some() && !script.is_tallied && is_over_budget(&error),
            "nothing else can fail: {error}"
        );
    }
    if budget.is_some() {
        runner.pair.dictionary.set_byte_budget(budget).expect("there was room to shrink within it");
    }
}

fn is_over_budget(error: &Error) -> bool {
    matches!(error, Error::Backend(BackendError::OverBudget { .. }))
}
