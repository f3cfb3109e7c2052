//! The columns that calls take: slices of the host's memory, or buffers on the dictionary's device.

use crate::backed::Residence;
use crate::buffer::Buffer;
use crate::error::{Error, Result};
use crate::intervals::Intervals;
use crate::key::Key;
use crate::lists::copied;
use gpu_lsm_primitives::{Start, Value};

/// Keys for a call: a slice, which is copied to the device, or a buffer that is already there.
///
/// Calls take references to slices, arrays, vectors and buffers, all of which convert to this type.
#[derive(Debug)]
pub enum Keys<'a, K: Key> {
    /// On the host.
    Host(&'a [K]),
    /// On the device, in the form of [`Key::Native`]. Unless the keys are `u32` or `u64`, a call makes a recoded copy
    /// there.
    Device(&'a Buffer<K::Native>),
}

/// Values for a call: a slice, which is copied to the device, or a buffer that is already there.
///
/// Calls take references to slices, arrays, vectors and buffers, all of which convert to this type.
#[derive(Debug)]
pub enum Values<'a, V: Value> {
    /// On the host.
    Host(&'a [V]),
    /// On the device.
    Device(&'a Buffer<V>),
}

impl<K: Key> Keys<'_, K> {
    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Host(keys) => keys.len(),
            Self::Device(keys) => keys.len(),
        }
    }

    /// Whether any key may lie between two codes, both inclusive. Keys on the device are not read: any of them may.
    pub(crate) fn may_have_any_in(&self, first: K::Code, last: K::Code) -> bool {
        match self {
            Self::Host(keys) => keys.iter().any(|key| (first..=last).contains(&key.to_code())),
            Self::Device(keys) => !keys.is_empty(),
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

    pub(crate) fn on<B: Residence>(&self, backend: &B) -> Result<B::Array<V>> {
        match self {
            Self::Host(values) => Ok(backend.upload(values)?),
            Self::Device(values) => values.array_on(backend),
        }
    }
}

impl<K: Key> Clone for Keys<'_, K> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<K: Key> Copy for Keys<'_, K> {}

impl<'a, K: Key> From<&'a [K]> for Keys<'a, K> {
    fn from(keys: &'a [K]) -> Self {
        Self::Host(keys)
    }
}
impl<'a, K: Key, const N: usize> From<&'a [K; N]> for Keys<'a, K> {
    fn from(keys: &'a [K; N]) -> Self {
        Self::Host(keys)
    }
}
impl<'a, K: Key> From<&'a Vec<K>> for Keys<'a, K> {
    fn from(keys: &'a Vec<K>) -> Self {
        Self::Host(keys)
    }
}
impl<'a, K: Key> From<&'a Buffer<K::Native>> for Keys<'a, K> {
    fn from(keys: &'a Buffer<K::Native>) -> Self {
        Self::Device(keys)
    }
}

impl<'a, V: Value> From<&'a [V]> for Values<'a, V> {
    fn from(values: &'a [V]) -> Self {
        Self::Host(values)
    }
}
impl<'a, V: Value, const N: usize> From<&'a [V; N]> for Values<'a, V> {
    fn from(values: &'a [V; N]) -> Self {
        Self::Host(values)
    }
}
impl<'a, V: Value> From<&'a Vec<V>> for Values<'a, V> {
    fn from(values: &'a Vec<V>) -> Self {
        Self::Host(values)
    }
}
impl<'a, V: Value> From<&'a Buffer<V>> for Values<'a, V> {
    fn from(values: &'a Buffer<V>) -> Self {
        Self::Device(values)
    }
}
