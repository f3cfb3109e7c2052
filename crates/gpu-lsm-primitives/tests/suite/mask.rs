//! mask: values and marks from flags of which any number but zero is a delete.

use crate::on_every_backend;
use crate::support::{edge_sizes, fits, rng};
use gpu_lsm_primitives::{Array, Backend, Value, reference};
use rand::RngExt;
use std::fmt::Debug;

// Every width of values: each is a separate kernel.
on_every_backend!(masks_nothing, masks_u32, masks_u64, masks_wide);

fn masks_nothing(backend: &impl Backend) {
    masks::<_, ()>(backend, |_| ());
}

fn masks_u32(backend: &impl Backend) {
    masks::<_, u32>(backend, |i| !(i as u32));
}

fn masks_u64(backend: &impl Backend) {
    masks::<_, u64>(backend, |i| !(i as u64));
}

fn masks_wide(backend: &impl Backend) {
    masks::<_, u128>(backend, |i| !(i as u128));
}

fn masks<B: Backend, V: Value + PartialEq + Debug>(backend: &B, value: impl Fn(usize) -> V) {
    let mut rng = rng(3);
    for len in edge_sizes().into_iter().chain([31, 32, 33]).filter(|&len| fits(len)) {
        let values: Vec<V> = (0..len).map(&value).collect();
        for flags in [&[0][..], &[1], &[0, 1, 2, 1 << 31, u32::MAX]] {
            let flags: Vec<u32> = (0..len).map(|_| flags[rng.random_range(0..flags.len())]).collect();
            let there = (backend.upload(&values).unwrap(), backend.upload(&flags).unwrap());
            let (masked, marks) = backend.mask(&there.0, &there.1).unwrap();
            assert_eq!((masked.len(), marks.len()), (len, len.div_ceil(32)));
            let found =
                (backend.download(&masked, len).unwrap(), backend.download(&marks, marks.len()).unwrap());
            assert!(found == reference::mask(&values, &flags), "{len} values, flags {:?}", flags.first());
            assert!(backend.download(&there.0, len).unwrap() == values, "what was given stays as it was");
        }
    }
}
