//! place: copies parts of arrays over parts of arrays, pads with fillers, and changes nothing else.

use crate::on_every_backend;
use crate::support::{LARGE, edge_sizes, fits};
use gpu_lsm_primitives::baselines::Baselines;

on_every_backend!(a_part_is_written_and_nothing_else);

fn a_part_is_written_and_nothing_else(backend: &impl Baselines) {
    for len in edge_sizes().into_iter().chain([LARGE]).filter(|&len| fits(len)) {
        for (start, given, at) in [(0, len, 0), (3, len, 7), (1, len / 2, 5000), (0, 0, 1)] {
            let from: Vec<u32> = (0..(start + given + 9) as u32).map(|i| !i).collect();
            let mut expected: Vec<u32> = (0..(at + len + 100) as u32).collect();
            let there = backend.upload(&from).unwrap();
            let mut to = backend.upload(&expected).unwrap();
            backend.place(Some((&there, start..start + given)), &mut to, at, len, 77).unwrap();
            let written = from[start..start + given].iter().copied().chain(std::iter::repeat(77));
            expected[at..at + len].iter_mut().zip(written).for_each(|(to, from)| *to = from);
            assert!(backend.download(&to, expected.len()).unwrap() == expected, "{len} at {at}, {given}");
            backend.place(None, &mut to, at, len, 0).unwrap();
            expected[at..at + len].fill(0);
            assert!(backend.download(&to, expected.len()).unwrap() == expected, "{len} at {at}, cleared");
        }
    }
}
