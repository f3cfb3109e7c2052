//! Lists in the host's memory whose length depends on a caller's data. If memory runs out, the result is an error.

use crate::error::Result;
use gpu_lsm_primitives::Meter;

/// A list of a known number of elements.
pub(crate) fn copied<T>(meter: &Meter, elements: impl ExactSizeIterator<Item = T>) -> Result<Vec<T>> {
    let mut list = meter.vector(elements.len())?;
    list.extend(elements);
    Ok(list)
}

/// 32-bit numbers as 64-bit ones.
pub(crate) fn wide(meter: &Meter, numbers: Vec<u32>) -> Result<Vec<u64>> {
    copied(meter, numbers.into_iter().map(u64::from))
}

/// Appends to a list. The list may move to a larger allocation.
pub(crate) fn extend<T>(meter: &Meter, list: &mut Vec<T>, more: Vec<T>) -> Result<()> {
    if list.is_empty() {
        *list = more;
    } else if list.capacity() - list.len() >= more.len() {
        list.extend(more);
    } else {
        let mut longer = meter.vector((list.len() + more.len()).max(2 * list.capacity()))?;
        longer.append(list);
        longer.extend(more);
        *list = longer;
    }
    Ok(())
}
