//! select: the last of equal keys, with its value and mark; from a sorted batch to a run.

use crate::on_every_backend;
use crate::support::{cases, keys, marks, wide};
use gpu_lsm_primitives::reference;
use gpu_lsm_primitives::{Backend, Code, Tombstones, Value};

on_every_backend!(selects_u32_u32, selects_u64_wide, selects_u32_nothing, selects_with_fewer_values);

fn selects_u32_u32(backend: &impl Backend) {
    selects::<_, u32, u32>(backend, |i| i as u32 ^ 0x5555_5555, 1);
}

fn selects_u64_wide(backend: &impl Backend) {
    wide(backend, || selects::<_, u64, [u32; 4]>(backend, |i| [i as u32, 1, 2, !(i as u32)], 1));
}

fn selects_u32_nothing(backend: &impl Backend) {
    selects::<_, u32, ()>(backend, |_| (), 1);
}

/// There are values only for the first half. The rest are deletes, whose value is zero.
fn selects_with_fewer_values(backend: &impl Backend) {
    selects::<_, u32, u64>(backend, |i| !(i as u64), 2);
}

fn selects<B: Backend, K: Code, V: Value>(backend: &B, value: impl Fn(usize) -> V, divisor: usize) {
    for (seed, (len, mix)) in cases().into_iter().enumerate() {
        let case = format!("{len} keys, {mix:?}");
        let keys: Vec<K> = keys(mix, len, seed as u64);
        let values: Vec<V> = (0..len / divisor).map(&value).collect();
        let marks = (seed % 5 != 0).then(|| marks(len, 60, seed as u64));
        let expected = reference::arrange(&keys, &values, marks.as_deref());

        let sorted = backend.sort(&backend.upload(&keys).unwrap()).unwrap();
        let values = backend.upload(&values).unwrap();
        let marks = marks.map(|marks| backend.upload(&marks).unwrap());
        let arranged = backend.arrange(&sorted, &values, marks.as_ref()).unwrap();
        assert_eq!(reference::pile_difference(backend, &arranged, &expected).unwrap(), None, "{case}");
        for tombstones in [Tombstones::Keep, Tombstones::Drop] {
            let run = backend.settle(arranged.clone(), Vec::new(), tombstones).unwrap();
            let expected = reference::settle(&expected, tombstones);
            let difference = reference::difference(backend, &run, &expected).unwrap();
            assert_eq!(difference, None, "{case}, {tombstones:?}");
        }
    }
}
