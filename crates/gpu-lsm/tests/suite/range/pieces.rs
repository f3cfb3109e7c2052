//! More candidates than the device's largest buffer can hold: answered in pieces, or refused with the limit.

use crate::support::gpu;
use gpu_lsm::{Config, Dictionary, Error};

/// Two runs of 16-byte values that would fill three quarters and one half of a buffer, and the limit.
fn two_runs() -> (Dictionary<u32, [u32; 4]>, u32) {
    let device = gpu();
    let limit = (device.limits().entries_u32 / 4) as u32;
    let config = Config::new().with_batch_size(limit as usize / 2);
    let keys: Vec<u32> = (0..limit / 4 * 3).collect();
    let values: Vec<[u32; 4]> = keys.iter().map(|&key| [key; 4]).collect();
    let mut dictionary = Dictionary::build(&device, config, &keys, &values).unwrap();
    let more: Vec<u32> = (0..limit / 2).map(|i| limit + i).collect();
    dictionary.insert(&more, &vec![[1; 4]; more.len()]).unwrap();
    assert_eq!(dictionary.statistics().levels.len(), 2);
    (dictionary, limit)
}

#[test]
fn queries_with_more_results_than_a_gpu_buffer_holds_are_answered_in_pieces() {
    let (dictionary, limit) = two_runs();
    let n = limit / 4 * 3;
    let ranges = dictionary.range(&[0, 1, 2], &[n, n, n]).unwrap();
    let total = 3 * u64::from(n) - 3;
    assert_eq!(ranges.offsets(), [0, n.into(), 2 * u64::from(n) - 1, total]);
    assert!(total > limit.into());
    for (i, (keys, values)) in ranges.iter().enumerate() {
        assert!(keys.iter().copied().eq(i as u32..n), "query {i}");
        assert!(keys.iter().zip(values).all(|(&key, &value)| value == [key; 4]));
    }
}

#[test]
fn a_single_query_with_more_results_than_a_gpu_buffer_holds_is_refused_with_the_limit() {
    let (dictionary, limit) = two_runs();
    let entries = u64::from(limit) / 4 * 5;
    let error = dictionary.range(&[0], &[u32::MAX]).unwrap_err();
    assert_eq!(error, Error::TooManyCandidates { candidates: entries, limit: limit.into() });
    // Counting needs only the keys, and a buffer holds four times as many of those.
    assert_eq!(dictionary.len().unwrap(), entries);
}
