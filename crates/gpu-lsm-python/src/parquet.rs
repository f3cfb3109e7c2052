//! Parquet files, as Python names them.

use crate::arrow::numpy_type;
use crate::failure::{Failure, Outcome};
use gpu_lsm_store::parquet_fields;
use pyo3::prelude::*;
use std::fs::File;
use std::path::{Path, PathBuf};

/// The names and numpy types of the columns of a file, or of some of them.
#[pyfunction]
pub(crate) fn parquet_types(
    py: Python<'_>,
    path: PathBuf,
    names: Option<Vec<String>>,
) -> PyResult<Vec<(String, String)>> {
    let fields = py.detach(|| Outcome::Ok(parquet_fields(opened(&path)?)?))?;
    let all = || -> Vec<String> { fields.iter().map(|field| field.name().clone()).collect() };
    let typed = |name: String| -> Outcome<(String, String)> {
        let field = fields.iter().find(|field| *field.name() == name);
        let missing = || Failure::NoColumn { name: name.clone(), there: all().join(", ") };
        let column = field.ok_or_else(missing)?.data_type();
        let numpy = numpy_type(column).ok_or_else(|| Failure::NoType { column: column.to_string() })?;
        Ok((name, numpy))
    };
    let names = names.unwrap_or_else(all);
    Ok(names.into_iter().map(typed).collect::<Outcome<_>>()?)
}

pub(crate) fn opened(path: &Path) -> Outcome<File> {
    File::open(path).map_err(|error| Failure::File { path: path.into(), error })
}

pub(crate) fn created(path: &Path) -> Outcome<File> {
    File::create(path).map_err(|error| Failure::File { path: path.into(), error })
}
