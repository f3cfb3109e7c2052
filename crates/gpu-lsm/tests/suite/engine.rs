//! A program's own kernels on CubeCL: they write keys that are inserted, and read what the dictionary finds.

use cubecl::prelude::*;
use gpu_lsm::interop::{self, cubecl};
use gpu_lsm::{BackendError, Device, Dictionary, Error};

const N: usize = 5000;

/// Scattered keys, of which some repeat, and their positions.
#[cube(launch_unchecked)]
fn write(keys: &mut [u32], positions: &mut [u32]) {
    if ABSOLUTE_POS < keys.len() {
        let position = ABSOLUTE_POS as u32;
        keys[ABSOLUTE_POS] = position * 7919 % 4801;
        positions[ABSOLUTE_POS] = position;
    }
}

#[cube(launch_unchecked)]
fn double(numbers: &[u32], doubled: &mut [u32]) {
    if ABSOLUTE_POS < numbers.len() {
        doubled[ABSOLUTE_POS] = numbers[ABSOLUTE_POS] * 2;
    }
}

fn key(position: u32) -> u32 {
    position * 7919 % 4801
}

/// The position that was inserted last for a key: the first and the last 199 positions have the same keys.
fn last(position: u32) -> u32 {
    if position < N as u32 - 4801 { position + 4801 } else { position }
}

fn grid() -> (CubeCount, CubeDim) {
    (CubeCount::Static(N.div_ceil(64) as u32, 1, 1), CubeDim::new_1d(64))
}

#[test]
fn kernels_on_cubecl_and_a_gpu_dictionary_exchange_memory_without_a_copy() {
    let device = crate::support::gpu();
    let client = interop::client(&device).unwrap();
    let (keys, positions) = (client.empty(4 * N), client.empty(4 * N));
    let (count, dim) = grid();
    let argument = |handle: &cubecl::server::Handle| {
        // SAFETY: each of the handles has room for so many 32-bit numbers.
        unsafe { BufferArg::from_raw_parts(handle.clone(), N) }
    };
    // SAFETY: the kernel checks its position.
    unsafe { write::launch_unchecked(&client, count, dim, argument(&keys), argument(&positions)) };

    let mut dictionary = Dictionary::<u32, u32>::new(&device).unwrap();
    let keys = interop::buffer::<u32>(&device, keys, N).unwrap();
    dictionary.insert(&keys, interop::buffer(&device, positions, N).unwrap()).unwrap();
    let found = dictionary.on_device().lookup(&keys).unwrap();
    let (count, dim) = grid();
    let (values, doubled) = (interop::handle(&found.values).unwrap(), client.empty(4 * N));
    // SAFETY: the kernel checks its position.
    unsafe { double::launch_unchecked(&client, count, dim, argument(&values), argument(&doubled)) };
    let traffic = dictionary.statistics().traffic;
    assert_eq!((traffic.uploaded, traffic.downloaded), (0, 4), "only the number of entries is read back");

    let doubled = interop::buffer::<u32>(&device, doubled, N).unwrap().read().unwrap();
    assert!(doubled.iter().copied().eq((0..N as u32).map(|position| 2 * last(position))));
    assert_eq!(dictionary.get(key(4000)).unwrap(), Some(4000));
}

#[test]
fn a_gpu_device_that_is_opened_by_its_name_in_cubecl_is_the_same_device() {
    let device = crate::support::gpu();
    let opened = interop::open(&interop::engine_device(&device).unwrap()).unwrap();
    assert_eq!(opened, device);
    let service = |device| interop::client(device).unwrap().service_id();
    assert_eq!(service(&opened), service(&device));
    let mut dictionary = Dictionary::<u32, u32>::new(&opened).unwrap();
    dictionary.insert(device.upload(&[3u32, 4]).unwrap(), [30u32, 40]).unwrap();
    assert_eq!(dictionary.get(4).unwrap(), Some(40));
}

/// The engine's default device has a client of its own, even if it is the same card.
#[cfg(feature = "wgpu")]
#[test]
fn memory_of_another_gpu_client_is_refused() {
    let device = crate::support::gpu();
    let default = interop::open(&cubecl::Device::Wgpu(Default::default())).unwrap();
    assert_ne!(default, device);
    let foreign = interop::client(&default).unwrap().create_from_slice(&[0; 8]);
    assert_eq!(
        unfit(interop::buffer::<u32>(&device, foreign, 2)),
        "it belongs to another client of the engine; use that of `interop::client`"
    );
}

fn unfit<T: std::fmt::Debug>(result: Result<T, Error>) -> String {
    match result.unwrap_err() {
        Error::Backend(BackendError::UnfitMemory { reason }) => reason,
        error => panic!("{error}"),
    }
}

#[test]
fn gpu_memory_that_is_too_short_or_starts_at_an_odd_place_is_refused() {
    let device = crate::support::gpu();
    let client = interop::client(&device).unwrap();
    let numbers: Vec<u8> = (0..200u32).flat_map(u32::to_le_bytes).collect();
    let memory = || client.create_from_slice(&numbers);
    let short = unfit(interop::buffer::<u64>(&device, memory(), 101));
    assert_eq!(short, "101 elements of 8 bytes are 808 bytes, and it has 800; ask for 100 at most");
    let odd = unfit(interop::buffer::<u32>(&device, memory().offset_start(4), 2));
    assert!(odd.starts_with("it starts at byte 4 of its allocation, and kernels bind memory"), "{odd}");

    let alignment = client.properties().memory.alignment;
    let later = memory().offset_start(alignment).offset_end(4);
    let first = alignment as u32 / 4;
    let short = unfit(interop::buffer::<u32>(&device, later.clone(), 200));
    assert!(short.starts_with("200 elements of 4 bytes are 800 bytes"), "offsets count: {short}");
    let buffer = interop::buffer::<u32>(&device, later, 3).unwrap();
    assert_eq!(buffer.read().unwrap(), [first, first + 1, first + 2]);
    assert_eq!(interop::handle(&buffer).unwrap().size_in_used(), 12);
    assert!(interop::buffer::<u32>(&device, memory(), 0).unwrap().read().unwrap().is_empty());
    assert_eq!(interop::buffer::<()>(&device, memory(), 5000).unwrap().len(), 5000);
    let error = interop::buffer::<()>(&device, memory(), 1 << 40).unwrap_err();
    assert!(matches!(error, Error::Backend(BackendError::TooLarge { .. })), "{error}");
}

/// The smallest memory that a program may have.
#[test]
fn a_single_key_in_gpu_memory_of_cubecl_is_taken() {
    let device = crate::support::gpu();
    let key = interop::client(&device).unwrap().create_from_slice(&17u32.to_le_bytes());
    let key = interop::buffer::<u32>(&device, key, 1).unwrap();
    let mut dictionary = Dictionary::<u32, u32>::new(&device).unwrap();
    dictionary.insert(&key, &key).unwrap();
    assert_eq!(dictionary.on_device().lookup(&key).unwrap().values.read().unwrap(), [17]);
}

#[test]
fn the_host_has_no_gpu_engine_and_the_error_says_what_to_open() {
    let expected = "this is on host, which CubeCL does not drive; use a device that `Device::gpu` or `interop::open` opened";
    let host = Device::host();
    let text = |error: Error| error.to_string();
    assert_eq!(interop::client(&host).map(drop).map_err(text), Err(expected.into()));
    assert_eq!(interop::engine_device(&host).map(drop).map_err(text), Err(expected.into()));
    assert_eq!(interop::handle(&host.upload(&[1u32]).unwrap()).map(drop).map_err(text), Err(expected.into()));
    let memory = interop::client(&crate::support::gpu()).unwrap().empty(8);
    assert_eq!(interop::buffer::<u32>(&host, memory, 1).map(drop).map_err(text), Err(expected.into()));
}
