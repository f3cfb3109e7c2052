//! Dictionaries of any type behind two traits: codes for keys, and words of 32 bits for values.

use crate::failure::Outcome;
use crate::held::{Ask, Held};
use crate::kind::{Codes, Kind};
use gpu_lsm::{Config, Statistics};
use gpu_lsm_store::{Collected, ColumnNames, Receipt, Store, Types};
use std::fs::File;
use std::sync::Arc;

/// Answers to lookups.
pub(crate) struct Looked {
    pub(crate) found: Vec<u32>,
    pub(crate) values: Vec<u32>,
}

/// Entries of ranges, one query after the other.
pub(crate) struct Entries {
    pub(crate) offsets: Vec<u64>,
    pub(crate) keys: Codes<'static>,
    pub(crate) values: Vec<u32>,
}

/// The entries nearest to keys.
pub(crate) struct Nearest {
    pub(crate) found: Vec<u32>,
    pub(crate) keys: Codes<'static>,
    pub(crate) values: Vec<u32>,
}

/// Which entries of an interval a query returns.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Part {
    All,
    First(u32),
    /// The first ones after the lower bound.
    After(u32),
    /// All points in the rectangle between both corners.
    Rectangle,
}

/// The direction to a nearest entry.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Way {
    Up,
    Down,
}

/// A shard: all of a dictionary, or a part.
pub(crate) struct Section {
    pub(crate) device: String,
    pub(crate) statistics: Statistics,
}

/// Keys and values of a scan's chunk.
pub(crate) type Chunk = (Codes<'static>, Vec<u32>);

/// The device of a snapshot: columns go there, and answers stay there.
pub(crate) trait There {
    fn upload_keys(&self, kind: Kind, words: &Codes<'_>) -> Outcome<Held>;
    fn upload_values(&self, words: &[u32], count: usize) -> Outcome<Held>;
    fn ask(&self, kind: Kind, ask: &Ask<'_>) -> Outcome<Vec<Held>>;
}

/// The update with columns on the device: keys, values, and keys to delete.
pub(crate) trait Updated {
    fn update_there(&mut self, kind: Kind, columns: [&Held; 3]) -> Outcome<()>;
}

/// What keeps the entries of a snapshot.
pub(crate) trait Saved {
    /// Saves it as a version, and keeps only so many.
    fn save(&self, store: &Store, versions: usize) -> Outcome<u64>;
    fn write_parquet(&self, file: File, names: &ColumnNames, types: &Types) -> Outcome<u64>;
}

/// The update with the rows of a file.
pub(crate) trait Imported {
    fn read_parquet(&mut self, file: File, names: &ColumnNames, types: &Types) -> Outcome<()>;
}

/// A caller and its number for a batch.
pub(crate) type Origin = Option<(String, u64)>;

/// The calls of a durable dictionary.
pub(crate) trait Durables: Send + Sync {
    fn snapshot(&self) -> Arc<dyn Queries>;
    /// The state that is in the store.
    fn durable(&self) -> Arc<dyn Queries>;
    fn submit(
        &mut self,
        keys: &Codes<'_>,
        values: &[u32],
        deletes: &[u32],
        origin: Origin,
    ) -> Outcome<Receipt>;
    fn delete_range(&mut self, lower: &Codes<'_>, upper: &Codes<'_>) -> Outcome<()>;
    fn clear(&mut self) -> Outcome<()>;
    fn cleanup(&mut self) -> Outcome<()>;
    fn last_of(&self, caller: &str) -> u64;
    fn flush(&mut self) -> Outcome<()>;
    fn checkpoint(&mut self) -> Outcome<u64>;
    fn collect(&mut self) -> Outcome<Collected>;
}

/// The queries of a snapshot. All codes have the width of the dictionary's keys.
pub(crate) trait Queries: There + Saved + Send + Sync {
    fn lookup(&self, keys: &Codes<'_>) -> Outcome<Looked>;
    fn count(&self, lower: &Codes<'_>, upper: &Codes<'_>) -> Outcome<Vec<u64>>;
    fn range(&self, lower: &Codes<'_>, upper: &Codes<'_>, part: Part) -> Outcome<Entries>;
    fn neighbours(&self, keys: &Codes<'_>, way: Way) -> Outcome<Nearest>;
    fn scan(&self, chunk: u32) -> Box<dyn Iterator<Item = Outcome<Chunk>> + Send>;
    fn len(&self) -> Outcome<u64>;
    fn verify(&self) -> Outcome<()>;
    fn config(&self) -> Config;
    fn sections(&self) -> Vec<Section>;
}

/// The calls that change a dictionary. Values have as many words each as the dictionary's values.
pub(crate) trait Updates: Updated + Imported + Send + Sync {
    fn snapshot(&self) -> Arc<dyn Queries>;
    fn fork(&self) -> Outcome<Box<dyn Updates>>;
    fn update(&mut self, keys: &Codes<'_>, values: &[u32], deletes: &Codes<'_>) -> Outcome<()>;
    fn delete(&mut self, keys: &Codes<'_>) -> Outcome<()>;
    fn apply(&mut self, keys: &Codes<'_>, values: &[u32], deletes: &[u32]) -> Outcome<()>;
    fn delete_range(&mut self, lower: &Codes<'_>, upper: &Codes<'_>) -> Outcome<()>;
    fn clear(&mut self) -> Outcome<()>;
    fn cleanup(&mut self) -> Outcome<()>;
    fn set_byte_budget(&mut self, bytes: Option<u64>) -> Outcome<()>;
}

impl Looked {
    pub(crate) fn append(&mut self, more: Self) {
        self.found.extend(more.found);
        self.values.extend(more.values);
    }
}

impl Nearest {
    pub(crate) fn append(&mut self, more: Self) {
        self.found.extend(more.found);
        self.keys.append(more.keys);
        self.values.extend(more.values);
    }
}

impl Entries {
    pub(crate) fn append(&mut self, more: Self) {
        let before = self.keys.len() as u64;
        self.offsets.extend(more.offsets[1..].iter().map(|offset| before + offset));
        self.keys.append(more.keys);
        self.values.extend(more.values);
    }
}
