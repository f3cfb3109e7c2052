//! merge: one sorted list from a newer and an older one. Twin of gpu/merge.rs; overlay.rs uses it per query.

use super::marks::bit;
use super::{Host, HostArray, marks, select};
use crate::backend::check_entries;
use crate::code::Code;
use crate::entries::Pile;
use crate::error::Result;
use crate::tuning::HOST_TILE;
use crate::value::Value;
use rayon::prelude::*;
use std::hint::select_unpredictable;

/// Merges keys and values in one pass, and then the marks if there are any. Also returns how many entries are hidden,
/// counted while they are in the cache.
pub(super) fn merge<K: Code, V: Value>(
    host: &Host,
    newer: &Pile<Host, K, V>,
    older: &Pile<Host, K, V>,
) -> Result<(Pile<Host, K, V>, usize)> {
    let len = newer.len + older.len;
    check_entries::<_, K, V>(host, len as u64)?;
    let both = Both { newer: &newer.keys[..newer.len], older: &older.keys[..older.len] };
    let mut keys = host.zeroed::<K>(len)?;
    let mut values = host.zeroed::<V>(len)?;
    let within_tiles: usize = keys
        .slice_mut()
        .par_chunks_mut(HOST_TILE)
        .zip(values.slice_mut().par_chunks_mut(HOST_TILE))
        .enumerate()
        .map(|(tile, (keys, values))| {
            both.write(tile * HOST_TILE, keys, values, &newer.values, &older.values);
            select::hidden(keys)
        })
        .sum();
    let keys = keys.share();
    let between_tiles = (HOST_TILE..len).step_by(HOST_TILE).filter(|&i| keys[i - 1] == keys[i]).count();
    let marks = merged_marks(host, &both, newer.marks.as_deref(), older.marks.as_deref())?;
    Ok((Pile { keys, values: values.share(), marks, len }, within_tiles + between_tiles))
}

/// Both sides without hidden entries.
pub(super) fn shortened<K: Code, V: Value>(
    host: &Host,
    newer: &Pile<Host, K, V>,
    older: &Pile<Host, K, V>,
) -> Result<[Pile<Host, K, V>; 2]> {
    let newer = select::distinct(host, newer, None)?;
    let keys = &newer.keys[..newer.len];
    let shadowed = marks::in_tiles(host, older.len, |first, len, set| {
        for (i, key) in older.keys[first..first + len].iter().enumerate() {
            set(i, u32::from(keys.binary_search(key).is_ok()));
        }
    })?;
    let older = select::distinct(host, older, Some(&shadowed))?;
    Ok([newer, older])
}

fn merged_marks<K: Code>(
    host: &Host,
    both: &Both<'_, K>,
    newer: Option<&[u32]>,
    older: Option<&[u32]>,
) -> Result<Option<HostArray<u32>>> {
    if newer.is_none() && older.is_none() {
        return Ok(None);
    }
    let marks = marks::in_tiles(host, both.len(), |first, len, set| {
        both.walk(first, len, |at, place| {
            let mark = match place {
                Place::Newer(i) => newer.map_or(0, |newer| bit(newer, i)),
                Place::Older(j) => older.map_or(0, |older| bit(older, j)),
            };
            set(at, mark);
        });
    })?;
    Ok(Some(marks))
}

/// Fewer entries than this are written one by one.
const SHORT: usize = 64;

/// The list and the position that an entry of a merge comes from.
#[derive(Clone, Copy)]
pub(super) enum Place {
    Newer(usize),
    Older(usize),
}

/// The keys of two lists to merge. Of equal keys, the older one comes first.
#[derive(Clone, Copy)]
pub(super) struct Both<'a, K> {
    pub(super) newer: &'a [K],
    pub(super) older: &'a [K],
}

impl<K: Code> Both<'_, K> {
    pub(super) fn len(&self) -> usize {
        self.newer.len() + self.older.len()
    }

    /// Fills `keys` and `values` with the merged order from position `step` on.
    ///
    /// Which list comes next is as good as random, so the choice is added as a number and not predicted as a branch. Each
    /// entry then waits for the one before it, so the loop writes both halves at the same time.
    pub(super) fn write<V: Value>(
        &self,
        step: usize,
        keys: &mut [K],
        values: &mut [V],
        newer_values: &[V],
        older_values: &[V],
    ) {
        if keys.len() < SHORT {
            return self.walk(step, keys.len(), |at, place| {
                (keys[at], values[at]) = match place {
                    Place::Newer(i) => (self.newer[i], newer_values[i]),
                    Place::Older(j) => (self.older[j], older_values[j]),
                };
            });
        }
        let lists = TwoLists { both: *self, newer_values, older_values };
        let half = keys.len() / 2;
        let (left_keys, right_keys) = keys.split_at_mut(half);
        let (left_values, right_values) = values.split_at_mut(half);
        let mut left = lists.from(step);
        let mut right = lists.from(step + half);
        let mut done = 0;
        loop {
            let steps = left.safe_steps().min(right.safe_steps()).min(half - done);
            if steps == 0 {
                break;
            }
            let part = done..done + steps;
            let left_out = left_keys[part.clone()].iter_mut().zip(&mut left_values[part.clone()]);
            let right_out = right_keys[part.clone()].iter_mut().zip(&mut right_values[part]);
            for ((left_key, left_value), (right_key, right_value)) in left_out.zip(right_out) {
                (*left_key, *left_value) = left.take();
                (*right_key, *right_value) = right.take();
            }
            done += steps;
        }
        left.finish(&mut left_keys[done..], &mut left_values[done..]);
        right.finish(&mut right_keys[done..], &mut right_values[done..]);
    }

    /// Calls `place` with the origin of each of `len` entries, from position `step` of the merged order on.
    pub(super) fn walk(&self, step: usize, len: usize, mut place: impl FnMut(usize, Place)) {
        let mut j = self.older_before(step);
        let mut i = step - j;
        let mut at = 0;
        while at < len && i < self.newer.len() && j < self.older.len() {
            if self.older[j] <= self.newer[i] {
                place(at, Place::Older(j));
                j += 1;
            } else {
                place(at, Place::Newer(i));
                i += 1;
            }
            at += 1;
        }
        for at in at..len {
            if j < self.older.len() {
                place(at, Place::Older(j));
                j += 1;
            } else {
                place(at, Place::Newer(i));
                i += 1;
            }
        }
    }

    /// How many of the first `step` entries of the merged order come from the older list.
    fn older_before(&self, step: usize) -> usize {
        let mut low = step.saturating_sub(self.newer.len());
        let mut high = step.min(self.older.len());
        while low < high {
            let middle = (low + high) / 2;
            if self.older[middle] <= self.newer[step - 1 - middle] {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        low
    }
}

/// Two lists to merge, with their values.
#[derive(Clone, Copy)]
struct TwoLists<'a, K, V> {
    both: Both<'a, K>,
    newer_values: &'a [V],
    older_values: &'a [V],
}

impl<'a, K: Code, V: Value> TwoLists<'a, K, V> {
    fn from(self, step: usize) -> Cursor<'a, K, V> {
        Cursor { lists: self, step, older: self.both.older_before(step) }
    }
}

/// A position in the merged order, and how many entries before it come from the older list.
struct Cursor<'a, K, V> {
    lists: TwoLists<'a, K, V>,
    step: usize,
    older: usize,
}

impl<K: Code, V: Value> Cursor<'_, K, V> {
    /// The number of steps for which both lists have an entry, whichever is taken.
    fn safe_steps(&self) -> usize {
        let Both { newer, older } = self.lists.both;
        (newer.len() + self.older - self.step).min(older.len() - self.older)
    }

    /// The next entry. Both lists must have one.
    #[inline(always)]
    fn take(&mut self) -> (K, V) {
        let TwoLists { both, newer_values, older_values } = self.lists;
        let newer = self.step - self.older;
        let (new, old) = (both.newer[newer], both.older[self.older]);
        let (new_value, old_value) = (newer_values[newer], older_values[self.older]);
        let takes_older = old <= new;
        self.older += usize::from(takes_older);
        self.step += 1;
        (select_unpredictable(takes_older, old, new), select_unpredictable(takes_older, old_value, new_value))
    }

    /// Fills the rest of `keys` and `values`.
    fn finish(mut self, keys: &mut [K], values: &mut [V]) {
        let mut done = 0;
        loop {
            let steps = self.safe_steps().min(keys.len() - done);
            if steps == 0 {
                break;
            }
            for (key, value) in keys[done..done + steps].iter_mut().zip(&mut values[done..]) {
                (*key, *value) = self.take();
            }
            done += steps;
        }
        let TwoLists { both, newer_values, older_values } = self.lists;
        let (rest, rest_values, from) = match self.older < both.older.len() {
            true => (both.older, older_values, self.older),
            false => (both.newer, newer_values, self.step - self.older),
        };
        let left = keys.len() - done;
        keys[done..].copy_from_slice(&rest[from..from + left]);
        values[done..].copy_from_slice(&rest_values[from..from + left]);
    }
}

#[cfg(test)]
mod tests {
    use super::{Both, SHORT};

    /// Tests parts of the merged order from every position, with every length around the shortest that is written in
    /// halves. Either side may end in the left half, in the right half, or between them.
    #[test]
    fn what_is_written_is_a_part_of_the_merged_order() {
        for (newer_len, older_len) in [(0, 130), (130, 0), (65, 65), (20, 110), (110, 20), (1, 129)] {
            let newer: Vec<u32> = (0..newer_len).map(|i| 3 * i).collect();
            let older: Vec<u32> = (0..older_len).map(|i| 2 * i + 1).collect();
            let mut all: Vec<_> = older.iter().map(|key| (*key, 0)).collect();
            all.extend(newer.iter().map(|key| (*key, 1)));
            all.sort_unstable();
            let both = Both { newer: &newer, older: &older };
            let (newer_values, older_values) = (vec![1; newer.len()], vec![0; older.len()]);
            for len in [0, 1, SHORT - 1, SHORT, SHORT + 1, 2 * SHORT, all.len()] {
                for step in 0..=all.len() - len {
                    let (mut keys, mut values) = (vec![7; len], vec![7; len]);
                    both.write(step, &mut keys, &mut values, &newer_values, &older_values);
                    let written: Vec<_> = keys.into_iter().zip(values).collect();
                    assert_eq!(
                        written,
                        all[step..step + len],
                        "{newer_len} and {older_len}, {len} from {step}"
                    );
                }
            }
        }
    }
}
