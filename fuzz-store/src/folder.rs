//! Objects in memory.

use bytes::Bytes;
use gpu_lsm_store::{Listed, Objects, Pending, Store, names};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

type Named = BTreeMap<String, Bytes>;

/// The objects of a store.
#[derive(Debug, Default)]
pub struct Folder(Mutex<Named>);

impl Folder {
    /// A copy of a store of `testdata`: `u64-u32` or `i32-set`.
    pub fn golden(store: &str) -> Self {
        static GOLDEN: LazyLock<BTreeMap<&str, Named>> =
            LazyLock::new(|| ["u64-u32", "i32-set"].map(|store| (store, read(store))).into());
        Self(Mutex::new(GOLDEN[store].clone()))
    }

    /// The folder with another object.
    #[must_use]
    pub fn with(self, name: &str, bytes: Bytes) -> Self {
        self.named().insert(name.into(), bytes);
        self
    }

    /// The folder without manifests above this number.
    #[must_use]
    pub fn without_manifests_above(self, number: u64) -> Self {
        let is_above = |name: &str| name.starts_with(names::MANIFESTS) && names::number(name) > Some(number);
        self.named().retain(|name, _| !is_above(name));
        self
    }

    /// An object.
    pub fn get(&self, name: &str) -> Option<Bytes> {
        self.named().get(name).cloned()
    }

    /// The store that has these objects.
    pub fn into_store(self) -> Store {
        Store::over(Arc::new(self))
    }

    fn named(&self) -> MutexGuard<'_, Named> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The objects of a store of `testdata`.
fn read(store: &str) -> Named {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../testdata/stores/1").join(store);
    let mut objects = Named::new();
    for folder in [names::MANIFESTS, names::LOG, names::RUNS, names::PARTS] {
        // Not every store has every folder.
        let Ok(files) = root.join(folder).read_dir() else { continue };
        for file in files {
            let file = file.expect("testdata can be listed");
            let name = format!("{folder}/{}", file.file_name().to_string_lossy());
            objects.insert(name, std::fs::read(file.path()).expect("testdata can be read").into());
        }
    }
    assert!(!objects.is_empty(), "{} has no store", root.display());
    objects
}

impl Objects for Folder {
    fn create<'a>(&'a self, name: &'a str, bytes: Bytes) -> Pending<'a, bool> {
        let mut objects = self.named();
        let is_new = !objects.contains_key(name);
        if is_new {
            objects.insert(name.into(), bytes);
        }
        Box::pin(async move { Ok(is_new) })
    }

    fn read<'a>(&'a self, name: &'a str) -> Pending<'a, Option<Bytes>> {
        let found = self.get(name);
        Box::pin(async move { Ok(found) })
    }

    fn list<'a>(&'a self, folder: &'a str, after: &'a str) -> Pending<'a, Vec<Listed>> {
        let is_listed =
            |name: &str| name.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/')) && name > after;
        let objects = self.named();
        let found = objects.iter().filter(|(name, _)| is_listed(name));
        let listed = |(name, bytes): (&String, &Bytes)| Listed {
            name: name.clone(),
            bytes: bytes.len() as u64,
            modified: SystemTime::UNIX_EPOCH,
        };
        let listed = found.map(listed).collect();
        Box::pin(async move { Ok(listed) })
    }

    fn delete<'a>(&'a self, name: &'a str) -> Pending<'a, ()> {
        self.named().remove(name);
        Box::pin(async move { Ok(()) })
    }

    fn describe(&self) -> String {
        "memory of a fuzzer".into()
    }
}
