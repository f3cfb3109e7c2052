//! Dead stretches: intervals of keys without a live key, remembered after a search walked through one.
//!
//! A queue deletes at its front and then asks for its first entry. Without this memory, every such query would walk
//! through all tombstones again. Deletes keep a dead stretch dead; an insert into it ends it. A remembered stretch only
//! affects where a search begins, never its answer.

use gpu_lsm_primitives::{Code, Way};

/// The most stretches to remember: one for each place where a program keeps deleting. There are few such places.
const MOST: usize = 8;
/// The most intervals or queries of one call whose dead stretches are remembered.
pub(crate) const FEW: usize = 8;

/// Intervals without a live key, both ends inclusive. No two overlap or touch.
#[derive(Clone)]
pub(crate) struct DeadStretches<K> {
    stretches: Vec<(K, K)>,
}

impl<K> Default for DeadStretches<K> {
    fn default() -> Self {
        Self { stretches: Vec::new() }
    }
}

impl<K: Code> DeadStretches<K> {
    pub(crate) fn is_empty(&self) -> bool {
        self.stretches.is_empty()
    }

    /// Remembers a stretch. If there are too many, the oldest is forgotten.
    pub(crate) fn learn(&mut self, mut first: K, mut last: K) {
        self.stretches.retain(|&(other_first, other_last)| {
            let touches = first <= next(other_last) && other_first <= next(last);
            if touches {
                first = first.min(other_first);
                last = last.max(other_last);
            }
            !touches
        });
        if self.stretches.len() == MOST {
            self.stretches.remove(0);
        }
        self.stretches.push((first, last));
    }

    /// Remembers emptied intervals, if they are few.
    pub(crate) fn learn_few(&mut self, lower: &[K], upper: &[K]) {
        if lower.len() <= FEW {
            lower.iter().zip(upper).for_each(|(&lower, &upper)| self.learn(lower, upper));
        }
    }

    /// Where a search from `key` may begin: after the stretch that contains the key.
    pub(crate) fn skipped(&self, key: K, way: Way) -> K {
        let stretch = self.stretches.iter().find(|&&(first, last)| first <= key && key <= last);
        match (stretch, way) {
            (None, _) => key,
            (Some(&(first, _)), Way::Down) => previous(first),
            (Some(&(_, last)), Way::Up) => next(last),
            (Some(&(_, last)), Way::UpAfter) => last,
        }
    }

    /// Forgets the stretches that an insert may have ended.
    pub(crate) fn retain(&mut self, mut is_dead: impl FnMut(K, K) -> bool) {
        self.stretches.retain(|&(first, last)| is_dead(first, last));
    }
}

/// The next larger key; the largest key has none and stays.
fn next<K: Code>(key: K) -> K {
    K::truncated(key.to_u64().saturating_add(1).min(K::MAX.to_u64()))
}

/// The next smaller key; the smallest key has none and stays.
fn previous<K: Code>(key: K) -> K {
    K::truncated(key.to_u64().saturating_sub(1))
}

#[cfg(test)]
mod tests {
    use super::{DeadStretches, MOST};
    use gpu_lsm_primitives::Way;

    #[test]
    fn searches_begin_past_the_stretch_they_are_in() {
        let mut dead = DeadStretches::<u32>::default();
        assert!(dead.is_empty());
        dead.learn(10, 19);
        assert_eq!([9, 10, 19, 20].map(|key| dead.skipped(key, Way::Up)), [9, 20, 20, 20]);
        assert_eq!([9, 10, 19, 20].map(|key| dead.skipped(key, Way::UpAfter)), [9, 19, 19, 20]);
        assert_eq!([9, 10, 19, 20].map(|key| dead.skipped(key, Way::Down)), [9, 9, 9, 20]);
        dead.learn(20, 30);
        assert_eq!(dead.skipped(12, Way::Up), 31, "neighbours become one");
        dead.learn(0, 12);
        assert_eq!(
            (dead.skipped(30, Way::Down), dead.skipped(3, Way::Up)),
            (0, 31),
            "there is no smaller key"
        );
        dead.learn(u32::MAX - 5, u32::MAX);
        assert_eq!(dead.skipped(u32::MAX - 1, Way::Up), u32::MAX, "there is no larger key");
        assert_eq!(dead.stretches.len(), 2);
    }

    #[test]
    fn the_oldest_of_too_many_is_forgotten_and_so_is_what_an_insert_ends() {
        let mut dead = DeadStretches::<u64>::default();
        for i in 0..=MOST as u64 {
            dead.learn(100 * i, 100 * i + 9);
        }
        assert_eq!(dead.skipped(5, Way::Up), 5);
        assert_eq!(dead.skipped(105, Way::Up), 110);
        dead.retain(|first, last| !(first..=last).contains(&103));
        assert_eq!(dead.skipped(105, Way::Up), 105);
        assert_eq!(dead.skipped(205, Way::Up), 210);
    }
}
