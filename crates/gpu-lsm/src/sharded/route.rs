//! Route: the shard of each key of a call. Columns are split by it, and answers are put back into the caller's order.

use crate::error::Result;
use gpu_lsm_primitives::{Code, Meter};

/// The shard of each key.
pub(super) struct Route {
    shard_of: Vec<u32>,
    /// The number of keys of each shard.
    pub(super) lens: Vec<usize>,
}

/// The shard of a key, among shards that start at ascending codes.
pub(super) fn shard_of<C: Code>(starts: &[C], code: C) -> usize {
    starts[1..].partition_point(|start| *start <= code)
}

impl Route {
    /// The route of keys to shards that start at these codes.
    pub(super) fn new<C: Code>(
        meter: &Meter,
        starts: &[C],
        codes: impl ExactSizeIterator<Item = C>,
    ) -> Result<Self> {
        let mut route = Self { shard_of: meter.vector(codes.len())?, lens: vec![0; starts.len()] };
        for code in codes {
            let shard = shard_of(starts, code);
            route.shard_of.push(shard as u32);
            route.lens[shard] += 1;
        }
        Ok(route)
    }

    /// The shard of each key, in the caller's order.
    pub(super) fn shards(&self) -> impl ExactSizeIterator<Item = usize> + Clone + '_ {
        self.shard_of.iter().map(|&shard| shard as usize)
    }

    /// A column of one element per key, split by shard. Each part is in the caller's order.
    pub(super) fn split<T: Copy>(&self, meter: &Meter, column: &[T]) -> Result<Vec<Vec<T>>> {
        let parts = self.lens.iter().map(|&len| meter.vector(len));
        let mut parts = parts.collect::<Result<Vec<Vec<T>>, _>>()?;
        for (shard, &element) in self.shards().zip(column) {
            parts[shard].push(element);
        }
        Ok(parts)
    }

    /// One element per key in the caller's order, from the parts of all shards.
    pub(super) fn join<T: Copy>(&self, meter: &Meter, parts: &[Vec<T>]) -> Result<Vec<T>> {
        let mut parts: Vec<_> = parts.iter().map(|part| part.iter()).collect();
        let mut column = meter.vector(self.shard_of.len())?;
        column.extend(self.shards().filter_map(|shard| parts[shard].next().copied()));
        Ok(column)
    }
}

#[cfg(test)]
mod tests {
    use super::{Route, shard_of};
    use gpu_lsm_primitives::Meter;

    #[test]
    fn a_boundary_belongs_to_the_shard_that_it_starts() {
        let starts = [0u32, 10, 20];
        assert_eq!([0, 9, 10, 19, 20, u32::MAX].map(|key| shard_of(&starts, key)), [0, 0, 1, 1, 2, 2]);
        assert_eq!(shard_of(&[0u64], u64::MAX), 0);
    }

    #[test]
    fn what_is_split_and_joined_is_as_it_was() {
        let meter = Meter::new(None);
        let keys = [25u32, 3, 10, 3, 19, 99, 0];
        let route = Route::new(&meter, &[0, 10, 20], keys.iter().copied()).unwrap();
        let parts = route.split(&meter, &keys).unwrap();
        assert_eq!(parts, [vec![3, 3, 0], vec![10, 19], vec![25, 99]]);
        assert_eq!(route.lens, [3, 2, 2]);
        assert_eq!(route.join(&meter, &parts).unwrap(), keys);
    }
}
