//! Data on the device: every operation with buffers, with its results left on the device. Also checks that each call
//! copies and waits as documented.

use crate::on_every_device;
use crate::support::{
    Pair, TestKey, TestValue, block_on, codes, cost, on_gpu, random_operations, rng, spread, wide,
};
use gpu_lsm::{Buffer, Config, Device, Dictionary, Error, Key, Morton};
use rand::RngExt;

on_every_device!(
    buffers_and_slices_give_the_same,
    updates_from_buffers_copy_nothing_and_wait_once,
    an_insert_of_buffers_beside_dead_stretches_reads_two_keys,
    a_lookup_on_buffers_copies_nothing_and_does_not_wait,
    counts_and_ranges_on_buffers_wait_once_for_the_candidates,
    neighbours_on_buffers_wait_for_candidates_and_open_queries,
    a_range_delete_on_buffers_copies_only_counts,
    what_is_read_later_is_what_is_read_at_once,
    a_result_outlives_its_dictionary_and_gives_its_memory_back,
    an_empty_dictionary_answers_on_the_device,
    what_was_given_and_found_stays_as_it_was,
    a_slice_of_a_buffer_holds_its_elements,
    what_was_never_written_looks_wrong_in_tests,
);

/// A column of keys on the device, in the caller's own form.
fn there<K: Key>(device: &Device, keys: &[K]) -> Buffer<K::Native> {
    device.upload_keys(keys).unwrap()
}

fn buffers_and_slices_give_the_same(device: &Device) {
    agrees::<u32, u32>(device);
    wide(device, || agrees::<u64, ()>(device));
    agrees::<i32, f64>(device);
    wide(device, || agrees::<i64, u32>(device));
    agrees::<f32, [u32; 4]>(device);
    wide(device, || agrees::<f64, u32>(device));
    wide(device, || agrees::<(u32, u32), u32>(device));
    wide(device, || agrees::<Morton, ()>(device));
}

/// Updates from buffers, slices and both, and every query with its results left on the device.
fn agrees<K: TestKey, V: TestValue>(device: &Device) {
    let mut rng = rng(5);
    let mut pair = Pair::<K, V>::new(device, 64);
    for step in 0..6 {
        let case = format!("step {step}");
        let inserts = random_operations::<K, V>(&mut rng, 50 + step * 40, 600, 0.0);
        let deletes = random_operations::<K, V>(&mut rng, 60, 600, 1.0);
        let keys: Vec<K> = inserts.iter().map(|operation| operation.0).collect();
        let values: Vec<V> = inserts.iter().filter_map(|operation| operation.1).collect();
        let gone: Vec<K> = deletes.iter().map(|operation| operation.0).collect();
        let (keys_there, values_there) = (there(device, &keys), device.upload(&values).unwrap());
        let gone_there = there(device, &gone);
        let dictionary = &mut pair.dictionary;
        match step % 3 {
            0 => dictionary.update(&keys_there, &values_there, &gone_there).unwrap(),
            1 => dictionary.update(&keys, &values_there, &gone).unwrap(),
            _ => {
                dictionary.insert(&keys_there, &values).unwrap();
                dictionary.delete(&gone_there).unwrap();
            }
        }
        pair.tell_model(&inserts);
        pair.tell_model(&deletes);
        let mut queries: Vec<K> = (0..300).map(|_| spread(rng.random_range(0..620))).collect();
        queries.extend(K::edges());
        check_queries(&pair, device, &queries, &case);
    }
}

fn check_queries<K: TestKey, V: TestValue>(pair: &Pair<K, V>, device: &Device, queries: &[K], case: &str) {
    let queries_there = there(device, queries);
    let here = &pair.dictionary;
    let there_too = here.on_device();
    pair.check(queries, case);
    pair.check_answers(queries, &here.lookup(&queries_there).unwrap(), case);
    pair.check_answers(queries, &there_too.lookup(queries).unwrap().read().unwrap(), case);

    let lower: Vec<K> = queries[..20].to_vec();
    let upper: Vec<K> = queries[queries.len() - 20..].to_vec();
    let (lower_there, upper_there) = (there(device, &lower), there(device, &upper));
    let counts = here.count(&lower, &upper).unwrap();
    assert_eq!(here.count(&lower_there, &upper).unwrap(), counts, "{case}");
    let counted = there_too.count(&lower_there, &upper_there).unwrap().read().unwrap();
    assert!(counted.into_iter().map(u64::from).eq(counts), "{case}");
    pair.check_ranges(&lower, &upper, &here.range(&lower, &upper_there).unwrap(), None, case);
    let ranges = there_too.range(&lower_there, &upper_there).unwrap().read().unwrap();
    pair.check_ranges(&lower, &upper, &ranges, None, case);
    let ranges = there_too.range_first(&lower_there, &upper_there, 3).unwrap().read().unwrap();
    pair.check_ranges(&lower, &upper, &ranges, Some(3), case);
    let after = there_too.range_after(&lower_there, &upper_there, 5).unwrap().read().unwrap();
    let expected = here.range_after(&lower, &upper, 5).unwrap();
    assert_eq!(after.offsets(), expected.offsets(), "{case}");
    assert_eq!((codes(after.keys()), after.values()), (codes(expected.keys()), expected.values()), "{case}");
    pair.check_neighbours(queries, case);
    pair.check_successors(queries, &there_too.successor(&queries_there).unwrap().read().unwrap(), case);
    pair.check_successors(queries, &here.successor(&queries_there).unwrap(), case);
    pair.check_predecessors(queries, &there_too.predecessor(&queries_there).unwrap().read().unwrap(), case);
}

/// A dictionary with three levels, tombstones in two of them, and some of its keys. They are floats, so that they are
/// recoded.
fn filled(device: &Device) -> (Dictionary<f32, u32>, Buffer<f32>, Buffer<u32>) {
    let mut dictionary = Dictionary::with_config(device, Config::new().with_batch_size(1024)).unwrap();
    let keys: Vec<f32> = (0..7168).map(|i| (i * 37 % 7168) as f32 - 3000.0).collect();
    let values: Vec<u32> = (0..7168).collect();
    dictionary.insert(&keys[..4096], &values[..4096]).unwrap();
    dictionary.update(&keys[4096..6000], &values[4096..6000], &keys[..100]).unwrap();
    dictionary.update(&keys[6000..6900], &values[6000..6900], &keys[100..200]).unwrap();
    assert_eq!(dictionary.statistics().levels.len(), 3);
    let first = device.upload(&keys[..1000]).unwrap();
    (dictionary, first, device.upload(&values[..1000]).unwrap())
}

fn updates_from_buffers_copy_nothing_and_wait_once(device: &Device) {
    let mut dictionary =
        Dictionary::<f32, u32>::with_config(device, Config::new().with_batch_size(1024)).unwrap();
    let keys: Vec<f32> = (0..9000).map(|i| i as f32).collect();
    let values: Vec<u32> = (0..9000).collect();
    for (keys, values) in keys.chunks(1000).zip(values.chunks(1000)) {
        let (keys, values) = (device.upload(keys).unwrap(), device.upload(values).unwrap());
        let cost = cost(&mut dictionary, |dictionary| dictionary.insert(&keys, &values));
        assert_eq!(cost, on_gpu(device, 4, 1), "the number of entries");
    }
    let gone = device.upload(&keys[5..15]).unwrap();
    let deletion = cost(&mut dictionary, |dictionary| dictionary.delete(&gone));
    assert_eq!(deletion, on_gpu(device, 8, 1), "the numbers of entries and of tombstones");
    let some = (device.upload(&keys[100..1100]).unwrap(), device.upload(&values[..1000]).unwrap());
    // Some keys were present: the run is shorter than the merged pile, so it is written again, with a second wait.
    let update = cost(&mut dictionary, |dictionary| dictionary.update(&some.0, &some.1, &gone));
    assert_eq!(update, on_gpu(device, 8, 2));
    let mut small = Dictionary::<f32, u32>::with_config(device, Config::new().with_batch_size(1024)).unwrap();
    small.insert(&some.0, &some.1).unwrap();
    let again = cost(&mut small, |dictionary| dictionary.insert(&some.0, &some.1));
    assert_eq!(again, on_gpu(device, 4, 2));
    let cleanup = cost(&mut dictionary, Dictionary::cleanup);
    assert_eq!(cleanup, on_gpu(device, 4, 1));
    assert_eq!(gone.read().unwrap(), keys[5..15], "what was given stays as it was");
    assert_eq!(
        dictionary.lookup(&[4.0, 5.0, 14.0, 15.0, 100.0]).unwrap().to_vec(),
        [Some(4), None, None, Some(15), Some(0)]
    );
}

fn an_insert_of_buffers_beside_dead_stretches_reads_two_keys(device: &Device) {
    let (mut dictionary, keys, values) = filled(device);
    dictionary.delete_range(&[-3000.0], &[-2900.0]).unwrap();
    dictionary.cleanup().unwrap();
    let mut small = device.upload(&[5000.0f32]).unwrap();
    let value = device.upload(&[1u32]).unwrap();
    let insert = cost(&mut dictionary, |dictionary| dictionary.insert(&small, &value));
    let two_keys = if device.is_host() { (0, 8, 0) } else { (0, 4 + 8, 2) };
    assert_eq!(insert, two_keys, "two keys and, on a GPU, the number of entries");
    let (_, downloaded, waits) = cost(&mut dictionary, |dictionary| dictionary.insert(&[5001.0], &[1]));
    assert_eq!((0, downloaded, waits), on_gpu(device, 4, 1), "keys on the host are known");
    dictionary.insert(&keys, &values).unwrap();
    small = device.upload(&[6000.0f32]).unwrap();
    let insert = cost(&mut dictionary, |dictionary| dictionary.insert(&small, &value));
    assert_eq!(insert, on_gpu(device, 4, 1), "nothing is remembered any more");
}

fn a_lookup_on_buffers_copies_nothing_and_does_not_wait(device: &Device) {
    let (mut dictionary, keys, _) = filled(device);
    let lookup = cost(&mut dictionary, |dictionary| dictionary.on_device().lookup(&keys));
    assert_eq!(lookup, (0, 0, 0));
    let answers = cost(&mut dictionary, |dictionary| dictionary.lookup(&keys));
    assert_eq!((answers.0, answers.1), (0, 8000), "the answers, and nothing else");
    assert_eq!(answers.2, if device.is_host() { 0 } else { 2 }, "for each of the two columns");
    let host_keys = keys.read().unwrap();
    let upload = cost(&mut dictionary, |dictionary| dictionary.on_device().lookup(&host_keys));
    assert_eq!(upload, (4000, 0, 0), "the queries, and nothing else");
}

fn counts_and_ranges_on_buffers_wait_once_for_the_candidates(device: &Device) {
    let (mut dictionary, lower, _) = filled(device);
    let upper =
        device.upload(&lower.read().unwrap().iter().map(|key| key + 20.0).collect::<Vec<_>>()).unwrap();
    let one_total_per_level = on_gpu(device, 3 * 4, 1);
    let few = (device.upload(&[0.0f32]).unwrap(), device.upload(&[50.0f32]).unwrap());
    let count = cost(&mut dictionary, |dictionary| dictionary.on_device().count(&few.0, &few.1));
    assert_eq!(count, one_total_per_level, "a few entries are laid out");
    let count = cost(&mut dictionary, |dictionary| dictionary.on_device().count(&lower, &upper));
    assert_eq!(count, on_gpu(device, 3 * 4 + 2 * 8, 3), "for many, the two newer levels are tallied");
    let count = cost(&mut dictionary, |dictionary| dictionary.on_device().count(&lower, &upper));
    assert_eq!(count, (0, 0, 0), "which is done once");
    let range = cost(&mut dictionary, |dictionary| dictionary.on_device().range(&lower, &upper));
    assert_eq!(range, on_gpu(device, 3 * 4 + 4, 2), "and the number of entries, as some are hidden");
    let how_far = 1001 * 4 + 2 * 4000;
    let first = cost(&mut dictionary, |dictionary| dictionary.on_device().range_first(&lower, &upper, 4));
    let on_host = (0, how_far, 0);
    let expected = if device.is_host() { on_host } else { on_gpu(device, 3 * 4 + how_far + 4, 1 + 3 + 1) };
    assert_eq!(first, expected, "how far each query came, as some entries are hidden");
    let after = cost(&mut dictionary, |dictionary| dictionary.on_device().range_after(&lower, &upper, 4));
    assert_eq!(after, expected);
    dictionary.cleanup().unwrap();
    let range = cost(&mut dictionary, |dictionary| dictionary.on_device().range(&lower, &upper));
    assert_eq!(range, on_gpu(device, 4, 1), "one level hides nothing");
    let first = cost(&mut dictionary, |dictionary| dictionary.on_device().range_first(&lower, &upper, 4));
    assert_eq!(first, on_gpu(device, 4 + 4, 2), "and so few entries are all there are");
}

fn neighbours_on_buffers_wait_for_candidates_and_open_queries(device: &Device) {
    let (mut dictionary, keys, _) = filled(device);
    let rounds = |(uploaded, downloaded, waits): (u64, u64, u64)| {
        assert_eq!(uploaded, 0);
        if device.is_host() {
            assert_eq!((downloaded, waits), (0, 0));
        } else {
            assert!(
                (2..=8).contains(&waits) && downloaded <= 4 * 4 * waits,
                "{downloaded} bytes in {waits} waits"
            );
        }
        waits
    };
    rounds(cost(&mut dictionary, |dictionary| dictionary.on_device().successor(&keys)));
    rounds(cost(&mut dictionary, |dictionary| dictionary.on_device().predecessor(&keys)));
    dictionary.cleanup().unwrap();
    let one_round = rounds(cost(&mut dictionary, |dictionary| dictionary.on_device().successor(&keys)));
    assert_eq!(one_round, if device.is_host() { 0 } else { 2 }, "no tombstones, no second round");
}

fn a_range_delete_on_buffers_copies_only_counts(device: &Device) {
    let (mut dictionary, _, _) = filled(device);
    let (lower, upper) =
        (device.upload(&[-50.0f32, 10.0]).unwrap(), device.upload(&[49.0f32, 99.0]).unwrap());
    let before = dictionary.len().unwrap();
    let (uploaded, downloaded, waits) =
        cost(&mut dictionary, |dictionary| dictionary.delete_range(&lower, &upper));
    assert_eq!(uploaded, 0);
    assert!(downloaded <= 3 * 4 + 4 + 8 && waits <= 4, "{downloaded} bytes in {waits} waits");
    assert_eq!(dictionary.count(&[-50.0], &[99.0]).unwrap(), [0]);
    assert!(dictionary.len().unwrap() < before - 100);
}

/// The asynchronous forms, polled by hand.
fn what_is_read_later_is_what_is_read_at_once(device: &Device) {
    let (dictionary, keys, _) = filled(device);
    let there = dictionary.on_device();
    let answers = there.lookup(&keys).unwrap();
    assert_eq!(block_on(answers.read_async()).unwrap(), answers.read().unwrap());
    let upper = device.upload(&vec![5.0f32; 1000]).unwrap();
    let ranges = there.range_first(&keys, &upper, 3).unwrap();
    assert_eq!(block_on(ranges.read_async()).unwrap(), ranges.read().unwrap());
    let near = there.successor(&keys).unwrap();
    assert_eq!(block_on(near.read_async()).unwrap(), near.read().unwrap());
    let counts = there.count(&keys, &upper).unwrap();
    let later = counts.read_async();
    let at_once = counts.read().unwrap();
    drop((counts, dictionary));
    assert_eq!(block_on(later).unwrap(), at_once, "what is still to be read stays");
}

fn a_result_outlives_its_dictionary_and_gives_its_memory_back(device: &Device) {
    let (dictionary, keys, _) = filled(device);
    let before = dictionary.statistics().bytes_in_use;
    let answers = dictionary.on_device().lookup(&keys).unwrap();
    assert_eq!(dictionary.statistics().bytes_in_use, before + 8000);
    let kept = answers.values.clone();
    drop(answers);
    assert_eq!(dictionary.statistics().bytes_in_use, before + 4000);
    drop(dictionary);
    assert_eq!(kept.read().unwrap()[999], 999);
    assert!(format!("{kept:?}").contains("1000"));
}

/// Keys that are their own codes are not copied even on the device. Nothing may write to them, nor to results.
fn what_was_given_and_found_stays_as_it_was(device: &Device) {
    let numbers: Vec<u32> = (0..3000).map(spread).collect();
    let (keys, values) = (device.upload(&numbers).unwrap(), device.upload(&numbers).unwrap());
    let mut dictionary =
        Dictionary::<u32, u32>::with_config(device, Config::new().with_batch_size(256)).unwrap();
    dictionary.insert(&keys, &values).unwrap();
    let there = dictionary.on_device();
    let (found, near) = (there.lookup(&keys).unwrap(), there.successor(&keys).unwrap());
    let ranges = there.range(&keys, &keys).unwrap();
    let before = (found.read().unwrap(), near.read().unwrap(), ranges.read().unwrap());
    dictionary.delete(&keys).unwrap();
    dictionary.insert(&values, &keys).unwrap();
    dictionary.on_device().predecessor(&keys).unwrap();
    assert_eq!((keys.read().unwrap(), values.read().unwrap()), (numbers.clone(), numbers));
    assert_eq!((found.read().unwrap(), near.read().unwrap(), ranges.read().unwrap()), before);
}

fn an_empty_dictionary_answers_on_the_device(device: &Device) {
    wide(device, || {
        let dictionary = Dictionary::<i64, u32>::new(device).unwrap();
        let keys = device.upload(&[i64::MIN, 0, i64::MAX]).unwrap();
        let there = dictionary.on_device();
        assert_eq!(there.lookup(&keys).unwrap().read().unwrap().to_vec(), [None; 3]);
        assert_eq!(there.count(&keys, &keys).unwrap().read().unwrap(), [0; 3]);
        assert_eq!(there.range(&keys, &keys).unwrap().read().unwrap().offsets(), [0; 4]);
        let near = there.successor(&keys).unwrap();
        assert_eq!((near.found.read().unwrap(), near.keys.read().unwrap()), (vec![0; 3], vec![0; 3]));
        let nothing = device.upload::<i64>(&[]).unwrap();
        assert!(there.lookup(&nothing).unwrap().read().unwrap().is_empty());
        assert_eq!(there.range(&nothing, &nothing).unwrap().read().unwrap().len(), 0);
        assert!(there.predecessor(&nothing).unwrap().read().unwrap().is_empty());
    });
}

#[cfg(feature = "gpu")]
#[test]
fn a_buffer_of_another_device_is_refused() {
    let gpu = crate::support::gpu();
    let on_host = Device::host().upload(&[1u32, 2]).unwrap();
    let on_gpu = gpu.upload(&[1u32, 2]).unwrap();
    let mut dictionary = Dictionary::<u32, u32>::new(&gpu).unwrap();
    let error = dictionary.delete(&on_host).unwrap_err();
    assert!(matches!(error, Error::OtherDevice { .. }), "also if there is nothing to delete: {error}");
    let error = dictionary.insert(&on_host, &on_gpu).unwrap_err();
    assert!(matches!(error, Error::OtherDevice { .. }), "{error}");
    assert!(error.to_string().contains("host"), "{error}");
    dictionary.insert(&on_gpu, &on_gpu).unwrap();
    let error = dictionary.lookup(&on_host).unwrap_err();
    assert!(matches!(error, Error::OtherDevice { .. }), "{error}");
    // The same GPU, opened again, is the same device.
    let again = crate::support::gpu().upload(&[2u32]).unwrap();
    assert_eq!(dictionary.lookup(&again).unwrap().to_vec(), [Some(2)]);
}

/// The candidates of all queries on the device must fit one array. Queries on the host are answered in pieces.
#[cfg(feature = "gpu")]
#[test]
fn what_is_too_much_for_one_array_of_the_gpu_is_refused_with_the_limit() {
    let device = crate::support::gpu();
    let keys: Vec<u32> = (0..1 << 14).collect();
    let dictionary = Dictionary::<u32, ()>::build(&device, Config::new(), &keys, &vec![(); 1 << 14]).unwrap();
    let queries = (device.limits().entries_u32 >> 14) as usize + 1;
    let (lower, upper) = (vec![0; queries], vec![u32::MAX; queries]);
    let (lower, upper) = (device.upload(&lower).unwrap(), device.upload(&upper).unwrap());
    let error = dictionary.on_device().range(&lower, &upper).unwrap_err();
    let Error::TooManyCandidates { candidates, limit } = error else { panic!("{error}") };
    assert_eq!((candidates, limit), ((queries as u64) << 14, device.limits().entries_u32));
    assert!(error.to_string().contains("ask fewer queries"), "{error}");
    let counts = dictionary.on_device().count(&lower, &upper).unwrap().read().unwrap();
    assert!(
        counts.iter().all(|&count| count == 1 << 14),
        "one run without tombstones is counted by its bounds"
    );
}

fn a_slice_of_a_buffer_holds_its_elements(device: &Device) {
    let numbers: Vec<u32> = (0..100).collect();
    let buffer = device.upload(&numbers).unwrap();
    assert_eq!(buffer.slice(..).unwrap().read().unwrap(), numbers);
    assert_eq!(buffer.slice(7..=9).unwrap().read().unwrap(), [7, 8, 9]);
    assert_eq!(buffer.slice(99..).unwrap().read().unwrap(), [99]);
    assert!(buffer.slice(100..).unwrap().is_empty());
    let mut set = Dictionary::<u32, ()>::new(device).unwrap();
    let units = device.upload(&[(); 10]).unwrap();
    set.insert(&buffer.slice(40..50).unwrap(), &units).unwrap();
    assert_eq!(set.range(&[0], &[99]).unwrap().keys(), &numbers[40..50]);
    for (start, end) in [(0, 101), (101, 101), (9, 8)] {
        let error = buffer.slice(start..end).unwrap_err();
        assert_eq!(error, Error::OutOfBounds { start, end, len: 100 });
    }
}

/// Other tests rely on this: undefined memory is neither zero nor what it held before.
fn what_was_never_written_looks_wrong_in_tests(device: &Device) {
    let config = Config::new().with_batch_size(8);
    let mut dictionary = Dictionary::<u32, u32>::with_config(device, config).unwrap();
    dictionary.meter().poison_memory();
    let keys: Vec<u32> = (0..50).collect();
    dictionary.insert(&keys, &keys).unwrap();
    dictionary.delete(&keys[10..20]).unwrap();
    let found = dictionary.on_device().range(&[0, 45], &[30, u32::MAX]).unwrap();
    assert_eq!((found.keys.len(), found.values.len()), (21 + 5, 21 + 5), "no more than was found");
    assert!(found.keys.read().unwrap().iter().all(|&key| key < 50));
    dictionary.verify().unwrap();
}
