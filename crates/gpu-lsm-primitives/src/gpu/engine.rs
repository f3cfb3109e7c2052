//! The engine's own client and memory, for programs that use the engine too.

use super::array::GpuArray;
use super::device::Gpu;
use crate::backend::check_len;
use crate::error::{Error, Result};
use crate::value::Plain;
pub use cubecl;
use cubecl::prelude::Client;
use cubecl::server::Handle;
use std::thread::{self, ThreadId};

impl Gpu {
    /// The engine's client for this device.
    pub fn engine_client(&self) -> Client {
        self.client().clone()
    }

    /// The engine's handle for an array's memory, cut to its length.
    pub fn engine_handle<T: Plain>(&self, array: &GpuArray<T>) -> Handle {
        array.all().memory
    }

    /// The first `len` elements in memory of the engine, as an array. Nothing is copied, and the memory stays in place
    /// as long as the array lives.
    ///
    /// # Errors
    /// [`Error::UnfitMemory`] if the memory belongs to another device, is too short, or starts where a kernel cannot
    /// bind it; [`Error::TooLarge`] if an array cannot have that many elements.
    pub fn adopt<T: Plain>(&self, memory: Handle, len: usize) -> Result<GpuArray<T>> {
        check_len(self, len as u64, size_of::<T>())?;
        if memory.service != self.client().service_id() {
            return Err(unfit(
                "it belongs to another client of the engine; use that of `interop::client`".into(),
            ));
        }
        let bytes = (len * size_of::<T>()) as u64;
        if bytes == 0 {
            return self.empty(len);
        }
        let has = memory.size_in_used();
        if has < bytes {
            let element = size_of::<T>();
            return Err(unfit(format!(
                "{len} elements of {element} bytes are {bytes} bytes, and it has {has}; ask for {} at most",
                has as usize / element
            )));
        }
        let alignment = self.client().properties().memory.alignment;
        let start = memory.offset_start.unwrap_or(0);
        if !start.is_multiple_of(alignment) {
            return Err(unfit(format!(
                "it starts at byte {start} of its allocation, and kernels bind memory from multiples of {alignment}; \
                 copy it to memory of its own"
            )));
        }
        self.array_in(memory.offset_end(has - bytes), len)
    }

    /// The thread on which the engine drives this device.
    pub(super) fn engine_thread(&self) -> Result<ThreadId> {
        let thread = self.guarded(|| self.client().exclusive(|| thread::current().id()))?;
        thread.map_err(|error| self.engine_error(&error))
    }
}

fn unfit(reason: String) -> Error {
    Error::UnfitMemory { reason }
}
