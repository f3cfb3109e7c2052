//! How many bytes a launch moves, as far as the launch itself tells.
//!
//! A kernel streams through the buffers that are bound: each counts once, as much of it as is bound. Not so where a
//! kernel picks places: a step of a search counts as one sector, as if no cache helped, and what is gathered counts as
//! often as it is written.

use super::registry::{Kernel, Launch};

/// The least that a GPU reads from its memory.
const SECTOR: u64 = 32;

/// Bytes that the kernel reads and writes.
pub(super) fn bytes(launch: &Launch) -> u64 {
    let bound = |i: usize| launch.buffers[i].memory.size_in_used();
    let streamed_but = |picked: &[usize]| {
        (0..launch.buffers.len()).filter(|i| !picked.contains(i)).map(bound).sum::<u64>()
    };
    let queries = launch.units as u64;
    let search = |in_keys: usize| queries * SECTOR * steps(launch.buffers[in_keys].len);
    match launch.kernel {
        // The keys are searched; one value and one mark are read at the end.
        Kernel::Search(..) => streamed_but(&[0, 1, 2]) + search(0) + 2 * queries * SECTOR,
        Kernel::Bounds(_) => streamed_but(&[0]) + 2 * search(0),
        Kernel::Window(..) => streamed_but(&[0]) + search(0),
        Kernel::Expand(_) => streamed_but(&[0]) + bound(3),
        Kernel::GatherValues(_) => streamed_but(&[0, 1]) + bound(4),
        _ => streamed_but(&[]),
    }
}

/// How many entries a binary search looks at.
fn steps(len: usize) -> u64 {
    u64::from(usize::BITS - len.leading_zeros())
}
