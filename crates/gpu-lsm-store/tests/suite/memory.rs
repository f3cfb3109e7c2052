//! A place in memory whose operations can be made to fail, and that counts them.

use bytes::Bytes;
use gpu_lsm_store::{Error, Listed, Objects, Pending, Result};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

/// Which operation fails, and how.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fault {
    /// The operation has no effect.
    Before(u64),
    /// The operation takes effect, but seems to have failed.
    After(u64),
    /// This operation and all later ones have no effect.
    BeforeAll(u64),
}

/// The objects, and what happened to them.
#[derive(Debug, Default)]
pub(crate) struct Memory {
    objects: Mutex<BTreeMap<String, (Bytes, SystemTime)>>,
    /// The number of operations so far.
    operations: AtomicU64,
    fault: Mutex<Option<Fault>>,
    created: AtomicU64,
    /// The bytes that were created in each folder.
    created_bytes: Mutex<BTreeMap<String, u64>>,
    /// How long a creation takes.
    delay: Mutex<Duration>,
}

impl Memory {
    pub(crate) fn new() -> Arc<Self> {
        Arc::default()
    }

    pub(crate) fn fail(&self, fault: Option<Fault>) {
        *self.fault.lock().unwrap() = fault;
    }

    pub(crate) fn delay(&self, delay: Duration) {
        *self.delay.lock().unwrap() = delay;
    }

    pub(crate) fn operations(&self) -> u64 {
        self.operations.load(Ordering::Relaxed)
    }

    /// Objects that were created so far.
    pub(crate) fn created(&self) -> u64 {
        self.created.load(Ordering::Relaxed)
    }

    /// Bytes that were created so far in a folder.
    pub(crate) fn created_in(&self, folder: &str) -> u64 {
        self.created_bytes.lock().unwrap().get(folder).copied().unwrap_or(0)
    }

    pub(crate) fn names(&self, folder: &str) -> Vec<String> {
        self.objects.lock().unwrap().keys().filter(|name| name.starts_with(folder)).cloned().collect()
    }

    pub(crate) fn get(&self, name: &str) -> Option<Bytes> {
        self.objects.lock().unwrap().get(name).map(|(bytes, _)| bytes.clone())
    }

    /// Replaces an object behind the store's back; `None` removes it.
    pub(crate) fn set(&self, name: &str, bytes: Option<Bytes>) {
        let mut objects = self.objects.lock().unwrap();
        match bytes {
            Some(bytes) => drop(objects.insert(name.into(), (bytes, SystemTime::now()))),
            None => drop(objects.remove(name)),
        }
    }

    /// Performs an operation, unless it is to fail.
    fn perform<T>(&self, name: &str, operation: impl FnOnce() -> T) -> Result<T> {
        let k = self.operations.fetch_add(1, Ordering::Relaxed);
        let fault = *self.fault.lock().unwrap();
        let failed =
            || Error::Unavailable { doing: "testing", name: name.into(), reason: format!("operation {k}") };
        match fault {
            Some(Fault::Before(at)) if at == k => Err(failed()),
            Some(Fault::BeforeAll(at)) if at <= k => Err(failed()),
            Some(Fault::After(at)) if at == k => {
                operation();
                Err(failed())
            }
            _ => Ok(operation()),
        }
    }
}

impl Objects for Memory {
    fn create<'a>(&'a self, name: &'a str, bytes: Bytes) -> Pending<'a, bool> {
        Box::pin(async move {
            let delay = *self.delay.lock().unwrap();
            if !delay.is_zero() {
                tokio::time::sleep(delay).await;
            }
            self.perform(name, || {
                let mut objects = self.objects.lock().unwrap();
                if objects.contains_key(name) {
                    return false;
                }
                self.created.fetch_add(1, Ordering::Relaxed);
                let folder = name.split_once('/').map_or("", |(folder, _)| folder);
                *self.created_bytes.lock().unwrap().entry(folder.into()).or_default() += bytes.len() as u64;
                objects.insert(name.into(), (bytes, SystemTime::now()));
                true
            })
        })
    }

    fn read<'a>(&'a self, name: &'a str) -> Pending<'a, Option<Bytes>> {
        Box::pin(async move { self.perform(name, || self.get(name)) })
    }

    fn list<'a>(&'a self, folder: &'a str, after: &'a str) -> Pending<'a, Vec<Listed>> {
        Box::pin(async move {
            self.perform(folder, || {
                let objects = self.objects.lock().unwrap();
                let is_in = |name: &str| name.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'));
                let found = objects.iter().filter(|(name, _)| is_in(name) && name.as_str() > after);
                let listed = |(name, (bytes, modified)): (&String, &(Bytes, SystemTime))| Listed {
                    name: name.clone(),
                    bytes: bytes.len() as u64,
                    modified: *modified,
                };
                found.map(listed).collect()
            })
        })
    }

    fn delete<'a>(&'a self, name: &'a str) -> Pending<'a, ()> {
        Box::pin(async move { self.perform(name, || drop(self.objects.lock().unwrap().remove(name))) })
    }

    fn describe(&self) -> String {
        "memory of a test".into()
    }
}
