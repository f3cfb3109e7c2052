//! The dictionaries inside: eight instances serve every type of keys and values.

use crate::failure::{Failure, Outcome};
use crate::kind::{Codes, Kind};
use crate::raw::{Chunk, Entries, Looked, Nearest, Part, Queries, Section, Updates, Way};
use crate::resident::{Recoded, Resident};
use crate::width::{State, Width, Words, entries};
use gpu_lsm::{Config, Device, Dictionary, Sharded, ShardedSnapshot, Sharding, Snapshot};
use std::sync::Arc;

/// What a dictionary is made for and with.
pub(crate) struct Plan {
    pub(crate) kind: Kind,
    /// The words of a value: 0, 1, 2 or 4.
    pub(crate) words: usize,
    pub(crate) config: Config,
    pub(crate) place: Place,
}

/// Where a dictionary is.
pub(crate) enum Place {
    One(Device),
    /// In shards: this many, or as many as suit the devices.
    Shards(Vec<Device>, Option<usize>),
}

impl Plan {
    /// An empty dictionary.
    pub(crate) fn make(&self) -> Outcome<Box<dyn Updates>> {
        match (self.kind.is_narrow(), self.words) {
            (true, 0) => self.of::<u32, ()>(),
            (true, 1) => self.of::<u32, u32>(),
            (true, 2) => self.of::<u32, [u32; 2]>(),
            (true, 4) => self.of::<u32, [u32; 4]>(),
            (false, 0) => self.of::<u64, ()>(),
            (false, 1) => self.of::<u64, u32>(),
            (false, 2) => self.of::<u64, [u32; 2]>(),
            (false, 4) => self.of::<u64, [u32; 4]>(),
            (_, words) => Err(Failure::NoSuchValues { words }),
        }
    }

    fn of<K: Recoded, V: Resident>(&self) -> Outcome<Box<dyn Updates>> {
        Ok(match &self.place {
            Place::One(device) => Box::new(Dictionary::<K, V>::with_config(device, self.config)?),
            Place::Shards(devices, shards) => {
                let sharding =
                    shards.map_or_else(Sharding::new, |shards| Sharding::new().with_shards(shards));
                Box::new(Sharded::<K, V>::with_sharding(devices, self.config, &sharding)?)
            }
        })
    }
}

/// The device and the statistics of each part.
trait Parts {
    fn parts(&self) -> Vec<Section>;
}

impl<K: Width, V: Words> Parts for Snapshot<K, V> {
    fn parts(&self) -> Vec<Section> {
        vec![Section { device: self.device().name().to_owned(), statistics: self.statistics() }]
    }
}

impl<K: Width, V: Words> Parts for ShardedSnapshot<K, V> {
    fn parts(&self) -> Vec<Section> {
        let devices = self.devices();
        let shards = self.statistics().shards.into_iter();
        let section = |shard: gpu_lsm::ShardStatistics<K>| Section {
            device: devices[shard.device].name().to_owned(),
            statistics: shard.statistics,
        };
        shards.map(section).collect()
    }
}

/// Plain and sharded dictionaries have the same calls. `$Owner` has the call that forks.
macro_rules! instances {
    ($Dictionary:ident, $Snapshot:ident, $Owner:ident) => {
        impl<K: Recoded, V: Resident> Queries for $Snapshot<K, V> {
            fn lookup(&self, keys: &Codes<'_>) -> Outcome<Looked> {
                let (found, values) = self.lookup(K::of_codes(keys)?)?.into_parts();
                Ok(Looked { found, values: V::words(values) })
            }

            fn count(&self, lower: &Codes<'_>, upper: &Codes<'_>) -> Outcome<Vec<u64>> {
                Ok(self.count(K::of_codes(lower)?, K::of_codes(upper)?)?)
            }

            fn range(&self, lower: &Codes<'_>, upper: &Codes<'_>, part: Part) -> Outcome<Entries> {
                let (lower, upper) = (K::of_codes(lower)?, K::of_codes(upper)?);
                Ok(entries(match part {
                    Part::All => self.range(lower, upper)?,
                    Part::First(limit) => self.range_first(lower, upper, limit)?,
                    Part::After(limit) => self.range_after(lower, upper, limit)?,
                    Part::Rectangle => return K::rectangles(&State::from(self), lower, upper),
                }))
            }

            fn neighbours(&self, keys: &Codes<'_>, way: Way) -> Outcome<Nearest> {
                let keys = K::of_codes(keys)?;
                let nearest = match way {
                    Way::Up => self.successor(keys)?,
                    Way::Down => self.predecessor(keys)?,
                };
                let (found, keys, values) = nearest.into_parts();
                Ok(Nearest { found, keys: K::into_codes(keys), values: V::words(values) })
            }

            fn scan(&self, chunk: u32) -> Box<dyn Iterator<Item = Outcome<Chunk>> + Send> {
                let chunks = $Snapshot::scan(self, chunk);
                Box::new(chunks.map(|chunk| {
                    let (keys, values) = chunk?;
                    Ok((K::into_codes(keys), V::words(values)))
                }))
            }

            fn len(&self) -> Outcome<u64> {
                Ok(self.len()?)
            }

            fn verify(&self) -> Outcome<()> {
                Ok(self.verify()?)
            }

            fn config(&self) -> Config {
                *self.config()
            }

            fn sections(&self) -> Vec<Section> {
                self.parts()
            }
        }

        impl<K: Recoded, V: Resident> Updates for $Dictionary<K, V> {
            fn snapshot(&self) -> Arc<dyn Queries> {
                Arc::new(self.snapshot())
            }

            fn fork(&self) -> Outcome<Box<dyn Updates>> {
                Ok(Box::new($Owner::fork(self)))
            }

            fn update(&mut self, keys: &Codes<'_>, values: &[u32], deletes: &Codes<'_>) -> Outcome<()> {
                let values = &*V::of_words(values, keys.len())?;
                Ok(self.update(K::of_codes(keys)?, values, K::of_codes(deletes)?)?)
            }

            fn delete(&mut self, keys: &Codes<'_>) -> Outcome<()> {
                Ok(self.delete(K::of_codes(keys)?)?)
            }

            fn apply(&mut self, keys: &Codes<'_>, values: &[u32], deletes: &[u32]) -> Outcome<()> {
                let values = &*V::of_words(values, keys.len())?;
                Ok(self.apply_columns(K::of_codes(keys)?, values, deletes)?)
            }

            fn delete_range(&mut self, lower: &Codes<'_>, upper: &Codes<'_>) -> Outcome<()> {
                Ok(self.delete_range(K::of_codes(lower)?, K::of_codes(upper)?)?)
            }

            fn clear(&mut self) -> Outcome<()> {
                Ok(self.clear()?)
            }

            fn cleanup(&mut self) -> Outcome<()> {
                Ok(self.cleanup()?)
            }

            fn set_byte_budget(&mut self, bytes: Option<u64>) -> Outcome<()> {
                Ok(self.set_byte_budget(bytes)?)
            }
        }
    };
}
instances!(Dictionary, Snapshot, Snapshot);
instances!(Sharded, ShardedSnapshot, Sharded);
