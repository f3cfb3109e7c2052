//! The entries that everything is measured with.

/// Entries of a batch.
pub(crate) const BATCH: usize = 1 << 16;
/// The bytes of an entry.
pub(crate) const ENTRY_BYTES: usize = 8 + 4;

/// Columns of keys and values.
pub(crate) type Columns = (Vec<u64>, Vec<u32>);

/// Batches of distinct keys, spread over the domain in no order.
pub(crate) fn batches(count: usize) -> Vec<Columns> {
    let batch = |i: usize| {
        let numbers = (i * BATCH) as u64..((i + 1) * BATCH) as u64;
        (numbers.clone().map(spread).collect(), numbers.map(|number| number as u32).collect())
    };
    (0..count).map(batch).collect()
}

/// A different number for each number: the finalizer of splitmix64.
fn spread(number: u64) -> u64 {
    let number = (number ^ number >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let number = (number ^ number >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    number ^ number >> 31
}
