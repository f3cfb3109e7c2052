//! The extension module of the Python package `gpu_lsm`: dictionaries of words. The package gives them their types.

#![forbid(unsafe_code)]
#![expect(clippy::needless_pass_by_value, reason = "arguments from Python arrive by value")]

mod arrow;
mod buffer;
mod columns;
mod dictionary;
mod durable;
mod failure;
mod held;
mod home;
mod instance;
mod kept;
mod kind;
mod locked;
mod parquet;
mod plan;
mod process;
mod raw;
mod report;
mod resident;
mod snapshot;
mod store;
mod width;

use pyo3::prelude::*;

/// The extension module.
#[pymodule]
mod _gpu_lsm {
    #[pymodule_export]
    use super::arrow::{arrow_column, arrow_table};
    #[pymodule_export]
    use super::buffer::Buffer;
    #[pymodule_export]
    use super::dictionary::Dictionary;
    #[pymodule_export]
    use super::durable::{Durable, Receipt};
    #[pymodule_export]
    use super::parquet::parquet_types;
    #[pymodule_export]
    use super::snapshot::{Scan, Snapshot};
    #[pymodule_export]
    use super::store::Store;
    #[pymodule_export]
    use super::{devices, self_test, version};
}

/// The version of the package.
#[pyfunction]
fn version() -> &'static str {
    env!("CARGO_PKG_VERSION")
}

/// A device: its selector, name, API, driver, kind and bytes of memory.
type DeviceInfo = (String, String, String, String, &'static str, Option<u64>);

/// The host, then the GPUs, best first.
#[pyfunction]
fn devices(py: Python<'_>) -> Vec<DeviceInfo> {
    let list = py.detach(gpu_lsm::Device::list);
    let info = |device: gpu_lsm::DeviceInfo| {
        (device.selector, device.name, device.api, device.driver, device.kind, device.memory)
    };
    list.into_iter().map(info).collect()
}

/// Checks that a device gives right results.
#[pyfunction]
fn self_test(py: Python<'_>, device_name: &str, progress: Option<Py<PyAny>>) -> PyResult<()> {
    let device = py.detach(|| process::device(device_name))?;
    let mut interruption = None;
    let outcome = py.detach(|| {
        device.self_test(|step| {
            if interruption.is_none() {
                interruption = tell(progress.as_ref(), step).err();
            }
        })
    });
    match interruption {
        Some(error) => Err(error),
        None => Ok(outcome.map_err(failure::Failure::from)?),
    }
}

/// Reports a step to Python.
fn tell(progress: Option<&Py<PyAny>>, step: gpu_lsm::Progress) -> PyResult<()> {
    Python::attach(|py| {
        py.check_signals()?;
        if let Some(progress) = progress {
            progress.call1(py, (step.done, step.total, step.step))?;
        }
        Ok(())
    })
}
