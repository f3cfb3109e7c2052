//! Writers, readers and collections, and what they must find.

use super::WINDOW;
use super::place::Simulated;
use bytes::Bytes;
use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use gpu_lsm_store::manifest::{Manifest, RunEntry, RunFile, Shard};
use gpu_lsm_store::names;
use gpu_lsm_store::nonce::Nonces;
use gpu_lsm_store::protocol::{
    Append, Appended, Claim, Leader, Retention, Template, Version, Walk, collect, is_current, latest,
    read_manifest, sweep,
};
use gpu_lsm_store::record::{BatchEntry, Place};
use gpu_lsm_store::{Checksum, Error, Objects, Result};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::cell::RefCell;
use std::collections::{HashMap, HashSet, VecDeque};
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

    fn objects(&self) -> Arc<dyn Objects> {
        Arc::clone(&self.place) as _
    }

    fn roll(&self, sides: u32) -> u32 {
        self.shared.borrow_mut().rng.random_range(0..sides)
    }

    fn nonces(&self) -> Nonces {
        let mut shared = self.shared.borrow_mut();
        shared.writers += 1;
        Nonces::of_writer(shared.writers)
    }

    /// Begins a session; returns its number.
    fn session(&self) -> usize {
        let mut shared = self.shared.borrow_mut();
        shared.submitted.push(Vec::new());
        shared.submitted.len() - 1
    }

    /// A new number, submitted by a session.
    fn submit(&self, session: usize) -> u32 {
        let mut shared = self.shared.borrow_mut();
        shared.next += 1;
        let number = shared.next;
        shared.submitted[session].push(number);
        number
    }

    /// What somebody must see who begins to read now.
    fn expectation(&self) -> Expectation {
        let shared = self.shared.borrow();
        Expectation { acknowledged: shared.acknowledged.clone(), seen: shared.seen.clone() }
    }

    /// Checks what somebody has read.
    fn check(&self, expectation: &Expectation, state: &[u32]) {
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

struct Expectation {
    acknowledged: Vec<u32>,
    seen: Vec<u32>,
}

/// Only faults, and being replaced, may end an actor early.
fn check_error(error: &Error) {
    assert!(matches!(error, Error::Unavailable { .. } | Error::Fenced { .. }), "{error}");
}

/// The numbers of a manifest's runs.
async fn load(objects: &dyn Objects, manifest: &Manifest) -> Result<Option<Vec<u32>>> {
    let mut state = Vec::new();
    for run in manifest.shards[0].runs.iter().rev() {
        for file in &run.files {
            let Some(bytes) = objects.read(&names::run(file.id)).await? else { return Ok(None) };
            assert_eq!(Checksum::of(&bytes), file.crc32c, "another file has this identity");
            state.extend(numbers(&bytes));
        }
    }
    Ok(Some(state))
}

fn numbers(bytes: &[u8]) -> impl Iterator<Item = u32> {
    bytes.chunks_exact(4).map(|chunk| u32::from_le_bytes(chunk.try_into().unwrap()))
}

pub(super) async fn reader(world: World, reads: u32) {
    for _ in 0..reads {
        let result = if world.roll(3) == 0 { read_version(&world).await } else { read_latest(&world).await };
        result.inspect_err(check_error).ok();
    }
}

async fn read_latest(world: &World) -> Result<()> {
    let (objects, expectation) = (world.objects(), world.expectation());
    loop {
        let Some(manifest) = latest(&*objects).await? else {
            assert!(expectation.acknowledged.is_empty(), "the store is lost");
            return Ok(());
        };
        let state = read_with_log(&objects, &manifest).await?;
        match (is_current(&*objects, &manifest).await?, state) {
            (true, Some(state)) => {
                world.check(&expectation, &state);
                return Ok(());
            }
            (true, None) => panic!("a run of {} is missing", manifest.number),
            (false, _) => {}
        }
    }
}

async fn read_with_log(objects: &Arc<dyn Objects>, manifest: &Manifest) -> Result<Option<Vec<u32>>> {
    let Some(mut state) = load(&**objects, manifest).await? else { return Ok(None) };
    let mut walk = Walk::new(objects, &manifest.log, 1);
    while let Some((_, record)) = walk.next().await? {
        state.extend(numbers(&record.payload));
    }
    Ok(Some(state))
}

/// A version that is listed can be read, unless it was dropped meanwhile.
async fn read_version(world: &World) -> Result<()> {
    let objects = world.objects();
    let Some(newest) = latest(&*objects).await? else { return Ok(()) };
    let Some(&version) = newest.versions.get(world.roll(2) as usize) else { return Ok(()) };
    let state = match read_manifest(&*objects, version).await? {
        Some(manifest) => load(&*objects, &manifest).await?,
        None => None,
    };
    match state {
        Some(state) => assert!(state.len() <= world.shared.borrow().next as usize),
        None => {
            let newest = latest(&*objects).await?.unwrap();
            assert!(!newest.versions.contains(&version), "version {version} is lost");
        }
    }
    Ok(())
}

pub(super) async fn writer(world: World, writer: u32, sessions: u32, retention: Retention) {
    for _ in 0..sessions {
        let result = write(&world, retention).await;
        result.inspect_err(check_error).ok();
        if writer == 0 && world.roll(2) == 0 {
            return;
        }
    }
}

/// One session: opens the store, writes, makes versions, and collects.
async fn write(world: &World, retention: Retention) -> Result<()> {
    let mut session = Session::open(world, retention).await?;
    for _ in 0..world.roll(6) {
        match world.roll(4) {
            0 => match session.publish().await {
                Err(Error::Unavailable { .. }) => session.recover(&VecDeque::new()).await?,
                published => published?,
            },
            _ => session.append().await?,
        }
    }
    Ok(())
}

struct Session {
    world: World,
    retention: Retention,
    leader: Leader,
    number: usize,
    state: Vec<u32>,
    /// The numbers that the runs have, and the runs, newest first.
    saved: usize,
    runs: Vec<RunEntry>,
}

impl Session {
    async fn open(world: &World, retention: Retention) -> Result<Self> {
        let (objects, expectation) = (world.objects(), world.expectation());
        let new = Template { key: "u32".into(), value: "()".into(), batch_size: 1 };
        let claim = Claim::take(&objects, world.nonces(), Some(&new), |_| Ok(())).await?;
        let epoch = claim.manifest().epoch;
        let Some(mut state) = load(&*objects, claim.manifest()).await? else {
            let by = latest(&*objects).await?.unwrap().epoch;
            assert!(by > epoch, "a run of {} is missing", claim.manifest().number);
            return Err(Error::Fenced { epoch, by });
        };
        let saved = state.len();
        let mut walk = claim.walk(world.roll(2) as usize);
        let fence = loop {
            while let Some((_, record)) = walk.next().await? {
                state.extend(numbers(&record.payload));
            }
            if let Some(fence) = claim.fence(walk.position()).await? {
                break fence;
            }
        };
        world.check(&expectation, &state);
        let runs = claim.manifest().shards[0].runs.clone();
        let leader = claim.lead(&fence, &walk).with_window(WINDOW);
        Ok(Self { world: world.clone(), retention, leader, number: world.session(), state, saved, runs })
    }

    fn record(&mut self, number: u32) -> Append {
        let payload = Bytes::copy_from_slice(&number.to_le_bytes());
        let (place, crc32c) = (Place::Here(4), Checksum::of(&payload));
        let entry = BatchEntry { operation: "apply".into(), rows: 1, crc32c, place, origin: None };
        self.leader.append(vec![entry], payload)
    }

    /// Appends a few numbers, in parallel if that is allowed.
    async fn append(&mut self) -> Result<()> {
        let mut waiting: VecDeque<u32> =
            (0..=self.world.roll(3)).map(|_| self.world.submit(self.number)).collect();
        // Number of the record, the number in it, and whether it exists.
        let mut flights: VecDeque<(u64, u32, Option<Result<Appended>>)> = VecDeque::new();
        let mut sent = FuturesUnordered::new();
        loop {
            while let Some(&number) = waiting.front() {
                let may_send = flights.front().is_none_or(|flight| self.leader.may_send_beside(flight.0));
                if !may_send || flights.iter().any(|flight| matches!(flight.2, Some(Err(_)))) {
                    break;
                }
                let append = self.record(number);
                waiting.pop_front();
                flights.push_back((append.number(), number, None));
                sent.push(run(append));
            }
            let Some((at, outcome)) = sent.next().await else { break };
            flights.iter_mut().find(|flight| flight.0 == at).unwrap().2 = Some(outcome);
            while let Some((_, number, Some(Ok(outcome)))) = flights.front() {
                match outcome {
                    Appended::Done => self.acknowledge(*number),
                    Appended::Void => {
                        assert_eq!(flights.len(), 1, "a number was taken while others were in flight");
                        waiting.push_front(*number);
                    }
                }
                flights.pop_front();
            }
        }
        let failed = flights.iter().find_map(|flight| flight.2.clone()?.err());
        match failed {
            None => Ok(()),
            Some(error @ Error::Fenced { .. }) => Err(error),
            Some(_) => self.recover(&flights).await,
        }
    }

    fn acknowledge(&mut self, number: u32) {
        self.state.push(number);
        self.world.shared.borrow_mut().acknowledged.push(number);
    }

    /// Finds out what exists, under a new epoch.
    async fn recover(&mut self, flights: &VecDeque<(u64, u32, Option<Result<Appended>>)>) -> Result<()> {
        let expectation = self.world.expectation();
        let claim = self.leader.claim_again().await?;
        let first = flights.front().map_or(self.leader.next(), |flight| flight.0);
        let mut walk = claim.walk_from(&self.leader.log_before(first, None));
        let mut found = HashSet::new();
        let fence = loop {
            while let Some((number, record)) = walk.next().await? {
                if record.header.epoch == self.leader.epoch() {
                    found.insert(number);
                }
            }
            if let Some(fence) = claim.fence(walk.position()).await? {
                break fence;
            }
        };
        for (_, number, _) in flights.iter().take_while(|flight| found.contains(&flight.0)) {
            self.acknowledge(*number);
        }
        self.runs = claim.manifest().shards[0].runs.clone();
        self.saved = self.runs.iter().map(|run| run.entries as usize).sum();
        self.leader = claim.lead(&fence, &walk).with_window(WINDOW);
        self.number = self.world.session();
        self.world.check(&expectation, &self.state);
        Ok(())
    }

    /// Publishes a version: one more run, or one instead of all. Then collects, in parallel to what follows.
    async fn publish(&mut self) -> Result<()> {
        let is_whole = self.world.roll(3) == 0;
        let from = if is_whole { 0 } else { self.saved };
        let mut runs = if is_whole { Vec::new() } else { self.runs.clone() };
        let objects = self.world.objects();
        if from < self.state.len() {
            runs.insert(0, self.upload(&objects, from).await?);
        }
        let before = self.leader.manifest().clone();
        let log = self.leader.log_before(self.leader.next(), None);
        let shards = vec![Shard { from: 0, runs: runs.clone() }];
        let version = Version { batch_size: 1, log, callers: Default::default(), shards };
        self.leader.publish(&version, &self.retention).await?;
        (self.saved, self.runs) = (self.state.len(), runs);
        let (collection, is_sweep) = (self.leader.collection(before), self.world.roll(3) == 0);
        self.world.spawn(async move {
            let result = if is_sweep { sweep(&collection).await } else { collect(&collection).await };
            result.inspect_err(check_error).ok();
        });
        Ok(())
    }

    async fn upload(&self, objects: &Arc<dyn Objects>, from: usize) -> Result<RunEntry> {
        let bytes: Bytes = self.state[from..].iter().flat_map(|number| number.to_le_bytes()).collect();
        let (id, entries) = (self.leader.ids().next(), (self.state.len() - from) as u64);
        let file = RunFile { id, entries, bytes: bytes.len() as u64, crc32c: Checksum::of(&bytes) };
        assert!(objects.create(&names::run(id), bytes).await?, "another file has this identity");
        Ok(RunEntry { level: 0, entries, tombstones: 0, first: 0, last: 0, files: vec![file] })
    }
}

async fn run(append: Append) -> (u64, Result<Appended>) {
    (append.number(), append.run().await)
}

/// After everything: two openings find the same, and nothing is lost.
pub(super) async fn check_at_end(world: World) {
    let retention = Retention { versions: 1, age: std::time::Duration::ZERO };
    read_latest(&world).await.unwrap();
    let first = Session::open(&world, retention).await.unwrap();
    let second = Session::open(&world, retention).await.unwrap();
    assert_eq!(first.state, second.state);
    read_latest(&world).await.unwrap();
}
