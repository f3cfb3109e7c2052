//! A program's own wgpu device: what its kernels wrote is inserted, what a dictionary found is read by it.

use gpu_lsm::wgpu::{self, wgpu::Device as OwnDevice, wgpu::*};
#[cfg(not(feature = "vulkan"))]
use gpu_lsm::{Device, Dictionary, Error};

/// A device of the program's own on the best Vulkan driver there is.
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
    let (instance, adapter, device, queue) = crate::support::block_on(own_device(wgpu::descriptor));
    let shared = wgpu::share(&instance, &adapter, &device, &queue).unwrap();
    let keys = shared.room::<u32>(1000).unwrap();
    let part = wgpu::part(&keys).unwrap();
    assert!(part.size >= 4000);
    // The program writes the keys by its own queue.
    let numbers: Vec<u8> = (0..1000u32).rev().flat_map(|i| (i * 3).to_le_bytes()).collect();
    queue.write_buffer(&part.buffer, part.offset, &numbers);
    queue.submit([]);
    let mut dictionary = Dictionary::<u32, u32>::new(&shared).unwrap();
    dictionary.insert(&keys, &(0..1000).collect::<Vec<u32>>()).unwrap();
    assert_eq!(dictionary.lookup(&[0, 3, 4, 2997]).unwrap().to_vec(), [Some(999), Some(998), None, Some(0)]);

    // And copies what was found into a buffer of its own.
    let found = dictionary.on_device().lookup(&keys).unwrap();
    let part = wgpu::part(&found.values).unwrap();
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

#[cfg(not(feature = "vulkan"))]
#[test]
fn a_gpu_device_without_what_the_engine_needs_is_refused() {
    let bare = |_: &Adapter| DeviceDescriptor::default();
    let (instance, adapter, device, queue) = crate::support::block_on(own_device(bare));
    let error = wgpu::share(&instance, &adapter, &device, &queue).unwrap_err();
    let has_u64 = adapter.features().contains(Features::SHADER_INT64);
    let lacking = if has_u64 { "SHADER_INT64" } else { "TIMESTAMP_QUERY" };
    assert!(error.to_string().contains(lacking), "{error}");
    let on_host = Device::host().upload(&[1u32]).unwrap();
    assert!(matches!(wgpu::part(&on_host), Err(Error::OtherDevice { .. })));
}

/// The engine would then hand SPIR-V to a device that was not made for it.
#[cfg(feature = "vulkan")]
#[test]
fn a_gpu_device_is_refused_where_kernels_are_spir_v() {
    let (instance, adapter, device, queue) = crate::support::block_on(own_device(wgpu::descriptor));
    let error = wgpu::share(&instance, &adapter, &device, &queue).unwrap_err();
    assert!(error.to_string().contains("through WGSL"), "{error}");
}
