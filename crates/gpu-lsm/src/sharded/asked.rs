//! Queries by shard: which of a call's queries each shard is asked, and their answers put together.

use crate::error::Result;
use crate::lists::copied;
use crate::range::Ranges;
use gpu_lsm_primitives::{Meter, Value};
use std::ops::RangeInclusive;

/// The numbers of the queries that each shard is asked, ascending, from the shards that each query needs. A query that
/// needs none has an empty range.
pub(super) fn by_shard(
    meter: &Meter,
    shards: usize,
    needs: impl Iterator<Item = RangeInclusive<usize>> + Clone,
) -> Result<Vec<Vec<usize>>> {
    let mut lens = vec![0; shards];
    needs.clone().flatten().for_each(|shard| lens[shard] += 1);
    let lists = lens.into_iter().map(|len| meter.vector(len));
    let mut lists = lists.collect::<Result<Vec<Vec<usize>>, _>>()?;
    for (query, needs) in needs.enumerate() {
        needs.for_each(|shard| lists[shard].push(query));
    }
    Ok(lists)
}

/// Some elements of a column.
pub(super) fn picked<T: Copy>(meter: &Meter, column: &[T], queries: &[usize]) -> Result<Vec<T>> {
    let mut picked = meter.vector(queries.len())?;
    picked.extend(queries.iter().map(|&query| column[query]));
    Ok(picked)
}

/// `len` times the same element.
pub(super) fn filled<T: Copy>(meter: &Meter, len: usize, element: T) -> Result<Vec<T>> {
    let mut list = meter.vector(len)?;
    list.resize(len, element);
    Ok(list)
}

/// The entries that some queries found in one shard.
pub(super) struct Part<K, V> {
    pub(super) queries: Vec<usize>,
    pub(super) found: Ranges<K, V>,
}

/// The entries of all queries, at most `limit` of each. The parts of a query are in ascending order of keys.
pub(super) fn put_together<K: Copy, V: Value>(
    meter: &std::sync::Arc<Meter>,
    queries: usize,
    limit: u64,
    parts: &[Part<K, V>],
) -> Result<Ranges<K, V>> {
    let mut offsets: Vec<u64> = filled(meter, queries + 1, 0)?;
    for Part { queries, found } in parts {
        for (&query, ends) in queries.iter().zip(found.offsets().windows(2)) {
            offsets[query + 1] = limit.min(offsets[query + 1] + ends[1] - ends[0]);
        }
    }
    for query in 0..queries {
        offsets[query + 1] += offsets[query];
    }
    let total = offsets[queries] as usize;
    let _returned = meter.returned(Ranges::<K, V>::bytes_of(queries, total as u64))?;
    let some_key = parts.iter().find_map(|part| part.found.keys().first().copied());
    let Some(some_key) = some_key else { return Ok(Ranges::new(offsets, Vec::new(), Vec::new())) };
    let (mut keys, mut values) = (filled(meter, total, some_key)?, filled(meter, total, V::zeroed())?);
    let mut next = copied(meter, offsets[..queries].iter().copied())?;
    for Part { queries, found } in parts {
        for (&query, (more_keys, more_values)) in queries.iter().zip(found) {
            let start = next[query] as usize;
            let len = more_keys.len().min(offsets[query + 1] as usize - start);
            keys[start..start + len].copy_from_slice(&more_keys[..len]);
            values[start..start + len].copy_from_slice(&more_values[..len]);
            next[query] += len as u64;
        }
    }
    Ok(Ranges::new(offsets, keys, values))
}

#[cfg(test)]
mod tests {
    use super::{Part, by_shard, put_together};
    use crate::range::Ranges;
    use gpu_lsm_primitives::Meter;

    #[test]
    fn a_query_is_asked_of_every_shard_that_it_needs() {
        #[expect(clippy::reversed_empty_ranges, reason = "that is a query that needs no shard")]
        let needs = [0..=1, 1..=0, 2..=2, 1..=2];
        let lists = by_shard(&Meter::new(None), 3, needs.iter().cloned()).unwrap();
        assert_eq!(lists, [vec![0], vec![0, 3], vec![2, 3]]);
    }

    #[test]
    fn parts_are_put_together_in_the_order_of_queries_and_cut_to_their_limit() {
        let part = |queries: Vec<usize>, offsets: Vec<u64>, keys: Vec<u32>| Part {
            queries,
            found: Ranges::new(offsets, keys.clone(), keys),
        };
        let parts =
            [part(vec![0, 2], vec![0, 2, 3], vec![1, 2, 3]), part(vec![2], vec![0, 3], vec![7, 8, 9])];
        let all = put_together(&Meter::new(None), 3, u64::MAX, &parts).unwrap();
        assert_eq!((all.offsets(), all.keys()), (&[0, 2, 2, 6][..], &[1, 2, 3, 7, 8, 9][..]));
        let few = put_together(&Meter::new(None), 3, 2, &parts).unwrap();
        assert_eq!((few.offsets(), few.keys()), (&[0, 2, 2, 4][..], &[1, 2, 3, 7][..]));
        assert_eq!(few.values(), few.keys());
    }
}
