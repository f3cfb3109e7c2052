//! The options of durable dictionaries.

use crate::protocol::{MOST_IN_FLIGHT, Retention};
use gpu_lsm::Config;
use std::time::Duration;

/// Options of a durable dictionary.
///
/// ```
/// use gpu_lsm_store::Options;
/// let options = Options::new().with_versions(3).with_checkpoint_bytes(64 << 20);
/// assert_eq!(options, options.clone());
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    pub(crate) config: Config,
    pub(crate) group_bytes: usize,
    pub(crate) group_delay: Duration,
    pub(crate) in_flight: u64,
    pub(crate) in_flight_bytes: u64,
    pub(crate) part_bytes: usize,
    pub(crate) checkpoint_bytes: u64,
    pub(crate) retention: Retention,
}

impl Default for Options {
    fn default() -> Self {
        Self::new()
    }
}

impl Options {
    /// The defaults: batches that wait share a record of up to 8 MiB; up to 8 records and 64 MiB are in flight; a
    /// checkpoint after 256 MiB of log; the last version only.
    pub const fn new() -> Self {
        Self {
            config: Config::new(),
            group_bytes: 8 << 20,
            group_delay: Duration::ZERO,
            in_flight: 8,
            in_flight_bytes: 64 << 20,
            part_bytes: 32 << 20,
            checkpoint_bytes: 256 << 20,
            retention: Retention { versions: 1, age: Duration::ZERO },
        }
    }

    /// The options of the dictionary. The batch size counts only if there is no store yet; afterwards the store has it.
    #[must_use]
    pub const fn with_config(self, config: Config) -> Self {
        Self { config, ..self }
    }

    /// The most bytes of the batches that share a record, and how long a batch waits for others to share its record with.
    /// Without a delay, batches share a record only if they must wait for earlier records anyway.
    #[must_use]
    pub const fn with_group(self, bytes: usize, delay: Duration) -> Self {
        Self { group_bytes: bytes, group_delay: delay, ..self }
    }

    /// The most records, up to 32, and bytes in flight. Further batches wait for earlier ones before they are accepted.
    #[must_use]
    pub const fn with_in_flight(self, records: u64, bytes: u64) -> Self {
        let records = if records == 0 { 1 } else { records };
        let in_flight = if records > MOST_IN_FLIGHT { MOST_IN_FLIGHT } else { records };
        Self { in_flight, in_flight_bytes: bytes, ..self }
    }

    /// The size from which on a batch is written as parts of this size, in parallel.
    #[must_use]
    pub const fn with_part_bytes(self, bytes: usize) -> Self {
        Self { part_bytes: if bytes == 0 { 1 } else { bytes }, ..self }
    }

    /// The bytes of log after which a checkpoint is made; 0 makes one after each batch, unless one is being made. This
    /// bounds how much must be replayed when the store is opened. A process that ends takes a checkpoint that is being made with it:
    /// one that ends right after it has written calls `checkpoint` first.
    #[must_use]
    pub const fn with_checkpoint_bytes(self, bytes: u64) -> Self {
        Self { checkpoint_bytes: bytes, ..self }
    }

    /// Keeps this many versions, and at least one.
    #[must_use]
    pub const fn with_versions(self, versions: usize) -> Self {
        Self { retention: Retention { versions, ..self.retention }, ..self }
    }

    /// Also keeps all versions that are not older than this, by the clock of the place.
    #[must_use]
    pub const fn with_version_age(self, age: Duration) -> Self {
        Self { retention: Retention { age, ..self.retention }, ..self }
    }
}
