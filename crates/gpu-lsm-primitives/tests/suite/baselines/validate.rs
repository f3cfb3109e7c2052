//! validate: the first entry of each key of a query is counted and kept, unless it is a tombstone.

use super::{pairs, read, variables};
use crate::on_every_backend;
use crate::support::{MIXES, cases, fits, rng};
use gpu_lsm_primitives::baselines::{Baselines, Lists};
use rand::RngExt;

on_every_backend!(valid_entries_of_one_query, valid_entries_of_many_queries);

fn valid_entries_of_one_query(backend: &impl Baselines) {
    for (seed, (len, mix)) in cases().into_iter().enumerate() {
        let keys = variables(mix, len, seed as u64);
        check(backend, &keys, None, &format!("{len} keys, {mix:?}"));
    }
}

/// Many short queries, empty ones, and a long one. The last key of a query may be the first key of the next.
fn valid_entries_of_many_queries(backend: &impl Baselines) {
    for (queries, longest) in [(0, 0), (1, 9000), (3000, 3), (500, 40), (40, 5000)] {
        for mix in MIXES.into_iter().filter(|_| fits(queries * longest / 2)) {
            let mut rng = rng(queries as u64);
            let (mut keys, mut query_of) = (Vec::new(), Vec::new());
            for query in 0..queries {
                let len = if query % 5 == 2 { 0 } else { rng.random_range(0..=longest) };
                keys.extend(variables(mix, len, query as u64));
                query_of.extend(std::iter::repeat_n(query as u32, len));
            }
            check(backend, &keys, Some((&query_of, queries)), &format!("{queries} queries, {mix:?}"));
        }
    }
}

fn check<B: Baselines>(backend: &B, keys: &[u32], queries: Option<(&[u32], usize)>, case: &str) {
    let query_of = |i: usize| queries.map_or(0, |(query_of, _)| query_of[i] as usize);
    let is_first = |i: usize| i == 0 || (query_of(i - 1), keys[i - 1] >> 1) != (query_of(i), keys[i] >> 1);
    let valid: Vec<usize> = (0..keys.len()).filter(|&i| keys[i] & 1 == 1 && is_first(i)).collect();

    // Three lists per query; positions are assigned to them in turn.
    let list_of: Option<Vec<u32>> = queries.map(|(query_of, _)| {
        query_of.iter().enumerate().map(|(i, query)| query * 3 + i as u32 % 3).collect()
    });
    let lists = list_of.map(|list_of| Lists {
        list_of: backend.upload(&list_of).unwrap(),
        per_query: 3,
        queries: queries.map_or(0, |queries| queries.1),
    });
    let pairs = pairs(backend, keys, 0);
    let found = backend.validate(&pairs.keys, lists.as_ref()).unwrap();
    if let Some((_, queries)) = queries {
        let mut counts = vec![0; queries];
        valid.iter().for_each(|&i| counts[query_of(i)] += 1);
        assert_eq!(backend.download(&found.counts, queries).unwrap(), counts, "{case}");
    }
    for is_plain in [false, true] {
        let (compacted, total) = backend.compact(&pairs, lists.as_ref(), &found, is_plain).unwrap();
        assert_eq!(backend.read_counts(&[&total]).unwrap(), [valid.len() as u32], "{case}");
        let expected = valid.iter().map(|&i| (keys[i] >> u32::from(is_plain), i as u32));
        assert!(read(backend, &compacted)[..valid.len()].iter().copied().eq(expected), "{case}");
    }
}
