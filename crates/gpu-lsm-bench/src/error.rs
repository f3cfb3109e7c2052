//! What can go wrong in a bench.

use std::path::PathBuf;

/// The result of this crate's calls.
pub type Result<T> = std::result::Result<T, Error>;

/// Why a bench ends early.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The structure has no such operation. Experiments leave it out.
    #[error("{structure} has no {operation}")]
    Unsupported {
        /// The structure.
        structure: &'static str,
        /// The operation.
        operation: &'static str,
    },
    /// A measured answer differs from the reference.
    #[error("WRONG ANSWER of {structure}, {sample}: {what}")]
    Mismatch {
        /// The structure.
        structure: String,
        /// The sample.
        sample: String,
        /// What was expected, and what was answered.
        what: String,
    },
    /// The dictionary, or its device, failed.
    #[error(transparent)]
    Dictionary(#[from] gpu_lsm::Error),
    /// The device failed.
    #[error(transparent)]
    Device(#[from] gpu_lsm::BackendError),
    /// One of the paper's structures failed.
    #[error(transparent)]
    Baseline(#[from] gpu_lsm_baselines::Error),
    /// A rival failed.
    #[cfg(feature = "rivals")]
    #[error(transparent)]
    Rival(#[from] gpu_lsm_rivals::Error),
    /// A file could not be read or written.
    #[error("{path}: {error}")]
    File {
        /// The file.
        path: PathBuf,
        /// The cause.
        error: std::io::Error,
    },
    /// Another bench writes to the same results.
    #[error("another bench writes to {folder}: let it end, or choose another folder with `--results`")]
    Busy {
        /// The device's folder.
        folder: PathBuf,
    },
    /// A line of a results file is not a record.
    #[error("{path}, line {line}: {error}")]
    Record {
        /// The file.
        path: PathBuf,
        /// The line, counted from 1.
        line: usize,
        /// The cause.
        error: serde_json::Error,
    },
    /// A document differs from what the command would write.
    #[error("{path} is not current: run `gpu-lsm bench report --markdown`")]
    NotCurrent {
        /// The file.
        path: PathBuf,
    },
    /// Compared with the paper's LSM, some rows are slower than the recorded ratios.
    #[error("slower than is written down: {}", .0.join("; "))]
    Slower(Vec<String>),
    /// One of several who are measured failed.
    #[error("{name}: {error}")]
    Of {
        /// Who.
        name: String,
        /// The cause.
        error: Box<Error>,
    },
    /// A comparison of more entries than one of its devices can have in an array.
    #[error(
        "{device} has room for {limit} entries in one array, and this comparison needs {needed}: take `--log-n {largest}` at \
         most, or choose other devices with `--device`"
    )]
    DoesNotFit {
        /// The device with the least room.
        device: String,
        /// The number of entries, those of small batches included.
        needed: u64,
        /// The most entries that the device can have.
        limit: u64,
        /// log2 of the most entries that can be compared on all devices.
        largest: u32,
    },
    /// The request makes no sense.
    #[error("{0}")]
    Asked(String),
}

impl Error {
    /// A failure to read or write a file.
    pub fn file(path: &std::path::Path) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.to_owned();
        |error| Self::File { path, error }
    }
}

/// `None` if the structure lacks the operation.
///
/// # Errors
/// Every other error.
pub fn if_supported<T>(result: Result<T>) -> Result<Option<T>> {
    match result {
        Ok(answer) => Ok(Some(answer)),
        Err(Error::Unsupported { .. }) => Ok(None),
        Err(error) => Err(error),
    }
}
