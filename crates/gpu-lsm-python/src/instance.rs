//! The dictionaries inside, behind the traits that have no types.

use crate::failure::Outcome;
use crate::kind::Codes;
use crate::raw::{Chunk, Entries, Looked, Nearest, Part, Queries, Section, Updates, Way};
use crate::resident::{Recoded, Resident};
use crate::width::{State, Width, Words, entries};
use gpu_lsm::{Config, Dictionary, Sharded, ShardedSnapshot, Snapshot};
use std::sync::Arc;

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
