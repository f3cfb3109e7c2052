//! The primitives that only the baselines need, on the host, one file each.

mod cuckoo;
mod encode;
mod interleave;
mod intervals;
mod number;
mod place;
mod probe;
mod unite;
mod validate;

use super::{Host, HostArray};
use crate::baselines::{Baselines, KeyVariables, Levels, Lists, Pairs, Part, Valid};
use crate::entries::{Answers, Bounds};
use crate::error::Result;
use std::ops::Range;

impl Baselines for Host {
    fn encode_keys(
        &self,
        keys: &HostArray<u32>,
        marks: Option<&HostArray<u32>>,
        len: usize,
    ) -> Result<HostArray<u32>> {
        encode::keys(self, keys, marks, len)
    }

    fn encode_values(
        &self,
        values: &HostArray<u32>,
        positions: &HostArray<u32>,
        keys: usize,
    ) -> Result<HostArray<u32>> {
        encode::values(self, values, positions, keys)
    }

    fn place(
        &self,
        from: Option<(&HostArray<u32>, Range<usize>)>,
        to: &mut HostArray<u32>,
        at: usize,
        len: usize,
        filler: u32,
    ) -> Result<()> {
        place::place(self, from, to, at, len, filler)
    }

    fn interleave(&self, newer: &Part<'_, Self>, older: &Part<'_, Self>) -> Result<Pairs<Self>> {
        interleave::interleave(self, newer, older)
    }

    fn probe(&self, levels: &Levels<Self>, queries: &HostArray<u32>) -> Result<Answers<Self, u32>> {
        probe::probe(self, levels, queries)
    }

    fn intervals(
        &self,
        levels: &Levels<Self>,
        lower: &HostArray<u32>,
        upper: &HostArray<u32>,
    ) -> Result<Bounds<Self>> {
        intervals::intervals(self, levels, lower, upper)
    }

    fn number(&self, offsets: &HostArray<u32>, total: usize) -> Result<HostArray<u32>> {
        number::number(self, offsets, total)
    }

    fn unite(
        &self,
        columns: KeyVariables<Self>,
        lists: &Lists<Self>,
        offsets: &HostArray<u32>,
    ) -> Result<KeyVariables<Self>> {
        unite::unite(self, columns, lists, offsets)
    }

    fn validate(&self, keys: &HostArray<u32>, lists: Option<&Lists<Self>>) -> Result<Valid<Self>> {
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
        keys: &HostArray<u32>,
        values: &HostArray<u32>,
        slots: usize,
        seed: u32,
    ) -> Result<Option<Pairs<Self>>> {
        cuckoo::build(self, keys, values, slots, seed)
    }

    fn cuckoo_lookup(
        &self,
        table: &Pairs<Self>,
        queries: &HostArray<u32>,
        seed: u32,
    ) -> Result<Answers<Self, u32>> {
        cuckoo::lookup(self, table, queries, seed)
    }
}
