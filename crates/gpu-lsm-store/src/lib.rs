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
//! [`Store::save_sharded`], [`Store::load_sharded`] and [`Store::write_sharded`] do the same for dictionaries over several
//! devices. [`read_parquet`] and [`write_parquet`] take whole dictionaries from one Parquet file and to one.
//!
//! # What is promised, and what is not
//!
//! - What was acknowledged survives the process and the machine, as long as the place keeps what it has confirmed. Writers were
//!   killed at random moments and at each sync, and lost power, on local files; and were killed beside SeaweedFS (S3) and
//!   Azurite (Azure). The clouds themselves were never tried. Google's is only compiled.
//! - One writer at a time: whoever opens a store for writing takes it over, and the other learns that at its next update.
//!   Readers take no part, and see a whole state.
//! - A damaged or missing object is a typed error, never a wrong answer; except that a missing record of the log, or a missing
//!   newest manifest, can't be told from an earlier time. Checksums are against damage, not against forgery.
//! - No secret is in any manifest, error or debug output.
//!
//! `docs/format.md` describes the objects and the rules by which writers, readers and collections agree.

#![forbid(unsafe_code)]

mod batches;
mod checksum;
#[doc(hidden)]
pub mod code;
mod durable;
mod error;
mod inspect;
mod kept;
#[doc(hidden)]
pub mod layout;
mod load;
#[doc(hidden)]
pub mod manifest;
#[doc(hidden)]
pub mod names;
#[doc(hidden)]
pub mod nonce;
mod objects;
mod opening;
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
mod threads;
mod types;
mod upload;
mod writer;

pub use checksum::Checksum;
pub use durable::{Durable, DurableOf, DurableSharded};
pub use error::{Error, Result};
pub use inspect::{StoreInfo, Verified};
pub use kept::Kept;
pub use object_store;
pub use objects::{Listed, Objects, Pending};
pub use options::Options;
pub use protocol::Collected;
pub use receipt::Receipt;
pub use store::{Store, VersionInfo};
pub use table::{
    ColumnNames, column_types, parquet_fields, read_entries, read_parquet, write_entries, write_parquet,
    write_parquet_sharded,
};
pub use types::{StoredKey, StoredValue, Types};

/// Compiles and runs the code of the guide.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/stores.md")]
struct Guide;
