//! Durable dictionaries.

use crate::batches::{Batches, inserts_and_deletes};
use crate::error::{Error, Result};
use crate::kept::Kept;
use crate::load::{Loaded, State};
use crate::manifest::Last;
use crate::objects::Objects;
use crate::opening::take_over;
use crate::operation::Operation;
use crate::options::Options;
use crate::protocol::{Collected, Leader};
use crate::receipt::Receipt;
use crate::record::Origin;
use crate::runtime::wait;
use crate::types::Types;
use crate::writer::{Checkpoints, DurableState, Message, Progress, Submission, Writer};
use gpu_lsm::{Batch, Dictionary, Sharded};
use std::collections::HashMap;
use std::fmt;
use std::ops::Deref;
use std::sync::Arc;
use std::time::Instant;
use tokio::sync::mpsc::UnboundedSender;
use tokio::sync::oneshot;

/// A dictionary whose updates are in a store when they return.
///
/// It dereferences to the snapshot of its current state, which has all queries. [`Store::write`](crate::Store::write) makes a
/// [`Durable`], [`Store::write_sharded`](crate::Store::write_sharded) a [`DurableSharded`].
///
/// ```
/// use gpu_lsm::Device;
/// use gpu_lsm_store::{Options, Store};
///
/// let store = Store::at("memory:///durable")?;
/// let mut ages = store.write::<u64, u32>(&Device::host(), Options::new())?;
/// ages.insert(&[1, 2], &[30, 40])?;
/// drop(ages);
/// assert_eq!(store.load::<u64, u32>(&Device::host())?.get(2)?, Some(40));
/// # Ok::<(), gpu_lsm_store::Error>(())
/// ```
///
/// # What is promised
///
/// - An update that returned, or whose receipt said so, survives whatever happens to this process and machine, as long as
///   the store keeps its objects.
/// - After a crash the dictionary has all acknowledged updates in order, followed by a prefix of those that were in flight:
///   none is there in part, and none without those before it.
/// - A failed update has changed nothing, in memory and in the store, unless the error is [`Error::Unavailable`],
///   [`Error::Corrupt`] or [`Error::Missing`]: then it is not known whether the batch is in the store. The next call asks
///   again. If that returns [`Error::Fenced`], only the store can tell: whoever replaced this writer has what counts.
/// - There is one writer. Whoever opens the store for writing takes it over; the other gets [`Error::Fenced`] at its next
///   update, and its queries go on to answer from memory.
///
/// # Receipts
///
/// [`submit`](Self::submit) returns before the update is durable. Queries see it at once. If a batch fails, the batches after
/// it fail too, and the next call that changes the dictionary first goes back to what is durable;
/// [`flush`](Self::flush) does just that.
pub struct DurableOf<D: Kept> {
    head: D,
    batches: Batches,
    /// The last batch of each caller, with its receipt.
    callers: HashMap<String, (Last, Receipt)>,
    /// The generation that the head belongs to.
    generation: u64,
    last: Receipt,
    options: Options,
    progress: Arc<Progress<D>>,
    writer: UnboundedSender<Message<D>>,
}

type BatchOf<D> = Batch<<D as Kept>::Key, <D as Kept>::Value>;
type OperationOf<D> = Operation<<D as Kept>::Key, <D as Kept>::Value>;

/// A durable dictionary on one device.
pub type Durable<K, V> = DurableOf<Dictionary<K, V>>;
/// A durable dictionary over several buffers and devices.
pub type DurableSharded<K, V> = DurableOf<Sharded<K, V>>;

impl<D: Kept> Deref for DurableOf<D> {
    type Target = D::Snapshot;
    fn deref(&self) -> &D::Snapshot {
        &self.head
    }
}

impl<D: Kept> fmt::Debug for DurableOf<D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let url = self.batches.objects.describe();
        f.debug_struct("Durable").field("url", &url).field("head", &*self.head).finish_non_exhaustive()
    }
}

impl<D: Kept> DurableOf<D> {
    /// Takes over a store, or makes one.
    pub(crate) async fn open(
        objects: Arc<dyn Objects>,
        types: Types,
        home: D::Home,
        options: Options,
    ) -> Result<Self> {
        types.layout::<D::Key, D::Value>()?;
        let (leader, loaded) = take_over(&objects, &types, &home, options.config).await?;
        Ok(Self::start(leader, loaded, options))
    }

    /// Starts the writer's task.
    fn start(leader: Leader, loaded: Loaded<D>, options: Options) -> Self {
        let Loaded { state, known, log_bytes, walk } = loaded;
        let State { dictionary: head, layout, callers } = state;
        let log = leader.log_before(leader.next(), walk.state().last_part);
        let last = Receipt::of(log.position - 1);
        let known_callers =
            callers.iter().map(|(caller, &batch)| (caller.clone(), (batch, last.clone()))).collect();
        let batches = Batches {
            objects: Arc::clone(leader.objects()),
            ids: leader.ids().clone(),
            layout: layout.clone(),
            part_bytes: options.part_bytes,
        };
        let durable = DurableState { snapshot: head.now(), callers, log };
        let progress = Arc::new(Progress::new(durable));
        let checkpoints = Checkpoints::new(known, log_bytes);
        let writer = Writer::start(leader, layout, options.clone(), Arc::clone(&progress), checkpoints);
        Self { head, batches, callers: known_callers, generation: 0, last, options, progress, writer }
    }

    /// Inserts entries, as [`Dictionary::insert`] does, durably. Waits for the device and the store.
    ///
    /// # Errors
    /// Those of the dictionary, and of the store; see [what is promised](Self#what-is-promised).
    pub fn insert(&mut self, keys: &[D::Key], values: &[D::Value]) -> Result<()> {
        self.update(keys, values, &[])
    }

    /// Deletes keys, as [`Dictionary::delete`] does, durably. Waits for the device and the store.
    ///
    /// # Errors
    /// Those of the dictionary, and of the store; see [what is promised](Self#what-is-promised).
    pub fn delete(&mut self, keys: &[D::Key]) -> Result<()> {
        self.update(&[], &[], keys)
    }

    /// Inserts entries and deletes keys as one batch, as [`Dictionary::update`] does, durably. Waits for the device and the
    /// store.
    ///
    /// # Errors
    /// Those of the dictionary, and of the store; see [what is promised](Self#what-is-promised).
    pub fn update(&mut self, keys: &[D::Key], values: &[D::Value], deletes: &[D::Key]) -> Result<()> {
        let batch = inserts_and_deletes(keys, values, deletes)?;
        self.perform(&Operation::Apply(batch))
    }

    /// Applies mixed operations in their order, as [`Dictionary::apply`] does, durably. Waits for the device and the store.
    ///
    /// # Errors
    /// Those of the dictionary, and of the store; see [what is promised](Self#what-is-promised).
    pub fn apply(&mut self, batch: &BatchOf<D>) -> Result<()> {
        self.perform(&Operation::Apply(batch.clone()))
    }

    /// Deletes everything in intervals, as [`Dictionary::delete_range`] does, durably. Waits for the device and the store.
    ///
    /// # Errors
    /// Those of the dictionary, and of the store; see [what is promised](Self#what-is-promised).
    pub fn delete_range(&mut self, lower: &[D::Key], upper: &[D::Key]) -> Result<()> {
        self.perform(&Operation::DeleteRange(lower.to_vec(), upper.to_vec()))
    }

    /// Merges all levels into one run, as [`Dictionary::cleanup`] does, durably. Waits for the device and the store.
    ///
    /// # Errors
    /// Those of the dictionary, and of the store; see [what is promised](Self#what-is-promised).
    pub fn cleanup(&mut self) -> Result<()> {
        self.perform(&Operation::Cleanup)
    }

    /// Deletes all entries, as [`Dictionary::clear`] does, durably. Waits for the store.
    ///
    /// # Errors
    /// Those of the dictionary, and of the store; see [what is promised](Self#what-is-promised).
    pub fn clear(&mut self) -> Result<()> {
        self.perform(&Operation::Clear)
    }

    /// Applies a batch and returns before it is durable. Waits for the device; and for the store, if too much is in flight.
    ///
    /// # Errors
    /// Those of the dictionary; or that of an earlier failure that the store has not recovered from.
    pub fn submit(&mut self, batch: BatchOf<D>) -> Result<Receipt> {
        self.send(&Operation::Apply(batch))
    }

    /// Applies a batch exactly once, however often it is repeated, and returns before it is durable.
    ///
    /// A caller numbers its batches from 1 on. A batch with the number of the caller's last one changes nothing if it is the
    /// same; its receipt is that of the first. [`last_of`](Self::last_of) tells where to go on after a crash.
    ///
    /// # Errors
    /// [`Error::OtherBatch`] if the last batch with this number was another, [`Error::OutOfOrder`] for any number but this and
    /// the next; and those of [`submit`](Self::submit).
    pub fn submit_once(&mut self, caller: &str, number: u64, batch: BatchOf<D>) -> Result<Receipt> {
        self.settle()?;
        let operation = Operation::Apply(batch);
        let expected = self.last_of(caller).saturating_add(1);
        match self.callers.get(caller) {
            Some((last, receipt)) if last.number == number => {
                let is_same = last.crc32c == operation.checksum();
                let other = || Error::OtherBatch { caller: caller.into(), number };
                is_same.then(|| receipt.clone()).ok_or_else(other)
            }
            _ if number != expected => Err(Error::OutOfOrder { caller: caller.into(), number, expected }),
            _ => self.send_settled(&operation, Some(Origin { caller: caller.into(), number })),
        }
    }

    /// The number of a caller's last batch; 0 if there is none. It may be in flight.
    pub fn last_of(&self, caller: &str) -> u64 {
        self.callers.get(caller).map_or(0, |(last, _)| last.number)
    }

    /// Waits until everything is durable. If something failed, goes back to what is durable.
    ///
    /// # Errors
    /// That of the last batch; if it is not known whether that is in the store, why the store can't be asked now.
    pub fn flush(&mut self) -> Result<()> {
        let outcome = self.last.wait();
        match (outcome, self.settle()) {
            (Err(Error::Unavailable { .. }), Err(again @ Error::Unavailable { .. })) => Err(again),
            // If everything is durable, only what comes next can fail, and does so then.
            (outcome, _) => outcome.map(drop),
        }
    }

    /// The state that is durable. Does not wait.
    pub fn durable(&self) -> D::Snapshot {
        self.progress.lock().durable.snapshot.clone()
    }

    /// Publishes the current state as a version and returns its number. Waits for the device and the store.
    ///
    /// # Errors
    /// If the store fails. The dictionary stays as it is.
    pub fn checkpoint(&mut self) -> Result<u64> {
        self.flush()?;
        self.ask(Message::Checkpoint)
    }

    /// Deletes everything that no version needs, also what interrupted collections left. Collections happen by themselves
    /// after each checkpoint; this one also reads what it deletes of the log.
    ///
    /// # Errors
    /// If the store fails or has another writer.
    pub fn collect(&mut self) -> Result<Collected> {
        self.flush()?;
        self.ask(Message::Sweep)
    }

    fn perform(&mut self, operation: &OperationOf<D>) -> Result<()> {
        let outcome = self.send(operation)?.wait();
        if outcome.is_err() {
            // The error of the batch says more.
            let _ = self.settle();
        }
        outcome.map(drop)
    }

    /// Applies an operation in memory and hands it to the writer. If that fails, memory stays as it was.
    fn send(&mut self, operation: &OperationOf<D>) -> Result<Receipt> {
        self.settle()?;
        self.send_settled(operation, None)
    }

    /// The same with what was settled last. If something failed since, the writer refuses the batch, and the next call goes back: a
    /// number that followed a batch which failed would leave a gap.
    fn send_settled(&mut self, operation: &OperationOf<D>, origin: Option<Origin>) -> Result<Receipt> {
        let before = self.head.now();
        self.head.perform(operation)?;
        let (entry, payload) =
            self.batches.write(operation, origin).inspect_err(|_| self.head.go_back(&before))?;
        let (receipt, bytes) = (Receipt::new(), payload.len() as u64);
        self.progress.accept(bytes, self.options.in_flight_bytes);
        if let Some(Origin { caller, number }) = entry.origin.clone() {
            let last = Last { number, crc32c: entry.crc32c };
            self.callers.insert(caller, (last, receipt.clone()));
        }
        self.last = receipt.clone();
        let (generation, after, since) = (self.generation, self.head.now(), Instant::now());
        let batch = Submission { generation, entry, payload, bytes, after, receipt: receipt.clone(), since };
        self.tell(Message::Submit(Box::new(batch)))?;
        Ok(receipt)
    }

    /// If something failed since the last call, goes back to what is durable.
    fn settle(&mut self) -> Result<()> {
        let is_broken = self.progress.lock().broken.is_some();
        let recovered = if is_broken { self.ask(Message::Recover) } else { Ok(()) };
        recovered.and(self.catch_up())
    }

    /// Goes back to what is durable if something failed, and refuses while nothing can be written.
    fn catch_up(&mut self) -> Result<()> {
        let state = self.progress.lock();
        if state.generation != self.generation {
            self.generation = state.generation;
            self.head.go_back(&state.durable.snapshot);
            self.last = Receipt::of(state.durable.log.position - 1);
            let callers = state.durable.callers.iter();
            self.callers =
                callers.map(|(caller, &last)| (caller.clone(), (last, self.last.clone()))).collect();
        }
        // Looked at together with the generation: if a failure came since `settle` looked, a batch of its generation would be refused,
        // and nothing would take it out of memory again.
        state.broken.clone().map_or(Ok(()), Err)
    }

    fn tell(&self, message: Message<D>) -> Result<()> {
        self.writer.send(message).map_err(|_| ended())
    }

    fn ask<T: Send + 'static>(
        &self,
        message: impl FnOnce(oneshot::Sender<Result<T>>) -> Message<D>,
    ) -> Result<T> {
        let (sender, receiver) = oneshot::channel();
        self.tell(message(sender))?;
        wait(async move { receiver.await.map_err(|_| ended())? })
    }
}

fn ended() -> Error {
    Error::Unavailable { doing: "waiting for", name: "the writer".into(), reason: "it has ended".into() }
}

/// Everything that was accepted is still written, in the background, unless the process ends first: call
/// [`flush`](DurableOf::flush) to know.
impl<D: Kept> Drop for DurableOf<D> {
    fn drop(&mut self) {
        // The writer has ended already if this fails.
        let _ = self.writer.send(Message::Close);
    }
}

#[cfg(test)]
mod tests;
