//! The devices of a sharded dictionary, what each takes, and work on all of them at the same time.

use super::sharding::Sharding;
use crate::backed::{DeviceHandle, on_backend};
use crate::device::Device;
use crate::error::{BackendError, Error, Result};
use crate::key::Key;
use gpu_lsm_primitives::{Backend, Meter, Value};
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
    let total: f64 = shares.iter().sum();
    let place = |(device, share): (&Device, f64)| {
        let limit = on_backend!(&device.opened, device => {
            device.backend(Meter::new(None)).max_len(size_of::<K::Code>().max(size_of::<V>()))
        });
        Place { device: device.clone(), share: share / total, limit }
    };
    Ok(devices.iter().zip(shares).map(place).collect())
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
    let mut by_place: Vec<Vec<T>> = places.iter().map(|_| Vec::new()).collect();
    tasks.into_iter().for_each(|(place, task)| by_place[place].push(task));
    let mut results = scope(|threads| -> Result<Vec<_>> {
        let work = &work;
        let mut busy = by_place.into_iter().enumerate().filter(|(_, tasks)| !tasks.is_empty());
        let first = busy.next();
        let others = busy.map(|(place, tasks)| {
            let thread = Builder::new().spawn_scoped(threads, move || on_place(places, place, tasks, work));
            Ok((place, thread.map_err(|refusal| no_thread(&refusal))?))
        });
        let others = others.collect::<Result<Vec<_>>>()?;
        let mut results: Vec<_> = places.iter().map(|_| Vec::new().into_iter()).collect();
        if let Some((place, tasks)) = first {
            results[place] = on_place(places, place, tasks, work).into_iter();
        }
        for (place, thread) in others {
            results[place] = joined(thread).into_iter();
        }
        Ok(results)
    })?;
    Ok(order.into_iter().filter_map(|place| results[place].next()).collect())
}

/// Does tasks of one device.
fn on_place<T: Send, R: Send>(
    places: &[Place],
    place: usize,
    tasks: Vec<T>,
    work: &(impl Fn(usize, T) -> R + Send + Sync),
) -> Vec<R> {
    on_backend!(&places[place].device.opened, device => {
        device.backend(Meter::new(None)).each(tasks, |task| work(place, task))
    })
}

/// A thread's results. Its panic becomes the caller's.
fn joined<R>(thread: ScopedJoinHandle<'_, Vec<R>>) -> Vec<R> {
    thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}

fn no_thread(refusal: &std::io::Error) -> Error {
    BackendError::NoThreads { reason: refusal.to_string() }.into()
}
