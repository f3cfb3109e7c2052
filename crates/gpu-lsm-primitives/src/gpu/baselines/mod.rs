//! The primitives of other dictionaries on the GPU, one file each; their kernels stand under `kernels/baselines`.

mod cuckoo;
mod encode;
mod interleave;
mod intervals;
mod number;
mod place;
mod probe;
mod unite;
mod validate;

use super::array::GpuArray;
use super::launch::Gpu;
use crate::baselines::{Baselines, Columns, Levels, Lists, Pairs, Part, Valid};
use crate::entries::{Answers, Bounds};
use crate::error::Result;
use std::ops::Range;

/// A kernel of another dictionary, with its instantiation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum BaselineKernel {
    /// `kernels/baselines/encode.rs`, keys.
    EncodeKeys,
    /// `kernels/baselines/encode.rs`, values.
    EncodeValues,
    /// `kernels/baselines/place.rs`
    Place,
    /// `kernels/baselines/interleave.rs`
    Interleave,
    /// `kernels/baselines/probe.rs`
    Probe,
    /// `kernels/baselines/intervals.rs`
    Intervals,
    /// `kernels/baselines/number.rs`
    Number,
    /// `kernels/baselines/unite.rs`, with values or without.
    Unite(bool),
    /// `kernels/baselines/validate.rs`, step 1.
    Validate,
    /// `kernels/baselines/validate.rs`, step 3.
    Compact,
    /// `kernels/baselines/cuckoo.rs`, build.
    CuckooInsert,
    /// `kernels/baselines/cuckoo.rs`, lookup.
    CuckooLookup,
}

impl BaselineKernel {
    /// Every kernel at every instantiation.
    pub const ALL: [Self; 13] = [
        Self::EncodeKeys,
        Self::EncodeValues,
        Self::Place,
        Self::Interleave,
        Self::Probe,
        Self::Intervals,
        Self::Number,
        Self::Unite(false),
        Self::Unite(true),
        Self::Validate,
        Self::Compact,
        Self::CuckooInsert,
        Self::CuckooLookup,
    ];

    /// How many buffers it binds, besides the engine's own one.
    pub fn buffers(self) -> usize {
        match self {
            Self::Place | Self::Number => 2,
            Self::EncodeKeys | Self::EncodeValues | Self::CuckooInsert => 3,
            Self::Validate => 4,
            Self::Probe | Self::Intervals | Self::CuckooLookup => 5,
            Self::Interleave | Self::Unite(_) | Self::Compact => 6,
        }
    }
}

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
        columns: Columns<Self>,
        lists: &Lists<Self>,
        offsets: &GpuArray<u32>,
    ) -> Result<Columns<Self>> {
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
