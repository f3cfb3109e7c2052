//! The primitives that only the baselines need, on the GPU, one file each. Their kernels are in `kernels/baselines`.

mod cuckoo;
mod encode;
mod interleave;
mod intervals;
mod number;
mod place;
mod probe;
pub mod registry;
mod unite;
mod validate;

use super::array::GpuArray;
use super::device::Gpu;
use crate::baselines::{Baselines, KeyVariables, Levels, Lists, Pairs, Part, Valid};
use crate::entries::{Answers, Bounds};
use crate::error::Result;
use std::ops::Range;

impl Baselines for Gpu {
    fn encode_keys(
        &self,
        keys: &GpuArray<u32>,
        marks: Option<&GpuArray<u32>>,
        len: usize,
    ) -> Result<GpuArray<u32>> {
        encode::keys(self, keys, marks, len)
    }

    fn encode_values(
        &self,
        values: &GpuArray<u32>,
        positions: &GpuArray<u32>,
        keys: usize,
    ) -> Result<GpuArray<u32>> {
        encode::values(self, values, positions, keys)
    }

    fn place(
        &self,
        from: Option<(&GpuArray<u32>, Range<usize>)>,
        to: &mut GpuArray<u32>,
        at: usize,
        len: usize,
        filler: u32,
    ) -> Result<()> {
        place::place(self, from, to, at, len, filler)
    }

    fn interleave(&self, newer: &Part<'_, Self>, older: &Part<'_, Self>) -> Result<Pairs<Self>> {
        interleave::interleave(self, newer, older)
    }

    fn probe(&self, levels: &Levels<Self>, queries: &GpuArray<u32>) -> Result<Answers<Self, u32>> {
        probe::probe(self, levels, queries)
    }

    fn intervals(
        &self,
        levels: &Levels<Self>,
        lower: &GpuArray<u32>,
        upper: &GpuArray<u32>,
    ) -> Result<Bounds<Self>> {
        intervals::intervals(self, levels, lower, upper)
    }

    fn number(&self, offsets: &GpuArray<u32>, total: usize) -> Result<GpuArray<u32>> {
        number::number(self, offsets, total)
    }

    fn unite(
        &self,
        columns: KeyVariables<Self>,
        lists: &Lists<Self>,
        offsets: &GpuArray<u32>,
    ) -> Result<KeyVariables<Self>> {
        unite::unite(self, columns, lists, offsets)
    }

    fn validate(&self, keys: &GpuArray<u32>, lists: Option<&Lists<Self>>) -> Result<Valid<Self>> {
        validate::validate(self, keys, lists)
    }

    fn compact(
        &self,
        pairs: &Pairs<Self>,
        lists: Option<&Lists<Self>>,
        valid: &Valid<Self>,
        is_plain: bool,
    ) -> Result<(Pairs<Self>, Self::Count)> {
        validate::compact(self, pairs, lists, valid, is_plain)
    }

    fn cuckoo_build(
        &self,
        keys: &GpuArray<u32>,
        values: &GpuArray<u32>,
        slots: usize,
        seed: u32,
    ) -> Result<Option<Pairs<Self>>> {
        cuckoo::build(self, keys, values, slots, seed)
    }

    fn cuckoo_lookup(
        &self,
        table: &Pairs<Self>,
        queries: &GpuArray<u32>,
        seed: u32,
    ) -> Result<Answers<Self, u32>> {
        cuckoo::lookup(self, table, queries, seed)
    }
}
