//! cuckoo: a hash table in which each key is in one of four slots. Twin of gpu/baselines/cuckoo.rs.
//!
//! Which of its four slots a key gets depends on timing; the results of lookups do not.

use crate::baselines::{EMPTY_SLOT, HASHES, MOVES, Pairs};
use crate::entries::{Answers, found};
use crate::error::Result;
use crate::host::{Host, HostArray};
use crate::tuning::HOST_TILE;
use rayon::prelude::*;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// Gives every entry a slot by exchanging entry numbers, and then brings keys and values there.
pub(super) fn build(
    host: &Host,
    keys: &HostArray<u32>,
    values: &HostArray<u32>,
    slots: usize,
    seed: u32,
) -> Result<Option<Pairs<Host>>> {
    let nothing = keys.len();
    let mut list = host.account().vector::<AtomicU32>(slots)?;
    list.resize_with(slots, || AtomicU32::new(nothing as u32));
    let finds_slot = |mut entry: usize| {
        let mut slot = slot_of(keys[entry], 0, seed, slots);
        for _ in 0..MOVES {
            entry = list[slot].swap(entry as u32, Relaxed) as usize;
            if entry == nothing {
                return true;
            }
            slot = next_slot(keys[entry], slot, seed, slots);
        }
        false
    };
    if !(0..nothing).into_par_iter().with_min_len(HOST_TILE / 16).all(finds_slot) {
        return Ok(None);
    }
    let mut table_keys = host.zeroed::<u32>(slots)?;
    let mut table_values = host.zeroed::<u32>(slots)?;
    let columns = table_keys.slice_mut().par_iter_mut().zip(table_values.slice_mut());
    columns.zip(list).with_min_len(HOST_TILE).for_each(|((key, value), entry)| {
        let entry = entry.into_inner() as usize;
        *key = keys.get(entry).copied().unwrap_or(EMPTY_SLOT);
        *value = values.get(entry).copied().unwrap_or(0);
    });
    Ok(Some(Pairs { keys: table_keys.share(), values: table_values.share() }))
}

/// Looks keys up.
pub(super) fn lookup(
    host: &Host,
    table: &Pairs<Host>,
    queries: &HostArray<u32>,
    seed: u32,
) -> Result<Answers<Host, u32>> {
    let mut founds = host.zeroed::<u32>(queries.len())?;
    let mut values = host.zeroed::<u32>(queries.len())?;
    let room = table.keys.len();
    let slot = |query: u32| {
        (0..HASHES).map(|hash| slot_of(query, hash, seed, room)).find(|&slot| table.keys[slot] == query)
    };
    queries
        .par_iter()
        .zip(founds.slice_mut())
        .zip(values.slice_mut())
        .with_min_len(HOST_TILE / 16)
        .filter(|((query, _), _)| **query != EMPTY_SLOT)
        .for_each(|((&query, found), value)| {
            if let Some(slot) = slot(query) {
                (*found, *value) = (found::PRESENT, table.values[slot]);
            }
        });
    Ok(Answers { found: founds.share(), values: values.share() })
}

/// The slot for a key that was evicted from `slot`: that of its next hash function.
fn next_slot(key: u32, slot: usize, seed: u32, room: usize) -> usize {
    let hash = (0..HASHES).find(|&hash| slot_of(key, hash, seed, room) == slot);
    slot_of(key, hash.map_or(0, |hash| (hash + 1) % HASHES), seed, room)
}

/// The slot of a key by one of the hash functions. All bits of the key and of the function are mixed.
fn slot_of(key: u32, hash: u32, seed: u32, room: usize) -> usize {
    let mut bits = key ^ seed.wrapping_add(hash.wrapping_mul(0x9E37_79B9));
    bits = (bits ^ bits >> 16).wrapping_mul(0x85EB_CA6B);
    bits = (bits ^ bits >> 13).wrapping_mul(0xC2B2_AE35);
    ((u64::from(bits ^ bits >> 16) * room as u64) >> 32) as usize
}
