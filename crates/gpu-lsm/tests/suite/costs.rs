//! Worst cases: the cost of a call is in proportion to its answer. The cost is measured as the bytes that a call
//! occupies beside the runs: these are the same on every machine and grow with the entries that it lays out.

use crate::on_every_device;
use gpu_lsm::{Config, Device, Dictionary, Error};

on_every_device!(
    the_first_entry_of_a_queue_costs_little,
    the_first_entry_of_a_queue_that_is_fed_from_buffers_costs_little,
    a_neighbour_past_many_tombstones_costs_little,
    the_first_entries_of_large_intervals_cost_little,
    the_first_entries_past_many_tombstones_cost_little,
    a_range_delete_of_overlapping_intervals_in_buffers_costs_little,
);

const B: usize = 1 << 10;
const N: u32 = 6 << 14;
/// The first and the last key of a deleted stretch, so long that its tombstones are on a level of their own.
const DELETED: (u32, u32) = (20_000, 35_999);

/// A dictionary of the keys below `N` in two levels.
fn filled(device: &Device) -> Dictionary<u32, u32> {
    let mut dictionary = Dictionary::with_config(device, Config::new().with_batch_size(B)).unwrap();
    let keys: Vec<u32> = (0..N).collect();
    let (oldest, newer) = keys.split_at(4 << 14);
    for keys in [oldest, newer] {
        dictionary.insert(keys, keys).unwrap();
    }
    assert_eq!(dictionary.statistics().levels.len(), 2);
    dictionary
}

/// The most bytes that a call occupies on top of those before it.
fn cost<R>(
    dictionary: &mut Dictionary<u32, u32>,
    call: impl FnOnce(&mut Dictionary<u32, u32>) -> Result<R, Error>,
) -> (R, u64) {
    dictionary.meter().forget_peak();
    let before = dictionary.statistics().peak_bytes;
    let result = call(dictionary).unwrap();
    (result, dictionary.statistics().peak_bytes - before)
}

fn the_first_entry_of_a_queue_costs_little(device: &Device) {
    a_queue_costs_little(device, |queue, keys| queue.insert(keys, keys));
}

fn the_first_entry_of_a_queue_that_is_fed_from_buffers_costs_little(device: &Device) {
    a_queue_costs_little(device, |queue, keys| {
        let keys = device.upload(keys)?;
        queue.insert(&keys, &keys)
    });
}

fn a_queue_costs_little(
    device: &Device,
    insert: impl Fn(&mut Dictionary<u32, u32>, &[u32]) -> Result<(), Error>,
) {
    let mut queue = filled(device);
    let mut most = 0;
    for turn in 0..60 {
        let done = (turn + 1) * 1000;
        queue.delete_range(&[0], &[done - 1]).unwrap();
        let new: Vec<u32> = (N + turn * 1000..N + done).collect();
        insert(&mut queue, &new).unwrap();
        let (first, bytes) = cost(&mut queue, |queue| queue.first());
        assert_eq!(first, Some((done, done)));
        most = most.max(bytes);
    }
    assert!(most <= 4 << 20, "{most} bytes to find one entry");
    let gone: Vec<u32> = (0..30_000).collect();
    insert(&mut queue, &gone).unwrap();
    assert_eq!(queue.first().unwrap(), Some((0, 0)), "what is inserted before the front is the front");
    queue.delete_range(&[0], &[N * 2]).unwrap();
    assert_eq!((queue.first().unwrap(), queue.last().unwrap()), (None, None));
    assert!(queue.is_empty().unwrap());
}

/// Tombstones of many entries in one stretch. Queries start all over it, upwards and downwards.
fn a_neighbour_past_many_tombstones_costs_little(device: &Device) {
    let mut dictionary = filled(device);
    let (from, to) = DELETED;
    dictionary.delete_range(&[from], &[to]).unwrap();
    assert_eq!(dictionary.statistics().tombstones, u64::from(to - from + 1), "they are still there");
    dictionary.len().unwrap();
    let queries: Vec<u32> = (0..50).map(|i| from + i * 300).collect();
    let (near, bytes) = cost(&mut dictionary, |dictionary| dictionary.successor(&queries));
    assert!(near.iter().all(|found| found == Some((to + 1, to + 1))), "{near:?}");
    assert!(bytes <= 4 << 20, "{bytes} bytes for 50 successors");
    let (near, bytes) = cost(&mut dictionary, |dictionary| dictionary.predecessor(&queries));
    assert!(near.iter().all(|found| found == Some((from - 1, from - 1))), "{near:?}");
    assert!(bytes <= 4 << 20, "{bytes} bytes for 50 predecessors");
    let buffer = device.upload(&queries).unwrap();
    let (near, bytes) = cost(&mut dictionary, |dictionary| dictionary.on_device().successor(&buffer)?.read());
    assert!(near.iter().all(|found| found == Some((to + 1, to + 1))), "{near:?}");
    assert!(bytes <= 4 << 20, "{bytes} bytes for 50 successors on the device");
}

fn the_first_entries_of_large_intervals_cost_little(device: &Device) {
    let mut dictionary = filled(device);
    dictionary.insert(&[5, 9, 70_000], &[0, 0, 0]).unwrap();
    let (lower, upper): (Vec<u32>, Vec<u32>) = ((0..100).map(|i| i * 500).collect(), vec![u32::MAX; 100]);
    let (found, bytes) = cost(&mut dictionary, |dictionary| dictionary.range_first(&lower, &upper, 10));
    assert!(found.iter().zip(&lower).all(|((keys, _), &low)| keys.iter().copied().eq(low..low + 10)));
    assert!(bytes <= 2 << 20, "{bytes} bytes for 100 times 10 entries");
    let (found, bytes) =
        cost(&mut dictionary, |dictionary| dictionary.on_device().range_first(&lower, &upper, 10)?.read());
    assert!(found.iter().zip(&lower).all(|((keys, _), &low)| keys.iter().copied().eq(low..low + 10)));
    assert!(bytes <= 2 << 20, "{bytes} bytes for 100 times 10 entries on the device");
}

/// Pages that start within a long stretch of tombstones, and one that starts a few entries before it.
fn the_first_entries_past_many_tombstones_cost_little(device: &Device) {
    let mut dictionary = filled(device);
    let (from, to) = DELETED;
    dictionary.delete_range(&[from], &[to]).unwrap();
    dictionary.len().unwrap();
    let lower = [from - 3, from, from + 777, to, N - 4];
    let expected: Vec<Vec<u32>> = lower
        .iter()
        .map(|&low| (low..N).filter(|key| !(from..=to).contains(key)).take(10).collect())
        .collect();
    let is_right = |found: &gpu_lsm::Ranges<u32, u32>| found.iter().map(|(keys, _)| keys).eq(expected.iter());
    let upper = [u32::MAX; 5];
    let (found, bytes) = cost(&mut dictionary, |dictionary| dictionary.range_first(&lower, &upper, 10));
    assert!(is_right(&found), "{found:?}");
    assert!(bytes <= 4 << 20, "{bytes} bytes for 5 pages");
    let (found, bytes) =
        cost(&mut dictionary, |dictionary| dictionary.on_device().range_first(&lower, &upper, 10)?.read());
    assert!(is_right(&found), "{found:?}");
    assert!(bytes <= 4 << 20, "{bytes} bytes for 5 pages on the device");
}

/// A thousand intervals over the same half of all entries. Each key is deleted once.
fn a_range_delete_of_overlapping_intervals_in_buffers_costs_little(device: &Device) {
    let mut dictionary = filled(device);
    let (lower, upper): (Vec<u32>, Vec<u32>) = (0..1000).map(|i| (i, N / 2 + i)).unzip();
    let (lower, upper) = (device.upload(&lower).unwrap(), device.upload(&upper).unwrap());
    let ((), bytes) = cost(&mut dictionary, |dictionary| dictionary.delete_range(&lower, &upper));
    assert_eq!(dictionary.len().unwrap(), u64::from(N / 2 - 1000));
    assert!(bytes <= 16 << 20, "{bytes} bytes to delete the keys of 1000 intervals");
}
