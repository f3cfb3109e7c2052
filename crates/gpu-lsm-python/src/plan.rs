//! What dictionaries are made for and with. Eight instances serve every type of keys and values.

use crate::failure::{Failure, Outcome};
use crate::kind::{Codes, Kind};
use crate::process::device;
use crate::raw::{Durables, Updates};
use crate::resident::{Recoded, Resident};
use gpu_lsm::{Config, Device, Sharded, Sharding};
use gpu_lsm_store::{Options, Store};

/// What a dictionary is made for and with.
pub(crate) struct Plan {
    pub(crate) kind: Kind,
    /// The words of a value: 0, 1, 2 or 4.
    pub(crate) words: usize,
    pub(crate) config: Config,
    pub(crate) home: Home,
}

/// Where a dictionary is, and in how many shards: this many, or as many as suit the devices, or from these keys on.
pub(crate) struct Home {
    pub(crate) devices: Vec<String>,
    pub(crate) shards: Option<usize>,
    pub(crate) boundaries: Option<Codes<'static>>,
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

    fn devices(&self) -> Outcome<Vec<Device>> {
        self.home.devices.iter().map(|name| device(name)).collect()
    }

    fn sharding<K: Recoded>(&self) -> Outcome<Sharding<K>> {
        let shards = self.home.shards;
        let sharding = shards.map_or_else(Sharding::new, |shards| Sharding::new().with_shards(shards));
        Ok(match &self.home.boundaries {
            Some(keys) => sharding.with_boundaries(K::of_codes(keys)?),
            None => sharding,
        })
    }

    fn make_of<K: Recoded, V: Resident>(&self) -> Outcome<Box<dyn Updates>> {
        let dictionary = Sharded::<K, V>::with_sharding(&self.devices()?, self.config, &self.sharding()?);
        Ok(Box::new(dictionary?))
    }

    fn load_of<K: Recoded, V: Resident>(
        &self,
        store: &Store,
        version: Option<u64>,
    ) -> Outcome<Box<dyn Updates>> {
        let (devices, sharding) = (self.devices()?, self.sharding()?);
        let dictionary = store.load_sharded_with_config::<K, V>(&devices, self.config, &sharding, version)?;
        Ok(Box::new(dictionary))
    }

    fn write_of<K: Recoded, V: Resident>(
        &self,
        store: &Store,
        options: Options,
    ) -> Outcome<Box<dyn Durables>> {
        let options = options.with_config(self.config);
        let durable = store.write_sharded::<K, V>(&self.devices()?, &self.sharding()?, options)?;
        Ok(Box::new(durable))
    }
}
