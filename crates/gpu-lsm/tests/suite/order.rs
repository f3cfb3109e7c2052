//! However a history is split into batches, the answers are the same bytes. A digest recorded here checks that they are
//! also the same on every device, driver, workgroup size and order of workgroups that this test runs with.

use crate::on_every_device;
use crate::support::{Operation, TestKey, TestValue, batch, random_operations, rng, spread, wide};
use bytemuck::bytes_of;
use gpu_lsm::{Config, Device, Dictionary};

on_every_device!(splits_of_u32_give_the_bytes_written_down, splits_of_u64_give_the_bytes_written_down);

fn splits_of_u32_give_the_bytes_written_down(device: &Device) {
    splits::<u32, u32>(device, 7_851_863_662_069_708_650);
}

fn splits_of_u64_give_the_bytes_written_down(device: &Device) {
    wide(device, || splits::<u64, [u32; 4]>(device, 11_157_651_277_732_285_378));
}

const UNIVERSE: u64 = 2_000;

fn splits<K: TestKey, V: TestValue>(device: &Device, digest: u64) {
    let history: Vec<Operation<K, V>> = random_operations(&mut rng(4), 9_000, UNIVERSE, 0.3);
    for (part, batch_size) in [(9_000, 4_096), (4_097, 512), (1_000, 64), (333, 1_000)] {
        let config = Config::new().with_batch_size(batch_size);
        let mut dictionary = Dictionary::<K, V>::with_config(device, config).unwrap();
        for operations in history.chunks(part) {
            dictionary.apply(&batch(operations)).unwrap();
        }
        assert_eq!(digest_of(&dictionary), digest, "batches of {part}, levels of {batch_size}");
        dictionary.cleanup().unwrap();
        assert_eq!(digest_of(&dictionary), digest, "batches of {part}, levels of {batch_size}, cleaned up");
    }
}

/// All answers to many queries, as one number.
fn digest_of<K: TestKey, V: TestValue>(dictionary: &Dictionary<K, V>) -> u64 {
    let keys: Vec<K> = (0..UNIVERSE + 50).map(spread).chain(K::edges()).collect();
    let lower: Vec<K> = keys.iter().step_by(40).copied().chain(K::edges()).collect();
    let upper: Vec<K> = lower.iter().rev().copied().collect();
    let mut digest = Digest(0xCBF2_9CE4_8422_2325);
    let found = dictionary.lookup(&keys).unwrap();
    digest.add(found.found());
    digest.add(found.values());
    digest.add(&dictionary.count(&lower, &upper).unwrap());
    let ranges = dictionary.range_first(&lower, &upper, 20).unwrap();
    digest.add(ranges.offsets());
    digest.add_keys(ranges.keys());
    digest.add(ranges.values());
    for neighbours in [dictionary.successor(&keys).unwrap(), dictionary.predecessor(&keys).unwrap()] {
        digest.add(neighbours.found());
        digest.add_keys(neighbours.keys());
        digest.add(neighbours.values());
    }
    for chunk in dictionary.scan(700) {
        let (keys, values) = chunk.unwrap();
        digest.add_keys(&keys);
        digest.add(&values);
    }
    digest.0
}

/// FNV-1a, which never changes. The standard library's hashes do not promise that.
struct Digest(u64);

impl Digest {
    fn add<T: bytemuck::NoUninit>(&mut self, elements: &[T]) {
        for &byte in elements.iter().flat_map(bytes_of) {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x100_0000_01B3);
        }
    }

    fn add_keys<K: TestKey>(&mut self, keys: &[K]) {
        self.add(&crate::support::codes(keys));
    }
}
