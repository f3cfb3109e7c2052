//! Nonces: how a writer recognizes an object that it made itself.

use serde::{Deserialize, Serialize};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Marks one attempt to create an object. A create that was repeated may find its own earlier success; the nonce tells it
/// from the success of somebody else.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Nonce {
    /// The writer: a random number.
    pub writer: u64,
    /// The attempt of this writer.
    pub attempt: u64,
}

/// A source of nonces that no other source gives. Clones are the same source.
#[derive(Debug, Clone)]
pub struct Nonces {
    writer: u64,
    attempts: Arc<AtomicU64>,
}

impl Nonces {
    /// A source for a new writer.
    pub fn random() -> Self {
        Self::of_writer(rand::random())
    }

    /// A source for a writer with this number, which no other writer may have: for simulations.
    pub fn of_writer(writer: u64) -> Self {
        Self { writer, attempts: Arc::default() }
    }

    /// A nonce that was never given before.
    pub fn next(&self) -> Nonce {
        Nonce { writer: self.writer, attempt: self.attempts.fetch_add(1, Ordering::Relaxed) }
    }

    /// Whether this source gave a nonce.
    pub fn gave(&self, nonce: Nonce) -> bool {
        nonce.writer == self.writer
    }
}
