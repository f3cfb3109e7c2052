//! A wgpu program with a dictionary on its own device. Its kernels write keys and values, the dictionary takes them, and
//! kernels read what the dictionary finds. Nothing is copied to or from the host on the way.
//!
//! `cargo run --release --example own_device`

use gpu_lsm::interop::{self, Callbacks, Part, cubecl::future::block_on, wgpu};
use gpu_lsm::{Buffer, Dictionary};
use std::collections::BTreeMap;

const EVENTS: u32 = 100_000;
const SENSORS: u32 = 9_973;

/// The sensor of each event, and its number as the value.
const WRITE: &str = "
@group(0) @binding(0) var<storage, read_write> sensors: array<u32>;
@group(0) @binding(1) var<storage, read_write> numbers: array<u32>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x < arrayLength(&sensors) {
        sensors[id.x] = id.x * 7919u % 9973u;
        numbers[id.x] = id.x;
    }
}";

/// How many events ago each event's sensor was last heard of. Reads and writes the dictionary's memory in one pass.
const READ: &str = "
@group(0) @binding(0) var<storage, read> found: array<u32>;
@group(0) @binding(1) var<storage, read> last: array<u32>;
@group(0) @binding(2) var<storage, read_write> ages: array<u32>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x < arrayLength(&ages) {
        ages[id.x] = select(0xffffffffu, 99999u - last[id.x], found[id.x] == 1u);
    }
}";

pub(crate) fn main() -> Result<(), Box<dyn std::error::Error>> {
    let (instance, adapter, program) = block_on(Program::new())?;
    let callbacks = Callbacks::new(|error| panic!("{error}"), |reason, text| println!("{reason:?} {text}"));
    let shared = interop::share_with(&instance, &adapter, &program.device, &program.queue, callbacks)?;
    println!("{EVENTS} events of {SENSORS} sensors on {}", shared.name());

    let (sensors, numbers) = (shared.room::<u32>(EVENTS as usize)?, shared.room::<u32>(EVENTS as usize)?);
    program.run(WRITE, &[interop::part(&sensors)?, interop::part(&numbers)?], EVENTS);
    let mut last_heard = Dictionary::<u32, u32>::new(&shared)?;
    last_heard.insert(&sensors, &numbers)?;

    let (found, last) = last_heard.on_device().lookup(&sensors)?.into_parts();
    let ages: Buffer<u32> = shared.room(EVENTS as usize)?;
    program.run(READ, &[interop::part(&found)?, interop::part(&last)?, interop::part(&ages)?], EVENTS);
    last_heard.insert(&sensors, &ages)?;

    let traffic = last_heard.statistics().traffic;
    println!("{} bytes uploaded, {} read back: the lengths of runs", traffic.uploaded, traffic.downloaded);
    assert!(traffic.uploaded == 0 && traffic.downloaded <= 16, "{traffic:?}");

    let mut expected: BTreeMap<u32, u32> = (0..EVENTS).map(|i| (i * 7919 % SENSORS, i)).collect();
    expected.values_mut().for_each(|last| *last = EVENTS - 1 - *last);
    let (sensors, ages) = last_heard.range_in(..)?;
    assert!(sensors.into_iter().zip(ages).eq(expected));
    Ok(())
}

/// The program's own device.
struct Program {
    device: wgpu::Device,
    queue: wgpu::Queue,
}

impl Program {
    async fn new() -> Result<(wgpu::Instance, wgpu::Adapter, Self), Box<dyn std::error::Error>> {
        let instance = wgpu::Instance::new(wgpu::InstanceDescriptor {
            backends: wgpu::Backends::VULKAN | wgpu::Backends::METAL | wgpu::Backends::DX12,
            ..wgpu::InstanceDescriptor::new_without_display_handle()
        });
        let adapter = instance.request_adapter(&wgpu::RequestAdapterOptions::default()).await?;
        let (device, queue) = adapter.request_device(&interop::descriptor(&adapter)).await?;
        Ok((instance, adapter, Self { device, queue }))
    }

    /// Runs a kernel on some of the dictionary's arrays.
    fn run(&self, source: &str, parts: &[Part], units: u32) {
        let module = self.device.create_shader_module(wgpu::ShaderModuleDescriptor {
            label: None,
            source: wgpu::ShaderSource::Wgsl(source.into()),
        });
        let pipeline = self.device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: None,
            layout: None,
            module: &module,
            entry_point: Some("main"),
            compilation_options: Default::default(),
            cache: None,
        });
        let entries: Vec<_> = (0..)
            .zip(parts)
            .map(|(binding, part)| wgpu::BindGroupEntry { binding, resource: part.binding() })
            .collect();
        let layout = &pipeline.get_bind_group_layout(0);
        let bound = self.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: None,
            layout,
            entries: &entries,
        });
        let mut commands = self.device.create_command_encoder(&Default::default());
        let mut pass = commands.begin_compute_pass(&Default::default());
        pass.set_pipeline(&pipeline);
        pass.set_bind_group(0, &bound, &[]);
        pass.dispatch_workgroups(units.div_ceil(64), 1, 1);
        drop(pass);
        self.queue.submit([commands.finish()]);
    }
}
