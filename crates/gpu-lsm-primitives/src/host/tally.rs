//! tally: which entries of a run add a key to those of the older runs, and which remove one. Twin of gpu/tally.rs.

use super::index::Indexed;
use super::search::unshared;
use super::{Host, HostArray, marks};
use crate::code::Code;
use crate::entries::{Run, Tally, mark_words};
use crate::error::Result;
use crate::tuning::HOST_TILE;
use crate::value::Value;
use rayon::prelude::*;

/// Sets the bits of 32 entries at a time, and then computes the sums.
pub(super) fn tally<K: Code, V: Value>(
    host: &Host,
    run: &Run<Host, K, V>,
    found: &[u32],
) -> Result<Tally<Host>> {
    let mut tally = host.zeroed::<u32>(3 * (mark_words(run.len) + 1))?;
    tally
        .slice_mut()
        .par_chunks_exact_mut(3)
        .zip(found[..run.len].par_chunks(32))
        .with_min_len(HOST_TILE / 32)
        .enumerate()
        .for_each(|(word, (tally, found))| {
            for (bit, found) in found.iter().enumerate() {
                let mark = run.marks.as_ref().map_or(0, |bits| marks::bit(bits, word * 32 + bit));
                tally[1 + mark as usize] |= u32::from(*found == mark) << bit;
            }
        });
    let mut total = 0;
    for word in tally.slice_mut().chunks_exact_mut(3) {
        // A negative sum wraps around, and so do the additions to it.
        word[0] = total as u32;
        total += i64::from(word[1].count_ones()) - i64::from(word[2].count_ones());
    }
    Ok(Tally { words: tally.share(), total })
}

/// Two searches per query.
pub(super) fn between<K: Code, V: Value>(
    host: &Host,
    run: &Run<Host, K, V>,
    tally: &Tally<Host>,
    (lower, upper): (&HostArray<K>, &HostArray<K>),
    counts: Option<HostArray<u32>>,
) -> Result<HostArray<u32>> {
    let mut counts = match counts {
        Some(counts) => counts,
        None => host.zeroed(lower.len())?.share(),
    };
    let keys = Indexed::new(run);
    lower.par_iter().zip(&**upper).zip(unshared(host, &mut counts)?).with_min_len(HOST_TILE / 16).for_each(
        |((lower, upper), count)| {
            if lower <= upper {
                let end = before(&tally.words, keys.not_larger(*upper));
                *count = count.wrapping_add(end).wrapping_sub(before(&tally.words, keys.smaller(*lower)));
            }
        },
    );
    Ok(counts)
}

/// The sum of the changes of all entries before `entry`.
fn before(tally: &[u32], entry: usize) -> u32 {
    let Some(word) = tally.chunks_exact(3).nth(entry / 32) else { return entry as u32 };
    let below = (1u32 << (entry % 32)) - 1;
    let (added, removed) = ((word[1] & below).count_ones(), (word[2] & below).count_ones());
    word[0].wrapping_add(added).wrapping_sub(removed)
}
