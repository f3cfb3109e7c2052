//! The columns of keys and values in files, and what the names of types mean there.

use crate::code::{Numbers, StoredCode};
use arrow_array::cast::AsArray;
use arrow_array::types::{Date32Type, Int64Type};
use arrow_array::{Array, ArrayRef, PrimitiveArray, make_array};
use arrow_buffer::Buffer;
use arrow_data::ArrayData;
use arrow_schema::{DataType, TimeUnit};
use gpu_lsm::Value;
use std::sync::Arc;

#[cfg(target_endian = "big")]
compile_error!("files have the lowest byte of a number first, and are written and read without conversion");

/// The types that the columns of keys and values have in files. Sets have no column of values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Layout {
    pub(crate) key: DataType,
    pub(crate) value: Option<DataType>,
}

impl Layout {
    /// The columns of keys and values, with a type for each.
    pub(crate) fn types(&self) -> Vec<DataType> {
        [Some(&self.key), self.value.as_ref()].into_iter().flatten().cloned().collect()
    }

    /// A column of keys.
    pub(crate) fn key_array<C: StoredCode>(&self, codes: Vec<C>) -> ArrayRef {
        let elements = C::to_elements(codes, numbers_of(&self.key));
        array(&self.key, elements.len(), Buffer::from_vec(elements))
    }

    /// The codes of the keys in a column; `None` if it has another type or nulls.
    pub(crate) fn codes<C: StoredCode>(&self, column: &dyn Array) -> Option<Vec<C>> {
        let mut codes = bytemuck::pod_collect_to_vec(&bytes_of::<C>(&self.key, column)?);
        C::from_elements(&mut codes, numbers_of(&self.key));
        Some(codes)
    }

    /// Writes the codes of the keys in a column to a place of the same length; `None` if the column has another type or nulls.
    pub(crate) fn copy_codes<C: StoredCode>(&self, column: &dyn Array, to: &mut [C]) -> Option<()> {
        bytemuck::cast_slice_mut(to).copy_from_slice(&bytes_of::<C>(&self.key, column)?);
        C::from_elements(to, numbers_of(&self.key));
        Some(())
    }

    /// A column of values; `None` if there is none.
    pub(crate) fn value_array<V: Value>(&self, values: &[V]) -> Option<ArrayRef> {
        let column = self.value.as_ref()?;
        Some(array(column, values.len(), Buffer::from_slice_ref(bytemuck::cast_slice::<V, u8>(values))))
    }

    /// The values of these many rows; `None` if their column is missing, or has another type or nulls.
    pub(crate) fn values<V: Value>(&self, column: Option<&ArrayRef>, rows: usize) -> Option<Vec<V>> {
        match &self.value {
            Some(data_type) => Some(bytemuck::pod_collect_to_vec(&bytes_of::<V>(data_type, column?)?)),
            None => Some(vec![V::zeroed(); rows]),
        }
    }

    /// Writes the values in a column to a place of the same length; `None` if the column is missing, or has another type or nulls.
    pub(crate) fn copy_values<V: Value>(&self, column: Option<&ArrayRef>, to: &mut [V]) -> Option<()> {
        if let Some(data_type) = &self.value {
            bytemuck::cast_slice_mut(to).copy_from_slice(&bytes_of::<V>(data_type, column?)?);
        }
        Some(())
    }
}

fn array(data_type: &DataType, len: usize, bytes: Buffer) -> ArrayRef {
    let data = ArrayData::builder(data_type.clone()).len(len).add_buffer(bytes);
    make_array(data.build().expect("a layout has the widths of its keys and values"))
}

/// The bytes of a column's elements, if it is of this type and without nulls.
fn bytes_of<T>(data_type: &DataType, column: &dyn Array) -> Option<Buffer> {
    if column.data_type() != data_type || column.null_count() > 0 {
        return None;
    }
    let data = column.to_data();
    let (start, bytes) = (data.offset() * size_of::<T>(), column.len() * size_of::<T>());
    let buffer = data.buffers().first()?;
    (start + bytes <= buffer.len()).then(|| buffer.slice_with_length(start, bytes))
}

/// Dates and durations are signed numbers.
fn numbers_of(data_type: &DataType) -> Numbers {
    match data_type {
        DataType::UInt32 | DataType::UInt64 => Numbers::Unsigned,
        DataType::Float32 | DataType::Float64 => Numbers::Float,
        _ => Numbers::Signed,
    }
}

const NUMBERS: [(&str, DataType); 6] = [
    ("u32", DataType::UInt32),
    ("u64", DataType::UInt64),
    ("i32", DataType::Int32),
    ("i64", DataType::Int64),
    ("f32", DataType::Float32),
    ("f64", DataType::Float64),
];

const UNITS: [(&str, TimeUnit); 4] = [
    ("s", TimeUnit::Second),
    ("ms", TimeUnit::Millisecond),
    ("us", TimeUnit::Microsecond),
    ("ns", TimeUnit::Nanosecond),
];

/// The column of numbers with a name.
pub(crate) fn number(name: &str) -> Option<DataType> {
    NUMBERS.iter().find(|(number, _)| *number == name).map(|(_, column)| column.clone())
}

/// The column of dates or durations with a name. Arrow lacks some of numpy's units.
pub(crate) fn date(name: &str) -> Option<DataType> {
    let (kind, unit) = name.strip_suffix(']')?.split_once('[')?;
    let unit = UNITS.iter().find(|(name, _)| *name == unit).map(|&(_, unit)| unit);
    match (kind, unit) {
        ("datetime64", Some(unit)) => Some(DataType::Timestamp(unit, None)),
        ("timedelta64", Some(unit)) => Some(DataType::Duration(unit)),
        ("datetime64" | "timedelta64", None) => Some(DataType::Int64),
        _ => None,
    }
}

/// The name of the numbers, dates or durations that a column has, in files that any program wrote.
pub(crate) fn name_of(column: &DataType) -> Option<String> {
    let unit_name = |unit: &TimeUnit| UNITS.iter().find(|(_, each)| each == unit).map(|(name, _)| *name);
    match column {
        DataType::Date32 => Some("datetime64[D]".into()),
        // A time zone says how a moment is shown, not when it is.
        DataType::Timestamp(unit, _) => Some(format!("datetime64[{}]", unit_name(unit)?)),
        DataType::Duration(unit) => Some(format!("timedelta64[{}]", unit_name(unit)?)),
        _ => NUMBERS.iter().find(|(_, number)| number == column).map(|(name, _)| (*name).into()),
    }
}

/// The column that stores have for the dates with this name, of one that any program wrote. Other columns stay as they are.
pub(crate) fn as_stored(column: &ArrayRef, name: &str) -> ArrayRef {
    let stored = date(name).filter(|_| name_of(column.data_type()).as_deref() == Some(name));
    match (column.data_type(), stored) {
        (DataType::Date32, Some(_)) => {
            let days: PrimitiveArray<Int64Type> = column.as_primitive::<Date32Type>().unary(i64::from);
            Arc::new(days)
        }
        (_, Some(stored)) => {
            let data = column.to_data().into_builder().data_type(stored);
            make_array(data.build().expect("timestamps have the same bytes in all time zones"))
        }
        (_, None) => Arc::clone(column),
    }
}
