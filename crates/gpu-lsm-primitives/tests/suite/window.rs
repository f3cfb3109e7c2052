//! window: the nearest entries of one run and of a second one, in every direction, and how far the windows reach.

use crate::on_every_backend;
use crate::support::{MIXES, distinct_keys, fits, keys, wide};
use gpu_lsm_primitives::entries::found;
use gpu_lsm_primitives::reference::{self, Entries};
use gpu_lsm_primitives::{Backend, Code, Way};

on_every_backend!(windows_u32, windows_u64, a_query_that_is_not_open_gets_no_window);

fn windows_u32(backend: &impl Backend) {
    windows::<_, u32>(backend);
}

fn windows_u64(backend: &impl Backend) {
    wide(backend, || windows::<_, u64>(backend));
}

fn windows<B: Backend, K: Code>(backend: &B) {
    let cases = [(1, 1), (16, 3), (4097, 1), (9000, 8), (70_001, 8), (70_001, 100_000)];
    for (len, limit) in cases.into_iter().filter(|case| fits(case.0)) {
        for mix in MIXES {
            let entries = |seed| -> Entries<K, ()> {
                distinct_keys::<K>(mix, len, seed).into_iter().map(|key| (key, (), false)).collect()
            };
            let runs = [entries(1), entries(2)];
            let mut queries = keys::<K>(mix, 1000, 3);
            queries.extend([K::MIN, K::MAX]);
            let on_device = backend.upload(&queries).unwrap();
            for way in [Way::Up, Way::UpAfter, Way::Down] {
                let case = format!("{len} keys, {mix:?}, {way:?}, {limit}");
                let (mut horizons, mut expected_horizons) = (None, None::<Vec<K>>);
                for run in &runs {
                    let on_this = reference::upload(backend, run).unwrap();
                    let (bounds, reached) =
                        backend.window(&on_this, &on_device, way, limit, horizons, None).unwrap();
                    let expected: Vec<_> = queries
                        .iter()
                        .map(|&query| reference::window(run, query, way, limit as usize))
                        .collect();
                    let starts = backend.download(&bounds.starts, queries.len()).unwrap();
                    assert!(
                        starts.iter().zip(&expected).all(|(&start, e)| start as usize == e.0),
                        "{case}: starts"
                    );
                    let lens: Vec<u32> = expected.iter().map(|e| e.1 as u32).collect();
                    let offsets = backend.download(&bounds.offsets, queries.len() + 1).unwrap();
                    assert_eq!(offsets, reference::scan(&lens), "{case}: lengths");
                    let nearer = |(i, e): (usize, &(usize, usize, K))| match (&expected_horizons, way) {
                        (None, _) => e.2,
                        (Some(before), Way::Down) => before[i].max(e.2),
                        (Some(before), _) => before[i].min(e.2),
                    };
                    let so_far: Vec<K> = expected.iter().enumerate().map(nearer).collect();
                    assert_eq!(
                        backend.download(&reached, queries.len()).unwrap(),
                        so_far,
                        "{case}: horizons"
                    );
                    (horizons, expected_horizons) = (Some(reached), Some(so_far));
                }
            }
        }
    }
}

fn a_query_that_is_not_open_gets_no_window(backend: &impl Backend) {
    let entries: Entries<u32, ()> = (0..5000).map(|i| (i * 2, (), false)).collect();
    let run = reference::upload(backend, &entries).unwrap();
    let queries: Vec<u32> = (0..3000).collect();
    let states: Vec<u32> = queries
        .iter()
        .map(|query| [found::OPEN, found::PRESENT, found::MISSING][*query as usize % 3])
        .collect();
    let states_there = backend.upload(&states).unwrap();
    for way in [Way::Up, Way::Down] {
        let on_device = backend.upload(&queries).unwrap();
        let (bounds, _) = backend.window(&run, &on_device, way, 1, None, Some(&states_there)).unwrap();
        let lens = backend.download(&bounds.lens, queries.len()).unwrap();
        let starts = backend.download(&bounds.starts, queries.len()).unwrap();
        for (i, &query) in queries.iter().enumerate() {
            let (start, len, _) = reference::window(&entries, query, way, 1);
            let expected = if states[i] == found::OPEN { (start as u32, len as u32) } else { (starts[i], 0) };
            assert_eq!((starts[i], lens[i]), expected, "query {query}, {way:?}");
        }
    }
}
