//! What all actors share, and the rules that they check.

use super::place::Simulated;
use gpu_lsm_store::nonce::Nonces;
use gpu_lsm_store::{Error, Objects};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::cell::RefCell;
use std::collections::HashMap;
use std::pin::Pin;
use std::rc::Rc;
use std::sync::Arc;

pub(super) type Actor = Pin<Box<dyn Future<Output = ()>>>;

/// What all actors share: the place, and what they know of each other to check the rules.
#[derive(Clone)]
pub(super) struct World {
    place: Arc<Simulated>,
    shared: Rc<RefCell<Shared>>,
}

struct Shared {
    spawned: Vec<Actor>,
    rng: ChaCha8Rng,
    writers: u64,
    /// The numbers that each session submitted, in order.
    submitted: Vec<Vec<u32>>,
    next: u32,
    /// All numbers that were acknowledged.
    acknowledged: Vec<u32>,
    /// All numbers of which it was said that they never will be in the store.
    refused: Vec<u32>,
    /// The longest state that anybody has seen.
    seen: Vec<u32>,
}

impl World {
    pub(super) fn new(place: Arc<Simulated>, seed: u64) -> Self {
        let shared = Shared {
            spawned: Vec::new(),
            rng: ChaCha8Rng::seed_from_u64(seed),
            writers: 0,
            submitted: Vec::new(),
            next: 0,
            acknowledged: Vec::new(),
            refused: Vec::new(),
            seen: Vec::new(),
        };
        Self { place, shared: Rc::new(RefCell::new(shared)) }
    }

    pub(super) fn spawn(&self, actor: impl Future<Output = ()> + 'static) {
        self.shared.borrow_mut().spawned.push(Box::pin(actor));
    }

    pub(super) fn take_spawned(&self) -> Vec<Actor> {
        std::mem::take(&mut self.shared.borrow_mut().spawned)
    }

    pub(super) fn place(&self) -> &Simulated {
        &self.place
    }

    pub(super) fn acknowledged(&self) -> u64 {
        self.shared.borrow().acknowledged.len() as u64
    }

    /// The count of numbers that were submitted.
    pub(super) fn submitted(&self) -> u32 {
        self.shared.borrow().next
    }

    pub(super) fn acknowledge(&self, number: u32) {
        self.shared.borrow_mut().acknowledged.push(number);
    }

    pub(super) fn refuse(&self, number: u32) {
        self.shared.borrow_mut().refused.push(number);
    }

    pub(super) fn objects(&self) -> Arc<dyn Objects> {
        Arc::clone(&self.place) as _
    }

    pub(super) fn roll(&self, sides: u32) -> u32 {
        self.shared.borrow_mut().rng.random_range(0..sides)
    }

    pub(super) fn nonces(&self) -> Nonces {
        let mut shared = self.shared.borrow_mut();
        shared.writers += 1;
        Nonces::of_writer(shared.writers)
    }

    /// Begins a session; returns its number.
    pub(super) fn session(&self) -> usize {
        let mut shared = self.shared.borrow_mut();
        shared.submitted.push(Vec::new());
        shared.submitted.len() - 1
    }

    /// A new number, submitted by a session.
    pub(super) fn submit(&self, session: usize) -> u32 {
        let mut shared = self.shared.borrow_mut();
        shared.next += 1;
        let number = shared.next;
        shared.submitted[session].push(number);
        number
    }

    /// What somebody must see who begins to read now.
    pub(super) fn expectation(&self) -> Expectation {
        let shared = self.shared.borrow();
        Expectation { acknowledged: shared.acknowledged.clone(), seen: shared.seen.clone() }
    }

    /// Checks what somebody has read.
    pub(super) fn check(&self, expectation: &Expectation, state: &[u32]) {
        assert!(
            state.starts_with(&expectation.seen),
            "{state:?} loses what was seen: {:?}",
            expectation.seen
        );
        let places: HashMap<u32, usize> = state.iter().enumerate().map(|(i, &number)| (number, i)).collect();
        assert_eq!(places.len(), state.len(), "{state:?} has something twice");
        for number in &expectation.acknowledged {
            assert!(places.contains_key(number), "{state:?} loses {number}, which was acknowledged");
        }
        let mut shared = self.shared.borrow_mut();
        for number in &shared.refused {
            assert!(!places.contains_key(number), "{state:?} has {number}, which was refused");
        }
        for submitted in &shared.submitted {
            let found: Vec<_> = submitted.iter().map(|number| places.get(number)).collect();
            let there: Vec<_> = found.iter().copied().map_while(|place| place).collect();
            assert!(
                there.is_sorted() && found[there.len()..].iter().all(Option::is_none),
                "{state:?} has {submitted:?} with a gap"
            );
        }
        if state.len() > shared.seen.len() {
            assert!(state.starts_with(&shared.seen), "{state:?} contradicts {:?}", shared.seen);
            shared.seen = state.to_vec();
        }
        assert!(shared.seen.starts_with(state), "{state:?} contradicts {:?}", shared.seen);
    }
}

pub(super) struct Expectation {
    pub(super) acknowledged: Vec<u32>,
    seen: Vec<u32>,
}

/// Only faults, and being replaced, may end an actor early.
pub(super) fn check_error(error: &Error) {
    assert!(matches!(error, Error::Unavailable { .. } | Error::Fenced { .. }), "{error}");
}
