//! A self-test of a device: every primitive against a plain reference, and the dictionary against a `BTreeMap`.

use crate::backed::{DeviceHandle, on_backend};
use crate::batch::Batch;
use crate::config::Config;
use crate::device::Device;
use crate::dictionary::Dictionary;
use crate::error::{Error, Result};
use crate::key::Key;
use gpu_lsm_primitives::selftest::{Check, checks_u32, checks_u64};
use gpu_lsm_primitives::{Backend, Code, Meter};
use std::collections::BTreeMap;
use std::ops::Bound;

/// The progress of a self-test.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Progress {
    /// The number of completed steps.
    pub done: usize,
    /// The number of steps in total.
    pub total: usize,
    /// The next step; empty at the end.
    pub step: &'static str,
}

impl Device {
    /// Checks that every primitive and the dictionary give the right bytes on this device, at sizes around multiples of
    /// a tile and far above 65,536. Calls `progress` before each step and at the end. Takes seconds and waits for the
    /// device.
    ///
    /// ```no_run
    /// gpu_lsm::Device::gpu()?.self_test(|progress| println!("{}", progress.step))?;
    /// # Ok::<(), gpu_lsm::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Untrustworthy`] with the first step whose result is wrong, or an error of the device.
    pub fn self_test(&self, progress: impl FnMut(Progress)) -> Result<()> {
        on_backend!(&self.opened, device => self_test(self, &device.backend(Meter::new(None)), progress))
    }
}

fn self_test<B: Backend>(device: &Device, backend: &B, mut progress: impl FnMut(Progress)) -> Result<()> {
    backend.alive()?;
    let has_u64 = backend.supports::<u64>().is_ok();
    let mut checks: Vec<Check<B>> = checks_u32().into();
    if has_u64 {
        checks.extend(checks_u64());
    }
    let total = checks.len() + 1 + usize::from(has_u64);
    let mut done = 0;
    let mut begin = |step| {
        progress(Progress { done, total, step });
        done += 1;
    };
    for check in checks {
        begin(check.name);
        judge((check.is_right)(backend)?, check.name)?;
    }
    begin("dictionary of 32-bit keys");
    judge(dictionary_is_right::<u32>(device)?, "dictionary of 32-bit keys")?;
    if has_u64 {
        begin("dictionary of 64-bit keys");
        judge(dictionary_is_right::<u64>(device)?, "dictionary of 64-bit keys")?;
    }
    begin("");
    Ok(())
}

fn judge(is_right: bool, step: &'static str) -> Result<()> {
    if is_right { Ok(()) } else { Err(Error::Untrustworthy { step }) }
}

/// Batches of inserts, overwrites and deletes over the whole domain, each followed by lookups of all keys.
fn dictionary_is_right<K: Key + Ord>(device: &Device) -> Result<bool> {
    let mut dictionary = Dictionary::<K, u32>::with_config(device, Config::new().with_batch_size(512))?;
    let mut model = BTreeMap::new();
    let key = |i: u64| {
        K::from_code(Code::truncated((i % 6000).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(29)))
    };
    let keys: Vec<K> = (0..6000).map(key).chain([K::MIN, K::MAX]).collect();
    for step in 0..20u64 {
        let mut batch = Batch::new();
        for i in 0..step * 97 {
            let key = keys[((step * 1009 + i * i) % keys.len() as u64) as usize];
            // The last batches have no deletes: runs without tombstones are merged in another way.
            if step < 10 && (step + i) % 3 == 0 {
                batch.delete(key);
                model.remove(&key);
            } else {
                batch.insert(key, (step * 10_000 + i) as u32);
                model.insert(key, (step * 10_000 + i) as u32);
            }
        }
        dictionary.apply(&batch)?;
        dictionary.verify()?;
        if !queries_are_right(&dictionary, &model, &keys)? {
            return Ok(false);
        }
    }
    dictionary.cleanup()?;
    Ok(dictionary.statistics().entries == model.len() as u64)
}

/// Lookups, counts and neighbours of keys, and a range over everything.
fn queries_are_right<K: Key + Ord>(
    dictionary: &Dictionary<K, u32>,
    model: &BTreeMap<K, u32>,
    keys: &[K],
) -> Result<bool> {
    let entry = |entry: (&K, &u32)| (*entry.0, *entry.1);
    let all = dictionary.range(&[K::MIN], &[K::MAX])?;
    let last_keys = vec![K::MAX; keys.len()];
    let from_each = |key: &K| model.range(key..).count() as u64;
    Ok(dictionary.lookup(keys)?.iter().eq(keys.iter().map(|key| model.get(key).copied()))
        && all.keys().iter().zip(all.values()).eq(model)
        && dictionary.count(&keys[..50], &last_keys[..50])?.into_iter().eq(keys[..50].iter().map(from_each))
        && dictionary
            .range_after(&[keys[0]], &[K::MAX], 9)?
            .keys()
            .iter()
            .eq(model.range((Bound::Excluded(keys[0]), Bound::Unbounded)).take(9).map(|entry| entry.0))
        && dictionary.successor(keys)?.iter().eq(keys.iter().map(|key| model.range(key..).next().map(entry)))
        && dictionary
            .predecessor(keys)?
            .iter()
            .eq(keys.iter().map(|key| model.range(..=key).next_back().map(entry))))
}
