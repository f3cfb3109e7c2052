//! Budgets: a full dictionary accepts every delete and cleanup, over random sequences of calls, and levels never depend
//! on the budget.

use crate::on_every_device;
use crate::support::{Pair, TestKey, TestValue, rng, spread, wide};
use gpu_lsm::{BackendError, Config, Device, Dictionary, Error, Morton, Sharded};
use rand::RngExt;

on_every_device!(
    a_dictionary_filled_to_its_budget_can_be_emptied_by_every_call,
    no_sequence_of_accepted_calls_leaves_a_delete_over_budget,
    a_raised_budget_takes_what_was_refused,
    levels_do_not_depend_on_the_budget,
    what_a_call_returns_counts_before_it_is_made,
    rectangles_count_what_they_need,
    a_delete_from_an_empty_dictionary_needs_no_room,
    a_budget_of_the_most_that_is_needed_refuses_no_update,
    a_scan_counts_what_it_collects,
    a_refused_budget_is_never_in_force,
);

fn is_over_budget<T: std::fmt::Debug>(result: &Result<T, Error>) -> bool {
    matches!(result, Err(Error::Backend(BackendError::OverBudget { .. })))
}

/// A dictionary that has refused the next batch.
fn full(device: &Device, b: usize, budget: u64) -> Pair<u32, u32> {
    let config = Config::new().with_batch_size(b).with_byte_budget(budget);
    let mut pair =
        Pair { dictionary: Dictionary::with_config(device, config).unwrap(), model: Default::default() };
    for batch in 0.. {
        let keys: Vec<u32> = (0..b as u64).map(|i| spread(batch * b as u64 + i)).collect();
        let result = pair.dictionary.insert(&keys, &keys);
        if is_over_budget(&result) {
            assert!(batch > 3, "some batches fit");
            return pair;
        }
        result.unwrap();
        pair.tell_model(&keys.iter().map(|&key| (key, Some(key))).collect::<Vec<_>>());
    }
    unreachable!("a budget is reached")
}

fn a_dictionary_filled_to_its_budget_can_be_emptied_by_every_call(device: &Device) {
    let mut pair = full(device, 1024, 1 << 20);
    println!("{:?}", pair.dictionary.statistics());
    assert!(pair.model.len() > 20_000, "{} entries in a mebibyte", pair.model.len());
    let one = *pair.model.keys().next().unwrap();
    pair.dictionary.delete(&[one]).unwrap();
    pair.model.remove(&one);
    check_in_steps(&pair, "after a delete of one key");
    pair.dictionary.cleanup().unwrap();
    check_in_steps(&pair, "after a cleanup");
    let all: Vec<u32> = (0..200_000).map(spread).collect();
    let mut other = full(device, 1024, 1 << 20);
    other.dictionary.delete(&all).unwrap();
    assert!(other.dictionary.is_empty().unwrap(), "far more deletes than entries");
    pair.dictionary.delete_range(&[0], &[u32::MAX]).unwrap();
    assert!(pair.dictionary.is_empty().unwrap());
    let mut third = full(device, 1024, 1 << 20);
    third.dictionary.clear().unwrap();
    assert_eq!((third.dictionary.len().unwrap(), third.dictionary.statistics().bytes_in_use), (0, 0));
    third.dictionary.insert(&[1, 2], &[3, 4]).unwrap();
    assert_eq!(third.dictionary.lookup(&[2]).unwrap().get(0), Some(4));
}

/// Inserts, overwrites and queries may be refused; deletes, range deletes, cleanups and clears never are.
fn no_sequence_of_accepted_calls_leaves_a_delete_over_budget(device: &Device) {
    let lives = if device.is_host() { 40 } else { 8 };
    for seed in 0..lives {
        let mut rng = rng(seed);
        let b = [16, 100, 1024][rng.random_range(0..3)];
        let budget = rng.random_range(60_000..1_000_000);
        let config = Config::new().with_batch_size(b).with_byte_budget(budget);
        let mut pair = Pair::<u32, u32> {
            dictionary: Dictionary::with_config(device, config).unwrap(),
            model: Default::default(),
        };
        for step in 0..60 {
            let case = format!("seed {seed}, b = {b}, budget {budget}, step {step}");
            random_call(&mut pair, &mut rng, b, &case);
            if step % 10 == 9 {
                pair.dictionary.verify().unwrap_or_else(|error| panic!("{case}: {error}"));
            }
        }
        check_in_steps(&pair, &format!("seed {seed}"));
    }
}

/// Reads everything in chunks that fit the rest of the budget.
fn check_in_steps(pair: &Pair<u32, u32>, case: &str) {
    let mut scan = pair.dictionary.scan(64);
    let mut keys = Vec::new();
    loop {
        match scan.next() {
            Some(Ok((found, _))) => keys.extend(found),
            Some(error) => return assert!(is_over_budget(&error), "{case}: {error:?}"),
            None => break,
        }
    }
    assert!(keys.iter().eq(pair.model.keys()), "{case}");
}

fn random_call(pair: &mut Pair<u32, u32>, rng: &mut rand_chacha::ChaCha8Rng, b: usize, case: &str) {
    let universe = 60_000;
    let len = rng.random_range(0..4 * b);
    let first = rng.random_range(0..universe);
    let keys: Vec<u32> = (0..len as u64).map(|i| spread((first + i * 7) % universe)).collect();
    let dictionary = &mut pair.dictionary;
    let must = |result: Result<(), Error>| result.unwrap_or_else(|error| panic!("{case}: {error}"));
    match rng.random_range(0..20) {
        0..9 => {
            let result = dictionary.insert(&keys, &keys);
            if is_over_budget(&result) {
                return;
            }
            must(result);
            pair.tell_model(&keys.iter().map(|&key| (key, Some(key))).collect::<Vec<_>>());
        }
        9..14 => {
            must(dictionary.delete(&keys));
            pair.tell_model(&keys.iter().map(|&key| (key, None)).collect::<Vec<_>>());
        }
        14..16 => {
            let (lower, upper) = (spread(first), spread((first + 3) % universe));
            must(dictionary.delete_range(&[lower, 5], &[upper, 900]));
            pair.model.retain(|key, _| !(lower..=upper).contains(key) && !(5..=900).contains(key));
        }
        16 => must(dictionary.cleanup()),
        17 => {
            must(dictionary.update(&[], &[], &keys[..len / 2]));
            pair.tell_model(&keys[..len / 2].iter().map(|&key| (key, None)).collect::<Vec<_>>());
        }
        18 => drop(dictionary.len()),
        _ => drop(dictionary.lookup(&keys)),
    }
}

fn a_raised_budget_takes_what_was_refused(device: &Device) {
    let mut pair = full(device, 256, 300_000);
    let keys: Vec<u32> = (900_000..900_256).map(spread).collect();
    assert!(is_over_budget(&pair.dictionary.insert(&keys, &keys)));
    assert!(is_over_budget(&pair.dictionary.set_byte_budget(Some(50_000))), "what is there needs more");
    assert!(is_over_budget(&pair.dictionary.insert(&keys, &keys)), "the budget is as it was");
    assert_eq!(pair.dictionary.config().byte_budget(), Some(300_000));
    pair.dictionary.set_byte_budget(Some(600_000)).unwrap();
    pair.dictionary.insert(&keys, &keys).unwrap();
    assert_eq!(pair.dictionary.config().byte_budget(), Some(600_000));
    pair.dictionary.set_byte_budget(None).unwrap();
    let many: Vec<u32> = (0..100_000).map(spread).collect();
    pair.dictionary.insert(&many, &many).unwrap();
}

/// The same calls with a tight budget, on the frugal way, and without a budget.
fn levels_do_not_depend_on_the_budget(device: &Device) {
    let mut tight = full(device, 256, 400_000);
    let config = Config::new().with_batch_size(256);
    let mut free = Dictionary::<u32, u32>::with_config(device, config).unwrap();
    for batch in 0..tight.model.len() as u64 / 256 {
        let keys: Vec<u32> = (0..256).map(|i| spread(batch * 256 + i)).collect();
        free.insert(&keys, &keys).unwrap();
    }
    let shape = |dictionary: &Dictionary<u32, u32>| {
        let levels = dictionary.statistics().levels;
        levels.iter().map(|level| (level.level, level.entries, level.tombstones)).collect::<Vec<_>>()
    };
    assert_eq!(shape(&tight.dictionary), shape(&free), "before");
    let n = tight.model.len() as u64;
    for round in 0..12 {
        let deletes: Vec<u32> = (0..n / 9).map(|i| spread((round * 997 + i * 3) % (n + 500))).collect();
        tight.dictionary.delete(&deletes).unwrap();
        free.delete(&deletes).unwrap();
        assert_eq!(shape(&tight.dictionary), shape(&free), "round {round}");
        tight.dictionary.verify().unwrap();
    }
    let all = |dictionary: &Dictionary<u32, u32>| {
        dictionary.scan(200).map(Result::unwrap).map(|(keys, _)| keys).collect::<Vec<_>>().concat()
    };
    assert_eq!(all(&tight.dictionary), all(&free));
}

/// Many queries for everything: a budget refuses them, and without one the system runs out of memory.
fn what_a_call_returns_counts_before_it_is_made(device: &Device) {
    let keys: Vec<u32> = (0..2000).collect();
    let config = Config::new().with_batch_size(256).with_byte_budget(1 << 20);
    let mut dictionary = Dictionary::<u32, u32>::build(device, config, &keys, &keys).unwrap();
    let (lower, upper) = (vec![0; 1000], vec![u32::MAX; 1000]);
    let refused = dictionary.range(&lower, &upper);
    assert!(is_over_budget(&refused), "16 MB of results");
    assert_eq!(dictionary.range(&[0], &[u32::MAX]).unwrap().keys(), keys);
    dictionary.set_byte_budget(None).unwrap();
    assert_eq!(dictionary.range(&lower, &upper).unwrap().keys().len(), 2_000_000);
    let queries = if device.is_host() { 1 << 23 } else { 1 << 22 };
    let memory = u64::from(queries as u32) * 2000 * 8;
    let refused = dictionary.range(&vec![0; queries], &vec![u32::MAX; queries]);
    let is_out_of_memory = matches!(refused, Err(Error::Backend(BackendError::OutOfMemory { .. })));
    assert!(is_out_of_memory, "{memory} bytes of results");
}

fn rectangles_count_what_they_need(device: &Device) {
    wide(device, || {
        let points: Vec<Morton> = (0..100).map(|i| Morton { x: i, y: i }).collect();
        let config = Config::new().with_batch_size(64).with_byte_budget(500_000);
        let mut dictionary =
            Dictionary::<Morton, u32>::build(device, config, &points, &vec![7; 100]).unwrap();
        let corners: Vec<Morton> = (0..10_000).map(|i| Morton { x: i % 90, y: i % 90 }).collect();
        assert!(is_over_budget(&dictionary.rectangles(&corners, &corners)));
        assert_eq!(dictionary.rectangles(&corners[..9], &corners[..9]).unwrap().keys(), &points[..9]);
        dictionary.set_byte_budget(None).unwrap();
        let found = dictionary.rectangles(&corners, &corners).unwrap();
        assert_eq!(found.keys(), corners, "more rectangles than are asked for at once");
    });
}

/// Found by fuzzing: the keys alone were over the budget.
fn a_delete_from_an_empty_dictionary_needs_no_room(device: &Device) {
    let config = Config::new().with_batch_size(4).with_byte_budget(9);
    let mut dictionary = Dictionary::<u32, u32>::with_config(device, config).unwrap();
    let keys: Vec<u32> = (0..255).collect();
    dictionary.delete(&keys).unwrap();
    dictionary.delete(&device.upload(&keys).unwrap()).unwrap();
    dictionary.delete_range(&[0], &[u32::MAX]).unwrap();
    dictionary.cleanup().unwrap();
    dictionary.clear().unwrap();
    assert!(is_over_budget(&dictionary.insert(&keys, &keys)));
}

/// Random updates of at most `batch` operations while at most `n` entries are live, of which most are overwritten and deleted
/// again and again.
fn a_budget_of_the_most_that_is_needed_refuses_no_update(device: &Device) {
    let sizes = [
        (0, 40, 1),
        (1, 1, 1),
        (1, 3000, 16),
        (90, 7, 1),
        (300, 5000, 64),
        (20_000, 900, 256),
        (9000, 9000, 1024),
    ];
    for (seed, (n, batch, b)) in (0..).zip(sizes) {
        most_is_enough::<u32, u32>(device, n, batch, b, seed);
        most_is_enough::<u32, ()>(device, n, batch, b, seed);
        wide(device, || most_is_enough::<u64, [u32; 4]>(device, n, batch, b, seed));
    }
}

fn most_is_enough<K: TestKey, V: TestValue>(device: &Device, n: u64, batch: usize, b: usize, seed: u64) {
    let config = Config::new().with_batch_size(b);
    let most = Dictionary::<K, V>::bytes_for(n, batch as u64, &config).most;
    let mut pair = Pair::<K, V>::with_config(device, config.with_byte_budget(most.peak));
    let mut rng = rng(seed);
    for step in 0..if device.is_host() { 120 } else { 20 } {
        let case = format!("n = {n}, batches of {batch}, b = {b}, step {step}");
        some_update(&mut pair, device, n, batch, &mut rng).unwrap_or_else(|error| panic!("{case}: {error}"));
        let bytes = pair.dictionary.statistics().bytes;
        assert!(bytes <= most.resident, "{case}: {bytes} of {}", most.resident);
    }
    pair.dictionary.set_byte_budget(None).unwrap();
    pair.check_all(&format!("n = {n}, batches of {batch}, b = {b}"));
}

/// Updates a dictionary and its model by a random call.
fn some_update<K: TestKey, V: TestValue>(
    pair: &mut Pair<K, V>,
    device: &Device,
    n: u64,
    batch: usize,
    rng: &mut rand_chacha::ChaCha8Rng,
) -> Result<(), Error> {
    let inserted = if n == 0 { 0 } else { rng.random_range(0..=batch) };
    let inserts: Vec<u64> = (0..inserted).map(|_| rng.random_range(0..n)).collect();
    let keys: Vec<K> = inserts.iter().map(|&i| spread(i)).collect();
    let values: Vec<V> = inserts.iter().map(|_| V::from_number(rng.random())).collect();
    // Some of the keys were never there.
    let deletes: Vec<K> = (0..batch - inserted).map(|_| spread(rng.random_range(0..2 * n + 9))).collect();
    let inserts: Vec<_> = keys.iter().zip(&values).map(|(&key, &value)| (key, Some(value))).collect();
    let gone: Vec<_> = deletes.iter().map(|&key| (key, None)).collect();
    match rng.random_range(0..12) {
        0..5 => {
            pair.dictionary.update(&keys, &values, &deletes)?;
            pair.tell_model(&inserts);
            pair.tell_model(&gone);
        }
        5..8 => {
            pair.dictionary.insert(&keys, &values)?;
            pair.tell_model(&inserts);
        }
        8..10 => {
            pair.dictionary.delete(&deletes)?;
            pair.tell_model(&gone);
        }
        10 => {
            let (one, other): (K, K) =
                (spread(rng.random_range(0..n + 1)), spread(rng.random_range(0..n + 1)));
            let (lower, upper) = ([one, other], [other, one]);
            let bounds = (device.upload_keys(&lower)?, device.upload_keys(&upper)?);
            let deleted = match rng.random() {
                true => pair.dictionary.delete_range(&lower, &upper),
                false => pair.dictionary.delete_range(bounds.0, bounds.1),
            };
            deleted?;
            let (first, last) = (one.to_code().min(other.to_code()), one.to_code().max(other.to_code()));
            pair.model.retain(|code, _| !(first..=last).contains(code));
        }
        _ => pair.dictionary.cleanup()?,
    }
    Ok(())
}

/// There is room for the entries on the device, but not beside them for those in the host's memory.
fn a_scan_counts_what_it_collects(device: &Device) {
    let keys: Vec<u32> = (0..100_000).collect();
    let dictionary = Dictionary::<u32, u32>::build(device, Config::new(), &keys, &keys).unwrap();
    let in_use = dictionary.statistics().bytes_in_use;
    let entries = 8 * keys.len() as u64;
    dictionary.meter().set_budget(Some(in_use + entries * 3 / 2));
    assert!(is_over_budget(&dictionary.range(&[0], &[u32::MAX])));
    let mut scan = dictionary.scan(u32::MAX);
    assert!(is_over_budget(&scan.next().expect("a chunk")));
    assert!(scan.next().is_none());
    let chunks = dictionary.scan(10_000).map(|chunk| chunk.unwrap().0);
    assert_eq!(chunks.flatten().collect::<Vec<_>>(), keys);
    assert_eq!(dictionary.statistics().bytes_in_use, in_use, "nothing stays counted");
}

/// Queries in other threads have the same budget, which they must not meet for a moment either.
fn a_refused_budget_is_never_in_force(device: &Device) {
    let keys: Vec<u32> = (0..1000).collect();
    let config = Config::new().with_byte_budget(1 << 20);
    let mut plain = Dictionary::<u32, u32>::build(device, config, &keys, &keys).unwrap();
    let mut sharded = Sharded::build(std::slice::from_ref(device), config, &keys, &keys).unwrap();
    for refused in [plain.set_byte_budget(Some(1)), sharded.set_byte_budget(Some(1))] {
        assert!(is_over_budget(&refused), "{refused:?}");
    }
    for meter in [plain.meter(), sharded.meter()] {
        assert_eq!((meter.budget(), meter.least_budget()), (1 << 20, 1 << 20));
    }
    plain.set_byte_budget(Some(1 << 19)).unwrap();
    assert_eq!(plain.meter().least_budget(), 1 << 19);
}
