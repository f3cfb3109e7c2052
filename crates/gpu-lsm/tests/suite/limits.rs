//! Sizes above a device's limits return typed errors before anything is allocated or launched.

use gpu_lsm::Device;

#[test]
fn the_host_has_room_for_all_32_bit_positions() {
    let limits = Device::host().limits();
    assert_eq!(limits.entries_u32, u64::from(u32::MAX));
    assert!(limits.has_u64_keys);
    assert_eq!(limits.plane_sizes, None);
}

#[cfg(feature = "gpu")]
mod gpu {
    use crate::support::gpu;
    use gpu_lsm::{BackendError, Config, Dictionary, Error};

    #[test]
    fn a_batch_over_the_largest_buffer_is_refused_before_anything_is_allocated() {
        let device = gpu();
        let limit = device.limits().entries_u32;
        let keys = vec![7u32; limit as usize + 1];
        let mut dictionary = Dictionary::<u32, u32>::new(&device).unwrap();
        for error in [dictionary.insert(&keys, &keys).unwrap_err(), dictionary.delete(&keys).unwrap_err()] {
            let expected = BackendError::TooLarge { entries: limit + 1, entry_bytes: 4, limit };
            assert_eq!(error, Error::Backend(expected));
        }
        assert_eq!(dictionary.statistics().peak_bytes, 0);
        // Queries are split into pieces instead: every query gets an answer, however many there are.
        dictionary.insert(&[7], &[70]).unwrap();
        let answers = dictionary.lookup(&keys).unwrap();
        assert!(answers.values().iter().all(|&value| value == 70) && answers.len() == keys.len());
    }

    /// The largest run of 16-byte values that the device can hold, in two halves, plus one entry.
    #[test]
    fn a_merged_run_over_the_largest_buffer_is_refused_and_changes_nothing() {
        let device = gpu();
        let limit = (device.limits().entries_u32 / 4) as u32;
        let config = Config::new().with_batch_size(1 << 20);
        let half: Vec<u32> = (0..=limit / 2).map(|i| 2 * i).collect();
        let others: Vec<u32> = half.iter().map(|key| key + 1).collect();
        let values = vec![[1u32; 4]; half.len()];
        let mut dictionary = Dictionary::build(&device, config, &half, &values).unwrap();
        let before = dictionary.statistics().levels;
        let error = dictionary.insert(&others, &values).unwrap_err();
        let entries = 2 * half.len() as u64;
        let limit = u64::from(limit);
        assert_eq!(error, Error::Backend(BackendError::TooLarge { entries, entry_bytes: 16, limit }));
        assert_eq!(dictionary.statistics().levels, before);
        dictionary.verify().unwrap();
    }

    /// The input of a merge may exceed one buffer, as long as the result does not: a full dictionary can still be
    /// overwritten and emptied.
    #[test]
    fn a_full_dictionary_takes_overwrites_and_deletes() {
        let device = gpu();
        let limit = (device.limits().entries_u32 / 4) as usize;
        let config = Config::new().with_batch_size(1 << 20);
        let keys: Vec<u32> = (0..limit as u32).collect();
        let mut dictionary = Dictionary::build(&device, config, &keys, &vec![[1u32; 4]; limit]).unwrap();
        let half = &keys[..limit / 2];
        dictionary.insert(half, &vec![[2u32; 4]; half.len()]).unwrap();
        dictionary.insert(half, &vec![[3u32; 4]; half.len()]).unwrap();
        let answers = dictionary.lookup(&[0, keys[limit / 2 - 1], keys[limit / 2]]).unwrap();
        assert_eq!(answers.values(), [[3; 4], [3; 4], [1; 4]]);
        for part in keys.chunks(limit / 4) {
            dictionary.delete(part).unwrap();
        }
        assert_eq!(dictionary.statistics().entries, 0);
    }
}
