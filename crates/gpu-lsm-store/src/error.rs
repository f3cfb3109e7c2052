//! What can go wrong with a store.

/// An error of a store. What had been acknowledged stays in the store.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The URL names no place that a store can be at.
    #[error(
        "{url:?} can't be used: {why}; give file:///folder, s3://bucket/path, az://container/path, gs://… or memory:///"
    )]
    BadUrl {
        /// The URL, without what may be secret.
        url: String,
        /// What is wrong with it.
        why: String,
    },
    /// The URL needs a feature that the program was built without.
    #[error("{scheme}:// needs a program with the feature `{feature}` of gpu-lsm-store: build it with that")]
    NotCompiled {
        /// The URL's scheme.
        scheme: String,
        /// The feature.
        feature: &'static str,
    },
    /// There is no store at the URL.
    #[error("there is no store at {url}; save a snapshot there or open it for writing to make one")]
    NoStore {
        /// The URL, without what may be secret.
        url: String,
    },
    /// The store has keys or values of another type.
    #[error(
        "the store has {stored_key} keys with {stored_value} values, not {key} with {value}; open it with its own types"
    )]
    OtherTypes {
        /// The name of the key type in the store.
        stored_key: String,
        /// The name of the value type in the store.
        stored_value: String,
        /// The name of the key type requested.
        key: String,
        /// The name of the value type requested.
        value: String,
    },
    /// A type was named that has another number of bytes, or that keys can't have.
    #[error("keys or values of {bytes} bytes can't be of the type {name:?}; name a type of so many bytes")]
    OtherWidth {
        /// The name of the type.
        name: String,
        /// The bytes of the dictionary's keys or values.
        bytes: usize,
    },
    /// The store has several shards.
    #[error("the store has {shards} shards; open it as a sharded dictionary")]
    ManyShards {
        /// The number of shards.
        shards: usize,
    },
    /// The store was written by a later version.
    #[error(
        "the store has format {format}, and this program knows formats up to {known}; use a newer program"
    )]
    NewerFormat {
        /// The store's format.
        format: u32,
        /// The latest format that is known.
        known: u32,
    },
    /// An object of the store is not there.
    #[error("{name} is missing; restore it from a backup, or open an earlier version")]
    Missing {
        /// The object's name within the store.
        name: String,
    },
    /// An object of the store is damaged, or was not written by this library.
    #[error("{name} is damaged: {what}; restore it from a backup, or open an earlier version")]
    Corrupt {
        /// The object's name within the store.
        name: String,
        /// What is wrong with it.
        what: String,
    },
    /// Somebody else has opened the store for writing since. This writer can write no more.
    #[error(
        "the store has another writer: epoch {by} has replaced epoch {epoch}; open it again to take it over"
    )]
    Fenced {
        /// The epoch of the writer that got this error.
        epoch: u64,
        /// The epoch of the other.
        by: u64,
    },
    /// The version was collected, or never existed.
    #[error("the store has no version {version}; list its versions")]
    NoSuchVersion {
        /// The version requested.
        version: u64,
    },
    /// A caller's batch does not follow its last one.
    #[error("batch {number} of caller {caller:?} is out of order: {expected} is next")]
    OutOfOrder {
        /// The caller's name.
        caller: String,
        /// The number given.
        number: u64,
        /// The number that would be next.
        expected: u64,
    },
    /// A caller repeats a number with another batch.
    #[error(
        "caller {caller:?} has already written another batch {number}; a repeated batch must be the same"
    )]
    OtherBatch {
        /// The caller's name.
        caller: String,
        /// The number given.
        number: u64,
    },
    /// An operation of the object store failed. Whether it took effect is not known.
    #[error("{doing} {name} failed: {reason}")]
    Unavailable {
        /// What was tried.
        doing: &'static str,
        /// The object's name within the store.
        name: String,
        /// What the object store or the file system said, without what may be secret.
        reason: String,
    },
    /// The batch is not in the store and never will be, because an earlier operation failed.
    #[error(
        "the batch was not written, because an earlier operation failed: {reason}; it can be written again"
    )]
    NotWritten {
        /// The failure.
        reason: String,
    },
    /// A Parquet file has not the columns that were asked for.
    #[error("the Parquet file can't be used: {what}")]
    Table {
        /// What is wrong with it.
        what: String,
    },
    /// The dictionary or its device failed.
    #[error(transparent)]
    Dictionary(#[from] gpu_lsm::Error),
}

impl Error {
    pub(crate) fn corrupt(name: impl Into<String>, what: impl Into<String>) -> Self {
        Self::Corrupt { name: name.into(), what: what.into() }
    }

    /// An object is not there. It was collected, or lost.
    pub(crate) fn missing(name: impl Into<String>) -> Self {
        Self::Missing { name: name.into() }
    }

    /// Whether an object is not there. All else that can be wrong with one is damage, whatever others do at the same time.
    pub(crate) fn is_missing(&self) -> bool {
        matches!(self, Self::Missing { .. })
    }

    /// An object was said to exist when it was to be created, and can't be read. Either it was collected since, or a server
    /// refused because two creations met there, as S3 may. So it is not known whether it was created.
    pub(crate) fn vanished(name: &str) -> Self {
        let reason = "it was said to exist, and is not there".into();
        Self::Unavailable { doing: "creating", name: name.into(), reason }
    }
}

/// A result of a store.
pub type Result<T, E = Error> = std::result::Result<T, E>;
