//! What can go wrong, and the Python exception that says so: classes of `gpu_lsm.errors` with the messages of Rust.

use gpu_lsm::{BackendError, Error};
use gpu_lsm_store::Error as StoreError;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::PyType;
use std::path::PathBuf;

/// An error of the dictionary, or of this package.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    #[error(transparent)]
    Dictionary(#[from] Error),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("{}: {error}", .path.display())]
    File { path: PathBuf, error: std::io::Error },
    #[error("no column is called {name:?}; there are: {there}")]
    NoColumn { name: String, there: String },
    #[error(
        "an Arrow column of type {column} has no keys or values; cast it to numbers, dates or fixed-size binary"
    )]
    NoType { column: String },
    #[error("{seconds} is no number of seconds; give one that is not below zero")]
    NoSeconds { seconds: f64 },
    #[error("a caller numbers its batches; give both caller= and number=, or neither")]
    NoOrigin,
    #[error("keys of {given} bytes were given, and this dictionary's have {needed}; convert them first")]
    OtherWidth { given: usize, needed: usize },
    #[error("a set has no values; give keys only")]
    NoValues,
    #[error("{words} words are not values of {each} words each; give whole values")]
    PartialValue { words: usize, each: usize },
    #[error("a value has 0, 1, 2 or 4 words of 32 bits, not {words}; choose another type")]
    NoSuchValues { words: usize },
    #[error("only points have rectangles; make the dictionary with key='point'")]
    NoPoints,
    #[error(
        "the buffer has elements of another type than the dictionary; make one by on_device().keys() or values()"
    )]
    OtherElements,
    #[error("a dictionary in shards takes no buffers; give columns in the host's memory")]
    ManyDevices,
    #[error(
        "this was made before the process was forked, and its threads are gone; make a dictionary in the new process, \
         or start processes by 'spawn' or 'forkserver'"
    )]
    Forked,
}

pub(crate) type Outcome<T> = Result<T, Failure>;

impl Failure {
    /// The class of the exception.
    fn class(&self) -> &'static str {
        match self {
            Self::Dictionary(error) | Self::Store(StoreError::Dictionary(error)) => class_of(error),
            Self::Store(error) => class_of_store(error),
            Self::File { .. } => "FileError",
            Self::NoColumn { .. } => "TableError",
            Self::NoSeconds { .. } | Self::NoOrigin => "OptionError",
            Self::ManyDevices => "OtherDeviceError",
            Self::Forked => "ForkError",
            _ => "DtypeError",
        }
    }
}

fn class_of(error: &Error) -> &'static str {
    match error {
        Error::UnequalColumns { .. } | Error::UnequalFlags { .. } | Error::UnequalBounds { .. } => {
            "LengthError"
        }
        Error::ZeroBatchSize | Error::NoDevices | Error::Shares { .. } => "OptionError",
        Error::NoSuchDevice { .. } | Error::NoGpu { .. } | Error::NotCompiled { .. } => "NoDeviceError",
        Error::TooManyCandidates { .. } => "TooLargeError",
        Error::OutOfBounds { .. } => "BoundsError",
        Error::OtherDevice { .. } | Error::NotOnEngine { .. } => "OtherDeviceError",
        Error::LostShards { .. } => "DeviceLostError",
        Error::Corrupt { .. } | Error::Untrustworthy { .. } => "CorruptError",
        Error::Backend(error) => match error {
            BackendError::TooLarge { .. } => "TooLargeError",
            BackendError::OutOfMemory { .. } => "OutOfMemoryError",
            BackendError::OverBudget { .. } => "OverBudgetError",
            BackendError::DeviceLost { .. } => "DeviceLostError",
            BackendError::Malformed { .. } => "CorruptError",
            _ => "DeviceError",
        },
        _ => "Error",
    }
}

fn class_of_store(error: &StoreError) -> &'static str {
    match error {
        StoreError::BadUrl { .. } | StoreError::NotCompiled { .. } => "UrlError",
        StoreError::NoStore { .. } => "NoStoreError",
        StoreError::OtherTypes { .. } | StoreError::OtherWidth { .. } => "OtherTypesError",
        StoreError::ManyShards { .. } => "ManyShardsError",
        StoreError::NewerFormat { .. } => "NewerFormatError",
        StoreError::Corrupt { .. } | StoreError::Missing { .. } => "DamagedError",
        StoreError::Fenced { .. } => "FencedError",
        StoreError::NoSuchVersion { .. } => "NoSuchVersionError",
        StoreError::OutOfOrder { .. } => "OutOfOrderError",
        StoreError::OtherBatch { .. } => "OtherBatchError",
        StoreError::Unavailable { .. } => "UnavailableError",
        StoreError::NotWritten { .. } => "NotWrittenError",
        StoreError::Table { .. } => "TableError",
        _ => "StoreError",
    }
}

impl From<Failure> for PyErr {
    fn from(failure: Failure) -> Self {
        let message = failure.to_string();
        Python::attach(|py| {
            let class = py.import("gpu_lsm.errors").and_then(|errors| errors.getattr(failure.class()));
            match class.and_then(|class| Ok(class.cast_into::<PyType>()?)) {
                Ok(class) => Self::from_type(class, message),
                Err(_) => PyRuntimeError::new_err(message),
            }
        })
    }
}
