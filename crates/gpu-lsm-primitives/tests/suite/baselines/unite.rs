//! unite: lists of very unequal lengths, with most entries in one query; stable, with values and without.

use super::variables;
use crate::on_every_backend;
use crate::support::{MIXES, fits, rng};
use gpu_lsm_primitives::baselines::{Baselines, KeyVariables, Lists};
use gpu_lsm_primitives::reference;
use rand::RngExt;

on_every_backend!(unites_the_lists_of_each_query);

fn unites_the_lists_of_each_query(backend: &impl Baselines) {
    let cases =
        [(0, 3, 0), (1, 1, 50), (1, 5, 9000), (300, 2, 40), (2000, 7, 9), (40, 8, 5000), (3, 20, 3000)];
    for (queries, per_query, longest) in cases.into_iter().filter(|case| fits(case.0 * case.1 * case.2 / 2)) {
        for mix in MIXES {
            let mut rng = rng(queries as u64);
            let (mut keys, mut list_of, mut lens) = (Vec::new(), Vec::new(), Vec::new());
            for list in 0..queries * per_query {
                // Every third list is empty.
                let len = if list % 3 == 1 { 0 } else { rng.random_range(0..=longest) };
                keys.extend(variables(mix, len, list as u64));
                list_of.extend(std::iter::repeat_n(list as u32, len));
                lens.push(len as u32);
            }
            let values: Vec<u32> = (0..keys.len() as u32).collect();
            let mut expected: Vec<(u32, u32)> = keys.iter().copied().zip(values.iter().copied()).collect();
            expected.sort_by_key(|&(key, i)| (list_of[i as usize] / per_query as u32, key >> 1));

            let lists =
                Lists { list_of: backend.upload(&list_of).unwrap(), per_query: per_query as u32, queries };
            let offsets = backend.upload(&reference::scan(&lens)).unwrap();
            let (there, values) = (backend.upload(&keys).unwrap(), backend.upload(&values).unwrap());
            let alone = KeyVariables { keys: there.clone(), values: None };
            let alone = backend.unite(alone, &lists, &offsets).unwrap();
            assert!(alone.values.is_none());
            let case = format!("{queries} queries with {per_query} lists, {mix:?}");
            let alone = backend.download(&alone.keys, keys.len()).unwrap();
            assert!(alone.iter().eq(expected.iter().map(|pair| &pair.0)), "{case}");
            let both = KeyVariables { keys: there, values: Some(values) };
            let united = backend.unite(both, &lists, &offsets).unwrap();
            assert!(backend.download(&united.keys, keys.len()).unwrap() == alone, "{case}, with values");
            let values = backend.download(&united.values.unwrap(), keys.len()).unwrap();
            assert!(values.iter().eq(expected.iter().map(|pair| &pair.1)), "{case}, values");
        }
    }
}
