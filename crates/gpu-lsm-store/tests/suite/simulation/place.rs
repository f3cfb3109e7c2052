//! A place whose operations take effect when the scheduler lets them, fail, or take effect after they failed.

use bytes::Bytes;
use gpu_lsm_store::{Error, Listed, Objects, Pending, Result};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::collections::BTreeMap;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard};
use std::task::{Context, Poll};
use std::time::{Duration, SystemTime};

#[derive(Debug)]
pub(super) struct Simulated {
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    objects: BTreeMap<String, (Bytes, u64)>,
    /// Creations that nobody waits for any more and that may still happen.
    late: Vec<(String, Bytes)>,
    rng: ChaCha8Rng,
    /// Faults per 1,000 operations.
    faults: u32,
    clock: u64,
}

/// What happens to a creation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sending {
    Plain,
    /// It fails now, and happens later.
    Lost,
    /// It is sent again, so that it meets itself, and perhaps once more much later.
    Again,
    /// It is refused as if there were an object, although there is none.
    Refused,
}

/// Returns once the scheduler has polled again.
struct Yield(bool);

impl Future for Yield {
    type Output = ();
    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        if std::mem::replace(&mut self.0, true) {
            return Poll::Ready(());
        }
        // Streams of futures poll only those that were woken.
        context.waker().wake_by_ref();
        Poll::Pending
    }
}

/// A creation that was sent. If nobody waits for it any more, it may still happen.
struct Sent<'a> {
    place: &'a Simulated,
    creation: Option<(String, Bytes)>,
}

impl Drop for Sent<'_> {
    fn drop(&mut self) {
        if let Some(creation) = self.creation.take() {
            self.place.lock().late.push(creation);
        }
    }
}

impl Simulated {
    pub(super) fn new(faults: u32, seed: u64) -> Arc<Self> {
        let (objects, late) = (BTreeMap::new(), Vec::new());
        let state = State { objects, late, rng: ChaCha8Rng::seed_from_u64(seed), faults, clock: 0 };
        Arc::new(Self { state: Mutex::new(state) })
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap()
    }

    /// From now on nothing fails, and everything late has happened or never will.
    pub(super) fn end_faults(&self) {
        self.lock().faults = 0;
        while self.lock().happen_late() {}
    }

    /// Lets something late happen, or drops it. Returns whether there was anything.
    pub(super) fn happen_late(&self) -> bool {
        self.lock().happen_late()
    }

    /// An operation: it takes effect at some moment, and returns at a later one.
    async fn perform<T>(&self, name: &str, effect: impl FnOnce(&mut State) -> T) -> Result<T> {
        Yield(false).await;
        let failed = Error::Unavailable { doing: "simulating", name: name.into(), reason: "a fault".into() };
        let (result, is_slow) = {
            let mut state = self.lock();
            state.clock += 1;
            let roll = state.rng.random_range(0..1000);
            let is_slow = state.rng.random();
            if roll < state.faults / 2 {
                return Err(failed);
            }
            let result = effect(&mut state);
            (if roll < state.faults { Err(failed) } else { Ok(result) }, is_slow)
        };
        if is_slow {
            Yield(false).await;
        }
        result
    }
}

impl State {
    fn create(&mut self, name: &str, bytes: Bytes) -> bool {
        if self.objects.contains_key(name) {
            return false;
        }
        self.objects.insert(name.into(), (bytes, self.clock));
        true
    }

    fn sending(&mut self) -> Sending {
        let faults = self.faults;
        match self.rng.random_range(0..1000) {
            roll if roll < faults / 2 => Sending::Lost,
            roll if roll < faults * 3 / 4 => Sending::Again,
            roll if roll < faults => Sending::Refused,
            _ => Sending::Plain,
        }
    }

    fn happen_late(&mut self) -> bool {
        if self.late.is_empty() {
            return false;
        }
        let which = self.rng.random_range(0..self.late.len());
        let (name, bytes) = self.late.swap_remove(which);
        if self.rng.random_range(0..4) > 0 {
            self.create(&name, bytes);
        }
        true
    }
}

impl Objects for Simulated {
    fn create<'a>(&'a self, name: &'a str, bytes: Bytes) -> Pending<'a, bool> {
        Box::pin(async move {
            let mut sent = Sent { place: self, creation: Some((name.into(), bytes.clone())) };
            let sending = self.lock().sending();
            if sending == Sending::Lost {
                Yield(false).await;
                let reason = "time".into();
                return Err(Error::Unavailable { doing: "simulating", name: name.into(), reason });
            }
            let create = |state: &mut State| sending != Sending::Refused && state.create(name, bytes);
            let is_created = self.perform(name, create).await;
            if sending != Sending::Again {
                sent.creation.take();
                return is_created;
            }
            is_created.map(|_| false)
        })
    }

    fn read<'a>(&'a self, name: &'a str) -> Pending<'a, Option<Bytes>> {
        Box::pin(self.perform(name, move |state| state.objects.get(name).map(|(bytes, _)| bytes.clone())))
    }

    fn list<'a>(&'a self, folder: &'a str, after: &'a str) -> Pending<'a, Vec<Listed>> {
        Box::pin(self.perform(folder, move |state| {
            let is_in = |name: &str| name.starts_with(folder) && name > after;
            let found = state.objects.iter().filter(|(name, _)| is_in(name));
            let listed = |(name, (bytes, clock)): (&String, &(Bytes, u64))| Listed {
                name: name.clone(),
                bytes: bytes.len() as u64,
                modified: SystemTime::UNIX_EPOCH + Duration::from_secs(*clock),
            };
            found.map(listed).collect()
        }))
    }

    fn delete<'a>(&'a self, name: &'a str) -> Pending<'a, ()> {
        Box::pin(self.perform(name, move |state| drop(state.objects.remove(name))))
    }

    fn describe(&self) -> String {
        "a simulation".into()
    }
}
