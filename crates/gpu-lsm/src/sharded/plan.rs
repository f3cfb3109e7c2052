//! The plan: when shards are split, joined and moved. Pure arithmetic on numbers of entries, without a device.
//!
//! With `E` entries and `S` shards to aim at, a share is `E / S`. A shard is split
//! - if a run of it might exceed what one array of its device can hold: that is the reason for shards;
//! - if it has more than one and a half shares;
//! - if there are fewer than `S` shards and it has two shares or more, as the first batch of all has.
//!
//! If there are more than `S` shards, the two neighbours with the fewest entries become one, if they have no more than
//! one share together. So of any two neighbours one has more than half a share, and there are fewer than `2 S + 1`
//! shards. A shard must grow by half of its entries before it is split again, and two shards that were one must lose a
//! third: so a constant number of entries is copied per operation.
//!
//! A device is relieved of a shard if it has more than five quarters of its share and another device has room.

/// What a shard has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Load {
    /// The number of its device.
    pub(super) place: usize,
    /// Its entries, and the operations that are about to come.
    pub(super) entries: u64,
}

/// What a device takes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Capacity {
    /// Its part of all entries. All parts add up to 1.
    pub(super) share: f64,
    /// The most entries of one run.
    pub(super) limit: u64,
}

/// The rules of a dictionary.
#[derive(Debug, Clone)]
pub(super) struct Rules {
    /// The number of shards to aim at.
    pub(super) shards: usize,
    /// Shards with fewer entries are not worth a split or a move.
    pub(super) few: u64,
    /// What each device takes.
    pub(super) capacities: Vec<Capacity>,
}

/// A step towards balance.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    /// A shard becomes several of about the same size.
    Split { shard: usize, parts: usize },
    /// A shard and the next one become one.
    Join { shard: usize },
    /// A shard goes to another device.
    Move { shard: usize, place: usize },
}

impl Rules {
    /// The next step, `None` if there is balance. `splits` says whether a shard can be split: one key cannot.
    pub(super) fn next_step(&self, loads: &[Load], splits: impl Fn(usize) -> bool) -> Option<Step> {
        self.split(loads, splits).or_else(|| self.join(loads)).or_else(|| self.relief(loads))
    }

    /// The same without the steps that only serve balance.
    pub(super) fn next_needed(&self, loads: &[Load], splits: impl Fn(usize) -> bool) -> Option<Step> {
        Self { few: u64::MAX, ..self.clone() }.split(loads, splits)
    }

    /// The number of entries per shard if all had the same.
    fn share(&self, loads: &[Load]) -> u64 {
        loads.iter().map(|load| load.entries).sum::<u64>() / self.shards as u64
    }

    /// The largest part of a device's largest run that a new shard should have, so that it can grow.
    fn room(&self, load: Load) -> u64 {
        (self.capacities[load.place].limit / 2).max(1)
    }

    fn split(&self, loads: &[Load], splits: impl Fn(usize) -> bool) -> Option<Step> {
        let share = self.share(loads).max(1);
        let missing = self.shards.saturating_sub(loads.len());
        let parts = |load: Load| {
            let limit = self.capacities[load.place].limit;
            let needed = if load.entries > limit { load.entries.div_ceil(self.room(load)) } else { 1 };
            let shares = (load.entries + share / 2) / share;
            let is_large = 2 * load.entries > 3 * share;
            let wanted = match shares {
                _ if load.entries <= self.few => 1,
                2.. if missing > 0 => shares.min(missing as u64 + 1),
                _ if is_large => shares.max(2),
                _ => 1,
            };
            needed.max(wanted)
        };
        let all = loads.iter().enumerate().map(|(shard, &load)| (shard, parts(load)));
        let (shard, parts) =
            all.filter(|&(shard, parts)| parts > 1 && splits(shard)).max_by_key(|&(_, parts)| parts)?;
        Some(Step::Split { shard, parts: parts as usize })
    }

    fn join(&self, loads: &[Load]) -> Option<Step> {
        if loads.len() <= self.shards {
            return None;
        }
        let both = |shard: usize| loads[shard].entries + loads[shard + 1].entries;
        let shard = (0..loads.len() - 1).min_by_key(|&shard| both(shard))?;
        let room = self.room(loads[shard]).min(self.room(loads[shard + 1]));
        (both(shard) <= self.share(loads).min(room)).then_some(Step::Join { shard })
    }

    /// Moves the largest shard that makes the device with the most, relative to its share, better off than it was
    /// without making another device as badly off.
    fn relief(&self, loads: &[Load]) -> Option<Step> {
        let mut entries = vec![0; self.capacities.len()];
        loads.iter().for_each(|load| entries[load.place] += load.entries);
        let total: u64 = entries.iter().sum();
        let burden = |place: usize, more: u64| {
            (entries[place] + more) as f64 / (self.capacities[place].share * total.max(1) as f64)
        };
        let by_burden = |a: &usize, b: &usize| burden(*a, 0).total_cmp(&burden(*b, 0));
        let most = (0..entries.len()).max_by(by_burden)?;
        let least = (0..entries.len()).min_by(by_burden)?;
        if burden(most, 0) <= 1.25 || entries[most] <= self.few {
            return None;
        }
        let fits = |load: &Load| {
            load.place == most
                && load.entries > 0
                && load.entries <= self.room(Load { place: least, ..*load })
                && burden(least, load.entries) < burden(most, 0)
        };
        let shards = loads.iter().enumerate().filter(|(_, load)| fits(load));
        let (shard, _) = shards.max_by_key(|(_, load)| load.entries)?;
        Some(Step::Move { shard, place: least })
    }
}

#[cfg(test)]
mod tests;
