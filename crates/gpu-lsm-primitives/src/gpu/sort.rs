//! sort: keys with their positions, ascending, stable. Kernels: kernels/sort.rs. Twin: host/sort.rs.

use super::array::GpuArray;
use super::launch::Gpu;
use super::registry::{Kernel, Launch};
use super::scan;
use crate::backend::Array;
use crate::entries::Sorted;
use crate::error::Result;
use crate::key::Key;
use crate::tuning::{DIGIT_BITS, DIGITS};

/// One pass per digit, from the given keys into two pairs of buffers by turns.
pub(super) fn sort<K: Key>(gpu: &Gpu, keys: &GpuArray<K>) -> Result<Sorted<Gpu, K>> {
    let pairs = [new_pair::<K>(gpu, keys.len())?, new_pair(gpu, keys.len())?];
    let mut sorted = Sorted { keys: keys.clone(), positions: gpu.empty(0)? };
    let shifts = (0..K::WIDTH.bits()).step_by(DIGIT_BITS as usize);
    for (shift, to) in shifts.zip(pairs.iter().cycle()) {
        pass(gpu, &sorted, to, shift)?;
        sorted = to.clone();
    }
    Ok(sorted)
}

fn new_pair<K: Key>(gpu: &Gpu, len: usize) -> Result<Sorted<Gpu, K>> {
    Ok(Sorted { keys: gpu.empty(len)?, positions: gpu.empty(len)? })
}

/// Orders by the digit at `shift`; equal digits stay as they are.
fn pass<K: Key>(gpu: &Gpu, from: &Sorted<Gpu, K>, to: &Sorted<Gpu, K>, shift: u32) -> Result<()> {
    let tiles = from.keys.len().div_ceil(gpu.shape().tile());
    let units = tiles * gpu.shape().units as usize;
    let numbers = vec![shift, tiles as u32];
    let counts = gpu.empty::<u32>(tiles * DIGITS as usize)?;
    gpu.launch(&Launch {
        kernel: Kernel::SortCount(K::WIDTH),
        buffers: vec![from.keys.all(), counts.all()],
        numbers: numbers.clone(),
        units,
    })?;
    let offsets = scan::scan(gpu, &counts)?;
    gpu.launch(&Launch {
        kernel: Kernel::SortScatter(K::WIDTH),
        buffers: vec![
            from.keys.all(),
            from.positions.all(),
            offsets.all(),
            to.keys.all(),
            to.positions.all(),
        ],
        numbers,
        units,
    })
}
