//! The host backend: the same primitives on the machine's own cores, parallel with rayon.
//!
//! It is a real backend for machines without a GPU, and the twin that every GPU primitive is compared with. Nothing here
//! waits: every call returns with its work done.
//!
//! Every allocation whose size depends on the caller's data is fallible (`array.rs`). Rayon's own allocations depend
//! only on the number of threads. Arrays count against the byte budget; copies for the caller do not.

mod array;
#[cfg(feature = "baselines")]
mod baselines;
mod bounds;
mod clip;
mod cover;
mod expand;
mod gather;
mod index;
mod marks;
mod mask;
mod merge;
mod nearest;
mod outside;
mod overlay;
mod recode;
mod scan;
mod search;
mod select;
mod settle;
mod sort;
mod tally;
mod threads;
mod tiles;
mod window;

pub use crate::memory::memory;
pub use array::{Host, HostArray};
pub use threads::Threads;

use crate::backend::{Arrays, Backend, Download, Nearby, Start, Turn, Way};
use crate::code::Code;
use crate::entries::{
    Answers, Bounds, Candidates, Neighbours, Pile, Run, Sorted, Tally, Tombstones, mark_words,
};
use crate::error::Result;
use crate::meter::Meter;
use crate::recoding::Recoding;
use crate::value::{Plain, Value};
use rayon::prelude::*;
use std::ops::Range;
use std::sync::Arc;

impl Arrays for Host {
    type Array<T: Plain> = HostArray<T>;
    type Count = usize;
}

impl Backend for Host {
    fn meter(&self) -> &Arc<Meter> {
        self.account()
    }

    fn supports<K: Code>(&self) -> Result<()> {
        Ok(())
    }

    fn alive(&self) -> Result<()> {
        self.threads().check()
    }

    fn each<T: Send, R: Send>(&self, items: Vec<T>, work: impl Fn(T) -> R + Send + Sync) -> Vec<R> {
        if items.len() < 2 || self.alive().is_err() {
            return items.into_iter().map(work).collect();
        }
        self.threads().run(|| items.into_par_iter().map(work).collect())
    }

    fn max_len(&self, bytes: usize) -> u64 {
        // Positions have 32 bits, and no Rust allocation exceeds `isize::MAX` bytes.
        self.largest().min(isize::MAX as u64 / bytes.max(1) as u64)
    }

    fn engine_bytes(&self) -> Option<u64> {
        None
    }

    fn upload<T: Plain>(&self, data: &[T]) -> Result<HostArray<T>> {
        self.account().traffic_counter().add_uploaded(size_of_val(data) as u64);
        let mut copy = self.zeroed(data.len())?;
        copy.slice_mut().copy_from_slice(data);
        Ok(copy.share())
    }

    fn adopt<T: Plain>(&self, data: Vec<T>) -> Result<HostArray<T>> {
        self.account().traffic_counter().add_uploaded(size_of_val(&data[..]) as u64);
        Ok(self.owned(data)?.share())
    }

    fn download<T: Plain>(&self, array: &HostArray<T>, len: usize) -> Result<Vec<T>> {
        self.account().traffic_counter().add_downloaded((len * size_of::<T>()) as u64);
        let mut copy = self.account().vector(len)?;
        copy.extend_from_slice(&array[..len]);
        Ok(copy)
    }

    fn download_async<T: Plain>(&self, array: &HostArray<T>, len: usize) -> Download<T> {
        let (host, array) = (self.clone(), array.clone());
        Box::pin(async move { host.download(&array, len) })
    }

    fn room<T: Plain>(&self, len: usize) -> Result<HostArray<T>> {
        let mut room = self.zeroed(len)?;
        if let Some(byte) = self.account().poison() {
            bytemuck::cast_slice_mut(room.slice_mut()).fill(byte);
        }
        Ok(room.share())
    }

    fn slice<T: Plain>(&self, array: &HostArray<T>, range: Range<usize>) -> Result<HostArray<T>> {
        if range.len() == array.len() { Ok(array.clone()) } else { self.joined(&array[range], &[]) }
    }

    fn copy_into<T: Plain>(
        &self,
        from: &HostArray<T>,
        len: usize,
        to: &mut HostArray<T>,
        at: usize,
    ) -> Result<()> {
        search::unshared(self, to)?[at..at + len].copy_from_slice(&from[..len]);
        Ok(())
    }

    fn concat<T: Plain>(&self, first: &HostArray<T>, second: &HostArray<T>) -> Result<HostArray<T>> {
        self.joined(first, second)
    }

    fn marks(&self, first: usize, len: usize) -> Result<HostArray<u32>> {
        let mut marks = self.zeroed(mark_words(len))?;
        for (word, bits) in marks.slice_mut().iter_mut().enumerate() {
            let set =
                |below: usize| u32::MAX.checked_shl(below.saturating_sub(word * 32) as u32).unwrap_or(0);
            *bits = set(first) & !set(len);
        }
        Ok(marks.share())
    }

    fn mask<V: Value>(
        &self,
        values: &HostArray<V>,
        flags: &HostArray<u32>,
    ) -> Result<(HostArray<V>, HostArray<u32>)> {
        mask::mask(self, values, flags)
    }

    fn recode<T: Plain, U: Plain>(&self, keys: &HostArray<T>, recoding: Recoding) -> Result<HostArray<U>> {
        self.threads().run(|| recode::recode(self, keys, recoding))
    }

    fn sort<K: Code>(&self, keys: &HostArray<K>) -> Result<Sorted<Self, K>> {
        self.threads().run(|| sort::sort(self, keys))
    }

    fn scan(&self, numbers: &HostArray<u32>) -> Result<HostArray<u32>> {
        self.threads().run(|| scan::scan(self, numbers))
    }

    fn arrange<K: Code, V: Value>(
        &self,
        sorted: &Sorted<Self, K>,
        values: &HostArray<V>,
        marks: Option<&HostArray<u32>>,
    ) -> Result<Pile<Self, K, V>> {
        self.threads().run(|| gather::arrange(self, sorted, values, marks))
    }

    fn merge<K: Code, V: Value>(
        &self,
        newer: &Pile<Self, K, V>,
        older: &Pile<Self, K, V>,
    ) -> Result<Pile<Self, K, V>> {
        Ok(self.threads().run(|| merge::merge(self, newer, older))?.0)
    }

    fn shortened<K: Code, V: Value>(
        &self,
        newer: &Pile<Self, K, V>,
        older: &Pile<Self, K, V>,
    ) -> Result<[Pile<Self, K, V>; 2]> {
        self.threads().run(|| merge::shortened(self, newer, older))
    }

    fn settle<K: Code, V: Value>(
        &self,
        newest: Pile<Self, K, V>,
        older: Vec<Pile<Self, K, V>>,
        tombstones: Tombstones,
    ) -> Result<Run<Self, K, V>> {
        self.threads().run(|| settle::settle(self, newest, older, tombstones))
    }

    fn run_of<K: Code, V: Value>(&self, ascending: Pile<Self, K, V>) -> Result<Run<Self, K, V>> {
        self.threads().run(|| settle::run_of(self, ascending))
    }

    fn answers<V: Value>(&self, len: usize) -> Result<Answers<Self, V>> {
        Ok(Answers { found: self.zeroed(len)?.share(), values: self.zeroed(len)?.share() })
    }

    fn search<K: Code, V: Value>(
        &self,
        run: &Run<Self, K, V>,
        queries: &HostArray<K>,
        answers: &mut Answers<Self, V>,
        turn: Turn,
    ) -> Result<()> {
        self.threads().run(|| search::search(self, run, queries, answers, turn))
    }

    fn last(&self, numbers: &HostArray<u32>) -> Result<usize> {
        Ok(numbers[numbers.len() - 1] as usize)
    }

    fn read_counts(&self, counts: &[&usize]) -> Result<Vec<u32>> {
        Ok(counts.iter().map(|&&count| count as u32).collect())
    }

    fn bounds<K: Code, V: Value>(
        &self,
        run: &Run<Self, K, V>,
        lower: &HostArray<K>,
        upper: &HostArray<K>,
        start: Start,
    ) -> Result<Bounds<Self>> {
        self.threads().run(|| bounds::bounds(self, run, lower, upper, start))
    }

    fn tally<K: Code, V: Value>(&self, run: &Run<Self, K, V>, found: &HostArray<u32>) -> Result<Tally<Self>> {
        self.threads().run(|| tally::tally(self, run, found))
    }

    fn tallied<K: Code, V: Value>(
        &self,
        run: &Run<Self, K, V>,
        tally: &Tally<Self>,
        lower: &HostArray<K>,
        upper: &HostArray<K>,
        counts: Option<HostArray<u32>>,
    ) -> Result<HostArray<u32>> {
        self.threads().run(|| tally::between(self, run, tally, (lower, upper), counts))
    }

    fn expand<K: Code, V: Value>(
        &self,
        run: &Run<Self, K, V>,
        bounds: &Bounds<Self>,
        room: usize,
    ) -> Result<Candidates<Self, K, V>> {
        debug_assert!(bounds.total <= room);
        self.threads().run(|| expand::expand(self, run, bounds))
    }

    fn overlay<K: Code, V: Value>(
        &self,
        newer: &Candidates<Self, K, V>,
        older: &Run<Self, K, V>,
        bounds: &Bounds<Self>,
        total: usize,
    ) -> Result<Candidates<Self, K, V>> {
        debug_assert!(bounds.total == total);
        self.threads().run(|| overlay::overlay(self, newer, older, bounds))
    }

    fn live<K: Code, V: Value>(&self, candidates: &Candidates<Self, K, V>) -> Result<Candidates<Self, K, V>> {
        self.threads().run(|| select::live(self, candidates))
    }

    fn window<K: Code, V: Value>(
        &self,
        run: &Run<Self, K, V>,
        queries: &HostArray<K>,
        way: Way,
        limit: u32,
        horizons: Option<HostArray<K>>,
        states: Option<&HostArray<u32>>,
    ) -> Result<(Bounds<Self>, HostArray<K>)> {
        self.threads().run(|| window::window(self, run, queries, way, limit, horizons, states))
    }

    fn nearest<K: Code, V: Value>(
        &self,
        near: &Nearby<'_, Self, K, V>,
        way: Way,
        missing: K,
        before: Option<Neighbours<Self, K, V>>,
    ) -> Result<(Neighbours<Self, K, V>, usize)> {
        self.threads().run(|| nearest::nearest(self, near, way, missing, before))
    }

    fn clip(&self, offsets: &HostArray<u32>, limit: u32) -> Result<Bounds<Self>> {
        self.threads().run(|| clip::clip(self, offsets, limit))
    }

    fn cover(
        &self,
        lower: &HostArray<u64>,
        upper: &HostArray<u64>,
    ) -> Result<(HostArray<u64>, HostArray<u64>)> {
        cover::cover(self, lower, upper)
    }

    fn outside<V: Value>(
        &self,
        candidates: &Candidates<Self, u64, V>,
        lower: &HostArray<u64>,
        upper: &HostArray<u64>,
    ) -> Result<Candidates<Self, u64, V>> {
        outside::outside(self, candidates, lower, upper)
    }
}
