//! What a store needs of the place that it is in: to create an object unless there is one, to read, list and delete.

use crate::error::Result;
use bytes::Bytes;
use std::fmt::Debug;
use std::pin::Pin;
use std::time::SystemTime;

/// An operation in progress.
pub type Pending<'a, T> = Pin<Box<dyn Future<Output = Result<T>> + Send + 'a>>;

/// A place for the objects of a store. Names are paths, like `log/00000000000000000001.arrow`.
///
/// Every operation takes effect at one moment between its start and its end, and the effects of different callers have one
/// order that all see. If an operation fails, it may have taken effect or not, or may take effect later.
pub trait Objects: Debug + Send + Sync {
    /// Creates an object that is durable when this returns. Returns `false` if there is an object of this name; that may be
    /// this very object, if it was sent twice. May also return `false` if two creations meet, although both fail.
    fn create<'a>(&'a self, name: &'a str, bytes: Bytes) -> Pending<'a, bool>;
    /// Reads an object; `None` if there is none.
    fn read<'a>(&'a self, name: &'a str) -> Pending<'a, Option<Bytes>>;
    /// The objects of a folder whose names are above `after`, in ascending order.
    fn list<'a>(&'a self, folder: &'a str, after: &'a str) -> Pending<'a, Vec<Listed>>;
    /// Deletes an object, if there is one.
    fn delete<'a>(&'a self, name: &'a str) -> Pending<'a, ()>;
    /// What it is called in messages. Contains no secret.
    fn describe(&self) -> String;
}

/// An object in a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listed {
    /// Its name.
    pub name: String,
    /// Its length.
    pub bytes: u64,
    /// When it was created, by the clock of the place.
    pub modified: SystemTime,
}
