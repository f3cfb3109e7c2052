//! bounds: where intervals lie in a run, at both ends of the domain, including empty and reversed ones.

use crate::on_every_backend;
use crate::support::{MIXES, distinct_keys, fits, keys, wide};
use gpu_lsm_primitives::{Backend, Code, Start, reference};

on_every_backend!(bounds_u32, bounds_u64);

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
            for start in [Start::At, Start::After] {
                let entries = run_keys.iter().map(|&key| (key, (), false)).collect();
                let run = reference::upload(backend, &entries).unwrap();
                let (low, up) = (backend.upload(&lower).unwrap(), backend.upload(&upper).unwrap());
                let bounds = backend.bounds(&run, &low, &up, start).unwrap();
                let starts = backend.download(&bounds.starts, lower.len()).unwrap();
                let offsets = backend.download(&bounds.offsets, lower.len() + 1).unwrap();
                let pairs = lower.iter().zip(&upper);
                let expected: Vec<_> =
                    pairs.map(|(&l, &u)| reference::bounds(&run_keys, l, u, start)).collect();
                let lens: Vec<u32> = expected.iter().map(|bounds| bounds.1).collect();
                assert!(starts.iter().eq(expected.iter().map(|bounds| &bounds.0)), "{run_len}, {mix:?}");
                assert_eq!(offsets, reference::scan(&lens), "{run_len}, {mix:?}, {start:?}");
                assert_eq!(backend.read_counts(&[&bounds.total]).unwrap(), &offsets[lower.len()..]);
            }
        }
    }
}
