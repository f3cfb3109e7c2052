//! index: for each part of a run's key range, where its keys start, and a filter of them.

use crate::on_every_backend;
use crate::support::{cases, distinct_keys, wide};
use gpu_lsm_primitives::reference::{self, Entries};
use gpu_lsm_primitives::{Array, Backend, Code};

on_every_backend!(
    tells_the_parts_of_u32_apart,
    tells_the_parts_of_u64_apart,
    takes_the_whole_domain,
    a_part_has_a_filter_up_to_128_keys,
    filters_stop_most_keys_that_are_not_there,
);

fn tells_the_parts_of_u32_apart(backend: &impl Backend) {
    for (len, mix) in cases() {
        has_the_index::<_, u32>(backend, &distinct_keys(mix, len, 0));
    }
}

fn tells_the_parts_of_u64_apart(backend: &impl Backend) {
    wide(backend, || {
        for (len, mix) in cases() {
            has_the_index::<_, u64>(backend, &distinct_keys(mix, len, 0));
        }
    });
}

/// Keys at both ends of the domain and few between them: the widest range, and parts without keys.
fn takes_the_whole_domain(backend: &impl Backend) {
    has_the_index(backend, &[u32::MIN, u32::MAX]);
    has_the_index(backend, &[u32::MAX]);
    has_the_index::<_, u32>(backend, &[]);
    has_the_index(backend, &[vec![0], (u32::MAX - 5000..=u32::MAX).collect()].concat());
    wide(backend, || {
        has_the_index(backend, &[u64::MIN, u64::MAX]);
        has_the_index(backend, &[(0..5000).collect(), vec![u64::MAX]].concat());
    });
}

/// Two parts; one has only the last key.
fn a_part_has_a_filter_up_to_128_keys(backend: &impl Backend) {
    for (len, is_full) in [(127, false), (128, false), (129, true)] {
        let keys = [(0..len).collect(), vec![u32::MAX]].concat();
        has_the_index(backend, &keys);
        let run = reference::upload::<_, _, ()>(backend, &keys.iter().map(|&key| (key, (), false)).collect())
            .unwrap();
        let index = backend.download(&run.index, run.index.len()).unwrap();
        assert_eq!(index[9..16] == [u32::MAX; 7], is_full, "{len} keys");
        wide(backend, || has_the_index(backend, &[(0..u64::from(len)).collect(), vec![u64::MAX]].concat()));
    }
}

/// Each key sets at most two bits of its filter. So few bits are set, and an absent key rarely passes, as it would have
/// to hit two of them.
fn filters_stop_most_keys_that_are_not_there(backend: &impl Backend) {
    let keys: Vec<u32> = (0..1 << 12).map(|i: u32| i << 19 | i.wrapping_mul(0x85EB_CA6B) >> 13).collect();
    let run =
        reference::upload::<_, _, ()>(backend, &keys.iter().map(|&key| (key, (), false)).collect()).unwrap();
    let index = backend.download(&run.index, run.index.len()).unwrap();
    let filters = index.chunks(8).skip(1).flat_map(|record| &record[1..]);
    let set: u32 = filters.map(|word| word.count_ones()).sum();
    assert!((keys.len() as u32..=2 * keys.len() as u32).contains(&set), "{set} bits for {} keys", keys.len());
}

fn has_the_index<B: Backend, K: Code>(backend: &B, keys: &[K]) {
    let entries: Entries<K, ()> = keys.iter().map(|&key| (key, (), false)).collect();
    let run = reference::upload(backend, &entries).unwrap();
    let index = backend.download(&run.index, run.index.len()).unwrap();
    assert_eq!(index, reference::index(keys, index.len()).collect::<Vec<_>>(), "{} keys", keys.len());
}
