//! The records that a writer has in flight.

use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use gpu_lsm_store::protocol::{Append, Appended};
use gpu_lsm_store::{Error, Result};
use std::collections::VecDeque;
use std::pin::Pin;

/// The number of a record, and how its creation ended.
type Created = Pin<Box<dyn Future<Output = (u64, Result<Appended>)>>>;

#[derive(Default)]
pub(super) struct Flights {
    /// Number of the record, the number in it, and how its creation ended.
    flights: VecDeque<(u64, u32, Option<Result<Appended>>)>,
    sent: FuturesUnordered<Created>,
}

impl Flights {
    pub(super) fn send(&mut self, append: Append, number: u32) {
        self.flights.push_back((append.number(), number, None));
        self.sent.push(Box::pin(async move { (append.number(), append.run().await) }));
    }

    /// The number of the first record.
    pub(super) fn first(&self) -> Option<u64> {
        self.flights.front().map(|flight| flight.0)
    }

    /// The first error.
    pub(super) fn failure(&self) -> Option<Error> {
        self.flights.iter().find_map(|flight| flight.2.clone()?.err())
    }

    /// The numbers of the records, and the numbers in them.
    pub(super) fn numbers(&self) -> impl Iterator<Item = (u64, u32)> {
        self.flights.iter().map(|flight| (flight.0, flight.1))
    }

    /// Waits until some creation ends. Returns whether none was in progress.
    pub(super) async fn advance(&mut self) -> bool {
        let Some((at, outcome)) = self.sent.next().await else { return true };
        self.flights.iter_mut().find(|flight| flight.0 == at).unwrap().2 = Some(outcome);
        false
    }

    /// Takes the first record if its creation has ended without an error.
    pub(super) fn take_first(&mut self) -> Option<(u64, u32, Appended)> {
        let (at, number, outcome) = self.flights.front()?;
        let taken = (*at, *number, outcome.clone()?.ok()?);
        self.flights.pop_front();
        Some(taken)
    }
}
