//! Buffers, as Python sees them: columns on a device.

use crate::columns::array;
use crate::failure::Failure;
use crate::held::Held;
use crate::process::Owned;
use gpu_lsm::Value;
use numpy::Element;
use pyo3::prelude::*;

/// A column on a device.
#[pyclass(frozen)]
pub(crate) struct Buffer(Owned<Held>);

impl Buffer {
    pub(crate) fn new(held: Held) -> Self {
        Self(Owned::new(held))
    }

    pub(crate) fn held(&self) -> PyResult<&Held> {
        Ok(self.0.get()?)
    }
}

#[pymethods]
impl Buffer {
    fn __len__(&self) -> PyResult<usize> {
        Ok(self.held()?.len())
    }

    /// The name of the device.
    fn device(&self) -> PyResult<String> {
        Ok(self.held()?.device())
    }

    /// A copy in the host's memory.
    fn read<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        match self.held()? {
            Held::Nothing(_) => Ok(array(py, Vec::<u32>::new())),
            Held::U32(buffer) => read(py, buffer),
            Held::I32(buffer) => read(py, buffer),
            Held::F32(buffer) => read(py, buffer),
            Held::U64(buffer) => read(py, buffer),
            Held::I64(buffer) => read(py, buffer),
            Held::F64(buffer) => read(py, buffer),
            Held::Two(buffer) => flat(py, buffer),
            Held::Four(buffer) => flat(py, buffer),
        }
    }
}

fn read<'py, T: Value + Element>(
    py: Python<'py>,
    buffer: &gpu_lsm::Buffer<T>,
) -> PyResult<Bound<'py, PyAny>> {
    let elements = py.detach(|| buffer.read()).map_err(Failure::from)?;
    Ok(array(py, elements))
}

fn flat<'py, const N: usize>(
    py: Python<'py>,
    buffer: &gpu_lsm::Buffer<[u32; N]>,
) -> PyResult<Bound<'py, PyAny>>
where
    [u32; N]: Value,
{
    let elements = py.detach(|| buffer.read()).map_err(Failure::from)?;
    Ok(array(py, elements.into_flattened()))
}
