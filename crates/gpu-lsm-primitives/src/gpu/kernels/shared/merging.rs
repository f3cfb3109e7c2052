//! A merge of two sorted lists that can start at any entry of the output.
//!
//! Source  Green, McColl, Bader 2012

#![cfg_attr(
    not(feature = "baselines"),
    allow(dead_code, reason = "some of it only the baselines' kernels need")
)]

use cubecl::prelude::*;

/// The positions of a merge in both lists, and the keys there, so that each step reads only one key.
#[derive(CubeType)]
pub(crate) struct Heads<K: Int> {
    pub(crate) i: u32,
    pub(crate) j: u32,
    pub(crate) newer: K,
    pub(crate) older: K,
}

#[cube]
impl<K: Int> Heads<K> {
    /// After `step` entries of both lists.
    pub(crate) fn at_step(newer: &[K], older: &[K], step: u32) -> Heads<K> {
        let j = older_before::<K>(newer, older, 0, newer.len() as u32, 0, older.len() as u32, step);
        Heads::<K>::at(newer, older, step - j, j)
    }

    /// After `i` newer and `j` older entries.
    pub(crate) fn at(newer: &[K], older: &[K], i: u32, j: u32) -> Heads<K> {
        Heads::<K> { i, j, newer: key_at::<K>(newer, i), older: key_at::<K>(older, j) }
    }

    /// Whether the next entry is an older one: if its key is not larger than the newer one's, or no newer entry is
    /// left.
    pub(crate) fn is_older_next(&self, newer_end: u32, older_end: u32) -> bool {
        self.j < older_end && (self.i == newer_end || self.older <= self.newer)
    }

    pub(crate) fn key(&self, is_older: bool) -> K {
        select(is_older, self.older, self.newer)
    }

    pub(crate) fn place(&self, is_older: bool) -> u32 {
        select(is_older, self.j, self.i)
    }

    pub(crate) fn advance(&mut self, newer: &[K], older: &[K], is_older: bool) {
        if is_older {
            self.j += 1;
            self.older = key_at::<K>(older, self.j);
        } else {
            self.i += 1;
            self.newer = key_at::<K>(newer, self.i);
        }
    }

    /// Continues at another position of the newer list.
    pub(crate) fn move_newer(&mut self, newer: &[K], i: u32) {
        self.i = i;
        self.newer = key_at::<K>(newer, i);
    }

    /// Continues at another position of the older list.
    pub(crate) fn move_older(&mut self, older: &[K], j: u32) {
        self.j = j;
        self.older = key_at::<K>(older, j);
    }
}

/// The key at a position, or the largest key if the position is past the end.
#[cube]
pub(crate) fn key_at<K: Int>(keys: &[K], i: u32) -> K {
    let mut key = K::max_value();
    if (i as usize) < keys.len() {
        key = keys[i as usize];
    }
    key
}

/// How many of the first `step` entries of two merged stretches come from the older one.
#[cube]
pub(crate) fn older_before<K: Int>(
    newer: &[K],
    older: &[K],
    newer_start: u32,
    newer_len: u32,
    older_start: u32,
    older_len: u32,
    step: u32,
) -> u32 {
    older_before_by::<K>(newer, older, newer_start, newer_len, older_start, older_len, step, 0u32)
}

/// The same for keys that are not ordered by their `status` lowest bits.
#[cube]
pub(crate) fn older_before_by<K: Int>(
    newer: &[K],
    older: &[K],
    newer_start: u32,
    newer_len: u32,
    older_start: u32,
    older_len: u32,
    step: u32,
    #[comptime] status: u32,
) -> u32 {
    let mut low = 0u32;
    if step > newer_len {
        low = step - newer_len;
    }
    let mut high = min(step, older_len);
    while low < high {
        let middle = low + (high - low) / 2;
        let older_key = older[(older_start + middle) as usize];
        let newer_key = newer[(newer_start + step - 1 - middle) as usize];
        if rank::<K>(older_key, status) <= rank::<K>(newer_key, status) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    low
}

/// What a key is ordered by: all bits but the lowest ones, which are its status.
#[cube]
pub(crate) fn rank<K: Int>(key: K, #[comptime] status: u32) -> K {
    if comptime!(status > 0) { key >> K::cast_from(status) } else { key }
}
