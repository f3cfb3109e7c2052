//! A writer from its opening on: records, failures, versions and collections.

use super::WINDOW;
use super::flights::Flights;
use super::state::{load, numbers};
use super::world::{World, check_error};
use bytes::Bytes;
use futures_util::future::join;
use gpu_lsm_store::manifest::{LogState, Manifest, RunEntry, RunFile, Shard};
use gpu_lsm_store::names;
use gpu_lsm_store::protocol::{
    Append, Appended, Claim, Fate, Leader, Opener, Retention, Template, Version, Walk, collect, sweep,
};
use gpu_lsm_store::record::{BatchEntry, Place};
use gpu_lsm_store::{Checksum, Error, Objects, Result};
use std::collections::{HashSet, VecDeque};
use std::sync::Arc;

pub(super) struct Session {
    world: World,
    retention: Retention,
    leader: Leader,
    number: usize,
    /// What is acknowledged, and the log up to there.
    pub(super) state: Vec<u32>,
    log: LogState,
    /// The numbers that the runs have, and the runs, newest first.
    saved: usize,
    runs: Vec<RunEntry>,
    prepared: Option<Prepared>,
}

/// A version whose runs are uploaded. Records may be appended before it is published.
struct Prepared {
    epoch: u64,
    log: LogState,
    saved: usize,
    runs: Vec<RunEntry>,
}

/// What an opener has read: the state, how much of it is in runs, and the log up to its end.
struct Read {
    state: Vec<u32>,
    saved: usize,
    walk: Walk,
}

/// Takes an epoch, and reads before that as often as it is told to; after it if that was in vain.
async fn take(world: &World, objects: &Arc<dyn Objects>) -> Result<(Claim, Read)> {
    let new = Template { key: "u32".into(), value: "()".into(), batch_size: 1 };
    let mut opener = Opener::new(objects, world.nonces(), Some(new));
    for _ in 0..world.roll(4) {
        let base = opener.base().await?;
        let read = read(world, objects, &base).await?;
        if !opener.is_newest(&base).await? {
            continue;
        }
        let read = read.expect("no run of the newest manifest is missing");
        if let Some(claim) = opener.take(base).await? {
            return Ok((claim, read));
        }
    }
    let claim = opener.take_newest(|_| Ok(())).await?;
    match read(world, objects, claim.manifest()).await? {
        Some(read) => Ok((claim, read)),
        None => Err(claim.explain(Error::Missing { name: "a run".into() }).await),
    }
}

async fn read(world: &World, objects: &Arc<dyn Objects>, manifest: &Manifest) -> Result<Option<Read>> {
    let Some(mut state) = load(&**objects, manifest).await? else { return Ok(None) };
    let saved = state.len();
    let mut walk = Walk::of_reader(objects, manifest, world.roll(2) as usize);
    while let Some((_, record)) = walk.next().await? {
        state.extend(numbers(&record.payload));
    }
    Ok(Some(Read { state, saved, walk }))
}

impl Session {
    pub(super) async fn open(world: &World, retention: Retention) -> Result<Self> {
        let (objects, expectation) = (world.objects(), world.expectation());
        let (claim, Read { mut state, saved, walk }) = take(world, &objects).await?;
        let mut walk = claim.go_on(walk)?;
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
        let log = leader.log_before(leader.next(), None);
        let (world, number) = (world.clone(), world.session());
        Ok(Self { world, retention, leader, number, state, log, saved, runs, prepared: None })
    }

    fn record(&mut self, number: u32) -> Append {
        let payload = Bytes::copy_from_slice(&number.to_le_bytes());
        let (place, crc32c) = (Place::Here(4), Checksum::of(&payload));
        let entry = BatchEntry { operation: "apply".into(), rows: 1, crc32c, place, origin: None };
        self.leader.append(vec![entry], payload)
    }

    /// Appends a few numbers, in parallel if that is allowed, and perhaps publishes what is prepared at the same time.
    pub(super) async fn append(&mut self) -> Result<()> {
        let mut waiting: VecDeque<u32> =
            (0..=self.world.roll(4)).map(|_| self.world.submit(self.number)).collect();
        let (mut flights, mut trouble) = (Flights::default(), None);
        loop {
            while let Some(&number) = waiting.front() {
                let may_send = flights.first().is_none_or(|first| self.leader.may_send_beside(first));
                if !may_send || flights.failure().is_some() || trouble.is_some() {
                    break;
                }
                waiting.pop_front();
                let append = self.record(number);
                flights.send(append, number);
            }
            let is_certain = flights.failure().is_none() && trouble.is_none();
            let is_ended = if is_certain && self.prepared.is_some() && self.world.roll(2) == 0 {
                let (is_ended, published) = join(flights.advance(), self.publish_prepared()).await;
                trouble = published.err();
                is_ended
            } else {
                flights.advance().await
            };
            if is_ended {
                break;
            }
            while let Some((at, number, outcome)) = flights.take_first() {
                match outcome {
                    Appended::Done => self.acknowledge(at, number),
                    Appended::Void => {
                        assert!(flights.first().is_none(), "a number was taken while others were in flight");
                        waiting.push_front(number);
                    }
                }
            }
        }
        let Some(error) = flights.failure().or(trouble) else { return Ok(()) };
        // They were never sent.
        waiting.iter().for_each(|&number| self.world.refuse(number));
        self.recover(error, &flights).await
    }

    fn acknowledge(&mut self, at: u64, number: u32) {
        self.state.push(number);
        self.world.acknowledge(number);
        self.log = self.leader.log_before(at + 1, None);
    }

    /// Finds out what exists, under a new epoch.
    async fn recover(&mut self, error: Error, flights: &Flights) -> Result<()> {
        let ended = match error {
            Error::Fenced { .. } => Err(error),
            _ => self.try_to_begin_again(flights).await,
        };
        if let Err(Error::Fenced { .. }) = ended {
            self.give_up(flights).await?;
        }
        ended
    }

    /// It may fail, and is tried again then.
    async fn try_to_begin_again(&mut self, flights: &Flights) -> Result<()> {
        for _ in 0..self.world.roll(3) {
            match self.begin_again(flights).await {
                Err(Error::Unavailable { .. }) => {}
                ended => return ended,
            }
        }
        self.begin_again(flights).await
    }

    async fn begin_again(&mut self, flights: &Flights) -> Result<()> {
        let expectation = self.world.expectation();
        let claim = self.leader.claim_again().await?;
        let (mut walk, mut found) = (claim.walk_from(&self.log), HashSet::new());
        let fence = loop {
            while let Some((number, record)) = walk.next().await? {
                if self.leader.wrote(number, &record)? {
                    found.insert(number);
                }
            }
            if let Some(fence) = claim.fence(walk.position()).await? {
                break fence;
            }
        };
        let count = flights.numbers().take_while(|(at, _)| found.contains(at)).count();
        flights.numbers().take(count).for_each(|(at, number)| self.acknowledge(at, number));
        flights.numbers().skip(count).for_each(|(_, number)| self.world.refuse(number));
        self.runs = claim.manifest().shards[0].runs.clone();
        self.saved = self.runs.iter().map(|run| run.entries as usize).sum();
        self.leader = claim.lead(&fence, &walk).with_window(WINDOW);
        self.log.fences = self.leader.log_before(self.log.position, None).fences;
        self.number = self.world.session();
        self.world.check(&expectation, &self.state);
        Ok(())
    }

    /// Finds out what counts, now that there is another writer.
    async fn give_up(&mut self, flights: &Flights) -> Result<()> {
        let fates = self.leader.fates(&self.log).await?;
        for (at, number) in flights.numbers() {
            match fates.of(at) {
                Fate::Counts => self.world.acknowledge(number),
                Fate::Refused => self.world.refuse(number),
                Fate::Unknown => {}
            }
        }
        Ok(())
    }

    /// Uploads a version: one more run, or one instead of all.
    pub(super) async fn prepare(&mut self) -> Result<()> {
        let is_whole = self.world.roll(3) == 0;
        let from = if is_whole { 0 } else { self.saved };
        let mut runs = if is_whole { Vec::new() } else { self.runs.clone() };
        if from < self.state.len() {
            let objects = self.world.objects();
            runs.insert(0, self.upload(&objects, from).await?);
        }
        let (epoch, log, saved) = (self.leader.epoch(), self.log.clone(), self.state.len());
        self.prepared = Some(Prepared { epoch, log, saved, runs });
        Ok(())
    }

    /// Publishes what is prepared, or the state.
    pub(super) async fn publish(&mut self) -> Result<()> {
        if self.prepared.is_none() {
            self.prepare().await?;
        }
        match self.publish_prepared().await {
            Err(error) => self.recover(error, &Flights::default()).await,
            published => published,
        }
    }

    /// Publishes a version, unless it is of an earlier epoch. Then collects, in parallel to what follows.
    async fn publish_prepared(&mut self) -> Result<()> {
        let Some(Prepared { epoch, log, saved, runs }) = self.prepared.take() else { return Ok(()) };
        if epoch != self.leader.epoch() {
            return Ok(());
        }
        let before = self.leader.manifest().clone();
        let shards = vec![Shard { from: 0, runs: runs.clone() }];
        let version = Version { batch_size: 1, log, callers: Default::default(), shards };
        self.leader.publish(&version, &self.retention).await?;
        (self.saved, self.runs) = (saved, runs);
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
        if !objects.create(&names::run(id), bytes.clone()).await? {
            let there = objects.read(&names::run(id)).await?;
            let reason = "it was said to exist".into();
            let vanished = Error::Unavailable { doing: "creating", name: names::run(id), reason };
            assert_eq!(there.ok_or(vanished)?, bytes, "another file has this identity");
        }
        Ok(RunEntry { level: 0, entries, tombstones: 0, first: 0, last: 0, files: vec![file] })
    }
}
