//! The dictionaries inside, behind the traits that have no types. All are sharded ones: with one shard, they ask it directly, and
//! one instance serves plain dictionaries and those in shards.

use crate::failure::Outcome;
use crate::kind::Codes;
use crate::raw::{Chunk, Entries, Looked, Nearest, Part, Queries, Section, Updates, Way};
use crate::resident::{Recoded, Resident};
use crate::width::entries;
use gpu_lsm::{Config, ShardStatistics, Sharded, ShardedSnapshot};
use std::sync::Arc;

impl<K: Recoded, V: Resident> Queries for ShardedSnapshot<K, V> {
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
            Part::Rectangle => return K::rectangles(self, lower, upper),
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
        let chunks = self.scan(chunk);
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
        let devices = self.devices();
        let section = |shard: ShardStatistics<K>| Section {
            device: devices[shard.device].name().to_owned(),
            statistics: shard.statistics,
        };
        self.statistics().shards.into_iter().map(section).collect()
    }
}

impl<K: Recoded, V: Resident> Updates for Sharded<K, V> {
    fn snapshot(&self) -> Arc<dyn Queries> {
        Arc::new(self.snapshot())
    }

    fn fork(&self) -> Outcome<Box<dyn Updates>> {
        Ok(Box::new(self.clone()))
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
