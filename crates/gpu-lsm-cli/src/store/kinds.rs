//! From the names of types to the types. Every pair is compiled, so there are only those that Parquet has columns for.

/// Calls a function with the types that a store's names say; `None` if it is not one of these.
macro_rules! with_types {
    ($key:expr, $value:expr, $function:ident($($argument:expr),*)) => {
        match $key {
            "u32" => $crate::store::kinds::with_value!(u32, $value, $function($($argument),*)),
            "u64" => $crate::store::kinds::with_value!(u64, $value, $function($($argument),*)),
            "i32" => $crate::store::kinds::with_value!(i32, $value, $function($($argument),*)),
            "i64" => $crate::store::kinds::with_value!(i64, $value, $function($($argument),*)),
            "f32" => $crate::store::kinds::with_value!(f32, $value, $function($($argument),*)),
            "f64" => $crate::store::kinds::with_value!(f64, $value, $function($($argument),*)),
            _ => None,
        }
    };
}
pub(crate) use with_types;

macro_rules! with_value {
    ($key:ty, $value:expr, $function:ident($($argument:expr),*)) => {
        match $value {
            "()" => Some($function::<$key, ()>($($argument),*)),
            "u32" => Some($function::<$key, u32>($($argument),*)),
            "u64" => Some($function::<$key, u64>($($argument),*)),
            "i32" => Some($function::<$key, i32>($($argument),*)),
            "i64" => Some($function::<$key, i64>($($argument),*)),
            "f32" => Some($function::<$key, f32>($($argument),*)),
            "f64" => Some($function::<$key, f64>($($argument),*)),
            _ => None,
        }
    };
}
pub(crate) use with_value;

/// The error if there is no such pair.
pub(crate) fn unknown(key: &str, value: &str) -> String {
    format!(
        "{key} keys with {value} values can't be exported or imported; the types are u32, u64, i32, i64, f32 and f64, \
         and sets have no values; use the library for others"
    )
}
