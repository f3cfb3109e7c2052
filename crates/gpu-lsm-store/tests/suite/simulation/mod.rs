//! The protocol under every interleaving that a seed can name: writers that stall, crash and come back, collections that
//! outlive their writers, and readers, over a place whose operations fail, or take effect late.
//!
//! A dictionary is a list of numbers here, and a run is a stretch of it. Everything happens on one thread, in an order that
//! the seed decides.

mod actors;
mod flights;
mod place;
mod scheduler;
mod session;
mod state;
mod world;

use gpu_lsm_store::protocol::Retention;
use rand::RngExt;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use std::time::Duration;

/// The most records in flight here.
const WINDOW: u64 = 3;

/// Runs one schedule. Panics if a rule is broken.
fn simulate(seed: u64) -> scheduler::Tally {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let faults = [0, 0, 20, 60][rng.random_range(0..4)];
    let world = world::World::new(place::Simulated::new(faults, rng.random()), rng.random());
    let retention = Retention { versions: rng.random_range(1..=2), age: Duration::ZERO };
    let writers = rng.random_range(2..=3);
    for writer in 0..writers {
        let sessions = rng.random_range(1..=3);
        world.spawn(actors::writer(world.clone(), writer, sessions, retention));
    }
    world.spawn(actors::reader(world.clone(), 3));
    let mut tally = scheduler::run(&world, &mut rng);
    world.place().end_faults();
    scheduler::run_to_end(&world, actors::check_at_end(world.clone()));
    tally.acknowledged = world.acknowledged();
    tally
}

/// The seeds to run: `GPU_LSM_SCHEDULES` of them, from `GPU_LSM_SEED` on.
fn seeds(part: u64) -> impl Iterator<Item = u64> {
    let number = |name: &str| std::env::var(name).ok().map(|text| text.parse::<u64>().unwrap());
    let schedules = number("GPU_LSM_SCHEDULES").unwrap_or(100_000);
    let first = number("GPU_LSM_SEED").unwrap_or(0);
    (first..first + schedules).filter(move |seed| seed % 2 == part)
}

fn simulate_all(part: u64) {
    let mut total = scheduler::Tally::default();
    for seed in seeds(part) {
        let result = std::panic::catch_unwind(|| simulate(seed));
        match result {
            Ok(tally) => total += tally,
            Err(panic) => {
                eprintln!("seed {seed} breaks a rule; repeat it by GPU_LSM_SEED={seed} GPU_LSM_SCHEDULES=1");
                std::panic::resume_unwind(panic);
            }
        }
    }
    eprintln!("{total:?}");
    assert!(total.crashes == 0 || total.acknowledged > 0, "the simulation does something");
}

#[test]
fn no_schedule_breaks_a_rule_even() {
    simulate_all(0);
}

#[test]
fn no_schedule_breaks_a_rule_odd() {
    simulate_all(1);
}
