//! Reading the log, record by record.

use super::latest::latest;
use crate::error::{Error, Result};
use crate::manifest::{LogState, Manifest};
use crate::names::{self, FileId};
use crate::objects::{Objects, Pending};
use crate::record::Record;
use bytes::Bytes;
use futures_util::StreamExt;
use futures_util::stream::FuturesOrdered;
use std::sync::Arc;

/// The records of the log from some position on, without void ones.
pub struct Walk {
    objects: Arc<dyn Objects>,
    /// The number of the next record.
    position: u64,
    /// The highest epoch of the records before it.
    epoch: u64,
    /// The fences that were met.
    fences: Vec<u64>,
    last_part: Option<FileId>,
    /// Reads of the next records.
    ahead: FuturesOrdered<Pending<'static, Option<Bytes>>>,
    most_ahead: usize,
    /// The epoch that the walk is for, if it is a writer's.
    own: Option<u64>,
    /// The epoch of the manifest that it began with, if it is a reader's.
    begun_in: Option<u64>,
}

impl Walk {
    /// Starts where a manifest ends. Up to `ahead` records are read before they are asked for.
    pub fn new(objects: &Arc<dyn Objects>, log: &LogState, ahead: usize) -> Self {
        Self {
            objects: Arc::clone(objects),
            position: log.position,
            epoch: log.epoch,
            fences: log.fences.clone(),
            last_part: log.last_part,
            ahead: FuturesOrdered::new(),
            most_ahead: ahead,
            own: None,
            begun_in: None,
        }
    }

    /// The walk of a reader of the newest manifest. It ends at the fence of a higher epoch. Whoever took that may have saved another
    /// state, and what is behind the fence follows that one.
    pub fn of_reader(objects: &Arc<dyn Objects>, newest: &Manifest, ahead: usize) -> Self {
        Self { begun_in: Some(newest.epoch), ..Self::new(objects, &newest.log, ahead) }
    }

    /// The walk of a writer that is about to fence. It must not get past the fence of a higher epoch: its own fence would
    /// then be far from the end of the epochs that it knows, where a later writer does not expect it.
    pub(super) fn of_epoch(self, own: u64) -> Self {
        Self { own: Some(own), begun_in: None, ..self }
    }

    /// The next record that is not void, with its number; `None` if the next number is free.
    ///
    /// # Errors
    /// If the place fails or a record is damaged; [`Error::Fenced`] if the walk is a writer's and meets a higher epoch.
    pub async fn next(&mut self) -> Result<Option<(u64, Record)>> {
        loop {
            let Some(bytes) = self.read_next().await? else { return Ok(None) };
            let number = self.position;
            let record = Record::decode(number, &bytes)?;
            let by = record.header.epoch;
            if let Some(epoch) = self.own.filter(|&own| own < by) {
                return Err(Error::Fenced { epoch, by });
            }
            if self.is_replaced(by).await? {
                self.ahead = FuturesOrdered::new();
                return Ok(None);
            }
            self.position += 1;
            if by < self.epoch {
                // It is in the way of a writer that was replaced, as a fence is, and must stay there as long.
                self.fences.push(number);
                continue;
            }
            self.epoch = by;
            if record.is_fence() {
                self.fences.push(number);
            }
            self.last_part = self.last_part.max(record.last_part());
            return Ok(Some((number, record)));
        }
    }

    /// Whether a reader's manifest was replaced by a writer of this epoch. If the manifest of that writer is lost, the log is read as
    /// if it followed the same state.
    async fn is_replaced(&mut self, by: u64) -> Result<bool> {
        if self.begun_in.is_none_or(|epoch| by <= epoch) {
            return Ok(false);
        }
        if latest(&*self.objects).await?.is_some_and(|newest| newest.epoch >= by) {
            return Ok(true);
        }
        self.begun_in = Some(by);
        Ok(false)
    }

    async fn read_next(&mut self) -> Result<Option<Bytes>> {
        while self.ahead.len() <= self.most_ahead {
            let number = self.position + self.ahead.len() as u64;
            let objects = Arc::clone(&self.objects);
            self.ahead.push_back(Box::pin(async move { objects.read(&names::record(number)).await }));
        }
        let bytes = self.ahead.next().await.transpose()?.flatten();
        if bytes.is_none() {
            // What was read ahead may exist by now.
            self.ahead = FuturesOrdered::new();
        }
        Ok(bytes)
    }

    /// The highest epoch that was met.
    pub(super) fn epoch(&self) -> u64 {
        self.epoch
    }

    /// The number of the next record.
    pub fn position(&self) -> u64 {
        self.position
    }

    /// The log up to here, as a manifest records it.
    pub fn state(&self) -> LogState {
        let Self { position, epoch, fences, last_part, .. } = self;
        LogState { position: *position, epoch: *epoch, fences: fences.clone(), last_part: *last_part }
    }
}
