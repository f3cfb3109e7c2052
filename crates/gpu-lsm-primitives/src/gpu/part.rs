//! Arrays as wgpu buffers.

use super::array::GpuArray;
use super::device::Gpu;
use crate::error::Result;
use crate::value::Plain;
use cubecl::wgpu::wgpu::{BindingResource, Buffer, BufferBinding};
use cubecl::wgpu::{AutoCompiler, WgpuServer};
use std::fmt;
use std::num::NonZeroU64;
use std::sync::Arc;

/// An array as part of a wgpu buffer. The array stays in place as long as this value lives.
///
/// On a device that the program shares, no two arrays are in the same buffer, so one pass can read one array and write
/// another. Clones of an array, and parts of it that start at its first element, are the same memory.
#[derive(Clone)]
#[non_exhaustive]
pub struct Part {
    /// The buffer. It may be longer than the array.
    pub buffer: Buffer,
    /// The first byte of the array.
    pub offset: u64,
    /// The size of the array in bytes.
    pub size: u64,
    /// Keeps the engine from moving the array.
    _in_place: Arc<dyn Send + Sync>,
}

impl Part {
    /// The array as an entry of a bind group. Exactly its elements are bound, so that a shader's `arrayLength` is their
    /// number. wgpu binds no empty array: in its place, some unused bytes are bound.
    pub fn binding(&self) -> BindingResource<'_> {
        let size = NonZeroU64::new(self.size);
        BindingResource::Buffer(BufferBinding { buffer: &self.buffer, offset: self.offset, size })
    }
}

impl fmt::Debug for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut part = f.debug_struct("Part");
        part.field("buffer", &self.buffer).field("offset", &self.offset).field("size", &self.size);
        part.finish_non_exhaustive()
    }
}

impl Gpu {
    /// The part of a wgpu buffer that an array is in. All work on the array is submitted to the queue. Does not wait.
    ///
    /// # Errors
    /// If the work that should have written the array failed, or the device is not a wgpu device.
    pub fn part<T: Plain>(&self, array: &GpuArray<T>) -> Result<Part> {
        self.guarded(|| self.client().flush())?.map_err(|error| self.engine_error(&error))?;
        let memory = array.all().memory;
        let managed = self
            .guarded(|| self.client().get_resource::<WgpuServer<AutoCompiler>>(memory))?
            .map_err(|error| self.engine_error(&error))?;
        let resource = managed.resource();
        let (buffer, offset, size) = (resource.buffer.clone(), resource.offset, resource.size);
        Ok(Part { buffer, offset, size, _in_place: Arc::new(managed) })
    }
}
