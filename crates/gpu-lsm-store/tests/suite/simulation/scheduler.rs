//! Decides whose turn it is, who crashes, and when something late happens.

use super::world::{Actor, World};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use std::task::{Context, Poll, Waker};

/// What schedules did.
#[derive(Debug, Default)]
pub(super) struct Tally {
    schedules: u64,
    steps: u64,
    pub(super) crashes: u64,
    pub(super) acknowledged: u64,
}

impl std::ops::AddAssign for Tally {
    fn add_assign(&mut self, other: Self) {
        self.schedules += other.schedules;
        self.steps += other.steps;
        self.crashes += other.crashes;
        self.acknowledged += other.acknowledged;
    }
}

/// Steps after which everybody has crashed.
const MOST_STEPS: u64 = 3000;

/// Runs all actors until they have ended or crashed.
pub(super) fn run(world: &World, rng: &mut ChaCha8Rng) -> Tally {
    let mut tally = Tally { schedules: 1, ..Tally::default() };
    // Each with whether it sleeps, while others do many steps.
    let mut actors: Vec<(Actor, bool)> = Vec::new();
    loop {
        actors.extend(world.take_spawned().into_iter().map(|actor| (actor, false)));
        if actors.is_empty() || tally.steps == MOST_STEPS {
            return tally;
        }
        tally.steps += 1;
        let somebody = rng.random_range(0..actors.len());
        match rng.random_range(0..400) {
            0 => {
                drop(actors.swap_remove(somebody));
                tally.crashes += 1;
                continue;
            }
            1..20 => drop(world.place().happen_late()),
            20..26 => actors[somebody].1 = true,
            26..30 => actors[somebody].1 = false,
            _ => {}
        }
        let turn = rng.random_range(0..actors.len());
        let (actor, is_asleep) = &mut actors[turn];
        if !*is_asleep && poll(actor).is_ready() {
            drop(actors.swap_remove(turn));
        }
    }
}

/// Runs one actor alone.
pub(super) fn run_to_end(world: &World, actor: impl Future<Output = ()> + 'static) {
    let mut actor: Actor = Box::pin(actor);
    let ended = (0..MOST_STEPS).any(|_| poll(&mut actor).is_ready());
    assert!(ended, "it never ends");
    assert_eq!(world.take_spawned().len(), 0);
}

fn poll(actor: &mut Actor) -> Poll<()> {
    actor.as_mut().poll(&mut Context::from_waker(Waker::noop()))
}
