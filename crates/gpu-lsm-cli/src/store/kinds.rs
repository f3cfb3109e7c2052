//! Dictionaries of words, which stand for the types that a store names: six instances serve them all.

/// Calls a function with words as wide as the types with these names, unless nothing says how wide they are.
macro_rules! with_words {
    ($types:expr, $function:ident($($argument:expr),*)) => {
        match $types.widths() {
            Some((4, 0)) => Some($function::<u32, ()>($($argument),*)),
            Some((4, 4)) => Some($function::<u32, u32>($($argument),*)),
            Some((4, 8)) => Some($function::<u32, u64>($($argument),*)),
            Some((8, 0)) => Some($function::<u64, ()>($($argument),*)),
            Some((8, 4)) => Some($function::<u64, u32>($($argument),*)),
            Some((8, 8)) => Some($function::<u64, u64>($($argument),*)),
            _ => None,
        }
    };
}
pub(crate) use with_words;

/// The error if nothing says how wide the types are.
pub(crate) fn unknown(key: &str, value: &str) -> String {
    format!(
        "{key} keys with {value} values can't be exported or imported; the types are numbers of 32 and 64 bits, dates, \
         durations and, as keys, pairs and points; use the library for others"
    )
}
