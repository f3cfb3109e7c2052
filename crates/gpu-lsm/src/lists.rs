//! Lists in the host's memory whose length depends on a caller's data. If memory runs out, the result is an error.

use crate::error::Result;
use gpu_lsm_primitives::Meter;
use gpu_lsm_primitives::meter::Lease;
use std::sync::Arc;

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

/// Counts entries in the host's memory against the byte budget, until the lease is dropped.
pub(crate) fn leased_entries<K, V>(meter: &Arc<Meter>, entries: usize) -> Result<Lease> {
    let entry_bytes = (size_of::<K>() + size_of::<V>()) as u64;
    Ok(meter.returned((entries as u64).saturating_mul(entry_bytes))?)
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
