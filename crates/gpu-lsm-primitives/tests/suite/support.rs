//! Backends, sizes and keys for the tests.

#[cfg(feature = "gpu")]
use gpu_lsm_primitives::gpu::{Gpu, devices};
use gpu_lsm_primitives::host::Host;
use gpu_lsm_primitives::tuning::{HOST_TILE, STAGED_ITEMS, TILE, UNITS};
use gpu_lsm_primitives::{Backend, Code, Meter};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

pub(crate) fn host() -> Host {
    Host::new(Meter::new(None))
}

/// The best GPU of this machine, which may be software Vulkan. If there is none, the tests fail instead of being
/// skipped.
#[cfg(feature = "gpu")]
pub(crate) fn gpu() -> Gpu {
    let gpus = devices::list();
    let best = gpus.first().expect("the GPU tests need a Vulkan driver, for instance mesa-vulkan-drivers");
    Gpu::open(&best.device, Meter::new(None)).expect("the device opens")
}

/// Runs a part of a test that needs 64-bit keys. On a backend without them, it must end with the error that says so.
pub(crate) fn wide(backend: &impl Backend, part: impl FnOnce()) {
    if backend.supports::<u64>().is_ok() {
        return part();
    }
    let panic = catch_unwind(AssertUnwindSafe(part)).expect_err("64-bit keys are refused");
    match panic.downcast_ref::<String>() {
        Some(text) if text.contains("Unsupported { what: \"64-bit keys\"") => println!("refused: {text}"),
        _ => resume_unwind(panic),
    }
}

pub(crate) fn rng(seed: u64) -> ChaCha8Rng {
    ChaCha8Rng::seed_from_u64(seed)
}

/// Sizes around the edges of the GPU's tiles and of the host's, and one with more than a hundred cubes of any kernel.
///
/// Each size comes with every mix of keys; the largest only with one mix that keeps runs long and one that keeps them
/// short.
pub(crate) fn cases() -> Vec<(usize, Mix)> {
    let every_mix = |len| MIXES.into_iter().map(move |mix| (len, mix));
    let mut cases: Vec<_> = edge_sizes().into_iter().flat_map(every_mix).collect();
    cases.extend([(LARGE, Mix::Random), (LARGE, Mix::Few)]);
    cases.retain(|case| fits(case.0));
    cases
}

/// Whether a test of this many items runs. If kernels run elsewhere than on a device, the largest tests are left out.
pub(crate) fn fits(items: usize) -> bool {
    let largest = std::env::var("GPU_LSM_LARGEST").ok();
    largest.is_none_or(|largest| items <= largest.parse().expect("a number"))
}

/// Sizes around the edges of tiles.
pub(crate) fn edge_sizes() -> [usize; 15] {
    let tile = TILE as usize;
    let staged_tile = (UNITS * STAGED_ITEMS) as usize;
    [
        0,
        1,
        2,
        staged_tile - 1,
        staged_tile,
        staged_tile + 1,
        tile - 1,
        tile,
        tile + 1,
        2 * tile - 1,
        2 * tile + 1,
        3 * tile - 1,
        3 * tile + 7,
        HOST_TILE + 1,
        64 * tile + 1,
    ]
}

/// More than 2^20, and not a multiple of any tile.
pub(crate) const LARGE: usize = (1 << 20) + 70_001;

/// The choice of keys in a test.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Mix {
    /// From the whole domain.
    Random,
    /// From 16 keys.
    Few,
    /// One key.
    Equal,
    /// From the eight smallest and the eight largest.
    Ends,
    /// Consecutive keys around the middle of the domain.
    Dense,
}

pub(crate) const MIXES: [Mix; 5] = [Mix::Random, Mix::Few, Mix::Equal, Mix::Ends, Mix::Dense];

/// `len` keys of a mix, unsorted.
pub(crate) fn keys<K: Code>(mix: Mix, len: usize, seed: u64) -> Vec<K> {
    let mut rng = rng(seed);
    let middle = 1u64 << (K::WIDTH.bits() - 1);
    (0..len)
        .map(|i| {
            let random = rng.random::<u64>();
            K::truncated(match mix {
                Mix::Random => random,
                Mix::Few => (random % 16).wrapping_mul(0x9E37_79B9_7F4A_7C15),
                Mix::Equal => 42,
                Mix::Ends => (random % 16).wrapping_sub(8),
                Mix::Dense => middle.wrapping_add(i as u64).wrapping_sub(len as u64 / 2),
            })
        })
        .collect()
}

/// At most `len` distinct keys, ascending.
pub(crate) fn distinct_keys<K: Code>(mix: Mix, len: usize, seed: u64) -> Vec<K> {
    let mut keys = keys(mix, len, seed);
    keys.sort_unstable();
    keys.dedup();
    keys
}

/// Ascending keys that are spread unevenly over the parts of an index, so that few keys are where they are expected.
pub(crate) fn uneven_keys<K: Code>() -> Vec<Vec<K>> {
    let last = K::MAX.to_u64();
    // With at most 95 keys there are two parts, each half of the domain if both its ends are keys.
    let half = last / 2;
    let runs = [
        vec![0],
        vec![last],
        vec![0, last],
        (0..5000).collect(),
        // All keys but one in one part, as the first and as the last.
        (0..5000).chain([last]).collect(),
        [0].into_iter().chain(last - 5000..=last).collect(),
        // As many keys in one part as are searched by guesses, and one more.
        (0..128).chain([last]).collect(),
        (0..129).chain([last]).collect(),
        // Crowded at the lower end of their part, at its upper end, at both, and in its middle.
        (0..80).chain([half - 1, last]).collect(),
        [0].into_iter().chain(half - 80..half).chain([last]).collect(),
        (0..40).chain(half - 40..half).chain([last]).collect(),
        [0].into_iter().chain(half / 2..half / 2 + 80).chain([last]).collect(),
        // Ever farther apart.
        (0..K::WIDTH.bits()).map(|bit| 1 << bit).chain([last]).collect(),
        (1..2000).map(|i| i * i).collect(),
    ];
    runs.map(|keys: Vec<u64>| keys.into_iter().map(K::truncated).collect()).into()
}

/// Keys, their neighbours, and the ends of the domain.
pub(crate) fn around<K: Code>(keys: &[K]) -> Vec<K> {
    let near = |key: &K| [-1, 0, 1].map(|step| K::truncated(Code::to_u64(*key).wrapping_add_signed(step)));
    keys.iter().flat_map(near).chain([K::MIN, K::MAX]).collect()
}

/// One bit for each of `len` entries, set with the given chance in 256. Unused bits are zero.
pub(crate) fn marks(len: usize, chance: u8, seed: u64) -> Vec<u32> {
    let mut rng = rng(seed);
    let mut words = vec![0; len.div_ceil(32)];
    for i in 0..len {
        words[i / 32] |= u32::from(rng.random::<u8>() < chance) << (i % 32);
    }
    words
}
