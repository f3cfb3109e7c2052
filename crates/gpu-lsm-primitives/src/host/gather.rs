//! gather: values and marks follow their keys. Twin of gpu/gather.rs.

use super::{Host, HostArray};
use crate::entries::{Marks, mark_words};
use crate::error::Result;
use crate::tuning::HOST_TILE;
use crate::value::Value;
use rayon::prelude::*;

/// Where each output comes from: below `split` the first input, else the second, counted from `split`.
pub(super) struct Sources<'a> {
    pub(super) list: &'a [u32],
    pub(super) split: usize,
}

/// The values at `sources`; zero past the end of the second input.
pub(super) fn values<V: Value>(
    host: &Host,
    first: &[V],
    second: &[V],
    sources: &Sources<'_>,
) -> Result<HostArray<V>> {
    let mut out = host.zeroed::<V>(sources.list.len())?;
    if V::WORDS > 0 {
        let value = |source: usize| match source.checked_sub(sources.split) {
            None => first[source],
            Some(source) => second.get(source).copied().unwrap_or(V::zeroed()),
        };
        out.slice_mut().par_chunks_mut(HOST_TILE).zip(sources.list.par_chunks(HOST_TILE)).for_each(
            |(out, sources)| {
                for (out, &source) in out.iter_mut().zip(sources) {
                    *out = value(source as usize);
                }
            },
        );
    }
    Ok(out.share())
}

/// The marks at `sources`, and how many are set; nothing where neither input has marks.
pub(super) fn marks(
    host: &Host,
    first: Option<&[u32]>,
    second: Option<&[u32]>,
    sources: &Sources<'_>,
) -> Result<Option<Marks<Host>>> {
    if first.is_none() && second.is_none() {
        return Ok(None);
    }
    let mark = |source: usize| match source.checked_sub(sources.split) {
        None => first.map_or(0, |bits| bit(bits, source)),
        Some(source) => second.map_or(0, |bits| bit(bits, source)),
    };
    let mut bits = host.zeroed::<u32>(mark_words(sources.list.len()))?;
    let count = bits
        .slice_mut()
        .par_iter_mut()
        .zip(sources.list.par_chunks(32))
        .map(|(word, sources)| {
            *word =
                sources.iter().enumerate().fold(0, |word, (i, &source)| word | (mark(source as usize) << i));
            word.count_ones() as usize
        })
        .sum();
    Ok(Some(Marks { bits: bits.share(), count }))
}

/// The bit of entry `i`.
pub(super) fn bit(bits: &[u32], i: usize) -> u32 {
    (bits[i / 32] >> (i % 32)) & 1
}
