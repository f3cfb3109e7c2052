//! Values: plain types that are moved as whole words.

/// A type without padding or pointers, for which every bit pattern is valid.
pub trait Plain: bytemuck::Pod + Send + Sync {}
impl<T: bytemuck::Pod + Send + Sync> Plain for T {}

/// The size of a plain type in 32-bit words.
pub trait Words: Plain {
    /// The number of 32-bit words in a value: 0, 1, 2 or 4.
    const WORDS: u32 = {
        assert!(matches!(size_of::<Self>(), 0 | 4 | 8 | 16), "a value has 0, 4, 8 or 16 bytes");
        (size_of::<Self>() / 4) as u32
    };
}
impl<T: Plain> Words for T {}

/// A value of 0, 4, 8 or 16 bytes: a number, an array of numbers, or a type of your own that is declared as a value by
/// [`value!`](macro@crate::value). With `()` as its value, a dictionary is a set.
pub trait Value: Words {}

/// Declares that types are values of dictionaries. They must be plain, which is to say [`bytemuck::Pod`]. Users of the
/// crate `gpu-lsm` call it as `gpu_lsm::value!`.
///
/// ```
/// #[derive(Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
/// #[repr(C)]
/// struct Edge {
///     target: u32,
///     weight: f32,
/// }
/// gpu_lsm_primitives::value!(Edge);
/// ```
///
/// A type of another size than 0, 4, 8 or 16 bytes is refused where it is declared:
///
/// ```compile_fail
/// #[derive(Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
/// #[repr(C)]
/// struct Colour([u8; 3]);
/// gpu_lsm_primitives::value!(Colour);
/// ```
#[macro_export]
macro_rules! value {
    ($($T:ty),+ $(,)?) => {
        $(
            impl $crate::Value for $T {}
            const _: u32 = <$T as $crate::Words>::WORDS;
        )+
    };
}

value!((), u32, i32, f32, u64, i64, f64, u128, i128);
value!([u8; 4], [u8; 8], [u8; 16], [i8; 4], [i8; 8], [i8; 16]);
value!([u16; 2], [u16; 4], [u16; 8], [i16; 2], [i16; 4], [i16; 8]);
value!([u32; 1], [u32; 2], [u32; 4], [i32; 1], [i32; 2], [i32; 4], [f32; 1], [f32; 2], [f32; 4]);
value!([u64; 1], [u64; 2], [i64; 1], [i64; 2], [f64; 1], [f64; 2]);
