//! Arrow columns as buffers that numpy can see without a copy.

use crate::failure::Failure;
use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef};
use arrow_schema::{DataType, TimeUnit};
use pyo3::exceptions::{PyKeyError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3_arrow::buffer::PyArrowBuffer;
use pyo3_arrow::input::{AnyArray, AnyRecordBatch};

/// A chunk: its numpy type, the number of elements of a row, its memory, the first element and the number of rows.
type Chunk = (String, usize, PyArrowBuffer, usize, usize);

/// The chunks of an Arrow array or stream.
#[pyfunction]
pub(crate) fn arrow_column(column: AnyArray) -> PyResult<Vec<Chunk>> {
    let (chunks, field) = column.into_chunked_array()?.into_inner();
    if chunks.is_empty() {
        return Ok(vec![chunk(&arrow_array::new_empty_array(field.data_type()))?]);
    }
    chunks.iter().map(chunk).collect()
}

/// The names of a table's columns, and the chunks of each.
#[pyfunction]
pub(crate) fn arrow_table(
    table: AnyRecordBatch,
    names: Option<Vec<String>>,
) -> PyResult<Vec<(String, Vec<Chunk>)>> {
    let (batches, schema) = table.into_table()?.into_inner();
    let all = || schema.fields().iter().map(|field| field.name().clone()).collect();
    let names: Vec<String> = names.unwrap_or_else(all);
    let column = |name: String| {
        let Some((i, field)) = schema.column_with_name(&name) else {
            let message = format!("no column is called {name:?}; there are: {}", all().join(", "));
            return Err(PyKeyError::new_err(message));
        };
        let chunks = match &batches[..] {
            [] => vec![chunk(&arrow_array::new_empty_array(field.data_type()))?],
            batches => batches.iter().map(|batch| chunk(batch.column(i))).collect::<PyResult<_>>()?,
        };
        Ok((name, chunks))
    };
    names.into_iter().map(column).collect()
}

fn chunk(array: &ArrayRef) -> PyResult<Chunk> {
    if array.null_count() > 0 {
        let message =
            format!("{} of {} rows are null; drop or fill them first", array.null_count(), array.len());
        return Err(PyValueError::new_err(message));
    }
    if let DataType::FixedSizeList(_, size) = array.data_type() {
        let list = array.as_fixed_size_list();
        let (dtype, width, buffer, start, _) = chunk(list.values())?;
        if width != 1 {
            return Err(unknown(array.data_type()));
        }
        let size = *size as usize;
        return Ok((dtype, size, buffer, start, array.len()));
    }
    let dtype = numpy_type(array.data_type()).ok_or_else(|| unknown(array.data_type()))?;
    let data = array.to_data();
    Ok((dtype, 1, PyArrowBuffer::new(data.buffers()[0].clone()), data.offset(), array.len()))
}

/// The numpy type with the same bytes.
pub(crate) fn numpy_type(arrow: &DataType) -> Option<String> {
    let unit = |unit: &TimeUnit| match unit {
        TimeUnit::Second => "s",
        TimeUnit::Millisecond => "ms",
        TimeUnit::Microsecond => "us",
        TimeUnit::Nanosecond => "ns",
    };
    Some(match arrow {
        DataType::UInt8 => "uint8".into(),
        DataType::UInt16 => "uint16".into(),
        DataType::UInt32 => "uint32".into(),
        DataType::UInt64 => "uint64".into(),
        DataType::Int8 => "int8".into(),
        DataType::Int16 => "int16".into(),
        DataType::Int32 => "int32".into(),
        DataType::Int64 => "int64".into(),
        DataType::Float16 => "float16".into(),
        DataType::Float32 => "float32".into(),
        DataType::Float64 => "float64".into(),
        // Days in 32 bits: numpy has them in 64, so that only Python can widen them.
        DataType::Date32 => "days".into(),
        DataType::Date64 => "datetime64[ms]".into(),
        DataType::Timestamp(each, _) => format!("datetime64[{}]", unit(each)),
        DataType::Duration(each) => format!("timedelta64[{}]", unit(each)),
        DataType::FixedSizeBinary(bytes) => format!("V{bytes}"),
        _ => return None,
    })
}

fn unknown(arrow: &DataType) -> PyErr {
    PyTypeError::new_err(Failure::NoType { column: arrow.to_string() }.to_string())
}
