//! A plain and a sharded dictionary that get the same updates and must give the same answers, byte for byte.

use crate::calls::{Queries, Updates};
use gpu_lsm::{Config, Device, Dictionary, Neighbours, Ranges, Result, Sharded, Sharding};
use gpu_lsm_model::{Layout, Operation, TestKey, TestValue, batch, codes, laid_out_operations, rng};
use gpu_lsm_primitives::tuning::HOST_TILE;
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

/// The two dictionaries.
pub(crate) struct Twins<K: TestKey, V: TestValue> {
    pub(crate) plain: Dictionary<K, V>,
    pub(crate) sharded: Sharded<K, V>,
}

impl<K: TestKey, V: TestValue> Twins<K, V> {
    /// Two empty ones: one on the first of the devices, one on all of them.
    pub(crate) fn new(devices: &[Device], batch_size: usize, sharding: &Sharding<K>) -> Self {
        let config = Config::new().with_batch_size(batch_size);
        let plain = if devices[0].is_host() { Device::host() } else { devices[0].clone() };
        Self {
            plain: Dictionary::with_config(&plain, config).unwrap(),
            sharded: Sharded::with_sharding(devices, config, sharding).unwrap(),
        }
    }

    /// Applies operations to both with a random one of the calls that can take them.
    pub(crate) fn apply(&mut self, operations: &[Operation<K, V>], call: u32, case: &str) {
        apply(&mut self.plain, operations, call).unwrap_or_else(|error| panic!("{case}, plain: {error}"));
        apply(&mut self.sharded, operations, call).unwrap_or_else(|error| panic!("{case}: {error}"));
    }
}

fn apply<K: TestKey, V: TestValue>(
    dictionary: &mut impl Updates<K, V>,
    operations: &[Operation<K, V>],
    call: u32,
) -> Result<()> {
    let (keys, values): (Vec<K>, Vec<V>) =
        operations.iter().filter_map(|&(key, value)| Some((key, value?))).unzip();
    let deletes: Vec<K> =
        operations.iter().filter_map(|&(key, value)| value.is_none().then_some(key)).collect();
    match call {
        0 => dictionary.apply(&batch(operations)),
        1 => dictionary.update(&keys, &values, &deletes),
        _ => dictionary.insert(&keys, &values).and_then(|()| dictionary.delete(&deletes)),
    }
}

/// Compares the answers to every query.
pub(crate) fn compare<K: TestKey, V: TestValue>(
    plain: &impl Queries<K, V>,
    sharded: &impl Queries<K, V>,
    keys: &[K],
    (lower, upper): (&[K], &[K]),
    limits: &[u32],
    case: &str,
) {
    sharded.verify().unwrap_or_else(|error| panic!("{case}: {error}"));
    assert_eq!(sharded.lookup(keys).unwrap(), plain.lookup(keys).unwrap(), "{case}: lookup");
    assert_eq!(sharded.count(lower, upper).unwrap(), plain.count(lower, upper).unwrap(), "{case}: count");
    let ranges = |all: Ranges<K, V>| (all.offsets().to_vec(), codes(all.keys()), all.values().to_vec());
    let range = |one: &dyn Fn() -> Result<Ranges<K, V>>| ranges(one().unwrap());
    assert_eq!(range(&|| sharded.range(lower, upper)), range(&|| plain.range(lower, upper)), "{case}: range");
    for &limit in limits {
        assert_eq!(
            range(&|| sharded.range_first(lower, upper, limit)),
            range(&|| plain.range_first(lower, upper, limit)),
            "{case}: range_first of {limit}"
        );
        assert_eq!(
            range(&|| sharded.range_after(lower, upper, limit)),
            range(&|| plain.range_after(lower, upper, limit)),
            "{case}: range_after of {limit}"
        );
    }
    let near = |near: Neighbours<K, V>| (near.found().to_vec(), codes(near.keys()), near.values().to_vec());
    let nearest = |one: Result<Neighbours<K, V>>| near(one.unwrap());
    assert_eq!(nearest(sharded.successor(keys)), nearest(plain.successor(keys)), "{case}: successor");
    assert_eq!(nearest(sharded.predecessor(keys)), nearest(plain.predecessor(keys)), "{case}: predecessor");
    let end = |entry: Result<Option<(K, V)>>| entry.unwrap().map(|(key, value)| (key.to_code(), value));
    assert_eq!(end(sharded.first()), end(plain.first()), "{case}: first");
    assert_eq!(end(sharded.last()), end(plain.last()), "{case}: last");
    assert_eq!(sharded.len().unwrap(), plain.len().unwrap(), "{case}: len");
    assert_eq!(sharded.is_empty().unwrap(), plain.is_empty().unwrap(), "{case}: is_empty");
}

/// Compares the chunks of a scan.
pub(crate) fn compare_scans<K: TestKey, V: TestValue>(
    plain: &impl Queries<K, V>,
    sharded: &impl Queries<K, V>,
    chunk: u32,
    case: &str,
) {
    let chunks = |all: Vec<(Vec<K>, Vec<V>)>| {
        all.into_iter().map(|(keys, values)| (codes(&keys), values)).collect::<Vec<_>>()
    };
    assert_eq!(chunks(sharded.scan(chunk)), chunks(plain.scan(chunk)), "{case}: scan by {chunk}");
}

const STEPS: u32 = 12;

/// Runs the life of a seed, in which shards are also split, joined and moved at random. Returns the number of
/// operations.
pub(crate) fn live<K: TestKey, V: TestValue>(device: &Device, seed: u64) -> u64 {
    let mut life = Life::<K, V>::new(device, seed);
    (0..STEPS).map(|step| life.step(step)).sum()
}

struct Life<K: TestKey, V: TestValue> {
    rng: ChaCha8Rng,
    b: usize,
    devices: usize,
    /// The most shards that are made at random, and the limits of pages. Both are smaller on a GPU, where calls take long.
    most_shards: usize,
    limits: &'static [u32],
    /// The step with a batch so large that the host splits it among its threads. Most lives have no such step.
    large_at: u32,
    keys: (Layout, u64),
    deletes: f64,
    twins: Twins<K, V>,
    held: Option<(gpu_lsm::Snapshot<K, V>, gpu_lsm::ShardedSnapshot<K, V>)>,
    case: String,
}

impl<K: TestKey, V: TestValue> Life<K, V> {
    fn new(device: &Device, seed: u64) -> Self {
        let mut rng = rng(seed);
        let b = [1, 7, 64, 256, 1000][rng.random_range(0..5)];
        let keys =
            (Layout::ALL[rng.random_range(0..Layout::ALL.len())], [40, 1000, 20_000][rng.random_range(0..3)]);
        let devices = devices(device, rng.random_range(0..4));
        let shards = [1, 2, 3, 7][rng.random_range(0..4)];
        let boundaries: Vec<K> = (1..shards).map(|_| keys.0.key(rng.random_range(0..keys.1))).collect();
        let sharding = match rng.random_range(0..3) {
            0 => Sharding::new().with_boundaries(&boundaries),
            1 => Sharding::new().with_shards(shards).with_shares(&vec![2.0; devices.len()]),
            _ => Sharding::new().with_shards(shards),
        };
        Self {
            twins: Twins::new(&devices, b, &sharding),
            b,
            devices: devices.len(),
            most_shards: if device.is_host() { 12 } else { 4 },
            limits: if device.is_host() { &[0, 1, 5, 300] } else { &[5] },
            large_at: if seed % 8 == 5 { rng.random_range(0..STEPS) } else { STEPS },
            deletes: [0.05, 0.3, 0.6, 0.95][rng.random_range(0..4)],
            held: None,
            case: format!(
                "GPU_LSM_SEED={seed}, b = {b}, {keys:?}, {} devices, {shards} shards",
                devices.len()
            ),
            keys,
            rng,
        }
    }

    fn step(&mut self, step: u32) -> u64 {
        let case = format!("{}, step {step}", self.case);
        let len = match self.rng.random_range(0..6) {
            _ if step == self.large_at => self.rng.random_range(HOST_TILE..3 * HOST_TILE),
            0 => 0,
            1 => self.b,
            2 => self.rng.random_range(self.b..=5 * self.b),
            _ => self.rng.random_range(0..=5000),
        };
        let operations = laid_out_operations(&mut self.rng, len, self.keys, self.deletes);
        self.reshape(&case);
        self.twins.apply(&operations, self.rng.random_range(0..3), &case);
        self.reshape(&case);
        let mut keys: Vec<K> = operations.iter().map(|operation| operation.0).take(1000).collect();
        keys.extend((0..200).map(|_| self.random_key()));
        keys.extend(K::edges());
        self.compare(&keys, &case);
        self.update_once_more(&case);
        self.compare(&keys[..keys.len().min(50)], &case);
        len as u64
    }

    fn random_key(&mut self) -> K {
        let (layout, universe) = self.keys;
        layout.key(self.rng.random_range(0..universe + 20))
    }

    fn reshape(&mut self, case: &str) {
        for _ in 0..self.rng.random_range(0..4) {
            let (key, shards) = (self.random_key(), self.twins.sharded.statistics().shards.len());
            let shard = self.rng.random_range(0..shards);
            let sharded = &mut self.twins.sharded;
            let done = match self.rng.random_range(0..3) {
                0 if shards < self.most_shards => sharded.split_at(key),
                1 => sharded.move_to(shard, self.rng.random_range(0..self.devices)),
                _ => sharded.join_at(shard),
            };
            done.unwrap_or_else(|error| panic!("{case}: {error}"));
        }
    }

    fn compare(&mut self, keys: &[K], case: &str) {
        let (mut lower, mut upper): (Vec<K>, Vec<K>) =
            (0..12).map(|_| (self.random_key(), self.random_key())).unzip();
        lower.push(K::MIN);
        upper.push(K::MAX);
        let Twins { plain, sharded } = &self.twins;
        compare(plain.now(), sharded.now(), keys, (&lower, &upper), self.limits, case);
        if self.rng.random_range(0..4) == 0 {
            compare_scans(plain.now(), sharded.now(), self.rng.random_range(1..900), case);
        }
        if let Some((plain, sharded)) = &self.held {
            let (keys, case) = (&keys[..keys.len().min(20)], format!("{case}, held"));
            compare(plain, sharded, keys, (&lower, &upper), self.limits, &case);
        }
    }

    fn update_once_more(&mut self, case: &str) {
        let (lower, upper): (Vec<K>, Vec<K>) = (0..3).map(|_| (self.random_key(), self.random_key())).unzip();
        let choice = self.rng.random_range(0..12);
        let Twins { plain, sharded } = &mut self.twins;
        change(plain, choice, &lower, &upper).unwrap_or_else(|error| panic!("{case}, plain: {error}"));
        change(sharded, choice, &lower, &upper).unwrap_or_else(|error| panic!("{case}: {error}"));
        if self.rng.random_range(0..4) == 0 {
            self.held = Some((self.twins.plain.snapshot(), self.twins.sharded.snapshot()));
        }
    }
}

/// Sometimes deletes intervals, cleans up or clears.
fn change<K: TestKey, V: TestValue>(
    dictionary: &mut impl Updates<K, V>,
    choice: u32,
    lower: &[K],
    upper: &[K],
) -> Result<()> {
    match choice {
        0..=2 => dictionary.delete_range(lower, upper),
        3 => dictionary.cleanup(),
        4 => dictionary.clear(),
        _ => Ok(()),
    }
}

/// The device once, twice or three times; or, on the host, with arrays so short that shards must be split for them.
fn devices(device: &Device, choice: u32) -> Vec<Device> {
    match choice {
        3 if device.is_host() => vec![Device::host_with_arrays_of_at_most(1500); 2],
        3 => vec![device.clone()],
        more => vec![device.clone(); more as usize + 1],
    }
}
