//! A program's own wgpu device: its kernels write keys that are inserted, and it reads what the dictionary finds.

use gpu_lsm::interop::{self, wgpu::Device as OwnDevice, wgpu::*};
#[cfg(not(feature = "vulkan"))]
use gpu_lsm::{BackendError, Device, Dictionary, Error};

/// The program's own device, on the best Vulkan driver.
async fn own_device(
    descriptor: impl FnOnce(&Adapter) -> DeviceDescriptor<'static>,
) -> (Instance, Adapter, OwnDevice, Queue) {
    let instance = Instance::new(InstanceDescriptor {
        backends: Backends::VULKAN,
        ..InstanceDescriptor::new_without_display_handle()
    });
    let adapter = instance.request_adapter(&RequestAdapterOptions::default()).await.unwrap();
    let (device, queue) = adapter.request_device(&descriptor(&adapter)).await.unwrap();
    (instance, adapter, device, queue)
}

#[cfg(not(feature = "vulkan"))]
#[test]
fn a_dictionary_on_gpu_shares_the_programs_own_device() {
    let (instance, adapter, device, queue) = crate::support::block_on(own_device(interop::descriptor));
    let shared = interop::share(&instance, &adapter, &device, &queue).unwrap();
    let keys = shared.room::<u32>(1000).unwrap();
    let part = interop::part(&keys).unwrap();
    assert!(part.size >= 4000);
    // The program writes the keys through its own queue.
    let numbers: Vec<u8> = (0..1000u32).rev().flat_map(|i| (i * 3).to_le_bytes()).collect();
    queue.write_buffer(&part.buffer, part.offset, &numbers);
    queue.submit([]);
    let mut dictionary = Dictionary::<u32, u32>::new(&shared).unwrap();
    dictionary.insert(&keys, &(0..1000).collect::<Vec<u32>>()).unwrap();
    assert_eq!(dictionary.lookup(&[0, 3, 4, 2997]).unwrap().to_vec(), [Some(999), Some(998), None, Some(0)]);

    // It copies the results into a buffer of its own.
    let found = dictionary.on_device().lookup(&keys).unwrap();
    let part = interop::part(&found.values).unwrap();
    let own = device.create_buffer(&BufferDescriptor {
        label: None,
        size: 4000,
        usage: BufferUsages::COPY_DST | BufferUsages::MAP_READ,
        mapped_at_creation: false,
    });
    let mut commands = device.create_command_encoder(&CommandEncoderDescriptor::default());
    commands.copy_buffer_to_buffer(&part.buffer, part.offset, &own, 0, 4000);
    queue.submit([commands.finish()]);
    own.slice(..).map_async(MapMode::Read, Result::unwrap);
    device.poll(PollType::wait_indefinitely()).unwrap();
    let bytes = own.slice(..).get_mapped_range().unwrap();
    let values = bytes.chunks(4).map(|word| u32::from_le_bytes(word.try_into().unwrap()));
    assert!(values.eq(0..1000));
}

/// The device is really gone; no fuse simulates its loss.
#[cfg(not(feature = "vulkan"))]
#[test]
fn a_gpu_device_that_the_program_destroys_is_lost_to_its_dictionaries_only() {
    let numbers: Vec<u32> = (0..1000).collect();
    let (instance, adapter, device, queue) = crate::support::block_on(own_device(interop::descriptor));
    let shared = interop::share(&instance, &adapter, &device, &queue).unwrap();
    let mut dictionary = Dictionary::<u32, u32>::new(&shared).unwrap();
    let mut beside = Dictionary::<u32, u32>::new(&shared).unwrap();
    let mut elsewhere = Dictionary::<u32, u32>::new(&crate::support::gpu()).unwrap();
    for dictionary in [&mut dictionary, &mut beside, &mut elsewhere] {
        dictionary.insert(&numbers, &numbers).unwrap();
    }
    let found = dictionary.on_device().lookup(&numbers).unwrap();
    device.destroy();
    let is_lost = |what: &str, result: Result<(), Error>| {
        let error = result.expect_err(what);
        assert!(matches!(error, Error::Backend(BackendError::DeviceLost { .. })), "{what}: {error}");
    };
    is_lost("lookup", dictionary.lookup(&[1]).map(drop));
    is_lost("insert", dictionary.insert(&[7], &[8]));
    is_lost("delete", dictionary.delete_range(&[0], &[9]));
    is_lost("cleanup", dictionary.cleanup());
    is_lost("range", dictionary.range(&[0], &[9]).map(drop));
    is_lost("count", dictionary.count(&[0], &[9]).map(drop));
    is_lost("successor", dictionary.successor(&[0]).map(drop));
    is_lost("len", dictionary.len().map(drop));
    is_lost("verify", dictionary.verify());
    is_lost("read", found.values.read().map(drop));
    is_lost("upload", shared.upload(&[1u32]).map(drop));
    is_lost("part", interop::part(&found.values).map(drop));
    is_lost("self-test", shared.self_test(drop));
    is_lost("another dictionary's insert", beside.insert(&[7], &[8]));
    is_lost("a new dictionary", Dictionary::<u32, u32>::new(&shared).map(drop));
    assert_eq!(elsewhere.lookup(&numbers).unwrap().values(), numbers);
    elsewhere.insert(&[7], &[8]).unwrap();
    elsewhere.verify().unwrap();
    assert_eq!(elsewhere.lookup(&[7]).unwrap().values(), [8]);
}

/// Every call notices the loss, if it is the first.
#[cfg(not(feature = "vulkan"))]
#[test]
fn every_call_notices_that_a_gpu_device_is_destroyed() {
    type Call = fn(&mut Dictionary<u32, u32>) -> Result<(), Error>;
    let calls: [(&str, Call); 7] = [
        ("insert", |dictionary| dictionary.insert(&[7], &[8])),
        ("cleanup", |dictionary| dictionary.delete(&[1]).and_then(|()| dictionary.cleanup())),
        ("lookup", |dictionary| dictionary.lookup(&[1]).map(drop)),
        ("count", |dictionary| dictionary.count(&[0], &[9]).map(drop)),
        ("range", |dictionary| dictionary.range(&[0], &[9]).map(drop)),
        ("successor", |dictionary| dictionary.successor(&[0]).map(drop)),
        ("verify", |dictionary| dictionary.verify()),
    ];
    for (what, call) in calls {
        let (instance, adapter, device, queue) = crate::support::block_on(own_device(interop::descriptor));
        let shared = interop::share(&instance, &adapter, &device, &queue).unwrap();
        let mut dictionary = Dictionary::<u32, u32>::new(&shared).unwrap();
        dictionary.insert(&(0..1000).collect::<Vec<_>>(), &vec![5; 1000]).unwrap();
        device.destroy();
        let error = call(&mut dictionary).expect_err(what);
        assert!(matches!(error, Error::Backend(BackendError::DeviceLost { .. })), "{what}: {error}");
    }
}

#[cfg(not(feature = "vulkan"))]
#[test]
fn a_gpu_device_without_what_the_engine_needs_is_refused() {
    let bare = |_: &Adapter| DeviceDescriptor::default();
    let (instance, adapter, device, queue) = crate::support::block_on(own_device(bare));
    let error = interop::share(&instance, &adapter, &device, &queue).unwrap_err();
    let has_u64 = adapter.features().contains(Features::SHADER_INT64);
    let lacking = if has_u64 { "SHADER_INT64" } else { "TIMESTAMP_QUERY" };
    assert!(error.to_string().contains(lacking), "{error}");
    let on_host = Device::host().upload(&[1u32]).unwrap();
    assert!(matches!(interop::part(&on_host), Err(Error::OtherDevice { .. })));
}

/// Otherwise the engine would pass SPIR-V to a device that was not made for it.
#[cfg(feature = "vulkan")]
#[test]
fn a_gpu_device_is_refused_where_kernels_are_spir_v() {
    let (instance, adapter, device, queue) = crate::support::block_on(own_device(interop::descriptor));
    let error = interop::share(&instance, &adapter, &device, &queue).unwrap_err();
    assert!(error.to_string().contains("through WGSL"), "{error}");
}
