//! cuckoo: a hash table in which each key is in one of four slots.
//!
//! Input    keys: distinct; slots: all empty, that is, equal to the number of keys; queries: in any order
//! Output   slots: the number of the entry in each slot; failed: how many keys found no slot; found, out: as for
//!          lookups
//! Launch   one unit per key, or per query
//! Steps    a unit puts its key into the key's first slot; a key that was there moves on to its next slot, and so on
//! Cost     build: an exchange and two scattered reads per move; lookup: at most four scattered reads, and the value
//! Twin     host/baselines/cuckoo.rs      Source  Alcantara et al. 2009, whose tables the paper uses

use crate::baselines::{EMPTY_SLOT, HASHES, MOVES};
use crate::entries::found;
use cubecl::prelude::*;

#[cube(launch_unchecked, create_dummy_kernel)]
pub(crate) fn cuckoo_insert(keys: &[u32], slots: &[Atomic<u32>], failed: &[Atomic<u32>], seed: u32) {
    if ABSOLUTE_POS < keys.len() {
        let nothing = keys.len() as u32;
        let room = slots.len() as u32;
        let mut entry = ABSOLUTE_POS as u32;
        let mut slot = slot_of(keys[entry as usize], 0u32.runtime(), seed, room);
        let mut moves = 0u32;
        while entry != nothing && moves < MOVES {
            entry = slots[slot as usize].exchange(entry);
            if entry != nothing {
                slot = next_slot(keys[entry as usize], slot, seed, room);
            }
            moves += 1;
        }
        if entry != nothing {
            failed[0].fetch_add(1u32);
        }
    }
}

#[cube(launch_unchecked, create_dummy_kernel)]
pub(crate) fn cuckoo_lookup(
    keys: &[u32],
    values: &[u32],
    queries: &[u32],
    found: &mut [u32],
    out: &mut [u32],
    seed: u32,
) {
    let q = ABSOLUTE_POS;
    if q < queries.len() {
        let query = queries[q];
        let mut state = found::MISSING.runtime();
        let mut value = 0u32;
        let mut hash = 0u32;
        if query == EMPTY_SLOT {
            hash = HASHES.runtime();
        }
        while hash < HASHES {
            let slot = slot_of(query, hash, seed, keys.len() as u32) as usize;
            hash += 1;
            if keys[slot] == query {
                state = found::PRESENT.runtime();
                value = values[slot];
                hash = HASHES.runtime();
            }
        }
        found[q] = state;
        out[q] = value;
    }
}

/// The slot for a key that was evicted from `slot`: that of its next hash function.
#[cube]
fn next_slot(key: u32, slot: u32, seed: u32, room: u32) -> u32 {
    let mut next = 0u32;
    let mut hash = HASHES.runtime();
    while hash > 0 {
        hash -= 1;
        if slot_of(key, hash, seed, room) == slot {
            next = (hash + 1) % HASHES;
        }
    }
    slot_of(key, next, seed, room)
}

/// The slot of a key by one of the hash functions. All bits of the key and of the function are mixed.
#[cube]
fn slot_of(key: u32, hash: u32, seed: u32, room: u32) -> u32 {
    let mut bits = key ^ (seed + hash * 0x9E37_79B9u32);
    bits = (bits ^ (bits >> 16)) * 0x85EB_CA6Bu32;
    bits = (bits ^ (bits >> 13)) * 0xC2B2_AE35u32;
    bits = bits ^ (bits >> 16);
    bits.mul_hi(room)
}
