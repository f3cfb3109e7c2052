//! Checkpoints: versions that are made from a snapshot while updates go on, and the collections that follow them.

use super::checkpoints::answer;
use super::message::{Message, Uploaded};
use super::state::Writer;
use crate::error::Result;
use crate::kept::{Kept, level_capacity};
use crate::protocol::{Version, collect, sweep};
use crate::runtime::spawn;
use crate::upload::upload;
use std::sync::Arc;

impl<D: Kept> Writer<D> {
    /// Starts a checkpoint or a sweep, if one is due and none is in progress.
    pub(super) fn start_checkpoint(&mut self) {
        let broken = self.progress.lock().broken.clone();
        if let Some(error) = broken {
            return self.checkpoints.fail(&error);
        }
        if self.is_uncertain() {
            return;
        }
        let is_due = self.checkpoints.is_due(self.options.checkpoint_bytes) && !self.is_closing;
        if !self.checkpoints.is_uploading && (is_due || !self.checkpoints.waiting.is_empty()) {
            self.start_upload();
        }
        if !self.checkpoints.is_uploading && self.checkpoints.collecting == 0 {
            self.start_sweep();
        }
    }

    fn start_upload(&mut self) {
        let checkpoints = &mut self.checkpoints;
        checkpoints.is_uploading = true;
        checkpoints.taken_bytes += std::mem::take(&mut checkpoints.log_bytes);
        checkpoints.served.append(&mut checkpoints.waiting);
        let known = checkpoints.known.named_by(self.leader.manifest());
        let (objects, ids, epoch) =
            (Arc::clone(self.objects()), self.leader.ids().clone(), self.leader.epoch());
        let layout = self.layout.clone();
        let (durable, outbox) = (self.progress.lock().durable.clone(), self.outbox.clone());
        spawn(async move {
            let uploaded = upload::<D>(&objects, &ids, &layout, &durable.snapshot, &known).await;
            let uploaded = uploaded.map(|(shards, known)| {
                let batch_size = level_capacity::<D>(&durable.snapshot);
                let version = Version { batch_size, log: durable.log, callers: durable.callers, shards };
                Uploaded { epoch, version, known }
            });
            // The writer has ended if this fails.
            let _ = outbox.send(Message::Uploaded(uploaded));
        });
    }

    /// Publishes the version whose runs are in the store now.
    pub(super) async fn publish(&mut self, uploaded: Result<Uploaded>) {
        self.checkpoints.is_uploading = false;
        let result = match uploaded {
            // The writer had to take another epoch meanwhile, or must, so the files are made again under that.
            Ok(uploaded) if uploaded.epoch != self.leader.epoch() || self.is_uncertain() => {
                let checkpoints = &mut self.checkpoints;
                checkpoints.log_bytes += std::mem::take(&mut checkpoints.taken_bytes);
                return checkpoints.waiting.append(&mut checkpoints.served);
            }
            Ok(uploaded) => self.publish_version(uploaded).await,
            Err(error) => Err(error),
        };
        answer(self.checkpoints.served.drain(..), &result);
    }

    async fn publish_version(&mut self, uploaded: Uploaded) -> Result<u64> {
        let before = self.leader.manifest().clone();
        if let Err(error) = self.leader.publish(&uploaded.version, &self.options.retention).await {
            // The manifest may exist, or appear later. A new epoch finds out, and prevents that.
            self.checkpoints.known.extend(uploaded.known);
            self.trouble = Some(error.clone());
            return Err(error);
        }
        (self.checkpoints.known, self.checkpoints.taken_bytes) = (uploaded.known, 0);
        let collection = self.leader.collection(before);
        self.checkpoints.collecting += 1;
        let outbox = self.outbox.clone();
        spawn(async move {
            let _ = collect(&collection).await;
            // The writer has ended if this fails.
            let _ = outbox.send(Message::Collected);
        });
        Ok(self.leader.manifest().number)
    }

    fn start_sweep(&mut self) {
        let Some(reply) = self.checkpoints.sweeps.pop() else { return };
        let collection = self.leader.collection(self.leader.manifest().clone());
        self.checkpoints.sweeping = Some(reply);
        self.checkpoints.collecting += 1;
        let outbox = self.outbox.clone();
        spawn(async move {
            // The writer has ended if this fails.
            let _ = outbox.send(Message::Swept(sweep(&collection).await));
        });
    }
}
