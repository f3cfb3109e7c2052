//! How many bytes a launch moves, as far as the launch itself tells.
//!
//! A kernel streams through the buffers that are bound: each counts once, as much of it as is bound. Not so where a
//! kernel picks places: a step of a search counts as one sector, as if no cache helped, and what is gathered counts as
//! often as it is written. A search by an index counts as if keys were spread evenly over the parts, and most of those
//! for keys that a run does not have as ending at its filter. Searches by which neighbouring units find their way through what
//! is streamed do not count: in merges, and but for one step in the making of an index. An index that is not made, because
//! entries turned out to be hidden, counts as if it were: the launch does not know.

#[cfg(feature = "baselines")]
use super::registry::BaselineKernel;
use super::registry::{Kernel, Launch};
use crate::tuning::INDEX_KEYS;
#[cfg(feature = "baselines")]
use crate::tuning::ITEMS;

/// The least that a GPU reads from its memory.
const SECTOR: u64 = 32;

/// Bytes that the kernel reads and writes.
pub(super) fn bytes(launch: &Launch) -> u64 {
    let queries = launch.units as u64;
    // Where its part starts and ends, which is in two records.
    let search = queries * SECTOR * (2 + steps(INDEX_KEYS));
    match launch.kernel {
        // Every run's filter is read. As if the key were in one run, and one filter in sixteen wrong about it, the keys are
        // searched, and one value and one mark are read at the end.
        Kernel::Search(..) => {
            let queries = launch.buffers[4].len as u64;
            let passing = if launch.numbers[1] == 1 { queries } else { queries / 16 };
            let found = passing * SECTOR * (2 + steps(INDEX_KEYS) + 2);
            streamed_but(launch, &[0, 1, 2, 3]) + queries * SECTOR + found
        }
        Kernel::Bounds(_) => streamed_but(launch, &[0, 1]) + 2 * search,
        Kernel::TallyBetween(_) => streamed_but(launch, &[0, 1, 2]) + 2 * (search + queries * SECTOR),
        Kernel::Window(..) => streamed_but(launch, &[0, 1]) + search,
        // Neighbouring units search side by side, where their keys are, which are streamed: it counts as one look each.
        Kernel::Index(_) => streamed_but(launch, &[1]) + queries * SECTOR,
        // As much is read as is written.
        Kernel::Expand(..) => streamed_but(launch, &[0, 1]) + bound(launch, 4) + bound(launch, 5),
        Kernel::Overlay(..) => bound(launch, 4) + 2 * (bound(launch, 5) + bound(launch, 6)),
        // The keys of both sides: the newer ones are all there, of the older ones as many as there are entries more.
        Kernel::OverlayMarks(key) => {
            let keys = 32 * launch.units as u64 * u64::from(key.bits() / 8);
            keys + bound(launch, 4) + 2 * bound(launch, 6)
        }
        Kernel::ExpandMarks => streamed_but(launch, &[0]) + bound(launch, 3),
        // Each query looks at a few keys of one unit.
        Kernel::SelectOffsets(_) => streamed_but(launch, &[0, 1, 3]) + 2 * queries * SECTOR,
        Kernel::MergeShadowed(_) => {
            streamed_but(launch, &[0]) + queries * SECTOR * steps(launch.buffers[0].len)
        }
        Kernel::GatherValues(_) => streamed_but(launch, &[0, 1]) + bound(launch, 3),
        #[cfg(feature = "baselines")]
        Kernel::Baseline(kernel) => baseline(kernel, launch),
        _ => streamed_but(launch, &[]),
    }
}

/// The same for other dictionaries, which have all their levels in one buffer.
#[cfg(feature = "baselines")]
fn baseline(kernel: BaselineKernel, launch: &Launch) -> u64 {
    let (units, n) = (launch.units as u64, &launch.numbers);
    match kernel {
        BaselineKernel::Place => {
            let written = units * u64::from(ITEMS) * 4;
            written + written.min(bound(launch, 0))
        }
        // A unit asks once for its list, and again where a group ends.
        BaselineKernel::Unite(_) => streamed_but(launch, &[2]) + units * SECTOR,
        BaselineKernel::Interleave => 2 * (bound(launch, 4) + bound(launch, 5)),
        BaselineKernel::Probe => streamed_but(launch, &[0, 1]) + units * SECTOR * (steps_in_levels(n) + 1),
        BaselineKernel::Intervals => streamed_but(launch, &[0]) + 2 * units * SECTOR * steps_in_levels(n),
        // At least one move: a key that is looked at, and an exchange, which reads and writes.
        BaselineKernel::CuckooInsert => bound(launch, 0) + units * 3 * SECTOR,
        BaselineKernel::CuckooLookup => streamed_but(launch, &[0, 1]) + units * 5 * SECTOR,
        _ => streamed_but(launch, &[]),
    }
}

/// Bytes of a buffer, as much of it as is bound.
fn bound(launch: &Launch, buffer: usize) -> u64 {
    launch.buffers[buffer].memory.size_in_used()
}

/// Bytes of all buffers but those that a kernel picks places from.
fn streamed_but(launch: &Launch, picked: &[usize]) -> u64 {
    let buffers = 0..launch.buffers.len();
    buffers.filter(|buffer| !picked.contains(buffer)).map(|buffer| bound(launch, buffer)).sum()
}

/// How many entries a binary search looks at.
fn steps(len: usize) -> u64 {
    u64::from(usize::BITS - len.leading_zeros())
}

/// How many entries a binary search in each full level looks at: of levels that double, given their first length and how
/// many such lengths there are.
#[cfg(feature = "baselines")]
fn steps_in_levels(numbers: &[u32]) -> u64 {
    let (batch, batches) = (numbers[0] as usize, numbers[1]);
    let full = (0..u32::BITS).filter(|level| batches >> level & 1 == 1);
    full.map(|level| steps(batch << level)).sum()
}
