//! fill: marks that are set from one position on.

use crate::on_every_backend;
use crate::support::fits;
use gpu_lsm_primitives::reference::bit;
use gpu_lsm_primitives::{Array, Backend};

on_every_backend!(marks_are_set_from_the_first_to_the_last);

fn marks_are_set_from_the_first_to_the_last(backend: &impl Backend) {
    for len in [0, 1, 31, 32, 33, 64, 100, 10_001, 300_001].into_iter().filter(|&len| fits(len)) {
        for first in [0, 1, 31, 32, 33, 63, 64, 99, 299_999].into_iter().filter(|&first| first <= len) {
            let marks = backend.marks(first, len).unwrap();
            assert_eq!(marks.len(), len.div_ceil(32));
            let words = backend.download(&marks, marks.len()).unwrap();
            let is_right = |i: usize| bit(&words, i) == (first..len).contains(&i);
            assert!((0..words.len() * 32).all(is_right), "{first}..{len}");
        }
    }
}
