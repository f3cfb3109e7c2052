//! Stores: places that dictionaries are saved to, loaded from, and durable in.

use crate::durable::{Durable, DurableOf, DurableSharded};
use crate::error::{Error, Result};
use crate::kept::{Kept, level_capacity};
use crate::load::{check_types, load_latest, load_version};
use crate::manifest::Manifest;
use crate::nonce::Nonces;
use crate::objects::Objects;
use crate::options::Options;
use crate::place::Place;
use crate::protocol::{Claim, Retention, Template, Version, collect, latest, read_manifest};
use crate::runtime::wait;
use crate::types::{StoredKey, StoredValue, Types};
use crate::upload::{Known, upload};
use gpu_lsm::{Config, Device, Dictionary, Sharded, ShardedSnapshot, Sharding, Snapshot};
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
/// Credentials come from the environment, as for other programs, or from [settings](Self::with_settings). No manifest, error or
/// debug output shows them.
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
    types: Option<Types>,
    /// The versions that saving keeps.
    versions: usize,
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
        Self::with_settings(url, &[])
    }

    /// The store at a URL, opened with settings that have the names of variables of the environment, and come before them:
    /// `AWS_ENDPOINT`, `AZURE_STORAGE_ACCOUNT_KEY` and so on. Local files and memory have no settings, and ignore them.
    ///
    /// # Errors
    /// Those of [`at`](Self::at); or if a setting is not known.
    pub fn with_settings(url: &str, settings: &[(&str, &str)]) -> Result<Self> {
        Ok(Self::over(Arc::new(Place::at(url, settings)?)))
    }

    /// The store in a folder of an object store with your own settings.
    pub fn in_object_store(store: Arc<dyn ObjectStore>, folder: &Path) -> Self {
        let url = folder.to_string();
        Self::over(Arc::new(Place::of(store, folder.clone(), url)))
    }

    /// The store in a place of your own kind.
    pub fn over(objects: Arc<dyn Objects>) -> Self {
        Self { objects, known: Arc::default(), types: None, versions: usize::MAX }
    }

    /// The same store, whose keys and values have these types instead of those of the dictionaries that are saved to it and
    /// made of it. For programs that know types only at run time.
    ///
    /// ```
    /// use gpu_lsm::{Config, Device, Dictionary, Key};
    /// use gpu_lsm_store::{Store, Types};
    ///
    /// let store = Store::at("memory:///named")?;
    /// let codes = [(-1i64).to_code(), 1i64.to_code()];
    /// let words = Dictionary::build(&Device::host(), Config::new(), &codes, &[0.5f32.to_bits(), 1.5f32.to_bits()])?;
    /// store.clone().with_types(Types::named("i64", "f32")).save(&words)?;
    /// assert_eq!(store.load::<i64, f32>(&Device::host())?.first()?, Some((-1, 0.5)));
    /// # Ok::<(), gpu_lsm_store::Error>(())
    /// ```
    #[must_use]
    pub fn with_types(self, types: Types) -> Self {
        Self { types: Some(types), ..self }
    }

    /// The same store, of which [`save`](Self::save) keeps only the last `versions` versions, and at least one. Otherwise it keeps all.
    ///
    /// ```
    /// use gpu_lsm::{Config, Device, Dictionary};
    /// use gpu_lsm_store::Store;
    ///
    /// let store = Store::at("memory:///few")?.with_versions(2);
    /// let squares = Dictionary::build(&Device::host(), Config::new(), &[1u32, 2, 3], &[1u64, 4, 9])?;
    /// for _ in 0..3 {
    ///     store.save(&squares)?;
    /// }
    /// assert_eq!(store.versions()?.len(), 2);
    /// # Ok::<(), gpu_lsm_store::Error>(())
    /// ```
    #[must_use]
    pub fn with_versions(self, versions: usize) -> Self {
        Self { versions, ..self }
    }

    fn types<D: Kept>(&self) -> Types {
        self.types.clone().unwrap_or_else(Types::of::<D::Key, D::Value>)
    }

    /// Saves a snapshot as the newest version, or makes a store of it, and returns the version's number. Waits for the device
    /// and the store.
    ///
    /// Runs that the store has are not written again, if this handle saved or loaded them. Takes the store over: a durable
    /// dictionary that writes to it gets [`Error::Fenced`]. Earlier versions are kept, unless the store was made
    /// [with fewer](Self::with_versions).
    ///
    /// # Errors
    /// [`Error::OtherTypes`] if the store has other types; [`Error::Fenced`] if somebody else took it over meanwhile; or if
    /// the place or the device fails. Then the newest version stays what it was.
    pub fn save<K: StoredKey, V: StoredValue>(&self, snapshot: &Snapshot<K, V>) -> Result<u64> {
        self.save_kept::<Dictionary<K, V>>(snapshot)
    }

    /// As [`save`](Self::save), of a sharded dictionary.
    ///
    /// # Errors
    /// Those of [`save`](Self::save).
    pub fn save_sharded<K: StoredKey, V: StoredValue>(
        &self,
        snapshot: &ShardedSnapshot<K, V>,
    ) -> Result<u64> {
        self.save_kept::<Sharded<K, V>>(snapshot)
    }

    fn save_kept<D: Kept>(&self, snapshot: &D::Snapshot) -> Result<u64> {
        let (store, snapshot) = (self.clone(), snapshot.clone());
        wait(async move { store.save_async::<D>(snapshot).await })
    }

    async fn save_async<D: Kept>(&self, snapshot: D::Snapshot) -> Result<u64> {
        let batch_size = level_capacity::<D>(&snapshot);
        let types = self.types::<D>();
        let layout = types.layout::<D::Key, D::Value>()?;
        let new = Template { key: types.key.clone(), value: types.value.clone(), batch_size };
        // A snapshot of any shape may follow any other: nothing of the old state is needed.
        let has_same_types = |manifest: &Manifest| check_types(&types, manifest);
        let claim = Claim::take(&self.objects, Nonces::random(), Some(&new), has_same_types).await?;
        let (mut leader, last_part) = claim.lead_from_end().await?;
        let known = self.known().named_by(leader.manifest());
        let (shards, known) = upload::<D>(&self.objects, leader.ids(), &layout, &snapshot, &known).await?;
        let log = leader.log_before(leader.next(), last_part);
        let before = leader.manifest().clone();
        let version = Version { batch_size, log, callers: Default::default(), shards };
        let retention = Retention { versions: self.versions, age: Duration::ZERO };
        leader.publish(&version, &retention).await?;
        self.known().extend(known);
        let number = leader.manifest().number;
        // The version is saved. What a failed collection leaves, a later one deletes.
        let _ = collect(&leader.collection(before)).await;
        Ok(number)
    }

    /// Makes a dictionary of the newest state, the log included. The store is only read. Waits for the store and the device.
    ///
    /// # Errors
    /// [`Error::NoStore`], [`Error::OtherTypes`], [`Error::ManyShards`], [`Error::Corrupt`], [`Error::Missing`]; or if the place
    /// or the device fails.
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
        self.load_kept(device.clone(), config, None)
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
        self.load_kept(device.clone(), Config::new(), Some(version))
    }

    /// Makes a sharded dictionary of the newest state, the log included, or of a version. The store is only read. Waits for
    /// the store and the devices.
    ///
    /// Neither the devices nor the boundaries need be those that the store was written with: boundaries of the sharding
    /// replace the stored ones. Plain dictionaries become sharded ones. The batch size of each shard is the store's.
    ///
    /// # Errors
    /// Those of [`load`](Self::load) and [`load_version`](Self::load_version).
    pub fn load_sharded<K: StoredKey, V: StoredValue>(
        &self,
        devices: &[Device],
        sharding: &Sharding<K>,
        version: Option<u64>,
    ) -> Result<Sharded<K, V>> {
        self.load_sharded_with_config(devices, Config::new(), sharding, version)
    }

    /// The same with options. The batch size is the store's.
    ///
    /// # Errors
    /// Those of [`load_sharded`](Self::load_sharded).
    pub fn load_sharded_with_config<K: StoredKey, V: StoredValue>(
        &self,
        devices: &[Device],
        config: Config,
        sharding: &Sharding<K>,
        version: Option<u64>,
    ) -> Result<Sharded<K, V>> {
        self.load_kept((devices.to_vec(), sharding.clone()), config, version)
    }

    fn load_kept<D: Kept>(&self, home: D::Home, config: Config, version: Option<u64>) -> Result<D> {
        let (objects, types) = (Arc::clone(&self.objects), self.types::<D>());
        types.layout::<D::Key, D::Value>()?;
        let (state, known) = wait(async move {
            match version {
                Some(version) => load_version::<D>(&objects, &types, version, &home, config).await,
                None => load_latest::<D>(&objects, &types, &home, config).await,
            }
        })?;
        self.known().extend(known);
        Ok(state.dictionary)
    }

    /// Opens a durable dictionary, or makes one if there is no store. Takes the store over: whoever wrote to it before gets
    /// [`Error::Fenced`]. Waits for the store and the device.
    ///
    /// The store is read before it is taken over: if that fails, whoever writes to it goes on. Only what is written meanwhile is read
    /// afterwards, unless others publish versions faster than they can be read.
    ///
    /// # Errors
    /// [`Error::OtherTypes`], [`Error::ManyShards`], [`Error::Corrupt`], [`Error::Missing`]; [`Error::Fenced`] if somebody else took
    /// it over at the same time; or if the place or the device fails.
    pub fn write<K: StoredKey, V: StoredValue>(
        &self,
        device: &Device,
        options: Options,
    ) -> Result<Durable<K, V>> {
        self.write_kept(device.clone(), options)
    }

    /// Opens a durable sharded dictionary, as [`write`](Self::write) does, on these devices. See
    /// [`load_sharded`](Self::load_sharded) for what need not be as it was.
    ///
    /// ```
    /// use gpu_lsm::{Device, Sharding};
    /// use gpu_lsm_store::{Options, Store};
    ///
    /// let (store, devices) = (Store::at("memory:///sharded")?, [Device::host()]);
    /// let halves = Sharding::new().with_boundaries(&[1u64 << 63]);
    /// let mut ages = store.write_sharded::<u64, u32>(&devices, &halves, Options::new())?;
    /// ages.insert(&[1, u64::MAX], &[30, 40])?;
    /// let thirds = Sharding::new().with_boundaries(&[1u64 << 60, 1 << 62]);
    /// let loaded = store.load_sharded::<u64, u32>(&devices, &thirds, None)?;
    /// assert_eq!(loaded.lookup(&[1, u64::MAX])?.to_vec(), [Some(30), Some(40)]);
    /// # Ok::<(), gpu_lsm_store::Error>(())
    /// ```
    ///
    /// # Errors
    /// Those of [`write`](Self::write).
    pub fn write_sharded<K: StoredKey, V: StoredValue>(
        &self,
        devices: &[Device],
        sharding: &Sharding<K>,
        options: Options,
    ) -> Result<DurableSharded<K, V>> {
        self.write_kept((devices.to_vec(), sharding.clone()), options)
    }

    fn write_kept<D: Kept>(&self, home: D::Home, options: Options) -> Result<DurableOf<D>> {
        let (objects, types) = (Arc::clone(&self.objects), self.types::<D>());
        wait(async move { DurableOf::open(objects, types, home, options).await })
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

    pub(crate) fn objects(&self) -> &Arc<dyn Objects> {
        &self.objects
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
