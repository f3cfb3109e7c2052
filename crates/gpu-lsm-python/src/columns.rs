//! Columns from and to numpy.

use crate::kind::Codes;
use numpy::{PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;
use std::borrow::Cow;

/// Keys as words of 4 or 8 bytes, contiguous and in the host's byte order.
#[derive(FromPyObject)]
pub(crate) enum Column<'py> {
    Narrow(PyReadonlyArray1<'py, u32>),
    Wide(PyReadonlyArray1<'py, u64>),
}

/// Values as words of 4 bytes.
pub(crate) type WordColumn<'py> = PyReadonlyArray1<'py, u32>;

impl Column<'_> {
    /// The words, where they are.
    pub(crate) fn words(&self) -> PyResult<Codes<'_>> {
        Ok(match self {
            Self::Narrow(words) => Codes::Narrow(Cow::Borrowed(words.as_slice()?)),
            Self::Wide(words) => Codes::Wide(Cow::Borrowed(words.as_slice()?)),
        })
    }
}

/// An array that takes over the words.
pub(crate) fn array_of_codes<'py>(py: Python<'py>, codes: Codes<'static>) -> Bound<'py, PyAny> {
    match codes {
        Codes::Narrow(codes) => array(py, codes.into_owned()),
        Codes::Wide(codes) => array(py, codes.into_owned()),
    }
}

/// An array that takes over a vector.
pub(crate) fn array<T: numpy::Element>(py: Python<'_>, elements: Vec<T>) -> Bound<'_, PyAny> {
    PyArray1::from_vec(py, elements).into_any()
}

/// An array of booleans.
pub(crate) fn flags(py: Python<'_>, found: Vec<u32>) -> Bound<'_, PyAny> {
    array(py, found.into_iter().map(|found| found != 0).collect::<Vec<bool>>())
}
