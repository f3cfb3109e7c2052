//! The GPU backend: kernels on CubeCL, one source for every vendor.
//!
//! One file per primitive says which kernels are launched on which buffers. The kernels are in files of the same names
//! in `kernels`. [`registry`] declares all of them with the macro of [`table`], and `launch.rs` is the only way to the
//! engine. A [`hook`], registered when a device is opened, is told of every launch.
//!
//! Lengths that depend on the data stay on the device: grids are sized by upper bounds.

mod array;
pub mod axes;
#[cfg(feature = "baselines")]
pub mod baselines;
mod binding;
mod bounds;
#[cfg(feature = "wgpu")]
mod callbacks;
mod clip;
mod copy;
mod cover;
mod device;
pub mod devices;
#[cfg(feature = "proof")]
mod elsewhere;
pub mod engine;
mod expand;
mod failure;
mod fill;
mod gather;
pub mod hook;
mod index;
mod kernels;
mod launch;
mod marks;
mod mask;
mod merge;
mod nearest;
mod open;
mod outside;
mod overlay;
#[cfg(feature = "wgpu")]
mod part;
#[cfg(feature = "proof")]
pub mod proof;
mod recode;
pub mod registry;
mod scan;
mod search;
mod select;
mod settle;
mod shape;
mod sort;
pub mod table;
mod tally;
mod traffic;
#[cfg(feature = "wgpu")]
pub mod wgpu;
mod window;

pub use array::{GpuArray, GpuCount};
pub use binding::Binding;
#[cfg(feature = "wgpu")]
pub use callbacks::Callbacks;
pub use device::Gpu;
#[cfg(feature = "wgpu")]
pub use part::Part;

use registry::Kernel;
use table::Instance;

use crate::backend::{Array, Arrays, Backend, DeviceClock, Download, Nearby, Start, Turn, Way};
use crate::code::Code;
use crate::entries::{Answers, Bounds, Candidates, Neighbours, Pile, Run, Sorted, Tally, Tombstones};
use crate::error::Result;
use crate::meter::Meter;
use crate::recoding::Recoding;
use crate::tuning::{TILE, UNITS};
use crate::value::{Plain, Value};
use cubecl::MemoryScope;
use std::ops::Range;
use std::sync::Arc;

/// Kernels count words in 32 bits, and a folded grid may reach slightly past the last word.
const MAX_WORDS: u64 = u32::MAX as u64 - (TILE * UNITS * 2) as u64;

impl Arrays for Gpu {
    type Array<T: Plain> = GpuArray<T>;
    type Count = GpuCount;
}

impl Backend for Gpu {
    fn meter(&self) -> &Arc<Meter> {
        self.account()
    }

    fn supports<K: Code>(&self) -> Result<()> {
        self.check_width(K::WIDTH)?;
        let is_needed = |kernel: &Kernel| kernel.key_width().is_none_or(|width| width == K::WIDTH);
        Kernel::all().into_iter().filter(is_needed).try_for_each(|kernel| self.check_needs(&kernel))
    }

    fn alive(&self) -> Result<()> {
        self.guarded(|| ())
    }

    fn max_len(&self, bytes: usize) -> u64 {
        if bytes == 0 {
            return MAX_WORDS;
        }
        let memory = self.client().properties().memory.max_page_size / bytes as u64;
        memory.min(MAX_WORDS / bytes.div_ceil(4) as u64)
    }

    fn engine_bytes(&self) -> Option<u64> {
        let report = self.guarded(|| self.client().memory_report(MemoryScope::Device));
        report.ok().map(|report| report.usage().bytes_reserved)
    }

    fn device_clock(&self) -> Option<DeviceClock> {
        self.start_clock()
    }

    fn upload<T: Plain>(&self, data: &[T]) -> Result<GpuArray<T>> {
        self.uploaded(data)
    }

    fn download<T: Plain>(&self, array: &GpuArray<T>, len: usize) -> Result<Vec<T>> {
        self.read(array, len)
    }

    fn download_async<T: Plain>(&self, array: &GpuArray<T>, len: usize) -> Download<T> {
        Box::pin(self.clone().read_async(array.clone(), len))
    }

    fn room<T: Plain>(&self, len: usize) -> Result<GpuArray<T>> {
        self.empty(len)
    }

    fn slice<T: Plain>(&self, array: &GpuArray<T>, range: Range<usize>) -> Result<GpuArray<T>> {
        copy::slice(self, array, range)
    }

    fn copy_into<T: Plain>(
        &self,
        from: &GpuArray<T>,
        len: usize,
        to: &mut GpuArray<T>,
        at: usize,
    ) -> Result<()> {
        copy::copy(self, from, len, to, at)
    }

    fn concat<T: Plain>(&self, first: &GpuArray<T>, second: &GpuArray<T>) -> Result<GpuArray<T>> {
        copy::concat(self, first, second)
    }

    fn marks(&self, first: usize, len: usize) -> Result<GpuArray<u32>> {
        fill::marks(self, first, len)
    }

    fn mask<V: Value>(
        &self,
        values: &GpuArray<V>,
        flags: &GpuArray<u32>,
    ) -> Result<(GpuArray<V>, GpuArray<u32>)> {
        mask::mask(self, values, flags)
    }

    fn recode<T: Plain, U: Plain>(&self, keys: &GpuArray<T>, recoding: Recoding) -> Result<GpuArray<U>> {
        recode::recode(self, keys, recoding)
    }

    fn sort<K: Code>(&self, keys: &GpuArray<K>) -> Result<Sorted<Self, K>> {
        sort::sort(self, keys)
    }

    fn scan(&self, numbers: &GpuArray<u32>) -> Result<GpuArray<u32>> {
        scan::scan(self, numbers)
    }

    fn arrange<K: Code, V: Value>(
        &self,
        sorted: &Sorted<Self, K>,
        values: &GpuArray<V>,
        marks: Option<&GpuArray<u32>>,
    ) -> Result<Pile<Self, K, V>> {
        gather::arrange(self, sorted, values, marks)
    }

    fn merge<K: Code, V: Value>(
        &self,
        newer: &Pile<Self, K, V>,
        older: &Pile<Self, K, V>,
    ) -> Result<Pile<Self, K, V>> {
        merge::merge(self, newer, older)
    }

    fn shortened<K: Code, V: Value>(
        &self,
        newer: &Pile<Self, K, V>,
        older: &Pile<Self, K, V>,
    ) -> Result<[Pile<Self, K, V>; 2]> {
        merge::shortened(self, newer, older)
    }

    fn settle<K: Code, V: Value>(
        &self,
        newest: Pile<Self, K, V>,
        older: Vec<Pile<Self, K, V>>,
        tombstones: Tombstones,
    ) -> Result<Run<Self, K, V>> {
        settle::settle(self, newest, older, tombstones)
    }

    fn answers<V: Value>(&self, len: usize) -> Result<Answers<Self, V>> {
        Ok(Answers { found: self.empty(len)?, values: self.empty(len)? })
    }

    fn search<K: Code, V: Value>(
        &self,
        run: &Run<Self, K, V>,
        queries: &GpuArray<K>,
        answers: &mut Answers<Self, V>,
        turn: Turn,
    ) -> Result<()> {
        search::search(self, run, queries, answers, turn)
    }

    fn last(&self, numbers: &GpuArray<u32>) -> Result<GpuCount> {
        Ok(GpuCount { array: numbers.clone(), index: numbers.len() - 1 })
    }

    fn read_counts(&self, counts: &[&GpuCount]) -> Result<Vec<u32>> {
        self.read_back(counts)
    }

    fn bounds<K: Code, V: Value>(
        &self,
        run: &Run<Self, K, V>,
        lower: &GpuArray<K>,
        upper: &GpuArray<K>,
        start: Start,
    ) -> Result<Bounds<Self>> {
        bounds::bounds(self, run, lower, upper, start)
    }

    fn tally<K: Code, V: Value>(&self, run: &Run<Self, K, V>, found: &GpuArray<u32>) -> Result<Tally<Self>> {
        tally::tally(self, run, found)
    }

    fn tallied<K: Code, V: Value>(
        &self,
        run: &Run<Self, K, V>,
        tally: &Tally<Self>,
        lower: &GpuArray<K>,
        upper: &GpuArray<K>,
        counts: Option<GpuArray<u32>>,
    ) -> Result<GpuArray<u32>> {
        tally::between(self, run, tally, (lower, upper), counts)
    }

    fn expand<K: Code, V: Value>(
        &self,
        run: &Run<Self, K, V>,
        bounds: &Bounds<Self>,
        room: usize,
    ) -> Result<Candidates<Self, K, V>> {
        expand::expand(self, run, bounds, room)
    }

    fn overlay<K: Code, V: Value>(
        &self,
        newer: &Candidates<Self, K, V>,
        older: &Run<Self, K, V>,
        bounds: &Bounds<Self>,
        total: usize,
    ) -> Result<Candidates<Self, K, V>> {
        overlay::overlay(self, newer, older, bounds, total)
    }

    fn live<K: Code, V: Value>(&self, candidates: &Candidates<Self, K, V>) -> Result<Candidates<Self, K, V>> {
        select::live(self, candidates)
    }

    fn window<K: Code, V: Value>(
        &self,
        run: &Run<Self, K, V>,
        queries: &GpuArray<K>,
        way: Way,
        limit: u32,
        horizons: Option<GpuArray<K>>,
        states: Option<&GpuArray<u32>>,
    ) -> Result<(Bounds<Self>, GpuArray<K>)> {
        window::window(self, run, queries, way, limit, horizons, states)
    }

    fn nearest<K: Code, V: Value>(
        &self,
        near: &Nearby<'_, Self, K, V>,
        way: Way,
        missing: K,
        before: Option<Neighbours<Self, K, V>>,
    ) -> Result<(Neighbours<Self, K, V>, GpuCount)> {
        nearest::nearest(self, near, way, missing, before)
    }

    fn clip(&self, offsets: &GpuArray<u32>, limit: u32) -> Result<Bounds<Self>> {
        clip::clip(self, offsets, limit)
    }

    fn cover(&self, lower: &GpuArray<u64>, upper: &GpuArray<u64>) -> Result<(GpuArray<u64>, GpuArray<u64>)> {
        cover::cover(self, lower, upper)
    }

    fn outside<V: Value>(
        &self,
        candidates: &Candidates<Self, u64, V>,
        lower: &GpuArray<u64>,
        upper: &GpuArray<u64>,
    ) -> Result<Candidates<Self, u64, V>> {
        outside::outside(self, candidates, lower, upper)
    }
}
