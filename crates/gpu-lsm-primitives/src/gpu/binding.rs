//! A buffer as a kernel sees it.

use cubecl::server::Handle;

/// Memory, and the number of its elements that a kernel may touch.
#[derive(Clone)]
pub struct Binding {
    pub(super) memory: Handle,
    pub(super) len: usize,
}

impl Binding {
    /// The bytes that a kernel may touch.
    pub fn bytes(&self) -> u64 {
        self.memory.size_in_used()
    }
}
