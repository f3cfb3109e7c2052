//! Forks: dictionaries that start from the state of another and go their own way.

use crate::on_every_device;
use crate::support::{Pair, random_operations, rng};
use gpu_lsm::{Config, Device, Dictionary};

on_every_device!(
    a_fork_and_its_origin_do_not_see_each_others_updates,
    a_fork_has_its_own_budget_and_gives_shared_memory_back,
    a_clone_is_a_dictionary_on_the_same_device,
);

fn a_fork_and_its_origin_do_not_see_each_others_updates(device: &Device) {
    let mut origin = Pair::<u32, u32>::new(device, 64);
    let mut rng = rng(11);
    let mut forks: Vec<Pair<u32, u32>> = Vec::new();
    for step in 0..8 {
        origin.apply(&random_operations(&mut rng, 150, 500, 0.3));
        if step % 2 == 0 {
            let (mut dictionary, model) = (origin.dictionary.fork(), origin.model.clone());
            if step % 4 == 0 {
                dictionary = Dictionary::from(origin.dictionary.snapshot());
            }
            forks.push(Pair { dictionary, model });
        }
        for fork in &mut forks {
            fork.apply(&random_operations(&mut rng, 100, 500, 0.3));
        }
    }
    forks[1].dictionary.cleanup().unwrap();
    forks[2].dictionary.clear().unwrap();
    forks[2].model.clear();
    for pair in forks.iter().chain([&origin]) {
        pair.dictionary.verify().unwrap();
        let entries = pair.dictionary.iter().map(Result::unwrap);
        assert!(entries.eq(pair.model.iter().map(|(&key, &value)| (key, value))));
    }
}

fn a_fork_has_its_own_budget_and_gives_shared_memory_back(device: &Device) {
    let keys: Vec<u32> = (0..1000).collect();
    let config = Config::new().with_batch_size(64).with_byte_budget(1 << 20);
    let origin = Dictionary::build(device, config, &keys, &keys).unwrap();
    let mut fork = origin.fork();
    assert_eq!(fork.config(), origin.config());
    assert_eq!(fork.statistics().bytes_in_use, 0, "what both share counts where it was made");
    fork.set_byte_budget(None).unwrap();
    let many: Vec<u32> = (0..1 << 18).collect();
    fork.insert(&many, &many).unwrap();
    assert!(fork.statistics().bytes_in_use > 1 << 20);
    assert_eq!(origin.config().byte_budget(), Some(1 << 20));
    let meter = std::sync::Arc::clone(origin.meter());
    let last = origin.fork();
    drop(origin);
    assert!(meter.in_use() > 0, "a fork still needs the runs");
    assert_eq!(last.lookup(&keys).unwrap().values(), keys);
    drop(last);
    assert_eq!(meter.in_use(), 0);
}

fn a_clone_is_a_dictionary_on_the_same_device(device: &Device) {
    let origin = Dictionary::build(device, Config::new(), [1u32, 2], [10u32, 20]).unwrap();
    let mut clone: Dictionary<u32, u32> = origin.clone();
    clone.insert([1], [11]).unwrap();
    assert_eq!((origin.get(1).unwrap(), clone.get(1).unwrap()), (Some(10), Some(11)));
    assert_eq!(clone.device(), *device);
    assert_eq!(origin.device() == Device::host(), device.is_host());
    let there = clone.device().upload(&[2u32]).unwrap();
    assert_eq!(origin.lookup(&there).unwrap().values(), [20]);
}
