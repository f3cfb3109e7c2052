//! What dictionaries are made for and with. Eight instances, plain and in shards, serve every type of keys and values.

use crate::failure::{Failure, Outcome};
use crate::kind::{Codes, Kind};
use crate::process::device;
use crate::raw::{Durables, Updates};
use crate::resident::{Recoded, Resident};
use gpu_lsm::{Config, Device, Dictionary, Sharded, Sharding};
use gpu_lsm_store::{Options, Store};

/// What a dictionary is made for and with.
pub(crate) struct Plan {
    pub(crate) kind: Kind,
    /// The words of a value: 0, 1, 2 or 4.
    pub(crate) words: usize,
    pub(crate) config: Config,
    pub(crate) home: Home,
}

/// Where a dictionary is.
pub(crate) enum Home {
    One(String),
    /// In shards: this many, or as many as suit the devices, or from these keys on.
    Shards {
        devices: Vec<String>,
        shards: Option<usize>,
        boundaries: Option<Codes<'static>>,
    },
}

/// The same, with the devices and the type of codes.
enum Place<K> {
    One(Device),
    Shards(Vec<Device>, Sharding<K>),
}

/// Calls a method with the types of codes and of values that a plan needs.
macro_rules! typed {
    ($plan:expr, $method:ident($($argument:expr),*)) => {
        match ($plan.kind.is_narrow(), $plan.words) {
            (true, 0) => $plan.$method::<u32, ()>($($argument),*),
            (true, 1) => $plan.$method::<u32, u32>($($argument),*),
            (true, 2) => $plan.$method::<u32, [u32; 2]>($($argument),*),
            (true, 4) => $plan.$method::<u32, [u32; 4]>($($argument),*),
            (false, 0) => $plan.$method::<u64, ()>($($argument),*),
            (false, 1) => $plan.$method::<u64, u32>($($argument),*),
            (false, 2) => $plan.$method::<u64, [u32; 2]>($($argument),*),
            (false, 4) => $plan.$method::<u64, [u32; 4]>($($argument),*),
            (_, words) => Err(Failure::NoSuchValues { words }),
        }
    };
}

impl Plan {
    /// An empty dictionary.
    pub(crate) fn make(&self) -> Outcome<Box<dyn Updates>> {
        typed!(self, make_of())
    }

    /// The dictionary of a store, or of a version of it.
    pub(crate) fn load(&self, store: &Store, version: Option<u64>) -> Outcome<Box<dyn Updates>> {
        typed!(self, load_of(store, version))
    }

    /// The dictionary of a store, which it takes over.
    pub(crate) fn write(&self, store: &Store, options: Options) -> Outcome<Box<dyn Durables>> {
        typed!(self, write_of(store, options))
    }

    fn place<K: Recoded>(&self) -> Outcome<Place<K>> {
        Ok(match &self.home {
            Home::One(name) => Place::One(device(name)?),
            Home::Shards { devices, shards, boundaries } => {
                let devices = devices.iter().map(|name| device(name)).collect::<Outcome<_>>()?;
                let sharding =
                    shards.map_or_else(Sharding::new, |shards| Sharding::new().with_shards(shards));
                Place::Shards(
                    devices,
                    match boundaries {
                        Some(keys) => sharding.with_boundaries(K::of_codes(keys)?),
                        None => sharding,
                    },
                )
            }
        })
    }

    fn make_of<K: Recoded, V: Resident>(&self) -> Outcome<Box<dyn Updates>> {
        Ok(match self.place::<K>()? {
            Place::One(device) => Box::new(Dictionary::<K, V>::with_config(&device, self.config)?),
            Place::Shards(devices, sharding) => {
                Box::new(Sharded::<K, V>::with_sharding(&devices, self.config, &sharding)?)
            }
        })
    }

    fn load_of<K: Recoded, V: Resident>(
        &self,
        store: &Store,
        version: Option<u64>,
    ) -> Outcome<Box<dyn Updates>> {
        Ok(match (self.place::<K>()?, version) {
            (Place::One(device), None) => Box::new(store.load_with_config::<K, V>(&device, self.config)?),
            (Place::One(device), Some(version)) => {
                let mut dictionary = store.load_version::<K, V>(&device, version)?;
                dictionary.set_byte_budget(self.config.byte_budget())?;
                Box::new(dictionary)
            }
            (Place::Shards(devices, sharding), version) => {
                let mut dictionary = store.load_sharded::<K, V>(&devices, &sharding, version)?;
                dictionary.set_byte_budget(self.config.byte_budget())?;
                Box::new(dictionary)
            }
        })
    }

    fn write_of<K: Recoded, V: Resident>(
        &self,
        store: &Store,
        options: Options,
    ) -> Outcome<Box<dyn Durables>> {
        let options = options.with_config(self.config);
        Ok(match self.place::<K>()? {
            Place::One(device) => Box::new(store.write::<K, V>(&device, options)?),
            Place::Shards(devices, sharding) => {
                Box::new(store.write_sharded::<K, V>(&devices, &sharding, options)?)
            }
        })
    }
}
