//! Mixed batches as columns: the same as a batch of operations, wherever the columns are.

use crate::on_every_device;
use crate::support::{Pair, TestKey, TestValue, batch, columns, cost, on_gpu, random_operations, rng, wide};
use gpu_lsm::{BackendError, Config, Device, Dictionary, Error, Morton};

on_every_device!(
    columns_do_what_a_batch_does,
    columns_in_buffers_copy_nothing_and_wait_as_an_update_does,
    columns_stay_as_they_were,
    flags_of_one_kind_are_inserts_or_deletes,
    what_a_query_found_are_flags,
    columns_of_unequal_lengths_are_refused,
    deletes_as_columns_have_room_in_a_full_dictionary,
);

fn columns_do_what_a_batch_does(device: &Device) {
    agrees::<u32, u32>(device);
    agrees::<i32, ()>(device);
    agrees::<f32, [u32; 4]>(device);
    wide(device, || agrees::<u64, f64>(device));
    wide(device, || agrees::<(u32, u32), u32>(device));
    wide(device, || agrees::<Morton, ()>(device));
}

/// The same operations in every form, so that each form makes the same runs.
fn agrees<K: TestKey, V: TestValue>(device: &Device) {
    let mut rng = rng(9);
    let mut pairs = [(); 4].map(|()| Pair::<K, V>::new(device, 64));
    for (step, deletes) in [0.0, 0.3, 1.0, 0.5, 0.0, 0.9, 0.3].into_iter().enumerate() {
        let operations = random_operations::<K, V>(&mut rng, 40 + step * 70, 300, deletes);
        let (keys, values, flags) = columns(&operations);
        let there = (device.upload_keys(&keys).unwrap(), device.upload(&values).unwrap());
        let flags_there = device.upload(&flags).unwrap();
        let [as_batch, on_host, on_device, in_part] = &mut pairs;
        as_batch.dictionary.apply(&batch(&operations)).unwrap();
        on_host.dictionary.apply_columns(&keys, &values, &flags).unwrap();
        on_device.dictionary.apply_columns(&there.0, &there.1, &flags_there).unwrap();
        match step % 3 {
            0 => in_part.dictionary.apply_columns(&there.0, values, flags).unwrap(),
            1 => in_part.dictionary.apply_columns(keys, &there.1, flags).unwrap(),
            _ => in_part.dictionary.apply_columns(keys, values, &flags_there).unwrap(),
        }
        let expected = levels(&pairs[0].dictionary);
        for pair in &mut pairs {
            pair.tell_model(&operations);
            pair.check_all(&format!("step {step}"));
            assert_eq!(levels(&pair.dictionary), expected, "step {step}");
        }
    }
}

/// Level, entries and tombstones of each run. Its bytes may differ on a GPU: if flags are there, it is not known whether there
/// are deletes, and arrays are made as long as the run could be.
fn levels<K: TestKey, V: TestValue>(dictionary: &Dictionary<K, V>) -> Vec<(usize, u64, u64)> {
    let levels = dictionary.statistics().levels;
    levels.iter().map(|run| (run.level, run.entries, run.tombstones)).collect()
}

fn columns_in_buffers_copy_nothing_and_wait_as_an_update_does(device: &Device) {
    let config = Config::new().with_batch_size(1024);
    let keys: Vec<f32> = (0..3000).map(|i| i as f32).collect();
    let values: Vec<u32> = (0..3000).collect();
    let flags: Vec<u32> = (0..3000).map(|i| u32::from(i % 3 == 0)).collect();
    let mut dictionary = Dictionary::build(device, config, &keys[..2000], &values[..2000]).unwrap();
    let upload = |part: std::ops::Range<usize>| {
        let values = device.upload(&values[part.clone()]).unwrap();
        (device.upload(&keys[part.clone()]).unwrap(), values, device.upload(&flags[part]).unwrap())
    };
    let (keys, values, flags) = upload(2000..2900);
    let none_hidden = cost(&mut dictionary, |dictionary| dictionary.apply_columns(&keys, &values, &flags));
    assert_eq!(none_hidden, on_gpu(device, 8, 1), "the numbers of entries and of tombstones");
    let (keys, values, flags) = upload(2500..3000);
    let some_hidden = cost(&mut dictionary, |dictionary| dictionary.apply_columns(&keys, &values, &flags));
    assert_eq!(some_hidden, on_gpu(device, 4, 2), "the oldest run has no tombstones: the number of entries");
    assert_eq!(dictionary.len().unwrap(), 2000 + 667);
    dictionary.verify().unwrap();
}

/// The dictionary keeps no column that a caller gave, and writes to none.
fn columns_stay_as_they_were(device: &Device) {
    let (keys, values, flags) = ([3u32, 1, 2, 1], [30u64, 10, 20, 11], [0u32, 0, 7, 1]);
    let there = (device.upload(&keys).unwrap(), device.upload(&values).unwrap());
    let flags_there = device.upload(&flags).unwrap();
    let mut dictionary = Dictionary::<u32, u64>::new(device).unwrap();
    dictionary.apply_columns(&there.0, &there.1, &flags_there).unwrap();
    dictionary.insert(&there.0, &there.1).unwrap();
    dictionary.delete(&there.0).unwrap();
    assert_eq!((there.0.read().unwrap(), there.1.read().unwrap()), (keys.to_vec(), values.to_vec()));
    assert_eq!(flags_there.read().unwrap(), flags);
}

fn flags_of_one_kind_are_inserts_or_deletes(device: &Device) {
    let keys: Vec<u32> = (0..100).collect();
    for in_buffers in [false, true] {
        let mut dictionary = Dictionary::<u32, u32>::new(device).unwrap();
        let mut apply = |keys: &[u32], flag: u32| {
            let flags = vec![flag; keys.len()];
            match in_buffers {
                true => dictionary.apply_columns(keys, keys, device.upload(&flags)?),
                false => dictionary.apply_columns(keys, keys, &flags),
            }?;
            dictionary.verify()?;
            let levels = dictionary.statistics().levels;
            let tombstones: u64 = levels.iter().map(|level| level.tombstones).sum();
            Ok::<_, Error>((dictionary.len()?, tombstones))
        };
        assert_eq!(apply(&keys[..50], 1).unwrap(), (0, 0), "deletes of what was never there");
        assert_eq!(apply(&keys, 0).unwrap(), (100, 0));
        assert_eq!(apply(&keys[..30], 8).unwrap().0, 70);
        assert_eq!(apply(&[], 0).unwrap().0, 70);
    }
}

/// A lookup's flags, without a change: keys that are present go, and keys that are missing come.
fn what_a_query_found_are_flags(device: &Device) {
    let config = Config::new().with_batch_size(256);
    let even: Vec<u32> = (0..2000).step_by(2).collect();
    let mut set = Dictionary::build(device, config, &even, &even).unwrap();
    let keys = device.upload(&(500..1500).collect::<Vec<u32>>()).unwrap();
    let answers = set.on_device().lookup(&keys).unwrap();
    set.apply_columns(&keys, &keys, &answers.found).unwrap();
    let is_there = |key: &u32| key.is_multiple_of(2) != (500..1500).contains(key);
    let expected: Vec<u32> = (0..2000).filter(is_there).collect();
    let all = set.range_in(..).unwrap();
    assert_eq!((&all.0, &all.1), (&expected, &expected));
    // What a range found, with the flags of other lookups.
    let found = set.on_device().range([400], [1600]).unwrap();
    let is_odd = device.upload(&found.keys.read().unwrap().iter().map(|key| key % 2).collect::<Vec<_>>());
    set.apply_columns(&found.keys, &found.keys, is_odd.unwrap()).unwrap();
    assert!(set.range_in(..).unwrap().0.iter().all(|key| key % 2 == 0 && !(500..1500).contains(key)));
}

fn columns_of_unequal_lengths_are_refused(device: &Device) {
    let mut dictionary = Dictionary::<u32, u32>::new(device).unwrap();
    let error = dictionary.apply_columns([1, 2], [1], [0, 0]).unwrap_err();
    assert_eq!(error, Error::UnequalColumns { keys: 2, values: 1 });
    let error = dictionary.apply_columns([1, 2], [1, 2], [1]).unwrap_err();
    assert_eq!(error, Error::UnequalFlags { keys: 2, deletes: 1 });
    assert!(error.to_string().contains("one flag for each key"), "{error}");
    let flags = device.upload(&[0u32; 3]).unwrap();
    let error = dictionary.apply_columns([1, 2], [1, 2], flags).unwrap_err();
    assert_eq!(error, Error::UnequalFlags { keys: 2, deletes: 3 });
    assert!(dictionary.is_empty().unwrap());
}

/// So much as the byte budget allows is inserted. Then deletes still have room, if the flags tell that there is nothing else.
fn deletes_as_columns_have_room_in_a_full_dictionary(device: &Device) {
    let config = Config::new().with_batch_size(64).with_byte_budget(60_000);
    let mut dictionary = Dictionary::<u32, u32>::with_config(device, config).unwrap();
    let mut next = 0u32;
    let error = loop {
        let keys: Vec<u32> = (next..next + 64).collect();
        match dictionary.insert(&keys, &keys) {
            Ok(()) => next += 64,
            Err(error) => break error,
        }
    };
    assert!(matches!(error, Error::Backend(BackendError::OverBudget { .. })), "{error}");
    let keys: Vec<u32> = (0..next).collect();
    dictionary.apply_columns(&keys, &keys, &vec![1; keys.len()]).unwrap();
    assert!(dictionary.is_empty().unwrap());
}

#[cfg(feature = "gpu")]
#[test]
fn columns_of_another_device_are_refused() {
    let gpu = crate::support::gpu();
    let on_host = Device::host().upload(&[1u32, 2]).unwrap();
    let on_gpu = gpu.upload(&[1u32, 2]).unwrap();
    let mut dictionary = Dictionary::<u32, u32>::new(&gpu).unwrap();
    let is_refused = |result: Result<(), Error>| matches!(result, Err(Error::OtherDevice { .. }));
    assert!(is_refused(dictionary.apply_columns(&on_host, &on_gpu, &on_gpu)));
    assert!(is_refused(dictionary.apply_columns(&on_gpu, &on_host, &on_gpu)));
    assert!(is_refused(dictionary.apply_columns(&on_gpu, &on_gpu, &on_host)));
    assert!(is_refused(dictionary.apply_columns(&on_gpu, &on_host, [1, 1])), "also if no value is used");
}
