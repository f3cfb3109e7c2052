//! bounds: where intervals lie in a run, at both ends of the domain, including empty and reversed ones.

use crate::on_every_backend;
use crate::support::{MIXES, around, distinct_keys, fits, keys, uneven_keys, wide};
use gpu_lsm_primitives::{Backend, Code, Start, reference};

on_every_backend!(bounds_u32, bounds_u64, uneven_u32, uneven_u64);

fn bounds_u32(backend: &impl Backend) {
    bounds_of::<_, u32>(backend);
}

fn bounds_u64(backend: &impl Backend) {
    wide(backend, || bounds_of::<_, u64>(backend));
}

fn bounds_of<B: Backend, K: Code>(backend: &B) {
    let cases = [(0, 100), (1, 300), (5000, 1), (3000, 700), (70_000, 40)];
    for (run_len, queries) in cases.into_iter().filter(|case| fits(case.0)) {
        for (seed, mix) in MIXES.into_iter().enumerate() {
            let run_keys = distinct_keys::<K>(mix, run_len, seed as u64);
            let mut lower = keys::<K>(mix, queries, 10 + seed as u64);
            let mut upper = keys::<K>(mix, queries, 20 + seed as u64);
            lower.extend([K::MIN, K::MIN, K::MAX, K::MAX]);
            upper.extend([K::MIN, K::MAX, K::MIN, K::MAX]);
            finds_bounds(backend, &run_keys, &lower, &upper, &format!("{run_len}, {mix:?}"));
        }
    }
}

fn uneven_u32(backend: &impl Backend) {
    uneven::<_, u32>(backend);
}

fn uneven_u64(backend: &impl Backend) {
    wide(backend, || uneven::<_, u64>(backend));
}

/// From and to every key and its neighbours, if keys are not where an even spread would put them.
fn uneven<B: Backend, K: Code>(backend: &B) {
    for keys in uneven_keys::<K>() {
        let lower = around(&keys);
        let upper: Vec<K> = lower.iter().copied().cycle().skip(5).take(lower.len()).collect();
        let name = format!("{} keys up to {:?}", keys.len(), keys.last());
        finds_bounds(backend, &keys, &lower, &upper, &name);
    }
}

fn finds_bounds<B: Backend, K: Code>(backend: &B, keys: &[K], lower: &[K], upper: &[K], name: &str) {
    let run = reference::upload(backend, &keys.iter().map(|&key| (key, (), false)).collect()).unwrap();
    let (low, up) = (backend.upload(lower).unwrap(), backend.upload(upper).unwrap());
    for start in [Start::At, Start::After] {
        let bounds = backend.bounds(&run, &low, &up, start).unwrap();
        let starts = backend.download(&bounds.starts, lower.len()).unwrap();
        let offsets = backend.download(&bounds.offsets, lower.len() + 1).unwrap();
        let pairs = lower.iter().zip(upper);
        let expected: Vec<_> = pairs.map(|(&l, &u)| reference::bounds(keys, l, u, start)).collect();
        let lens: Vec<u32> = expected.iter().map(|bounds| bounds.1).collect();
        assert!(starts.iter().eq(expected.iter().map(|bounds| &bounds.0)), "{name}, {start:?}");
        assert_eq!(offsets, reference::scan(&lens), "{name}, {start:?}");
        assert_eq!(backend.read_counts(&[&bounds.total]).unwrap(), &offsets[lower.len()..]);
    }
}
