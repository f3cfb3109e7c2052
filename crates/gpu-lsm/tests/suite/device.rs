//! Choosing a device by name.

use crate::on_every_device;
use gpu_lsm::{BackendError, Device, Error};

#[test]
fn host_is_always_there() {
    assert!("host".parse::<Device>().unwrap().is_host());
    assert!("Host".parse::<Device>().unwrap().is_host());
    assert_eq!(Device::host().name(), "host");
    assert_eq!(Device::list()[0].selector, "host");
    assert_eq!(format!("{:?}", Device::host()), "Device(\"host\")");
}

on_every_device!(
    the_self_test_passes_and_tells_its_progress,
    more_elements_than_there_are_positions_are_refused_even_if_they_have_no_size,
);

fn the_self_test_passes_and_tells_its_progress(device: &Device) {
    let mut steps = Vec::new();
    device.self_test(|progress| steps.push((progress.done, progress.total, progress.step))).unwrap();
    assert_eq!(steps.len(), steps[0].1 + 1, "a call before each step and one at the end");
    assert!(steps.iter().enumerate().all(|(i, step)| step.0 == i));
    let checks_u64 = steps.iter().any(|step| step.2.contains("dictionary of 64-bit keys"));
    assert_eq!(checks_u64, device.limits().has_u64_keys);
}

fn more_elements_than_there_are_positions_are_refused_even_if_they_have_no_size(device: &Device) {
    for result in [device.upload(&[(); 1 << 40]), device.room(1 << 40)] {
        let error = result.expect_err("more than 2^32 elements");
        let Error::Backend(BackendError::TooLarge { entries, entry_bytes: 0, .. }) = error else {
            panic!("{error}")
        };
        assert_eq!(entries, 1 << 40);
    }
    assert_eq!(device.upload(&[(); 1 << 20]).unwrap().read().unwrap().len(), 1 << 20);
}

#[test]
fn what_is_not_there_is_an_error_that_lists_what_is() {
    for asked in ["gpu:99", "gpu:", "gpu:x", "no such card", "", "host "] {
        let error = asked.parse::<Device>().unwrap_err();
        if asked.starts_with("gpu") && !cfg!(feature = "gpu") {
            assert!(matches!(error, Error::NoGpu { .. }), "{error}");
            continue;
        }
        let Error::NoSuchDevice { asked: named, available } = &error else { panic!("{error}") };
        assert_eq!(named, asked);
        assert!(available.contains("host"), "{error}");
    }
}

#[cfg(feature = "gpu")]
mod choice_of_gpu {
    use gpu_lsm::Device;

    #[test]
    fn each_device_of_the_list_is_chosen_by_number_and_by_part_of_its_name() {
        let gpus = &Device::list()[1..];
        assert!(!gpus.is_empty(), "the GPU tests need a Vulkan driver, for instance mesa-vulkan-drivers");
        for gpu in gpus {
            assert_eq!(gpu.selector.parse::<Device>().unwrap().name(), gpu.name);
            let part = gpu.name[..4].to_uppercase();
            assert!(part.parse::<Device>().unwrap().name().to_uppercase().starts_with(&part));
            assert_ne!(gpu.api, "Gl", "OpenGL is never offered");
        }
        assert_eq!(Device::gpu().unwrap().name(), gpus[0].name);
    }

    #[test]
    fn auto_takes_hardware_or_the_host() {
        let has_hardware = Device::list()[1..].iter().any(|gpu| gpu.kind != "software");
        assert_eq!(Device::auto().is_host(), !has_hardware);
    }

    /// Ensures that a run of the suite on SPIR-V really uses it. A driver that would crash is refused, by a missing
    /// extension.
    #[cfg(feature = "vulkan")]
    #[test]
    fn kernels_are_spir_v_or_the_driver_is_refused() {
        match Device::gpu() {
            Ok(gpu) => assert_eq!(gpu.as_gpu().unwrap().runtime(), "wgpu<spirv>"),
            Err(error) => {
                assert!(error.to_string().contains("VK_KHR_workgroup_memory_explicit_layout"), "{error}");
                println!("refused: {error}");
            }
        }
    }

    /// Ensures that a run of the suite on another driver really uses it.
    #[test]
    fn the_driver_is_the_one_that_was_asked_for() {
        let Ok(driver) = std::env::var("GPU_LSM_DRIVER") else { return };
        let best = &Device::list()[1];
        assert!(format!("{} {}", best.name, best.driver).contains(&driver), "{best:?} is not {driver}");
    }

    /// Ensures that a run of the suite with another subgroup size really has it.
    #[test]
    fn the_plane_size_is_the_one_that_was_asked_for() {
        let Ok(width) = std::env::var("LP_NATIVE_VECTOR_WIDTH") else { return };
        if Device::list()[1].kind != "software" {
            return;
        }
        let size = width.parse::<u32>().unwrap() / 32;
        assert_eq!(crate::support::gpu().limits().plane_sizes, Some((size, size)));
    }
}
