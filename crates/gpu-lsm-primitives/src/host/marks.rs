//! marks: a bit for each entry of a run that is a tombstone; while entries move, a word for each. Twin of gpu/marks.rs.

use super::{Host, HostArray};
use crate::entries::{Pile, Run, mark_words};
use crate::error::Result;
use crate::key::Key;
use crate::tuning::HOST_TILE;
use crate::value::Value;
use rayon::prelude::*;

/// A run's entries, for a merge.
pub(super) fn pile<K: Key, V: Value>(host: &Host, run: &Run<Host, K, V>) -> Result<Pile<Host, K, V>> {
    let marks = match &run.marks {
        Some(bits) => Some(to_words(host, bits, None, run.len)?),
        None => None,
    };
    Ok(Pile { keys: run.keys.clone(), values: run.values.clone(), marks, len: run.len })
}

/// A word for each of `len` entries, which stand at `sources` where those are given.
pub(super) fn to_words(
    host: &Host,
    bits: &[u32],
    sources: Option<&[u32]>,
    len: usize,
) -> Result<HostArray<u32>> {
    let mut words = host.zeroed::<u32>(len)?;
    words.slice_mut().par_iter_mut().with_min_len(HOST_TILE).enumerate().for_each(|(i, word)| {
        *word = bit(bits, sources.map_or(i, |sources| sources[i] as usize));
    });
    Ok(words.share())
}

/// A bit for each of the first `len` words.
pub(super) fn to_bits(host: &Host, words: &[u32], len: usize) -> Result<HostArray<u32>> {
    let mut bits = host.zeroed::<u32>(mark_words(len))?;
    bits.slice_mut().par_iter_mut().with_min_len(HOST_TILE / 32).zip(words[..len].par_chunks(32)).for_each(
        |(bits, words)| *bits = words.iter().enumerate().fold(0, |bits, (i, word)| bits | (word << i)),
    );
    Ok(bits.share())
}

/// The bit of entry `i`.
pub(super) fn bit(bits: &[u32], i: usize) -> u32 {
    (bits[i / 32] >> (i % 32)) & 1
}
