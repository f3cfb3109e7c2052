//! A writer from its opening on: records, failures, versions and collections.

use super::WINDOW;
use super::state::{load, numbers};
use super::world::{World, check_error};
use bytes::Bytes;
use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use gpu_lsm_store::manifest::{RunEntry, RunFile, Shard};
use gpu_lsm_store::names;
use gpu_lsm_store::protocol::{
    Append, Appended, Claim, Leader, Retention, Template, Version, collect, latest, sweep,
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
    pub(super) state: Vec<u32>,
    /// The numbers that the runs have, and the runs, newest first.
    saved: usize,
    runs: Vec<RunEntry>,
}

impl Session {
    pub(super) async fn open(world: &World, retention: Retention) -> Result<Self> {
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
    pub(super) async fn append(&mut self) -> Result<()> {
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
        self.world.acknowledge(number);
    }

    /// Finds out what exists, under a new epoch.
    pub(super) async fn recover(
        &mut self,
        flights: &VecDeque<(u64, u32, Option<Result<Appended>>)>,
    ) -> Result<()> {
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
    pub(super) async fn publish(&mut self) -> Result<()> {
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
