//! The types of keys and values that stores hold: their names in manifests and their columns in files.

use arrow_array::types::{Float32Type, Float64Type, Int32Type, Int64Type, UInt32Type, UInt64Type};
use arrow_array::{Array, ArrayRef, ArrowPrimitiveType, FixedSizeBinaryArray, PrimitiveArray};
use arrow_buffer::{ArrowNativeType, Buffer, ScalarBuffer};
use arrow_schema::DataType;
use gpu_lsm::{Key, Morton, Value};
use std::sync::Arc;

#[cfg(target_endian = "big")]
compile_error!("files have the lowest byte of a number first, and are written and read without conversion");

/// A key type that stores hold: every [`Key`] of `gpu-lsm`.
///
/// Numbers are columns of their own type. Pairs and [`Morton`] keys are columns of their codes, `u64`: a pair is
/// `first << 32 | second`, a Morton key has the bits of x and y interleaved, x first.
pub trait StoredKey: Key<Code: StoredCode> {
    /// The name of the type in manifests.
    const NAME: &'static str;
    /// The type of the column.
    #[doc(hidden)]
    fn data_type() -> DataType;
    /// A column of keys.
    #[doc(hidden)]
    fn to_array(codes: Vec<Self::Code>) -> ArrayRef;
    /// The codes of the keys in a column; `None` if it has another type or nulls.
    #[doc(hidden)]
    fn from_array(array: &dyn Array) -> Option<Vec<Self::Code>>;
}

/// A code of a key as a number of a manifest.
#[doc(hidden)]
pub trait StoredCode: Copy {
    fn to_number(self) -> u64;
    /// `None` if the number is too large.
    fn from_number(number: u64) -> Option<Self>;
}

impl StoredCode for u32 {
    fn to_number(self) -> u64 {
        self.into()
    }
    fn from_number(number: u64) -> Option<Self> {
        number.try_into().ok()
    }
}

impl StoredCode for u64 {
    fn to_number(self) -> u64 {
        self
    }
    fn from_number(number: u64) -> Option<Self> {
        Some(number)
    }
}

/// A value type that stores hold.
///
/// Numbers are columns of their own type, other types columns of their bytes; sets have no column of values. Declare a type
/// of your own by [`stored_value!`](macro@crate::stored_value).
pub trait StoredValue: Value {
    /// The name of the type in manifests. A store is opened only with the type of the same name.
    const NAME: &'static str;
    /// The type of the column; `None` if there is no column.
    #[doc(hidden)]
    fn data_type() -> Option<DataType> {
        Some(DataType::FixedSizeBinary(size_of::<Self>() as i32))
    }
    /// A column of values. Not called if there is no column.
    #[doc(hidden)]
    fn to_array(values: Vec<Self>) -> ArrayRef {
        let bytes = Buffer::from_slice_ref(bytemuck::cast_slice::<Self, u8>(&values));
        Arc::new(FixedSizeBinaryArray::new(size_of::<Self>() as i32, bytes, None))
    }
    /// The values of a column; `None` if it has another type or nulls.
    #[doc(hidden)]
    fn from_array(array: &dyn Array) -> Option<Vec<Self>> {
        let array = array.as_any().downcast_ref::<FixedSizeBinaryArray>()?;
        let is_right = array.null_count() == 0 && array.value_length() as usize == size_of::<Self>();
        is_right.then(|| bytemuck::pod_collect_to_vec(array.value_data()))
    }
}

/// A column of numbers.
fn numbers<T: ArrowPrimitiveType>(numbers: Vec<T::Native>) -> ArrayRef
where
    T::Native: ArrowNativeType,
{
    Arc::new(PrimitiveArray::<T>::new(ScalarBuffer::from(numbers), None))
}

/// The numbers of a column.
fn numbers_of<T: ArrowPrimitiveType>(array: &dyn Array) -> Option<&[T::Native]> {
    let array = array.as_any().downcast_ref::<PrimitiveArray<T>>()?;
    (array.null_count() == 0).then(|| &array.values()[..])
}

macro_rules! keys {
    ($($key:ty = $name:literal, $column:ident, $type:ident, $to:expr, $from:expr;)+) => { $(
        impl StoredKey for $key {
            const NAME: &'static str = $name;
            fn data_type() -> DataType {
                DataType::$type
            }
            fn to_array(codes: Vec<Self::Code>) -> ArrayRef {
                numbers::<$column>(codes.into_iter().map($to).collect())
            }
            fn from_array(array: &dyn Array) -> Option<Vec<Self::Code>> {
                Some(numbers_of::<$column>(array)?.iter().copied().map($from).collect())
            }
        }
    )+ };
}

// Mapping a number to itself collects in place and costs nothing.
keys! {
    u32 = "u32", UInt32Type, UInt32, |code| code, |key| key;
    u64 = "u64", UInt64Type, UInt64, |code| code, |key| key;
    i32 = "i32", Int32Type, Int32, Self::from_code, Key::to_code;
    i64 = "i64", Int64Type, Int64, Self::from_code, Key::to_code;
    f32 = "f32", Float32Type, Float32, Self::from_code, Key::to_code;
    f64 = "f64", Float64Type, Float64, Self::from_code, Key::to_code;
    (u32, u32) = "(u32, u32)", UInt64Type, UInt64, |code| code, |key| key;
    Morton = "morton", UInt64Type, UInt64, |code| code, |key| key;
}

macro_rules! values {
    ($($value:ty = $name:literal, $column:ident, $type:ident;)+) => { $(
        impl StoredValue for $value {
            const NAME: &'static str = $name;
            fn data_type() -> Option<DataType> {
                Some(DataType::$type)
            }
            fn to_array(values: Vec<Self>) -> ArrayRef {
                numbers::<$column>(values)
            }
            fn from_array(array: &dyn Array) -> Option<Vec<Self>> {
                Some(numbers_of::<$column>(array)?.to_vec())
            }
        }
    )+ };
}

values! {
    u32 = "u32", UInt32Type, UInt32;
    u64 = "u64", UInt64Type, UInt64;
    i32 = "i32", Int32Type, Int32;
    i64 = "i64", Int64Type, Int64;
    f32 = "f32", Float32Type, Float32;
    f64 = "f64", Float64Type, Float64;
}

impl StoredValue for () {
    const NAME: &'static str = "()";
    fn data_type() -> Option<DataType> {
        None
    }
    fn to_array(_: Vec<()>) -> ArrayRef {
        Arc::new(FixedSizeBinaryArray::new_null(0, 0))
    }
    fn from_array(_: &dyn Array) -> Option<Vec<()>> {
        None
    }
}

/// Declares that types of your own, which are values by `gpu_lsm::value!`, can be stored under these names.
///
/// ```
/// #[derive(Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
/// #[repr(C)]
/// struct Edge {
///     target: u32,
///     weight: f32,
/// }
/// gpu_lsm::value!(Edge);
/// gpu_lsm_store::stored_value!(Edge = "edge");
/// ```
#[macro_export]
macro_rules! stored_value {
    ($($value:ty = $name:literal),+ $(,)?) => { $(
        impl $crate::StoredValue for $value {
            const NAME: &'static str = $name;
        }
    )+ };
}

macro_rules! arrays {
    ($($value:ty),+ $(,)?) => { $(
        impl StoredValue for $value {
            const NAME: &'static str = stringify!($value);
        }
    )+ };
}

arrays!(u128, i128, [u8; 4], [u8; 8], [u8; 16], [i8; 4], [i8; 8], [i8; 16]);
arrays!([u16; 2], [u16; 4], [u16; 8], [i16; 2], [i16; 4], [i16; 8]);
arrays!([u32; 1], [u32; 2], [u32; 4], [i32; 1], [i32; 2], [i32; 4], [f32; 1], [f32; 2], [f32; 4]);
arrays!([u64; 1], [u64; 2], [i64; 1], [i64; 2], [f64; 1], [f64; 2]);
