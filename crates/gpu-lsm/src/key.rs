//! Keys: the types that users store, and their codes, the unsigned numbers in the same order that the device sorts.

use crate::error::Result;
use crate::lists::copied;
use crate::morton::Morton;
use gpu_lsm_primitives::{Backend, Code, Meter, Recoding, Value};
use std::borrow::Cow;
use std::fmt::Debug;

/// A key of a dictionary: `u32`, `u64`, `i32`, `i64`, `f32`, `f64`, `(u32, u32)` or [`Morton`].
///
/// Every value of the type can be stored. Numbers and pairs have their usual order. Floats have the order of
/// [`f32::total_cmp`]: `-0.0` and `0.0` are different keys, and so is every NaN. Morton keys have the order of their
/// codes.
///
/// ```
/// use gpu_lsm::{Config, Device, Dictionary};
/// let temperatures = Dictionary::build(&Device::host(), Config::new(), &[21.5f32, -3.0, 0.0], &[1u32, 2, 3])?;
/// assert_eq!(temperatures.range(&[-10.0], &[10.0])?.keys(), [-3.0, 0.0]);
/// assert_eq!(temperatures.first()?, Some((-3.0, 2)));
/// # Ok::<(), gpu_lsm::Error>(())
/// ```
pub trait Key: Copy + PartialEq + Debug + Send + Sync + Coding + 'static {
    /// The smallest key.
    const MIN: Self;
    /// The largest key.
    const MAX: Self;
    /// The number that represents the key on the device: `u32` or `u64`.
    type Code: Code;
    /// The form of the key in a [`Buffer`](crate::Buffer): a number is itself; a pair or a Morton key is `[u32; 2]`.
    type Native: Value;

    /// The number that represents the key. The numbers have the same order as the keys.
    ///
    /// ```
    /// use gpu_lsm::Key;
    /// assert!((-1.5f32).to_code() < 2.5f32.to_code());
    /// ```
    fn to_code(self) -> Self::Code;
    /// The key that a number represents.
    ///
    /// ```
    /// use gpu_lsm::Key;
    /// assert_eq!(i32::from_code((-7i32).to_code()), -7);
    /// ```
    fn from_code(code: Self::Code) -> Self;
}

/// Converts lists of keys to codes and back. If a key is its own code, nothing is copied.
#[doc(hidden)]
pub trait Coding: Sized + sealed::Sealed {
    /// The key with all bits zero, which an answer has if no key was found.
    fn zero() -> Self;
    /// The codes of keys.
    fn codes<'a>(meter: &Meter, keys: &'a [Self]) -> Result<Cow<'a, [Self::Code]>>
    where
        Self: Key;
    /// The keys of codes.
    fn keys(meter: &Meter, codes: Vec<Self::Code>) -> Result<Vec<Self>>
    where
        Self: Key;
    /// The keys of native values.
    fn from_natives(meter: &Meter, natives: Vec<Self::Native>) -> Result<Vec<Self>>
    where
        Self: Key;
    /// The native values of keys.
    fn to_natives<'a>(meter: &Meter, keys: &'a [Self]) -> Result<Cow<'a, [Self::Native]>>
    where
        Self: Key;
    /// The codes of keys on a device.
    fn encode<B: Backend>(backend: &B, keys: &B::Array<Self::Native>) -> Result<B::Array<Self::Code>>
    where
        Self: Key;
    /// The keys of codes on a device.
    fn decode<B: Backend>(backend: &B, codes: &B::Array<Self::Code>) -> Result<B::Array<Self::Native>>
    where
        Self: Key;
}

/// The code of the key with all bits zero, which an answer has if no key was found.
pub(crate) fn zero_code<K: Key>() -> K::Code {
    K::zero().to_code()
}

/// A key that is not its own code.
trait Recoded: Key {
    const ZERO: Self;
    const RECODING: Recoding;
    fn to_native(self) -> Self::Native;
    fn from_native(native: Self::Native) -> Self;
}

impl<K: Recoded> sealed::Sealed for K {}
impl<K: Recoded> Coding for K {
    fn zero() -> Self {
        K::ZERO
    }

    fn codes<'a>(meter: &Meter, keys: &'a [K]) -> Result<Cow<'a, [K::Code]>> {
        Ok(Cow::Owned(copied(meter, keys.iter().map(|key| key.to_code()))?))
    }

    fn keys(meter: &Meter, codes: Vec<K::Code>) -> Result<Vec<K>> {
        copied(meter, codes.into_iter().map(K::from_code))
    }

    fn from_natives(meter: &Meter, natives: Vec<K::Native>) -> Result<Vec<K>> {
        copied(meter, natives.into_iter().map(K::from_native))
    }

    fn to_natives<'a>(meter: &Meter, keys: &'a [K]) -> Result<Cow<'a, [K::Native]>> {
        Ok(Cow::Owned(copied(meter, keys.iter().map(|key| key.to_native()))?))
    }

    fn encode<B: Backend>(backend: &B, keys: &B::Array<K::Native>) -> Result<B::Array<K::Code>> {
        Ok(backend.recode(keys, K::RECODING)?)
    }

    fn decode<B: Backend>(backend: &B, codes: &B::Array<K::Code>) -> Result<B::Array<K::Native>> {
        Ok(backend.recode(codes, K::RECODING.back())?)
    }
}

macro_rules! own_code {
    ($key:ty) => {
        impl Key for $key {
            const MIN: Self = Self::MIN;
            const MAX: Self = Self::MAX;
            type Code = Self;
            type Native = Self;

            fn to_code(self) -> Self {
                self
            }

            fn from_code(code: Self) -> Self {
                code
            }
        }

        impl sealed::Sealed for $key {}
        impl Coding for $key {
            fn zero() -> Self {
                0
            }

            fn codes<'a>(_: &Meter, keys: &'a [Self]) -> Result<Cow<'a, [Self]>> {
                Ok(Cow::Borrowed(keys))
            }

            fn keys(_: &Meter, codes: Vec<Self>) -> Result<Vec<Self>> {
                Ok(codes)
            }

            fn from_natives(_: &Meter, natives: Vec<Self>) -> Result<Vec<Self>> {
                Ok(natives)
            }

            fn to_natives<'a>(_: &Meter, keys: &'a [Self]) -> Result<Cow<'a, [Self]>> {
                Ok(Cow::Borrowed(keys))
            }

            fn encode<B: Backend>(_: &B, keys: &B::Array<Self>) -> Result<B::Array<Self>> {
                Ok(keys.clone())
            }

            fn decode<B: Backend>(_: &B, codes: &B::Array<Self>) -> Result<B::Array<Self>> {
                Ok(codes.clone())
            }
        }
    };
}

/// A number that lies in a buffer as itself.
macro_rules! recoded_number {
    ($key:ident, $zero:literal, $recoding:ident) => {
        impl Recoded for $key {
            const ZERO: Self = $zero;
            const RECODING: Recoding = Recoding::$recoding;

            fn to_native(self) -> Self {
                self
            }

            fn from_native(native: Self) -> Self {
                native
            }
        }
    };
}

macro_rules! integer {
    ($key:ident, $code:ident, $recoding:ident, $recode:ident) => {
        impl Key for $key {
            const MIN: Self = Self::MIN;
            const MAX: Self = Self::MAX;
            type Code = $code;
            type Native = Self;

            fn to_code(self) -> $code {
                Recoding::$recoding.$recode(self as $code)
            }

            fn from_code(code: $code) -> Self {
                Recoding::$recoding.back().$recode(code) as Self
            }
        }

        recoded_number!($key, 0, $recoding);
    };
}

macro_rules! float {
    ($key:ident, $code:ident, $recoding:ident, $recode:ident) => {
        impl Key for $key {
            const MIN: Self = Self::from_bits($code::MAX);
            const MAX: Self = Self::from_bits($code::MAX >> 1);
            type Code = $code;
            type Native = Self;

            fn to_code(self) -> $code {
                Recoding::$recoding.$recode(self.to_bits())
            }

            fn from_code(code: $code) -> Self {
                Self::from_bits(Recoding::$recoding.back().$recode(code))
            }
        }

        recoded_number!($key, 0.0, $recoding);
    };
}

own_code!(u32);
own_code!(u64);
integer!(i32, u32, I32, narrow);
integer!(i64, u64, I64, wide);
float!(f32, u32, F32, narrow);
float!(f64, u64, F64, wide);

impl Key for (u32, u32) {
    const MIN: Self = (0, 0);
    const MAX: Self = (u32::MAX, u32::MAX);
    type Code = u64;
    type Native = [u32; 2];

    fn to_code(self) -> u64 {
        u64::from(self.0) << 32 | u64::from(self.1)
    }

    fn from_code(code: u64) -> Self {
        ((code >> 32) as u32, code as u32)
    }
}

impl Recoded for (u32, u32) {
    const ZERO: Self = (0, 0);
    const RECODING: Recoding = Recoding::Pair;

    fn to_native(self) -> [u32; 2] {
        self.into()
    }

    fn from_native(native: [u32; 2]) -> Self {
        native.into()
    }
}

impl Key for Morton {
    const MIN: Self = Self { x: 0, y: 0 };
    const MAX: Self = Self { x: u32::MAX, y: u32::MAX };
    type Code = u64;
    type Native = [u32; 2];

    fn to_code(self) -> u64 {
        Recoding::Morton.wide(u64::from(self.y) << 32 | u64::from(self.x))
    }

    fn from_code(code: u64) -> Self {
        let point = Recoding::MortonBack.wide(code);
        Self { x: point as u32, y: (point >> 32) as u32 }
    }
}

impl Recoded for Morton {
    const ZERO: Self = Self { x: 0, y: 0 };
    const RECODING: Recoding = Recoding::Morton;

    fn to_native(self) -> [u32; 2] {
        [self.x, self.y]
    }

    fn from_native([x, y]: [u32; 2]) -> Self {
        Self { x, y }
    }
}

mod sealed {
    pub trait Sealed {}
}

#[cfg(test)]
mod tests {
    use super::Key;
    use crate::morton::Morton;
    use std::cmp::Ordering;

    /// Codes ascend as `keys` do, convert back to them, and reach both ends of their domain.
    fn check<K: Key>(keys: &[K], order: impl Fn(&K, &K) -> Ordering) {
        assert!(keys.is_sorted_by(|a, b| order(a, b).is_lt()), "the test's own list");
        assert!(keys.is_sorted_by(|a, b| a.to_code() < b.to_code()), "{keys:?}");
        for key in keys {
            assert!(order(&K::from_code(key.to_code()), key).is_eq(), "{key:?}");
        }
        assert_eq!(K::MIN.to_code(), gpu_lsm_primitives::Code::MIN);
        assert_eq!(K::MAX.to_code(), gpu_lsm_primitives::Code::MAX);
    }

    #[test]
    fn codes_are_ordered_as_the_keys_are_and_lead_back_to_them() {
        check(&[0u32, 1, 1 << 31, u32::MAX], Ord::cmp);
        check(&[i32::MIN, -70_000, -1, 0, 1, i32::MAX], Ord::cmp);
        check(&[i64::MIN, -(1 << 32), -1, 0, 1, 1 << 32, i64::MAX], Ord::cmp);
        check(&[(0, 0), (0, 1), (0, u32::MAX), (1, 0), (u32::MAX, 0), (u32::MAX, u32::MAX)], Ord::cmp);
        let floats = [f32::NEG_INFINITY, f32::MIN, -1.0, -1e-40, -0.0, 0.0, 1e-40, 1.0, f32::MAX];
        let floats =
            [&[f32::MIN_KEY, -f32::NAN], &floats[..], &[f32::INFINITY, f32::NAN, f32::MAX_KEY]].concat();
        check(&floats, f32::total_cmp);
        let ends = [f64::MIN_KEY, -f64::NAN, f64::NEG_INFINITY, -1e300, -0.0, 0.0, 1e-320, 7.0];
        check(&[&ends[..], &[f64::INFINITY, f64::NAN, f64::MAX_KEY]].concat(), f64::total_cmp);
        let points =
            [(0, 0), (1, 0), (0, 1), (1, 1), (2, 0), (u32::MAX, 0), (0, u32::MAX), (u32::MAX, u32::MAX)];
        check(&points.map(|(x, y)| Morton { x, y }), |a, b| slow_code(*a).cmp(&slow_code(*b)));
    }

    fn slow_code(point: Morton) -> u64 {
        (0..32).map(|i| (u64::from(point.x >> i & 1) | u64::from(point.y >> i & 1) << 1) << (2 * i)).sum()
    }

    trait Ends: Key {
        const MIN_KEY: Self = <Self as Key>::MIN;
        const MAX_KEY: Self = <Self as Key>::MAX;
    }
    impl<K: Key> Ends for K {}
}
