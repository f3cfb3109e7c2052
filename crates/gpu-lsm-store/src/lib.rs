//! Dictionaries that survive: runs, a log and manifests in an object store or on local files.
//!
//! A dictionary of [`gpu_lsm`] lives on a device and dies with its process. A [`Store`] keeps it:
//!
//! - [`Store::save`] writes a snapshot, of which only runs that the store lacks; [`Store::load`] makes a dictionary of it again,
//!   on any device.
//! - [`Store::write`] opens a [`Durable`] dictionary: its updates return once they are in the log, and checkpoints happen
//!   by themselves.
//!
//! ```
//! use gpu_lsm::Device;
//! use gpu_lsm_store::{Options, Store};
//!
//! let store = Store::at("memory:///example")?;
//! let mut ages = store.write::<u64, u32>(&Device::host(), Options::new())?;
//! ages.insert(&[10, 20, 30], &[1, 2, 3])?;
//! ages.delete(&[20])?;
//! drop(ages); // or the process dies
//!
//! let ages = store.write::<u64, u32>(&Device::host(), Options::new())?;
//! assert_eq!(ages.lookup(&[10, 20, 30])?.to_vec(), [Some(1), None, Some(3)]);
//! # Ok::<(), gpu_lsm_store::Error>(())
//! ```
//!
//! `docs/format.md` describes the objects and the rules by which writers, readers and collections agree.

#![forbid(unsafe_code)]

mod checksum;
mod durable;
mod error;
mod load;
#[doc(hidden)]
pub mod manifest;
#[doc(hidden)]
pub mod names;
#[doc(hidden)]
pub mod nonce;
mod objects;
#[doc(hidden)]
pub mod operation;
mod options;
mod place;
#[doc(hidden)]
pub mod protocol;
mod receipt;
#[doc(hidden)]
pub mod record;
#[doc(hidden)]
pub mod run_file;
mod runtime;
mod store;
mod stream;
mod table;
mod types;
mod upload;
mod writer;

pub use checksum::Checksum;
pub use durable::Durable;
pub use error::{Error, Result};
pub use object_store;
pub use objects::{Listed, Objects, Pending};
pub use options::Options;
pub use protocol::Collected;
pub use receipt::Receipt;
pub use store::{Store, VersionInfo};
pub use table::{ColumnNames, read_parquet, write_parquet};
pub use types::{StoredKey, StoredValue};

/// Compiles and runs the code of the guide.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/stores.md")]
struct Guide;
