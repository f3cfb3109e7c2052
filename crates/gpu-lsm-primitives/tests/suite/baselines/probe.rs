//! probe: the first entry of a key in the newest level that has one decides.

use super::{LEVELS, levels};
use crate::on_every_backend;
use crate::support::{MIXES, fits, keys};
use gpu_lsm_primitives::baselines::{Baselines, LARGEST_KEY};

on_every_backend!(the_newest_entry_answers);

fn the_newest_entry_answers(backend: &impl Baselines) {
    for (batch, batches) in LEVELS.into_iter().filter(|levels| fits(levels.0 * levels.1 as usize)) {
        for mix in MIXES {
            let (levels, full) = levels(backend, mix, batch, batches);
            let mut queries: Vec<u32> =
                full.iter().flatten().map(|variable| variable >> 1).take(5000).collect();
            queries.extend(keys::<u32>(mix, 300, 9).iter().map(|key| key >> 1));
            queries.extend([0, 42, LARGEST_KEY, LARGEST_KEY + 1, u32::MAX]);
            let answers = backend.probe(&levels, &backend.upload(&queries).unwrap()).unwrap();
            let found = backend.download(&answers.found, queries.len()).unwrap();
            let values = backend.download(&answers.values, queries.len()).unwrap();
            let starts: Vec<usize> = levels.full_levels().map(|level| level.start).collect();
            for (i, &query) in queries.iter().enumerate() {
                // The position of the key's first entry in the array of all levels.
                let first = full.iter().zip(&starts).find_map(|(level, start)| {
                    let at = level.partition_point(|variable| variable >> 1 < query);
                    (level.get(at)? >> 1 == query).then(|| (level[at], start + at))
                });
                let expected = match first {
                    Some((variable, at)) if variable & 1 == 1 => (1, at as u32),
                    _ => (0, 0),
                };
                assert_eq!((found[i], values[i]), expected, "{query} in {batches} times {batch}, {mix:?}");
            }
        }
    }
}
