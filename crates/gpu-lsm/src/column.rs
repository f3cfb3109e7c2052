//! The columns that calls take: slices of the host's memory, or buffers on the dictionary's device.

use crate::backed::Residence;
use crate::buffer::Buffer;
use crate::error::{Error, Result};
use crate::intervals::Intervals;
use crate::key::Key;
use crate::lists::copied;
use gpu_lsm_primitives::{Start, Value};
use std::borrow::Cow;

/// Keys for a call: in the host's memory, from where they are copied to the device, or in a buffer that is already
/// there.
///
/// Calls take slices, arrays, vectors, boxes and buffers, by reference or by value, all of which convert to this type.
///
/// ```
/// use gpu_lsm::{Device, Dictionary};
/// let device = Device::host();
/// let mut squares = Dictionary::<u32, u32>::new(&device)?;
/// squares.insert([1, 2], [1, 4])?;
/// squares.insert(vec![3, 4], &vec![9, 16])?;
/// squares.insert(device.upload(&[5])?, &device.upload(&[25])?)?;
/// assert_eq!(squares.lookup((1..=5).collect::<Vec<_>>())?.values(), [1, 4, 9, 16, 25]);
/// # Ok::<(), gpu_lsm::Error>(())
/// ```
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Keys<'a, K: Key> {
    /// On the host.
    Host(Cow<'a, [K]>),
    /// On the device, in the form of [`Key::Native`]. Unless the keys are `u32` or `u64`, a call makes a recoded copy
    /// there.
    Device(Buffer<K::Native>),
}

/// Values for a call: in the host's memory, from where they are copied to the device, or in a buffer that is already
/// there.
///
/// Calls take slices, arrays, vectors, boxes and buffers, by reference or by value, all of which convert to this type.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Values<'a, V: Value> {
    /// On the host.
    Host(Cow<'a, [V]>),
    /// On the device.
    Device(Buffer<V>),
}

impl<K: Key> Keys<'_, K> {
    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Host(keys) => keys.len(),
            Self::Device(keys) => keys.len(),
        }
    }

    /// Tells whether any key lies between two codes, both inclusive; `None` if they are on the device, where they are
    /// not read.
    pub(crate) fn any_in(&self) -> Option<impl Fn(K::Code, K::Code) -> bool> {
        match self {
            Self::Host(keys) => {
                Some(|first, last| keys.iter().any(|key| (first..=last).contains(&key.to_code())))
            }
            Self::Device(_) => None,
        }
    }

    /// Refuses keys on another device.
    pub(crate) fn check_device<B: Residence>(&self, backend: &B) -> Result<()> {
        match self {
            Self::Host(_) => Ok(()),
            Self::Device(keys) => keys.array_on(backend).map(drop),
        }
    }

    /// Their codes in the host's memory. Waits for the device if the keys are there.
    pub(crate) fn codes_on_host<B: Residence>(&self, backend: &B) -> Result<Vec<K::Code>> {
        let meter = backend.meter();
        match self {
            Self::Host(keys) => copied(meter, keys.iter().map(|key| key.to_code())),
            Self::Device(keys) => {
                keys.array_on(backend)?;
                copied(meter, K::from_natives(meter, keys.read()?)?.iter().map(|key| key.to_code()))
            }
        }
    }

    /// Their codes on the device.
    pub(crate) fn codes_on<B: Residence>(&self, backend: &B) -> Result<B::Array<K::Code>> {
        match self {
            Self::Host(keys) => Ok(backend.upload(&K::codes(backend.meter(), keys)?)?),
            Self::Device(keys) => K::encode(backend, &keys.array_on(backend)?),
        }
    }
}

/// Checks that every key has a value.
pub(crate) fn check_columns<K: Key, V: Value>(keys: &Keys<'_, K>, values: &Values<'_, V>) -> Result<()> {
    if keys.len() != values.len() {
        return Err(Error::UnequalColumns { keys: keys.len(), values: values.len() });
    }
    Ok(())
}

/// Checks that every key has a value, and a flag that says whether it is deleted.
pub(crate) fn check_mixed_columns<K: Key, V: Value>(
    keys: &Keys<'_, K>,
    values: &Values<'_, V>,
    flags: &Values<'_, u32>,
) -> Result<()> {
    check_columns(keys, values)?;
    if keys.len() != flags.len() {
        return Err(Error::UnequalFlags { keys: keys.len(), deletes: flags.len() });
    }
    Ok(())
}

/// Checks that every lower bound has an upper bound.
pub(crate) fn check_bounds<K: Key>(lower: &Keys<'_, K>, upper: &Keys<'_, K>) -> Result<()> {
    if lower.len() != upper.len() {
        return Err(Error::UnequalBounds { lower: lower.len(), upper: upper.len() });
    }
    Ok(())
}

/// Intervals of keys on a device.
pub(crate) fn intervals_on<B: Residence, K: Key>(
    backend: &B,
    lower: &Keys<'_, K>,
    upper: &Keys<'_, K>,
    start: Start,
) -> Result<Intervals<B, K::Code>> {
    check_bounds(lower, upper)?;
    Ok(Intervals { lower: lower.codes_on(backend)?, upper: upper.codes_on(backend)?, start })
}

impl<V: Value> Values<'_, V> {
    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Host(values) => values.len(),
            Self::Device(values) => values.len(),
        }
    }

    /// Refuses values on another device.
    pub(crate) fn check_device<B: Residence>(&self, backend: &B) -> Result<()> {
        match self {
            Self::Host(_) => Ok(()),
            Self::Device(values) => values.array_on(backend).map(drop),
        }
    }

    pub(crate) fn on<B: Residence>(&self, backend: &B) -> Result<B::Array<V>> {
        match self {
            Self::Host(values) => Ok(backend.upload(values)?),
            Self::Device(values) => values.array_on(backend),
        }
    }
}

/// The types that convert to a column.
macro_rules! conversions {
    ($Column:ident, $T:ident: $Bound:ident, $Element:ty) => {
        impl<'a, $T: $Bound> From<&'a [$T]> for $Column<'a, $T> {
            fn from(elements: &'a [$T]) -> Self {
                Self::Host(Cow::Borrowed(elements))
            }
        }
        impl<'a, $T: $Bound, const N: usize> From<&'a [$T; N]> for $Column<'a, $T> {
            fn from(elements: &'a [$T; N]) -> Self {
                Self::Host(Cow::Borrowed(elements))
            }
        }
        impl<'a, $T: $Bound> From<&'a Vec<$T>> for $Column<'a, $T> {
            fn from(elements: &'a Vec<$T>) -> Self {
                Self::Host(Cow::Borrowed(elements))
            }
        }
        impl<'a, $T: $Bound> From<&'a Box<[$T]>> for $Column<'a, $T> {
            fn from(elements: &'a Box<[$T]>) -> Self {
                Self::Host(Cow::Borrowed(elements))
            }
        }
        impl<'a, $T: $Bound> From<&'a Buffer<$Element>> for $Column<'a, $T> {
            fn from(elements: &'a Buffer<$Element>) -> Self {
                Self::Device(elements.clone())
            }
        }
        impl<$T: $Bound, const N: usize> From<[$T; N]> for $Column<'_, $T> {
            fn from(elements: [$T; N]) -> Self {
                Self::Host(Cow::Owned(elements.into()))
            }
        }
        impl<$T: $Bound> From<Vec<$T>> for $Column<'_, $T> {
            fn from(elements: Vec<$T>) -> Self {
                Self::Host(Cow::Owned(elements))
            }
        }
        impl<$T: $Bound> From<Box<[$T]>> for $Column<'_, $T> {
            fn from(elements: Box<[$T]>) -> Self {
                Self::Host(Cow::Owned(elements.into()))
            }
        }
        impl<$T: $Bound> From<Buffer<$Element>> for $Column<'_, $T> {
            fn from(elements: Buffer<$Element>) -> Self {
                Self::Device(elements)
            }
        }
    };
}

conversions!(Keys, K: Key, K::Native);
conversions!(Values, V: Value, V);
