//! The types of keys and values that stores hold, by their names in manifests.

use crate::code::StoredCode;
use crate::error::{Error, Result};
use crate::layout::{Layout, date, number};
use arrow_schema::DataType;
use gpu_lsm::{Key, Morton, Value};

/// A key type that stores hold: every [`Key`] of `gpu-lsm`.
///
/// Numbers are columns of their own type. Pairs and [`Morton`] keys are columns of their codes, `u64`: a pair is
/// `first << 32 | second`, a Morton key has the bits of x and y interleaved, x first.
pub trait StoredKey: Key<Code: StoredCode> {
    /// The name of the type in manifests.
    const NAME: &'static str;
}

/// A value type that stores hold.
///
/// Numbers are columns of their own type, other types columns of their bytes; sets have no column of values. Declare a type
/// of your own by [`stored_value!`](macro@crate::stored_value).
pub trait StoredValue: Value {
    /// The name of the type in manifests. A store is opened only with the type of the same name.
    const NAME: &'static str;
}

/// The names of the types of keys and values in a store.
///
/// They are those of the Rust types, unless a program that knows types only at run time says otherwise: it may hold dates as
/// `u64`, and yet give them the column and the name that `datetime64[ns]` has. See
/// [`Store::with_types`](crate::Store::with_types).
///
/// | name | column |
/// |---|---|
/// | `u32`, `u64`, `i32`, `i64`, `f32`, `f64` | these numbers |
/// | `(u32, u32)`, `morton`: only keys | `u64`, their codes |
/// | `datetime64[unit]`, `timedelta64[unit]` | a timestamp or a duration if the unit is `s`, `ms`, `us` or `ns`; otherwise `i64` |
/// | `()`: only values | none |
/// | any other: only values | their bytes |
///
/// Keys are codes that have the order of these types, and values have their bytes: a dictionary of `u64` keys that holds the
/// [codes](Key::to_code) of `i64` keys may be stored as `i64`, and opened with `i64` keys.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Types {
    pub(crate) key: String,
    pub(crate) value: String,
}

impl Types {
    /// The names of Rust types.
    pub fn of<K: StoredKey, V: StoredValue>() -> Self {
        Self::named(K::NAME, V::NAME)
    }

    /// Types by their names.
    pub fn named(key: impl Into<String>, value: impl Into<String>) -> Self {
        Self { key: key.into(), value: value.into() }
    }

    /// The name of the type of keys.
    pub fn key(&self) -> &str {
        &self.key
    }

    /// The name of the type of values.
    pub fn value(&self) -> &str {
        &self.value
    }

    /// The bytes of a key and of a value; `None` if a name does not say that.
    ///
    /// ```
    /// use gpu_lsm_store::Types;
    /// assert_eq!(Types::named("datetime64[s]", "f32").widths(), Some((8, 4)));
    /// assert_eq!(Types::named("u64", "edge").widths(), None);
    /// ```
    pub fn widths(&self) -> Option<(usize, usize)> {
        let value = if self.value == "()" { Some(0) } else { numbers(&self.value)?.primitive_width() };
        Some((key_column(&self.key)?.primitive_width()?, value?))
    }

    /// The columns of these types, whose keys and values have the widths of Rust types.
    #[doc(hidden)]
    pub fn layout<K: StoredKey, V: StoredValue>(&self) -> Result<Layout> {
        let key =
            key_column(&self.key).filter(|column| column.primitive_width() == Some(size_of::<K::Code>()));
        let key = key.ok_or_else(|| other_width(&self.key, size_of::<K::Code>()))?;
        let bytes = size_of::<V>();
        let value = match (self.value.as_str(), bytes) {
            ("()", 0) => None,
            ("()", _) | (_, 0) => return Err(other_width(&self.value, bytes)),
            (name, _) => match numbers(name) {
                Some(column) if column.primitive_width() == Some(bytes) => Some(column),
                Some(_) => return Err(other_width(name, bytes)),
                None => Some(DataType::FixedSizeBinary(bytes as i32)),
            },
        };
        Ok(Layout { key, value })
    }
}

fn numbers(name: &str) -> Option<DataType> {
    number(name).or_else(|| date(name))
}

fn key_column(name: &str) -> Option<DataType> {
    match name {
        <(u32, u32)>::NAME | Morton::NAME => Some(DataType::UInt64),
        name => numbers(name),
    }
}

fn other_width(name: &str, bytes: usize) -> Error {
    Error::OtherWidth { name: name.into(), bytes }
}

macro_rules! keys {
    ($($key:ty = $name:literal),+ $(,)?) => { $(
        impl StoredKey for $key {
            const NAME: &'static str = $name;
        }
    )+ };
}
keys!(u32 = "u32", u64 = "u64", i32 = "i32", i64 = "i64", f32 = "f32", f64 = "f64");
keys!((u32, u32) = "(u32, u32)", Morton = "morton");

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

macro_rules! values {
    ($($value:ty),+ $(,)?) => { $(
        impl StoredValue for $value {
            const NAME: &'static str = stringify!($value);
        }
    )+ };
}

values!((), u32, u64, i32, i64, f32, f64);
values!(u128, i128, [u8; 4], [u8; 8], [u8; 16], [i8; 4], [i8; 8], [i8; 16]);
values!([u16; 2], [u16; 4], [u16; 8], [i16; 2], [i16; 4], [i16; 8]);
values!([u32; 1], [u32; 2], [u32; 4], [i32; 1], [i32; 2], [i32; 4], [f32; 1], [f32; 2], [f32; 4]);
values!([u64; 1], [u64; 2], [i64; 1], [i64; 2], [f64; 1], [f64; 2]);
