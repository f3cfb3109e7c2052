//! nearest: the first or last entry of each query within the horizon, in two rounds.

use crate::on_every_backend;
use crate::support::{rng, wide};
use gpu_lsm_primitives::entries::found;
use gpu_lsm_primitives::reference::{self, Entries};
use gpu_lsm_primitives::{Backend, Code, Nearby, Neighbours, Value, Way};
use rand::RngExt;
use std::fmt::Debug;

on_every_backend!(nearest_u32_u32, nearest_u64_wide, nearest_u32_nothing, an_entry_at_the_end_of_the_domain);

/// If the horizon is the end of the domain and there is an entry exactly there, the answer is this entry, not
/// "missing".
fn an_entry_at_the_end_of_the_domain(backend: &impl Backend) {
    wide(backend, || {
        for (way, key) in [(Way::Up, u64::MAX), (Way::UpAfter, u64::MAX), (Way::Down, 0)] {
            let entries: Entries<u64, u32> = vec![(key, 9, false)];
            let near = Nearby {
                entries: &reference::pile(backend, &entries).unwrap(),
                offsets: &backend.upload(&[0, 1, 1]).unwrap(),
                horizons: &backend.upload(&[key, key]).unwrap(),
            };
            let (nearest, open) = backend.nearest(&near, way, 77, None).unwrap();
            assert_eq!(backend.download(&nearest.found, 2).unwrap(), [found::PRESENT, found::MISSING]);
            assert_eq!(backend.download(&nearest.keys, 2).unwrap(), [key, 77]);
            assert_eq!(backend.download(&nearest.values, 2).unwrap(), [9, 0]);
            assert_eq!(backend.read_counts(&[&open]).unwrap(), [0]);
        }
    });
}

fn nearest_u32_u32(backend: &impl Backend) {
    nearest::<_, u32, u32>(backend, |i| i as u32 + 7);
}

fn nearest_u64_wide(backend: &impl Backend) {
    wide(backend, || nearest::<_, u64, u128>(backend, |i| i as u128 + 7));
}

fn nearest_u32_nothing(backend: &impl Backend) {
    nearest::<_, u32, ()>(backend, |_| ());
}

/// A query's result so far.
type State<K, V> = (u32, K, V);

fn nearest<B: Backend, K: Code, V: Value + PartialEq + Debug>(backend: &B, value: impl Fn(usize) -> V) {
    for queries in [0, 1, 300, 5000] {
        for way in [Way::Up, Way::Down] {
            let missing = K::truncated(1 << 63 | 1 << 31 | 5);
            let mut known: Option<Neighbours<B, K, V>> = None;
            let mut known_states: Option<Vec<State<K, V>>> = None;
            for round in 0..3 {
                let case = format!("{queries} queries, {way:?}, round {round}");
                let (entries, offsets, horizons) = near::<K, V>(queries, round, way, &value);
                let on_device = reference::pile(backend, &entries).unwrap();
                let near = Nearby {
                    entries: &on_device,
                    offsets: &backend.upload(&offsets).unwrap(),
                    horizons: &backend.upload(&horizons).unwrap(),
                };
                let (nearest, open) = backend.nearest(&near, way, missing, known.take()).unwrap();
                let decide = |q: usize| match &known_states {
                    Some(before) if before[q].0 != found::OPEN => before[q],
                    _ => {
                        let its = &entries[offsets[q] as usize..offsets[q + 1] as usize];
                        decided(its, horizons[q], way, missing)
                    }
                };
                let expected: Vec<State<K, V>> = (0..queries).map(decide).collect();
                let states = backend.download(&nearest.found, queries).unwrap();
                assert!(states.iter().eq(expected.iter().map(|state| &state.0)), "{case}: states");
                let keys = backend.download(&nearest.keys, queries).unwrap();
                assert!(keys.iter().eq(expected.iter().map(|state| &state.1)), "{case}: keys");
                let values = backend.download(&nearest.values, queries).unwrap();
                assert!(values.iter().eq(expected.iter().map(|state| &state.2)), "{case}: values");
                let still_open = expected.iter().filter(|state| state.0 == found::OPEN).count();
                assert_eq!(backend.read_counts(&[&open]).unwrap(), [still_open as u32], "{case}");
                (known, known_states) = (Some(nearest), Some(expected));
            }
        }
    }
}

/// Random entries for each query, ascending over all queries, so that they also form a run; and horizons among them.
fn near<K: Code, V: Value>(
    queries: usize,
    round: u64,
    way: Way,
    value: &impl Fn(usize) -> V,
) -> (Entries<K, V>, Vec<u32>, Vec<K>) {
    let mut rng = rng(round);
    let (mut entries, mut offsets, mut horizons) = (Entries::new(), vec![0], Vec::new());
    for _ in 0..queries {
        for _ in 0..rng.random_range(0..4) {
            entries.push((K::truncated(entries.len() as u64 * 3 + 3), value(entries.len()), false));
        }
        offsets.push(entries.len() as u32);
        let end = if way == Way::Down { K::MIN } else { K::MAX };
        let near_last = K::truncated((entries.len() as u64 * 3).saturating_sub(rng.random_range(0..9)));
        horizons.push(if rng.random_bool(0.3) { end } else { near_last });
    }
    (entries, offsets, horizons)
}

fn decided<K: Code, V: Value>(entries: &[(K, V, bool)], horizon: K, way: Way, missing: K) -> State<K, V> {
    let (nearest, is_end) = match way {
        Way::Down => (entries.last().filter(|entry| entry.0 >= horizon), horizon == K::MIN),
        _ => (entries.first().filter(|entry| entry.0 <= horizon), horizon == K::MAX),
    };
    match nearest {
        Some(&(key, value, _)) => (found::PRESENT, key, value),
        None if is_end => (found::MISSING, missing, V::zeroed()),
        None => (found::OPEN, missing, V::zeroed()),
    }
}
