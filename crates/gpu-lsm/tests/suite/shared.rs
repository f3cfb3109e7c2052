//! A program's own wgpu device: it is the same device for all, its buffers are apart, and what happens to it is told.

mod callbacks;
mod loss;
mod refusals;

use gpu_lsm::Device;
#[cfg(not(feature = "vulkan"))]
use gpu_lsm::Dictionary;
use gpu_lsm::interop::{self, wgpu::Device as OwnDevice, wgpu::*};

/// A wgpu program that is kept as an example: its kernels write what the dictionary takes, and read what it finds.
#[cfg(not(feature = "vulkan"))]
#[path = "../../examples/own_device.rs"]
mod program;

#[cfg(not(feature = "vulkan"))]
#[test]
fn the_example_of_a_program_with_its_own_gpu_device_copies_nothing() {
    program::main().unwrap();
}

/// A program's own device, with all that it was made by.
struct Own {
    instance: Instance,
    adapter: Adapter,
    device: OwnDevice,
    queue: Queue,
}

impl Own {
    /// A device on the best Vulkan driver that can be shared.
    fn new() -> Self {
        Self::with(interop::descriptor)
    }

    fn with(descriptor: impl FnOnce(&Adapter) -> DeviceDescriptor<'static>) -> Self {
        crate::support::block_on(async {
            let instance = Instance::new(InstanceDescriptor {
                backends: Backends::VULKAN,
                ..InstanceDescriptor::new_without_display_handle()
            });
            let adapter = instance.request_adapter(&RequestAdapterOptions::default()).await.unwrap();
            let (device, queue) = adapter.request_device(&descriptor(&adapter)).await.unwrap();
            Self { instance, adapter, device, queue }
        })
    }

    fn share(&self) -> gpu_lsm::Result<Device> {
        interop::share(&self.instance, &self.adapter, &self.device, &self.queue)
    }

    #[cfg(not(feature = "vulkan"))]
    fn share_with(&self, callbacks: interop::Callbacks) -> gpu_lsm::Result<Device> {
        interop::share_with(&self.instance, &self.adapter, &self.device, &self.queue, callbacks)
    }
}

#[cfg(not(feature = "vulkan"))]
#[test]
fn a_gpu_device_that_is_shared_twice_is_one_device() {
    let own = Own::new();
    let (one, other) = (own.share().unwrap(), own.share().unwrap());
    assert_eq!(one, other);
    let service = |device: &Device| interop::client(device).unwrap().service_id();
    assert_eq!(service(&one), service(&other));
    let mut dictionary = Dictionary::<u32, u32>::new(&one).unwrap();
    drop(one);
    dictionary.insert(other.upload(&[1u32, 2]).unwrap(), [10u32, 20]).unwrap();
    assert_eq!(dictionary.get(2).unwrap(), Some(20));
    assert_eq!(service(&own.share().unwrap()), service(&dictionary.device()));
}

/// wgpu gives the first device of each instance the same number.
#[cfg(not(feature = "vulkan"))]
#[test]
fn gpu_devices_of_two_instances_are_two_devices() {
    let (one, other) = (Own::new(), Own::new());
    assert_eq!(one.device, other.device, "wgpu itself takes them for the same");
    assert_ne!(one.share().unwrap(), other.share().unwrap());
}

/// Otherwise a pass that reads one of them and writes another would be an error of wgpu.
#[cfg(not(feature = "vulkan"))]
#[test]
fn each_array_on_a_shared_gpu_device_is_a_buffer_of_its_own() {
    let shared = Own::new().share().unwrap();
    let numbers: Vec<u32> = (0..1000).collect();
    let mut buffers: Vec<_> = [1, 2, 7, 1000, 70_000].map(|len| shared.room::<u32>(len).unwrap()).into();
    buffers.extend([1, 3, 1000].map(|len| shared.upload(&numbers[..len]).unwrap()));
    let mut dictionary = Dictionary::<u32, u32>::new(&shared).unwrap();
    dictionary.insert(&numbers, &numbers).unwrap();
    let there = dictionary.on_device();
    let (found, values) = there.lookup(&numbers).unwrap().into_parts();
    let (offsets, keys, more) = there.range(&[3], &[5]).unwrap().into_parts();
    buffers.extend([found, values, offsets, keys, more]);
    let parts: Vec<_> = buffers.iter().map(|buffer| interop::part(buffer).unwrap()).collect();
    for (i, part) in parts.iter().enumerate() {
        assert_eq!(part.size, 4 * buffers[i].len() as u64);
        assert!(parts[..i].iter().all(|other| other.buffer != part.buffer), "{i}: {part:?}");
        let BindingResource::Buffer(bound) = part.binding() else { panic!("{part:?}") };
        assert_eq!((bound.offset, bound.size.map(u64::from)), (part.offset, Some(part.size)));
    }
}
