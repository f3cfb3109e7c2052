//! Every key type and every value width; keys at the edges of the domain and in clusters.

#![no_main]

use arbitrary::Arbitrary;
use gpu_lsm::{Config, Morton};
use gpu_lsm_fuzz::{Runner, Shape, Step, all, on_this_thread};
use gpu_lsm_model::{Layout, TestKey, TestValue};
use libfuzzer_sys::fuzz_target;

#[derive(Debug, Arbitrary)]
struct Script {
    kind: u8,
    layout: u8,
    batch_size: u8,
    universe: u16,
    #[arbitrary(with = all)]
    steps: Vec<Step>,
}

fuzz_target!(init: on_this_thread(), |script: Script| {
    match script.kind % 14 {
        0 => follow::<u32, u32>(&script),
        1 => follow::<u32, ()>(&script),
        2 => follow::<u64, [u32; 4]>(&script),
        3 => follow::<u64, f64>(&script),
        4 => follow::<i32, f64>(&script),
        5 => follow::<i32, ()>(&script),
        6 => follow::<i64, u32>(&script),
        7 => follow::<f32, [u32; 4]>(&script),
        8 => follow::<f32, u32>(&script),
        9 => follow::<f64, f64>(&script),
        10 => follow::<f64, ()>(&script),
        11 => follow::<(u32, u32), u32>(&script),
        12 => follow::<Morton, [u32; 4]>(&script),
        _ => follow::<Morton, ()>(&script),
    }
});

fn follow<K: TestKey, V: TestValue>(script: &Script) {
    let layout = Layout::ALL[usize::from(script.layout) % Layout::ALL.len()];
    let config = Config::new().with_batch_size(usize::from(script.batch_size) + 1);
    let mut runner = Runner::<K, V>::new(config, Shape { layout, universe: script.universe % 2048 });
    for step in &script.steps {
        runner.follow(step).expect("nothing can fail");
        runner.pair.dictionary.verify().expect("every rule is kept");
    }
    runner.check_whole().expect("nothing can fail");
}
