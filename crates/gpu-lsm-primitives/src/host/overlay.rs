//! overlay: the candidates of newer runs laid over those of an older one. Twin of gpu/overlay.rs.

use super::Host;
use super::gather;
use super::merge::{self, Side};
use crate::backend::check_entries;
use crate::entries::{Candidates, Run, Tombstones};
use crate::error::Result;
use crate::key::Key;
use crate::value::Value;

/// The merge, by (query, key) instead of by key.
pub(super) fn overlay<K: Key, V: Value>(
    host: &Host,
    newer: &Candidates<Host, K, V>,
    older: &Candidates<Host, K, V>,
) -> Result<Candidates<Host, K, V>> {
    let total = newer.entries.count + older.entries.count;
    check_entries::<_, K, V>(host, total as u64)?;
    let older_run = Run {
        keys: older.entries.keys.clone(),
        values: older.entries.values.clone(),
        marks: older.entries.marks.as_ref().map(|marks| marks.bits.clone()),
        len: older.entries.count,
        tombstones: 0,
    };
    let newer_side = Side { keys: &newer.entries.keys[..newer.entries.count], queries: &*newer.queries };
    let older_side = Side { keys: &older.entries.keys[..older.entries.count], queries: &*older.queries };
    let (entries, mut sources) =
        merge::merged(host, &newer.entries, &older_run, newer_side, older_side, Tombstones::Keep)?;
    let queries = gather::values(host, &newer.queries, &older.queries, &sources.view(newer.entries.count))?;
    Ok(Candidates { queries, entries })
}

/// The candidates without the tombstones: a merge with nothing.
pub(super) fn live<K: Key, V: Value>(
    host: &Host,
    candidates: Candidates<Host, K, V>,
) -> Result<Candidates<Host, K, V>> {
    if candidates.entries.marks.is_none() {
        return Ok(candidates);
    }
    let nothing = Run::empty(host)?;
    let count = candidates.entries.count;
    let newer_side = Side { keys: &candidates.entries.keys[..count], queries: &*candidates.queries };
    let older_side = Side { keys: &[], queries: &[][..] };
    let (entries, mut sources) =
        merge::merged(host, &candidates.entries, &nothing, newer_side, older_side, Tombstones::Drop)?;
    let queries = gather::values(host, &candidates.queries, &[], &sources.view(count))?;
    Ok(Candidates { queries, entries })
}
