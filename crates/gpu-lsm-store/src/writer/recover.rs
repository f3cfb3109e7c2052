//! What follows a failure: the writer takes a new epoch and fences. Whatever is in the log before the fence counts.
//!
//! The common state tells of a failure before receipts do: whoever waited for one then goes back to what is durable.

use super::queue::Flight;
use super::state::{Writer, not_written};
use crate::error::{Error, Result};
use crate::kept::Kept;
use crate::names;
use crate::protocol::{Appended, Fate, Leader};

impl<D: Kept> Writer<D> {
    /// Finds out which of the records in flight exist, after the creation of one of them failed.
    pub(super) async fn recover(&mut self, error: Error) {
        if let Error::Fenced { .. } = error {
            return self.give_up(&error).await;
        }
        match self.claim_again().await {
            Ok((leader, found)) => self.restart(leader, &found, &error),
            Err(fenced @ Error::Fenced { .. }) => self.give_up(&fenced).await,
            Err(again) => self.break_off(&error, &again),
        }
    }

    /// Tries again to recover, if that failed before.
    pub(super) async fn recover_again(&mut self) -> Result<()> {
        let Some(broken) = self.progress.lock().broken.clone() else { return Ok(()) };
        if let Error::Fenced { .. } = broken {
            return Err(broken);
        }
        match self.claim_again().await {
            Ok((leader, found)) => {
                self.restart(leader, &found, &broken);
                Ok(())
            }
            Err(fenced @ Error::Fenced { .. }) => {
                self.give_up(&fenced).await;
                Err(fenced)
            }
            Err(error) => Err(error),
        }
    }

    /// Takes a new epoch. Returns the numbers of the old epoch's records that were in flight and exist.
    async fn claim_again(&self) -> Result<(Leader, Vec<u64>)> {
        let claim = self.leader.claim_again().await?;
        let log = self.progress.lock().durable.log.clone();
        let (mut walk, mut found) = (claim.walk_from(&log), Vec::new());
        loop {
            while let Some((number, record)) = walk.next().await? {
                if self.leader.wrote(number, &record)? {
                    found.push(number);
                }
            }
            if let Some(fence) = claim.fence(walk.position()).await? {
                return Ok((claim.lead(&fence, &walk), found));
            }
        }
    }

    /// Goes on with a new epoch. Records before its fence are acknowledged. If others were in flight, they are refused, and
    /// so are the batches after them.
    fn restart(&mut self, leader: Leader, found: &[u64], error: &Error) {
        while self.flights.front().is_some_and(|flight| found.contains(&flight.number)) {
            self.acknowledge_first();
        }
        self.leader = leader;
        self.trouble = None;
        let is_lost = !self.flights.is_empty();
        self.progress.change(|state| {
            let log = &mut state.durable.log;
            log.fences = self.leader.log_before(log.position, None).fences;
            // If recovery failed before, memory has gone back already, also behind what was found now.
            state.generation += u64::from(is_lost || state.broken.is_some());
            state.broken = None;
        });
        if is_lost {
            self.drop_all(&not_written(Some(error)));
        }
    }

    /// Ends for good, because there is another writer. Records that are in the log before its fence count.
    async fn give_up(&mut self, fenced: &Error) {
        let log = self.progress.lock().durable.log.clone();
        // If the place can't be asked, nobody can tell.
        let fates = self.leader.fates(&log).await.ok();
        let fate = |flight: &Flight<D>| fates.as_ref().map_or(Fate::Unknown, |fates| fates.of(flight.number));
        let counts =
            |flight: &Flight<D>| flight.outcome == Some(Ok(Appended::Done)) || fate(flight) == Fate::Counts;
        while self.flights.front().is_some_and(counts) {
            self.acknowledge_first();
        }
        self.break_with(fenced);
        for flight in std::mem::take(&mut self.flights) {
            let is_refused = fate(&flight) == Fate::Refused;
            let outcome = if is_refused { fenced.clone() } else { unknown(flight.number, fenced) };
            self.fail(flight.batches, &outcome);
        }
        self.drop_all(fenced);
    }

    /// Stops until recovery succeeds. Records in flight stay, because nobody knows whether they exist.
    fn break_off(&mut self, error: &Error, again: &Error) {
        self.break_with(again);
        for flight in &mut self.flights {
            let unknown = Err(error.clone());
            flight.batches.iter().for_each(|batch| batch.receipt.resolve(&unknown));
        }
        let queued: Vec<_> = self.queue.drain(..).collect();
        self.fail(queued, &not_written(Some(error)));
    }

    fn break_with(&mut self, error: &Error) {
        self.progress.change(|state| {
            state.generation += 1;
            state.broken = Some(error.clone());
        });
        self.trouble = None;
        self.checkpoints.fail(error);
    }

    fn drop_all(&mut self, error: &Error) {
        let flights: Vec<_> = self.flights.drain(..).flat_map(|flight| flight.batches).collect();
        self.fail(flights, error);
        let queued: Vec<_> = self.queue.drain(..).collect();
        self.fail(queued, error);
    }
}

/// The error of a record whose fate is not known.
fn unknown(number: u64, fenced: &Error) -> Error {
    let reason = format!("whether it counts is not known, since {fenced}");
    Error::Unavailable { doing: "creating", name: names::record(number), reason }
}
