//! The task itself: messages, and what each leads to.

use super::checkpoints::Checkpoints;
use super::message::Message;
use super::progress::Progress;
use super::queue::{Flight, Submission, take_group};
use super::state::{Writer, not_written};
use crate::error::Error;
use crate::kept::Kept;
use crate::layout::Layout;
use crate::names;
use crate::options::Options;
use crate::protocol::{Appended, Leader};
use crate::runtime::spawn;
use std::collections::VecDeque;
use std::sync::Arc;
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};

impl<D: Kept> Writer<D> {
    /// Starts the task. It ends when it is told to close.
    pub(crate) fn start(
        leader: Leader,
        layout: Layout,
        options: Options,
        progress: Arc<Progress<D>>,
        checkpoints: Checkpoints,
    ) -> UnboundedSender<Message<D>> {
        let (outbox, inbox) = unbounded_channel();
        let (queue, flights) = (VecDeque::new(), VecDeque::new());
        let writer = Self {
            leader,
            layout,
            options,
            progress,
            inbox,
            outbox: outbox.clone(),
            queue,
            flights,
            checkpoints,
            trouble: None,
            is_closing: false,
        };
        spawn(writer.run());
        outbox
    }

    async fn run(mut self) {
        while let Some(message) = self.inbox.recv().await {
            self.take(message).await;
            self.settle().await;
            self.send();
            if self.is_closing && self.is_idle() {
                return;
            }
        }
    }

    fn is_idle(&self) -> bool {
        let is_broken = self.progress.lock().broken.is_some();
        (self.flights.is_empty() || is_broken) && self.queue.is_empty() && !self.checkpoints.is_busy()
    }

    async fn take(&mut self, message: Message<D>) {
        match message {
            Message::Submit(batch) => self.submit(*batch),
            Message::Created { number, outcome } => {
                let flight = self.flights.iter_mut().find(|flight| flight.number == number);
                flight.expect("only records in flight are created").outcome = Some(outcome);
            }
            Message::Late => {}
            Message::Checkpoint(reply) => self.checkpoints.ask(reply),
            Message::Uploaded(uploaded) => self.publish(uploaded).await,
            Message::Collected => self.checkpoints.collecting -= 1,
            Message::Swept(collected) => self.checkpoints.swept(&collected),
            Message::Sweep(reply) => self.checkpoints.ask_sweep(reply),
            Message::Recover(reply) => {
                let recovered = self.recover_again().await;
                // Nobody asks any more if this fails.
                let _ = reply.send(recovered);
            }
            Message::Close => self.is_closing = true,
        }
    }

    fn submit(&mut self, batch: Submission<D>) {
        let refusal = {
            let state = self.progress.lock();
            let is_stale = batch.generation != state.generation;
            (is_stale || state.broken.is_some()).then(|| not_written(state.broken.as_ref()))
        };
        match refusal {
            Some(error) => self.fail([batch], &error),
            None => self.queue.push_back(batch),
        }
    }

    /// Sends records, as long as there are batches and not too many records in flight.
    fn send(&mut self) {
        while self.may_send() {
            let batches = take_group(&mut self.queue, self.options.group_bytes);
            let flight = Flight { number: self.leader.next(), batches, outcome: None };
            self.flights.push_back(flight);
            self.launch(self.flights.len() - 1);
        }
        self.start_checkpoint();
    }

    fn may_send(&self) -> bool {
        let Some(first) = self.queue.front() else { return false };
        if self.is_uncertain() {
            return false;
        }
        match self.flights.front() {
            Some(flight) => {
                let is_room = (self.flights.len() as u64) < self.options.in_flight;
                is_room && self.leader.may_send_beside(flight.number)
            }
            None => self.is_closing || self.is_due(first),
        }
    }

    /// Whether some record or manifest may exist or not. Until a new epoch has found that out, nothing is sent or published.
    pub(super) fn is_uncertain(&self) -> bool {
        let is_unknown = |flight: &Flight<D>| matches!(flight.outcome, Some(Err(_)));
        self.trouble.is_some() || self.flights.iter().any(is_unknown) || self.progress.lock().broken.is_some()
    }

    /// Whether the first batch has waited long enough for others, or enough others are there.
    fn is_due(&self, first: &Submission<D>) -> bool {
        let left = self.options.group_delay.saturating_sub(first.since.elapsed());
        let bytes: usize = self.queue.iter().map(|batch| batch.payload.len()).sum();
        if left.is_zero() || bytes >= self.options.group_bytes {
            return true;
        }
        let outbox = self.outbox.clone();
        spawn(async move {
            tokio::time::sleep(left).await;
            // The writer has ended if this fails.
            let _ = outbox.send(Message::Late);
        });
        false
    }

    /// Acknowledges what can be acknowledged, and deals with failures once nothing is in flight.
    async fn settle(&mut self) {
        while self.progress.lock().broken.is_none() {
            let Some(flight) = self.flights.front() else { break };
            match &flight.outcome {
                Some(Ok(Appended::Done)) => self.acknowledge_first(),
                Some(Ok(Appended::Void)) if self.flights.len() == 1 => self.launch(0),
                Some(Ok(Appended::Void)) => {
                    let what = "it is of a lower epoch, so far behind that epoch's end";
                    let error = Error::corrupt(names::record(flight.number), what);
                    self.flights[0].outcome = Some(Err(error));
                }
                Some(Err(error)) if self.flights.iter().all(|flight| flight.outcome.is_some()) => {
                    let error = error.clone();
                    self.recover(error).await;
                }
                Some(Err(_)) | None => return,
            }
        }
        if let Some(error) = self.trouble.take() {
            self.recover(error).await;
        }
    }
}
