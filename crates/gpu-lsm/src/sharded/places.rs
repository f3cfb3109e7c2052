//! The devices of a sharded dictionary, what each takes, and work on all of them at the same time.

use super::sharding::Sharding;
use crate::backed::{DeviceHandle, on_backend};
use crate::device::Device;
use crate::error::{BackendError, Error, Result};
use crate::key::Key;
use gpu_lsm_primitives::{Backend, Meter, Value};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::{Builder, ScopedJoinHandle, scope};

/// One of the devices.
#[derive(Debug, Clone)]
pub(super) struct Place {
    pub(super) device: Device,
    /// The part of all entries that it takes. All parts add up to 1.
    pub(super) share: f64,
    /// The most entries that one of its runs can have.
    pub(super) limit: u64,
}

impl Place {
    /// Whether the device is known to be lost. Does not wait.
    pub(super) fn is_lost(&self) -> bool {
        let alive = on_backend!(&self.device.opened, device => device.backend(Meter::new(None)).alive());
        matches!(alive, Err(BackendError::DeviceLost { .. }))
    }
}

/// The devices with their shares: as given, else by their memory, else equal.
pub(super) fn places<K: Key, V: Value>(devices: &[Device], sharding: &Sharding<K>) -> Result<Vec<Place>> {
    if devices.is_empty() {
        return Err(Error::NoDevices);
    }
    let shares = match sharding.shares(devices.len())? {
        Some(shares) => shares,
        None => by_memory(devices),
    };
    let place = |(device, share): (&Device, f64)| {
        let limit = on_backend!(&device.opened, device => {
            device.backend(Meter::new(None)).max_len(size_of::<K::Code>().max(size_of::<V>()))
        });
        Place { device: device.clone(), share, limit }
    };
    Ok(devices.iter().zip(parts_of_all(&shares)).map(place).collect())
}

/// Shares as parts that add up to 1. The largest becomes 1 before they are added, because a sum of large numbers may be
/// infinite. None becomes 0.
fn parts_of_all(shares: &[f64]) -> Vec<f64> {
    let largest = shares.iter().copied().fold(0.0, f64::max);
    let scaled: Vec<f64> = shares.iter().map(|share| (share / largest).max(f64::MIN_POSITIVE)).collect();
    let total: f64 = scaled.iter().sum();
    scaled.into_iter().map(|share| share / total).collect()
}

/// The device for what lies at this part of all entries, from 0 to 1: each has as many neighbours as its share asks for.
pub(super) fn place_at(places: &[Place], part: f64) -> usize {
    let ends = places.iter().scan(0.0, |end, place| Some(*end + place.share).inspect(|sum| *end = *sum));
    ends.take_while(|end| *end < part).count().min(places.len() - 1)
}

/// Shares by the memory of the devices. Equal ones if all devices are the same, or if the memory of one is not known.
fn by_memory(devices: &[Device]) -> Vec<f64> {
    let equal = vec![1.0; devices.len()];
    // Listing devices loads every driver, which takes longer than a small dictionary lives.
    if devices.iter().all(|device| device == &devices[0]) {
        return equal;
    }
    let known = Device::list();
    let memory = |device: &Device| {
        let same = known.iter().find(|info| info.name == device.name());
        same.and_then(|info| info.memory).map(|bytes| bytes as f64)
    };
    devices.iter().map(memory).collect::<Option<Vec<_>>>().unwrap_or(equal)
}

/// Does each task on its device. Devices work at the same time, each on a thread of its own: a call waits for its device,
/// and a thread of rayon's that waits would keep the host from working. The host does its tasks on its own threads, as
/// many at a time as it has. Returns the results in the order of the tasks.
pub(super) fn on_places<T: Send, R: Send>(
    places: &[Place],
    tasks: Vec<(usize, T)>,
    work: impl Fn(usize, T) -> R + Send + Sync,
) -> Result<Vec<R>> {
    if let [_] = &tasks[..] {
        return Ok(tasks.into_iter().map(|(place, task)| work(place, task)).collect());
    }
    let order: Vec<usize> = tasks.iter().map(|(place, _)| *place).collect();
    let tasks: Vec<_> = tasks.into_iter().map(|(_, task)| Mutex::new(Some(task))).collect();
    let results: Vec<_> = tasks.iter().map(|_| Mutex::new(None)).collect();
    run(places, &order, &|i| {
        let task = locked(&tasks[i]).take();
        let result = task.map(|task| work(order[i], task));
        *locked(&results[i]) = result;
    })?;
    Ok(results.iter().filter_map(|result| locked(result).take()).collect())
}

/// Runs numbered tasks, each on the device whose number it has in `order`. It knows no types, so that the handling of threads is
/// compiled once, and not for each type of tasks and results.
fn run(places: &[Place], order: &[usize], task: &(dyn Fn(usize) + Sync)) -> Result<()> {
    let mut by_place = vec![Vec::new(); places.len()];
    order.iter().enumerate().for_each(|(i, &place)| by_place[place].push(i));
    scope(|threads| {
        let mut busy = places.iter().zip(by_place).filter(|(_, tasks)| !tasks.is_empty());
        let first = busy.next();
        let others = busy.map(|(place, tasks)| {
            let thread = Builder::new().spawn_scoped(threads, move || on_place(place, tasks, task));
            thread.map_err(|refusal| no_thread(&refusal))
        });
        let others = others.collect::<Result<Vec<_>>>()?;
        if let Some((place, tasks)) = first {
            on_place(place, tasks, task);
        }
        others.into_iter().for_each(joined);
        Ok(())
    })
}

/// Runs tasks of one device.
fn on_place(place: &Place, tasks: Vec<usize>, task: &(dyn Fn(usize) + Sync)) {
    on_backend!(&place.device.opened, device => {
        device.backend(Meter::new(None)).each(tasks, task);
    });
}

/// Waits for a thread. Its panic becomes the caller's.
fn joined(thread: ScopedJoinHandle<'_, ()>) {
    thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
}

fn locked<T>(slot: &Mutex<T>) -> MutexGuard<'_, T> {
    slot.lock().unwrap_or_else(PoisonError::into_inner)
}

fn no_thread(refusal: &std::io::Error) -> Error {
    BackendError::NoThreads { reason: refusal.to_string() }.into()
}

#[cfg(test)]
mod tests {
    use super::parts_of_all;

    #[test]
    fn no_share_becomes_0_and_all_are_1() {
        for shares in [[1e308, 1e308], [1e308, 1e-320], [1e-320, 1e-320], [3.0, 1.0]] {
            let parts = parts_of_all(&shares);
            assert!(parts.iter().all(|&part| part > 0.0), "{parts:?}");
            assert!((parts.iter().sum::<f64>() - 1.0).abs() < 1e-12, "{parts:?}");
        }
    }
}
