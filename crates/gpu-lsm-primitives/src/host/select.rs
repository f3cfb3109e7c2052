//! select: keeps the last of equal keys, unless it is to be dropped. Twin of gpu/select.rs.

use super::marks::bit;
use super::tiles::Tiles;
use super::{Host, HostArray, gather, marks};
use crate::code::Code;
use crate::entries::{Candidates, Pile};
use crate::error::Result;
use crate::tuning::HOST_TILE;
use crate::value::Value;
use rayon::prelude::*;
use std::ops::Range;

/// One list, or one list per query, to select from.
#[derive(Clone, Copy)]
struct Lists<'a, K> {
    keys: &'a [K],
    dropped: Option<&'a [u32]>,
    offsets: Option<&'a [u32]>,
}

impl<K: Code> Lists<'_, K> {
    /// The positions in a range whose entries stay.
    fn kept(self, range: Range<usize>) -> impl Iterator<Item = usize> {
        let mut query = self.query_of(range.start);
        range.filter(move |&i| {
            let mut is_end = i + 1 == self.keys.len();
            if let Some(offsets) = self.offsets {
                while offsets[query + 1] as usize <= i {
                    query += 1;
                }
                is_end = offsets[query + 1] as usize == i + 1;
            }
            let is_dropped = self.dropped.is_some_and(|dropped| bit(dropped, i) == 1);
            !is_dropped && (is_end || self.keys[i + 1] != self.keys[i])
        })
    }

    /// How many entries in a range stay.
    fn count(self, range: Range<usize>) -> usize {
        if self.dropped.is_some() || self.offsets.is_some() {
            return self.kept(range).count();
        }
        // The same without a branch per key: mostly all stay.
        range.len() - hidden(&self.keys[range.start..self.keys.len().min(range.end + 1)])
    }

    fn query_of(self, i: usize) -> usize {
        let offsets = self.offsets.unwrap_or(&[]);
        offsets.partition_point(|&offset| offset as usize <= i).saturating_sub(1)
    }
}

/// How many of a tile's sorted keys equal the next key.
pub(super) fn hidden<K: Code>(keys: &[K]) -> usize {
    keys.windows(2).map(|pair| u32::from(pair[0] == pair[1])).sum::<u32>() as usize
}

/// A pile without hidden and dropped entries; the same pile if there are none.
pub(super) fn distinct<K: Code, V: Value>(
    host: &Host,
    pile: &Pile<Host, K, V>,
    dropped: Option<&[u32]>,
) -> Result<Pile<Host, K, V>> {
    let lists = Lists { keys: &pile.keys[..pile.len], dropped, offsets: None };
    Ok(kept(host, pile, lists)?.pile)
}

/// The live entries of each query.
pub(super) fn live<K: Code, V: Value>(
    host: &Host,
    candidates: &Candidates<Host, K, V>,
) -> Result<Candidates<Host, K, V>> {
    let (entries, dropped) = candidates.entries.clone().without_marks();
    let offsets = &*candidates.offsets;
    let lists =
        Lists { keys: &entries.keys[..entries.len], dropped: dropped.as_deref(), offsets: Some(offsets) };
    let Kept { pile: live, sources } = kept(host, &entries, lists)?;
    let Some(sources) = sources else { return Ok(Candidates { entries: live, ..candidates.clone() }) };
    let mut new_offsets = host.zeroed::<u32>(offsets.len())?;
    new_offsets
        .slice_mut()
        .par_iter_mut()
        .zip(offsets)
        .with_min_len(HOST_TILE / 16)
        .for_each(|(new, &offset)| *new = sources.partition_point(|&source| source < offset) as u32);
    Ok(Candidates { entries: live, offsets: new_offsets.share() })
}

/// The entries of a pile that stay and, unless all stay, their old positions.
struct Kept<K: Code, V: Value> {
    pile: Pile<Host, K, V>,
    sources: Option<HostArray<u32>>,
}

/// The entries of a pile that stay; the same pile if all stay.
fn kept<K: Code, V: Value>(host: &Host, pile: &Pile<Host, K, V>, lists: Lists<'_, K>) -> Result<Kept<K, V>> {
    let mut tiles = Tiles::count(host, pile.len, |tile| lists.count(tile) as u32)?;
    let len = tiles.total();
    if len == pile.len {
        return Ok(Kept { pile: pile.clone(), sources: None });
    }
    let mut keys = host.zeroed::<K>(len)?;
    let mut sources = host.zeroed::<u32>(len)?;
    tiles.write(host, keys.slice_mut(), sources.slice_mut(), |tile, keys, sources| {
        for (out, i) in lists.kept(tile).enumerate() {
            (keys[out], sources[out]) = (lists.keys[i], i as u32);
        }
    })?;
    let sources = sources.share();
    let values = gather::values(host, &pile.values, &sources)?;
    let marks = match &pile.marks {
        Some(bits) => Some(marks::gather(host, bits, &sources)?),
        None => None,
    };
    let pile = Pile { keys: keys.share(), values, marks, len };
    Ok(Kept { pile, sources: Some(sources) })
}
