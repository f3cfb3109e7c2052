//! Arrays on a device: what entries are made of.

use crate::value::Plain;

/// A device that holds arrays.
pub trait Arrays: Clone + Send + Sync + 'static {
    /// An array on the device. Clones share the memory, which is freed with the last of them.
    type Array<T: Plain>: Array + Clone + Send + Sync;
    /// A number that the device knows, and the host perhaps not yet.
    type Count: Clone + Send + Sync;
}

/// The properties that arrays of all backends share.
pub trait Array {
    /// The number of elements that it has room for.
    fn len(&self) -> usize;
    /// Whether it has room for no elements.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// The bytes that it occupies.
    fn bytes(&self) -> u64;
}
