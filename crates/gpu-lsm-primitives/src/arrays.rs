//! Arrays on a device: what entries are made of, whatever is done with them.

use crate::value::Plain;

/// A device that holds arrays.
pub trait Arrays: Clone + Send + Sync + 'static {
    /// An array on the device. Clones share the memory, which is given back with the last of them.
    type Array<T: Plain>: Array + Clone + Send + Sync;
    /// A number that the device knows and the host may not know yet.
    type Count: Clone + Send + Sync;
}

/// An array on a device, as far as every backend's is alike.
pub trait Array {
    /// How many elements it has room for.
    fn len(&self) -> usize;
    /// Whether it has room for none.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// How many bytes it occupies.
    fn bytes(&self) -> u64;
}
