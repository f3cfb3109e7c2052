//! settle: a run from what is merged. Twin of gpu/settle.rs.

use super::{Host, index, marks, merge, select};
use crate::entries::{Pile, Run, Tombstones};
use crate::error::Result;
use crate::key::Key;
use crate::value::Value;
use std::sync::Arc;

/// Merges, selects what stays, and makes marks and index.
pub(super) fn settle<K: Key, V: Value>(
    host: &Host,
    newer: Pile<Host, K, V>,
    older: Option<Pile<Host, K, V>>,
    tombstones: Tombstones,
) -> Result<Run<Host, K, V>> {
    let pile = match older {
        Some(older) => {
            let merged = merge::merge(host, &newer, &older)?;
            drop((newer, older));
            merged
        }
        None => newer,
    };
    let (pile, dropped) = match tombstones {
        Tombstones::Keep => (pile, None),
        Tombstones::Drop => pile.without_marks(),
    };
    let Pile { keys, values, marks, len, .. } = select::distinct(host, &pile, dropped.as_deref())?;
    let tombstones = marks.as_ref().map_or(0, |words| words[..len].iter().sum::<u32>() as usize);
    let marks = match marks {
        Some(words) if tombstones > 0 => Some(marks::to_bits(host, &words, len)?),
        _ => None,
    };
    let index = index::index(host, &keys[..len], len)?;
    Ok(Run { keys, values, marks, len, tombstones, index, tally: Arc::default() })
}
