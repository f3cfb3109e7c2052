//! Arrays on a GPU: the only place that allocates, uploads and reads back.

use super::binding::Binding;
use super::device::Gpu;
use super::hook::Memory;
use super::launch::both;
use crate::backend::{Array, Backend, check_len};
use crate::error::Result;
use crate::meter::Lease;
use crate::value::Plain;
use cubecl::bytes::Bytes;
use cubecl::future::block_on;
use cubecl::server::Handle;
use std::marker::PhantomData;
use std::sync::Arc;

/// The widest element that a kernel reads.
pub(super) const MIN_BYTES: usize = 8;

/// From this size on, the copy takes so long that it may as well happen on the engine's thread while ours waits.
const LARGE: usize = 1 << 24;

/// An array on a GPU. Clones share its memory.
pub struct GpuArray<T> {
    memory: Handle,
    len: usize,
    lease: Arc<Lease>,
    element: PhantomData<fn() -> T>,
}

impl<T> Clone for GpuArray<T> {
    fn clone(&self) -> Self {
        Self {
            memory: self.memory.clone(),
            len: self.len,
            lease: Arc::clone(&self.lease),
            element: PhantomData,
        }
    }
}

impl<T> Array for GpuArray<T> {
    fn len(&self) -> usize {
        self.len
    }

    fn bytes(&self) -> u64 {
        self.lease.bytes()
    }
}

impl<T: Plain> GpuArray<T> {
    /// The whole array, for a kernel.
    pub(super) fn all(&self) -> Binding {
        self.first(self.len)
    }

    /// The first `len` elements, for a kernel.
    ///
    /// The memory is cut to this length, because the engine derives a slice's length in a kernel from it.
    pub(super) fn first(&self, len: usize) -> Binding {
        Binding { memory: self.slice(0, len), len }
    }

    /// The first `len` elements as 32-bit words, for a kernel.
    pub(super) fn words(&self, len: usize) -> Binding {
        let binding = self.first(len);
        Binding { len: len * size_of::<T>() / 4, ..binding }
    }

    /// The first `len` elements, in the same memory.
    pub(super) fn prefix(&self, len: usize) -> Self {
        Self { len, ..self.clone() }
    }

    /// Whether the array fills its memory, that is, was not cut from a longer one.
    pub(super) fn has_its_memory_alone(&self) -> bool {
        self.bytes() == bytes_of::<T>(self.len) as u64
    }

    /// The memory that the array lives in.
    pub(super) fn memory(&self) -> &Handle {
        &self.memory
    }

    /// The bytes of `len` elements, starting at `start`, for a read-back.
    fn slice(&self, start: usize, len: usize) -> Handle {
        let (from, bytes) = (start * size_of::<T>(), len * size_of::<T>());
        let memory = self.memory.clone().offset_start(from as u64);
        let rest = memory.size_in_used() - bytes as u64;
        memory.offset_end(rest)
    }
}

/// The bytes of an array. No buffer may be smaller than a kernel's widest element.
fn bytes_of<T>(len: usize) -> usize {
    (len * size_of::<T>()).max(MIN_BYTES)
}

/// A number in an array on the GPU.
#[derive(Clone)]
pub struct GpuCount {
    pub(super) array: GpuArray<u32>,
    pub(super) index: usize,
}

impl Gpu {
    /// Allocates `len` elements with undefined content.
    pub(super) fn empty<T: Plain>(&self, len: usize) -> Result<GpuArray<T>> {
        let (bytes, lease) = self.room::<T>(len)?;
        let memory = match self.meter().poison() {
            Some(byte) => self.guarded(|| self.client().create(Bytes::from_bytes_vec(vec![byte; bytes])))?,
            None => self.guarded(|| self.client().empty(bytes))?,
        };
        Ok(GpuArray { memory, len, lease, element: PhantomData })
    }

    /// The whole array for a kernel, or a buffer of length 0 if there is none.
    pub(super) fn optional<T: Plain>(&self, array: Option<&GpuArray<T>>) -> Binding {
        array.map_or_else(|| self.nothing(), GpuArray::all)
    }

    /// A copy of `data`.
    pub(super) fn uploaded<T: Plain>(&self, data: &[T]) -> Result<GpuArray<T>> {
        if size_of_val(data) == 0 {
            return self.empty(data.len());
        }
        let (bytes, lease) = self.room::<T>(data.len())?;
        self.meter().traffic_counter().add_uploaded(bytes as u64);
        let mut copy = self.meter().vector(data.len())?;
        copy.extend_from_slice(data);
        // The copy needs host memory for staging and, on a driver that runs on the host, for the buffer. Without it,
        // wgpu would give up the device.
        drop(self.meter().vector::<u8>(bytes.saturating_mul(2))?);
        let memory = self.guarded(|| self.client().create(Bytes::from_elems(copy)))?;
        if bytes >= LARGE {
            // The engine's thread must take that memory before anything else does.
            self.guarded(|| self.client().flush())?.map_err(|error| self.engine_error(&error))?;
        }
        Ok(GpuArray { memory, len: data.len(), lease, element: PhantomData })
    }

    /// An array in memory that somebody else allocated for it.
    pub(super) fn array_in<T: Plain>(&self, memory: Handle, len: usize) -> Result<GpuArray<T>> {
        let (_, lease) = self.room::<T>(len)?;
        Ok(GpuArray { memory, len, lease, element: PhantomData })
    }

    /// Checks that `len` elements fit the device and the budget.
    fn room<T: Plain>(&self, len: usize) -> Result<(usize, Arc<Lease>)> {
        check_len(self, len as u64, size_of::<T>())?;
        let bytes = bytes_of::<T>(len);
        Ok((bytes, Arc::new(self.meter().lease(bytes as u64)?)))
    }

    /// The first `len` elements of an array. Waits for the device.
    pub(super) fn read<T: Plain>(&self, array: &GpuArray<T>, len: usize) -> Result<Vec<T>> {
        block_on(self.clone().read_async(array.clone(), len))
    }

    /// The first `len` elements of an array, read when the future is polled.
    pub(super) async fn read_async<T: Plain>(self, array: GpuArray<T>, len: usize) -> Result<Vec<T>> {
        let mut elements = self.meter().vector(len)?;
        elements.resize(len, T::zeroed());
        if len * size_of::<T>() > 0 {
            let read = self.read_memory(vec![array.slice(0, len)]).await?;
            bytemuck::cast_slice_mut(&mut elements).copy_from_slice(&read[0]);
        }
        Ok(elements)
    }

    /// Several numbers in one read-back. Waits for the device.
    pub(super) fn read_back(&self, counts: &[&GpuCount]) -> Result<Vec<u32>> {
        Ok(numbers(&block_on(self.read_memory(places(counts)))?))
    }

    /// Reads several numbers back, and confirms in the same wait that `memory` was written.
    pub(super) fn confirm_and_read_back(&self, memory: &[&Handle], counts: &[&GpuCount]) -> Result<Vec<u32>> {
        let (written, read) = block_on(both(self.written(memory)?, self.read_memory(places(counts))));
        written?;
        Ok(numbers(&read?))
    }

    async fn read_memory(&self, slices: Vec<Handle>) -> Result<Vec<Bytes>> {
        self.check_fuse()?;
        let traffic = self.meter().traffic_counter();
        traffic.add_wait();
        traffic.add_downloaded(slices.iter().map(Handle::size_in_used).sum());
        let read = self.guarded(|| self.client().read_async(slices))?;
        self.guarded_future(read).await?.map_err(|error| self.engine_error(&error))
    }
}

impl Memory for Gpu {
    fn read(&self, binding: &Binding) -> Result<Vec<u8>> {
        if binding.len == 0 {
            return Ok(Vec::new());
        }
        let read = self.guarded(|| self.client().read(vec![binding.memory.clone()]))?;
        Ok(read.map_err(|error| self.engine_error(&error))?[0].to_vec())
    }

    fn write(&self, binding: &Binding, bytes: Vec<u8>) -> Result<()> {
        self.guarded(|| self.client().write(&binding.memory, Bytes::from_bytes_vec(bytes)))
    }
}

/// The memory of each number.
fn places(counts: &[&GpuCount]) -> Vec<Handle> {
    counts.iter().map(|count| count.array.slice(count.index, 1)).collect()
}

/// Decodes the numbers that were read.
fn numbers(read: &[Bytes]) -> Vec<u32> {
    read.iter().map(|bytes| bytemuck::pod_read_unaligned(bytes)).collect()
}
