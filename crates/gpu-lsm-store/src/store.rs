//! Stores: places that dictionaries are saved to, loaded from, and durable in.

use crate::durable::Durable;
use crate::error::{Error, Result};
use crate::load::{check, load_latest, load_version};
use crate::manifest::{Manifest, Shard};
use crate::nonce::Nonces;
use crate::objects::Objects;
use crate::options::Options;
use crate::place::Place;
use crate::protocol::{Claim, Retention, Template, Version, collect, latest, read_manifest};
use crate::runtime::wait;
use crate::types::{StoredKey, StoredValue};
use crate::upload::{Known, upload};
use gpu_lsm::{Config, Device, Dictionary, Snapshot};
use object_store::ObjectStore;
use object_store::path::Path;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// A place for one dictionary: local files, memory, or an object store.
///
/// | URL | place |
/// |---|---|
/// | `file:///folder`, or a path | local files, synced to the disk |
/// | `memory:///name` | the memory of this process |
/// | `s3://bucket/path` | S3 and what speaks its protocol, with the feature `aws` |
/// | `az://container/path` | Azure, with the feature `azure` |
/// | `gs://bucket/path` | Google, with the feature `gcp`; not tested |
///
/// Credentials come from the environment. No URL, error or debug output shows them.
///
/// ```
/// use gpu_lsm::{Config, Device, Dictionary};
/// use gpu_lsm_store::Store;
///
/// let store = Store::at("memory:///squares")?;
/// let mut squares = Dictionary::build(&Device::host(), Config::new(), &[1u32, 2, 3], &[1u64, 4, 9])?;
/// store.save(&squares)?;
/// squares.insert(&[4], &[16])?;
/// store.save(&squares)?; // writes only what is new
/// assert_eq!(store.load::<u32, u64>(&Device::host())?.get(4)?, Some(16));
/// # Ok::<(), gpu_lsm_store::Error>(())
/// ```
///
/// Clones are the same store, and remember together which runs it has.
#[derive(Clone)]
pub struct Store {
    objects: Arc<dyn Objects>,
    known: Arc<Mutex<Known>>,
}

/// A state of the dictionary in a store.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct VersionInfo {
    /// Its number, by which [`Store::load_version`] finds it.
    pub version: u64,
    /// Its entries in all runs, tombstones included.
    pub entries: u64,
    /// The bytes of its files. Versions share files.
    pub bytes: u64,
}

impl fmt::Debug for Store {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Store").field("url", &self.objects.describe()).finish_non_exhaustive()
    }
}

impl Store {
    /// The store at a URL, or at a path of the file system. Nothing is read or written yet.
    ///
    /// # Errors
    /// If the URL names no place, or the feature for it was not compiled in.
    pub fn at(url: &str) -> Result<Self> {
        Ok(Self::over(Arc::new(Place::at(url)?)))
    }

    /// The store in a folder of an object store with your own settings.
    pub fn in_object_store(store: Arc<dyn ObjectStore>, folder: &Path) -> Self {
        let url = folder.to_string();
        Self::over(Arc::new(Place::of(store, folder.clone(), url)))
    }

    /// The store in a place of your own kind.
    pub fn over(objects: Arc<dyn Objects>) -> Self {
        Self { objects, known: Arc::default() }
    }

    /// Saves a snapshot as the newest version, or makes a store of it, and returns the version's number. Waits for the device
    /// and the store.
    ///
    /// Runs that the store has are not written again, if this handle saved or loaded them. Takes the store over: a durable
    /// dictionary that writes to it gets [`Error::Fenced`]. Earlier versions are kept.
    ///
    /// # Errors
    /// [`Error::OtherTypes`] if the store has other types; [`Error::Fenced`] if somebody else took it over meanwhile; or if
    /// the place or the device fails. Then the newest version stays what it was.
    pub fn save<K: StoredKey, V: StoredValue>(&self, snapshot: &Snapshot<K, V>) -> Result<u64> {
        self.save_and_keep(snapshot, usize::MAX)
    }

    /// As [`save`](Self::save), and keeps only the last `versions` versions.
    ///
    /// # Errors
    /// Those of [`save`](Self::save).
    pub fn save_and_keep<K: StoredKey, V: StoredValue>(
        &self,
        snapshot: &Snapshot<K, V>,
        versions: usize,
    ) -> Result<u64> {
        let (store, snapshot) = (self.clone(), snapshot.clone());
        wait(async move { store.save_async(snapshot, Retention { versions, age: Duration::ZERO }).await })
    }

    async fn save_async<K: StoredKey, V: StoredValue>(
        &self,
        snapshot: Snapshot<K, V>,
        retention: Retention,
    ) -> Result<u64> {
        let batch_size = snapshot.config().batch_size() as u64;
        let new = Template { key: K::NAME.into(), value: V::NAME.into(), batch_size };
        let claim = Claim::take(&self.objects, Nonces::random(), Some(&new), check::<K, V>).await?;
        let mut walk = claim.walk(0);
        let fence = loop {
            while walk.next().await?.is_some() {}
            if let Some(fence) = claim.fence(walk.position()).await? {
                break fence;
            }
        };
        let last_part = walk.state().last_part;
        let mut leader = claim.lead(&fence, &walk);
        let known = self.known().named_by(leader.manifest());
        let (runs, known) = upload(&self.objects, leader.ids(), &snapshot, &known).await?;
        let log = leader.log_before(leader.next(), last_part);
        let (callers, shards) = (Default::default(), vec![Shard { from: 0, runs }]);
        let before = leader.manifest().clone();
        leader.publish(&Version { batch_size, log, callers, shards }, &retention).await?;
        self.known().extend(known);
        let number = leader.manifest().number;
        // The version is saved. What a failed collection leaves, a later one deletes.
        let _ = collect(&leader.collection(before)).await;
        Ok(number)
    }

    /// Makes a dictionary of the newest state, the log included. The store is only read. Waits for the store and the device.
    ///
    /// # Errors
    /// [`Error::NoStore`], [`Error::OtherTypes`], [`Error::Corrupt`]; or if the place or the device fails.
    pub fn load<K: StoredKey, V: StoredValue>(&self, device: &Device) -> Result<Dictionary<K, V>> {
        self.load_with_config(device, Config::new())
    }

    /// As [`load`](Self::load), with options. The batch size is the store's.
    ///
    /// # Errors
    /// Those of [`load`](Self::load).
    pub fn load_with_config<K: StoredKey, V: StoredValue>(
        &self,
        device: &Device,
        config: Config,
    ) -> Result<Dictionary<K, V>> {
        let (objects, device) = (Arc::clone(&self.objects), device.clone());
        let (state, known) = wait(async move { load_latest::<K, V>(&objects, &device, config).await })?;
        self.known().extend(known);
        Ok(state.dictionary)
    }

    /// Makes a dictionary of a version. The store is only read. Waits for the store and the device.
    ///
    /// # Errors
    /// [`Error::NoSuchVersion`] if it was collected; and those of [`load`](Self::load).
    pub fn load_version<K: StoredKey, V: StoredValue>(
        &self,
        device: &Device,
        version: u64,
    ) -> Result<Dictionary<K, V>> {
        let (objects, device) = (Arc::clone(&self.objects), device.clone());
        let (state, known) =
            wait(async move { load_version::<K, V>(&objects, version, &device, Config::new()).await })?;
        self.known().extend(known);
        Ok(state.dictionary)
    }

    /// Opens a durable dictionary, or makes one if there is no store. Takes the store over: whoever wrote to it before gets
    /// [`Error::Fenced`]. Waits for the store and the device.
    ///
    /// # Errors
    /// [`Error::OtherTypes`], [`Error::Corrupt`]; [`Error::Fenced`] if somebody else took it over at the same time; or if the
    /// place or the device fails.
    pub fn write<K: StoredKey, V: StoredValue>(
        &self,
        device: &Device,
        options: Options,
    ) -> Result<Durable<K, V>> {
        let (objects, device) = (Arc::clone(&self.objects), device.clone());
        wait(async move { Durable::open(objects, device, options).await })
    }

    /// The versions, oldest first. Waits for the store.
    ///
    /// # Errors
    /// [`Error::NoStore`]; or if the place fails or a manifest is damaged.
    pub fn versions(&self) -> Result<Vec<VersionInfo>> {
        let objects = Arc::clone(&self.objects);
        wait(async move {
            let newest =
                latest(&*objects).await?.ok_or_else(|| Error::NoStore { url: objects.describe() })?;
            let mut versions = Vec::new();
            for version in newest.versions {
                // It may be collected while it is listed.
                versions.extend(read_manifest(&*objects, version).await?.map(|manifest| info(&manifest)));
            }
            Ok(versions)
        })
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn info(manifest: &Manifest) -> VersionInfo {
    let (entries, bytes) =
        manifest.files().fold((0, 0), |(entries, bytes), file| (entries + file.entries, bytes + file.bytes));
    VersionInfo { version: manifest.number, entries, bytes }
}
