//! Answers that all threads write in parallel, each to its own place.

use crate::Found;
use rayon::prelude::*;

/// Looks up each key separately.
pub(crate) fn lookup(keys: &[u32], find: impl Fn(u32) -> Option<u32> + Sync) -> Found {
    let mut answers = Found::default();
    let found = keys.par_iter().map(|&key| {
        let value = find(key);
        (u32::from(value.is_some()), value.unwrap_or(0))
    });
    found.unzip_into_vecs(&mut answers.found, &mut answers.values);
    answers
}

/// For each length the sum of all before it, and at the end the sum of all.
pub(crate) fn offsets(lengths: impl Iterator<Item = usize>) -> Vec<u32> {
    let sums = lengths.scan(0, |sum, len| {
        *sum += len as u32;
        Some(*sum)
    });
    std::iter::once(0).chain(sums).collect()
}

/// Calls `fill` for the part of both columns between each two offsets, with the number of the part.
pub(crate) fn write(
    offsets: &[u32],
    keys: &mut [u32],
    values: &mut [u32],
    fill: &(impl Fn(usize, &mut [u32], &mut [u32]) + Sync),
) {
    write_from(0, offsets, keys, values, fill);
}

fn write_from(
    first: usize,
    offsets: &[u32],
    keys: &mut [u32],
    values: &mut [u32],
    fill: &(impl Fn(usize, &mut [u32], &mut [u32]) + Sync),
) {
    match offsets.len() {
        0 | 1 => {}
        2 => fill(first, keys, values),
        len => {
            let middle = len / 2;
            let cut = (offsets[middle] - offsets[0]) as usize;
            let ((keys, more_keys), (values, more_values)) =
                (keys.split_at_mut(cut), values.split_at_mut(cut));
            rayon::join(
                || write_from(first, &offsets[..=middle], keys, values, fill),
                || write_from(first + middle, &offsets[middle..], more_keys, more_values, fill),
            );
        }
    }
}
