//! settle: a run from what is merged. Twin of gpu/settle.rs.

use super::{Host, index, merge, select};
use crate::entries::{Pile, Run, Tombstones};
use crate::error::Result;
use crate::key::Key;
use crate::value::Value;
use std::sync::Arc;

/// Merges, selects what stays, and makes the index.
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
    let tombstones = marks.iter().flat_map(|bits| &**bits).map(|word| word.count_ones() as usize).sum();
    let marks = marks.filter(|_| tombstones > 0);
    let index = index::index(host, &keys[..len])?;
    Ok(Run { keys, values, marks, len, tombstones, index, tally: Arc::default() })
}
