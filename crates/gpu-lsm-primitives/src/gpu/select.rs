//! select: of equal keys, the one with the last position. Kernels: kernels/select.rs. Twin: host/select.rs.

use super::array::{GpuArray, GpuCount};
use super::gather::{self, Sources};
use super::launch::Gpu;
use super::registry::{Kernel, Launch};
use super::scan;
use crate::backend::Array;
use crate::entries::{Pending, Sorted};
use crate::error::Result;
use crate::key::Key;
use crate::tuning::ITEMS;
use crate::value::Value;

/// Counts what each unit keeps, scans, writes keys and positions; values and marks are gathered by position.
pub(super) fn select<K: Key, V: Value>(
    gpu: &Gpu,
    sorted: &Sorted<Gpu, K>,
    values: &GpuArray<V>,
    marks: Option<&GpuArray<u32>>,
) -> Result<Pending<Gpu, K, V>> {
    let bound = sorted.keys.len();
    let units = bound.div_ceil(ITEMS as usize);
    let kept = gpu.empty::<u32>(units)?;
    gpu.launch(&Launch {
        kernel: Kernel::SelectCount(K::WIDTH),
        buffers: vec![sorted.keys.all(), kept.all()],
        numbers: vec![],
        units,
    })?;
    let offsets = scan::scan(gpu, &kept)?;
    let keys = gpu.empty::<K>(bound)?;
    let list = gpu.empty::<u32>(bound)?;
    gpu.launch(&Launch {
        kernel: Kernel::SelectWrite(K::WIDTH),
        buffers: vec![sorted.keys.all(), sorted.positions.all(), offsets.all(), keys.all(), list.all()],
        numbers: vec![],
        units,
    })?;

    let count = GpuCount { array: offsets, index: units };
    let sources = Sources { list, count: count.clone(), split: values.len() };
    let gathered = gather::values(gpu, values, None, &sources)?;
    let sources = Sources { split: bound, ..sources };
    let marks = gather::marks(gpu, marks, None, &sources)?;
    Ok(Pending { keys, values: gathered, marks, bound, count })
}
