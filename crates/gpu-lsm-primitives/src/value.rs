//! Values: plain types that are moved as whole words.

/// A type without padding or pointers, for which every bit pattern is valid.
pub trait Plain: bytemuck::Pod + Send + Sync {}
impl<T: bytemuck::Pod + Send + Sync> Plain for T {}

/// A value of 0, 4, 8 or 16 bytes. With `()` as its value, a dictionary is a set.
///
/// Every [`bytemuck::Pod`] type is one. A type of another size does not compile:
///
/// ```compile_fail
/// use gpu_lsm_primitives::Value;
/// const WORDS: u32 = <[u8; 3] as Value>::WORDS;
/// ```
pub trait Value: Plain {
    /// The number of 32-bit words in a value.
    const WORDS: u32 = {
        assert!(matches!(size_of::<Self>(), 0 | 4 | 8 | 16), "a value has 0, 4, 8 or 16 bytes");
        (size_of::<Self>() / 4) as u32
    };
}
impl<T: Plain> Value for T {}
