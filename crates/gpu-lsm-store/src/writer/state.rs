//! The writer, and what happens to its records.

use super::checkpoints::Checkpoints;
use super::message::Message;
use super::progress::Progress;
use super::queue::{Flight, Submission};
use crate::error::Error;
use crate::kept::Kept;
use crate::layout::Layout;
use crate::manifest::Last;
use crate::objects::Objects;
use crate::options::Options;
use crate::protocol::Leader;
use crate::runtime::spawn;
use std::collections::VecDeque;
use std::sync::Arc;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender};

/// The writer of a durable dictionary.
pub(crate) struct Writer<D: Kept> {
    pub(super) leader: Leader,
    pub(super) layout: Layout,
    pub(super) options: Options,
    pub(super) progress: Arc<Progress<D>>,
    pub(super) inbox: UnboundedReceiver<Message<D>>,
    /// For the tasks that this one starts.
    pub(super) outbox: UnboundedSender<Message<D>>,
    pub(super) queue: VecDeque<Submission<D>>,
    pub(super) flights: VecDeque<Flight<D>>,
    pub(super) checkpoints: Checkpoints,
    /// Why the writer must take a new epoch once nothing is in flight: nobody knows whether some manifest exists.
    pub(super) trouble: Option<Error>,
    pub(super) is_closing: bool,
}

impl<D: Kept> Writer<D> {
    /// Starts to create the record of a flight, with the next number.
    pub(super) fn launch(&mut self, flight: usize) {
        let flight = &mut self.flights[flight];
        let (entries, payload) = flight.contents();
        let append = self.leader.append(entries, payload);
        flight.number = append.number();
        flight.outcome = None;
        let (number, outbox) = (append.number(), self.outbox.clone());
        spawn(async move {
            let outcome = append.run().await;
            // The writer has ended if this fails.
            let _ = outbox.send(Message::Created { number, outcome });
        });
    }

    /// Acknowledges the first record in flight.
    pub(super) fn acknowledge_first(&mut self) {
        let Some(flight) = self.flights.pop_front() else { return };
        self.checkpoints.log_bytes += flight.log_bytes();
        let last_part = flight.batches.iter().filter_map(|batch| batch.entry.last_part()).max();
        self.progress.change(|state| {
            let last_part = last_part.max(state.durable.log.last_part);
            state.durable.log = self.leader.log_before(flight.number + 1, last_part);
            for batch in &flight.batches {
                state.in_flight -= batch.bytes;
                state.durable.snapshot = batch.after.clone();
                if let Some(origin) = &batch.entry.origin {
                    let last = Last { number: origin.number, crc32c: batch.entry.crc32c };
                    state.durable.callers.insert(origin.caller.clone(), last);
                }
            }
        });
        flight.batches.iter().for_each(|batch| batch.receipt.resolve(&Ok(flight.number)));
    }

    /// Tells that batches are not written.
    pub(super) fn fail(&self, batches: impl IntoIterator<Item = Submission<D>>, error: &Error) {
        for batch in batches {
            self.progress.change(|state| state.in_flight -= batch.bytes);
            batch.receipt.resolve(&Err(error.clone()));
        }
    }

    pub(super) fn objects(&self) -> &Arc<dyn Objects> {
        self.leader.objects()
    }
}

/// The error of a batch that was never sent.
pub(super) fn not_written(broken: Option<&Error>) -> Error {
    match broken {
        Some(fenced @ Error::Fenced { .. }) => fenced.clone(),
        Some(error) => Error::NotWritten { reason: error.to_string() },
        None => Error::NotWritten { reason: "a batch before it failed".into() },
    }
}
