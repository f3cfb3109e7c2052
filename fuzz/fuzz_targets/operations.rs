//! Many operations on few keys with tiny levels: many overwrites, hidden entries and cleanups.

#![no_main]

use arbitrary::Arbitrary;
use gpu_lsm::Config;
use gpu_lsm_fuzz::{Runner, Shape, Step, all, on_this_thread};
use gpu_lsm_model::Layout;
use libfuzzer_sys::fuzz_target;

#[derive(Debug, Arbitrary)]
struct Script {
    batch_size: u8,
    universe: u8,
    #[arbitrary(with = all)]
    steps: Vec<Step>,
}

fuzz_target!(init: on_this_thread(), |script: Script| {
    let config = Config::new().with_batch_size(usize::from(script.batch_size % 9) + 1);
    let shape = Shape { layout: Layout::Spread, universe: u16::from(script.universe) };
    let mut runner = Runner::<u32, u32>::new(config, shape);
    for step in &script.steps {
        runner.follow(step).expect("nothing can fail");
        runner.pair.dictionary.verify().expect("every rule is kept");
    }
    runner.check_whole().expect("nothing can fail");
});
