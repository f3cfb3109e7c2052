//! Dictionaries in stores and in Parquet files, behind the traits that have no types.

use crate::failure::Outcome;
use crate::kind::Codes;
use crate::raw::{Durables, Imported, Origin, Queries, Saved};
use crate::resident::{Recoded, Resident};
use crate::width::{Width, Words};
use gpu_lsm::{Batch, Error, Sharded, ShardedSnapshot};
use gpu_lsm_store::{
    Collected, ColumnNames, DurableSharded, Receipt, Store, Types, read_entries, write_entries,
};
use std::fs::File;
use std::ops::Deref;
use std::sync::Arc;

/// Rows that are written at a time.
const ROWS: u32 = 1 << 18;

impl<K: Width, V: Words> Saved for ShardedSnapshot<K, V> {
    fn save(&self, store: &Store, versions: usize) -> Outcome<u64> {
        Ok(store.clone().with_versions(versions).save_sharded(self)?)
    }

    fn write_parquet(&self, file: File, names: &ColumnNames, types: &Types) -> Outcome<u64> {
        Ok(write_entries(self.scan(ROWS), file, names, types)?)
    }
}

impl<K: Width, V: Words> Imported for Sharded<K, V> {
    fn read_parquet(&mut self, file: File, names: &ColumnNames, types: &Types) -> Outcome<()> {
        for rows in read_entries::<K, V, _>(file, names, types)? {
            let (keys, values) = rows?;
            self.insert(keys, values)?;
        }
        Ok(())
    }
}

impl<K: Recoded, V: Resident> Durables for DurableSharded<K, V> {
    fn snapshot(&self) -> Arc<dyn Queries> {
        Arc::new(self.deref().clone())
    }

    fn durable(&self) -> Arc<dyn Queries> {
        Arc::new(self.durable())
    }

    fn submit(
        &mut self,
        keys: &Codes<'_>,
        values: &[u32],
        deletes: &[u32],
        origin: Origin,
    ) -> Outcome<Receipt> {
        let batch = batch(keys, values, deletes)?;
        Ok(match origin {
            Some((caller, number)) => self.submit_once(&caller, number, batch)?,
            None => self.submit(batch)?,
        })
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

    fn last_of(&self, caller: &str) -> u64 {
        self.last_of(caller)
    }

    fn flush(&mut self) -> Outcome<()> {
        Ok(self.flush()?)
    }

    fn checkpoint(&mut self) -> Outcome<u64> {
        Ok(self.checkpoint()?)
    }

    fn collect(&mut self) -> Outcome<Collected> {
        Ok(self.collect()?)
    }
}

/// Operations in their order. A flag is not zero for a delete.
fn batch<K: Width, V: Words>(keys: &Codes<'_>, values: &[u32], deletes: &[u32]) -> Outcome<Batch<K, V>> {
    let (keys, count) = (K::of_codes(keys)?.to_vec(), keys.len());
    let values = V::of_words(values, count)?.into_owned();
    if deletes.len() != count {
        return Err(Error::UnequalFlags { keys: count, deletes: deletes.len() }.into());
    }
    let mut marks = vec![0; count.div_ceil(32)];
    deletes
        .iter()
        .enumerate()
        .filter(|(_, flag)| **flag != 0)
        .for_each(|(i, _)| marks[i / 32] |= 1 << (i % 32));
    let unequal = Error::UnequalColumns { keys: count, values: values.len() };
    Ok(Batch::from_columns(keys, values, marks).ok_or(unequal)?)
}
