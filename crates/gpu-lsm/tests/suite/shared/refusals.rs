//! Devices and buffers that cannot be shared, and what the errors advise.

use super::Own;
#[cfg(not(feature = "vulkan"))]
use gpu_lsm::interop::{self, wgpu::*};
use gpu_lsm::{BackendError, Error};

/// The advice of the error that says that a device cannot be shared.
fn refusal(own: &Own) -> String {
    let error = own.share().unwrap_err();
    let Error::Backend(BackendError::CannotShare { device, reason }) = &error else { panic!("{error}") };
    assert_eq!(error.to_string(), format!("{device} cannot be shared: {reason}"));
    assert_eq!(device, &own.adapter.get_info().name);
    reason.clone()
}

#[cfg(not(feature = "vulkan"))]
#[test]
fn a_gpu_device_without_what_the_engine_needs_is_refused() {
    let own = Own::with(|_| DeviceDescriptor::default());
    let needed = own.adapter.features() & (Features::SHADER_INT64 | Features::TIMESTAMP_QUERY);
    let expected =
        format!("it was made without the features {needed}; request it with `interop::descriptor(&adapter)`");
    assert_eq!(refusal(&own), expected);
    let limits = Limits { max_compute_workgroup_storage_size: 16, ..Limits::default() };
    let own =
        Own::with(|adapter| DeviceDescriptor { required_limits: limits, ..interop::descriptor(adapter) });
    let reason = refusal(&own);
    assert!(reason.contains(" bytes of shared memory; request it with `interop::descriptor"), "{reason}");
}

#[cfg(not(feature = "vulkan"))]
#[test]
fn a_buffer_on_the_host_has_no_part_on_a_gpu_device() {
    let error = interop::part(&gpu_lsm::Device::host().upload(&[1u32]).unwrap()).unwrap_err();
    let expected = "this is on host, which wgpu does not drive; use a device that `interop::share` opened";
    assert_eq!(error.to_string(), expected);
}

/// Otherwise the engine would pass SPIR-V to a device that was not made for it.
#[cfg(feature = "vulkan")]
#[test]
fn a_gpu_device_is_refused_where_kernels_are_spir_v() {
    let reason = refusal(&Own::new());
    assert!(reason.contains("through WGSL, and the feature `vulkan` of gpu-lsm bypasses that"), "{reason}");
}
