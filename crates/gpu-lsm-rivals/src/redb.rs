//! redb, an embedded storage engine, with its pages in memory.

use crate::{Entries, Error, Found, Result, Rival, collect};
use redb::backends::InMemoryBackend;
use redb::{ReadableDatabase, ReadableTableMetadata, TableDefinition};
use std::fmt;

const TABLE: TableDefinition<'_, u32, u32> = TableDefinition::new("entries");

/// A redb database in memory: one transaction per batch.
pub struct Database {
    database: redb::Database,
}

impl Default for Database {
    fn default() -> Self {
        let database = redb::Database::builder().create_with_backend(InMemoryBackend::new());
        Self { database: database.expect("memory takes an empty database") }
    }
}

impl fmt::Debug for Database {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Database").finish_non_exhaustive()
    }
}

/// Converts every failure of the engine to one type.
fn engine<T, E: Into<redb::Error>>(result: std::result::Result<T, E>) -> Result<T> {
    result.map_err(|error| Error(error.into()))
}

type Table = redb::ReadOnlyTable<u32, u32>;

impl Database {
    /// The table, unless nothing was ever inserted.
    fn table(&self) -> Result<Option<Table>> {
        match engine(self.database.begin_read())?.open_table(TABLE) {
            Ok(table) => Ok(Some(table)),
            Err(redb::TableError::TableDoesNotExist(_)) => Ok(None),
            Err(error) => engine(Err(error)),
        }
    }

    /// One transaction.
    fn write(&self, work: impl FnOnce(&mut redb::Table<'_, u32, u32>) -> Result<()>) -> Result<()> {
        let transaction = engine(self.database.begin_write())?;
        work(&mut engine(transaction.open_table(TABLE))?)?;
        engine(transaction.commit())
    }
}

fn insert(table: &mut redb::Table<'_, u32, u32>, keys: &[u32], values: &[u32]) -> Result<()> {
    keys.iter().zip(values).try_for_each(|(key, value)| engine(table.insert(key, value)).map(drop))
}

/// The entries of an interval.
fn between(
    table: &Option<Table>,
    lower: u32,
    upper: u32,
) -> Result<impl Iterator<Item = Result<(u32, u32)>>> {
    let interval = match table {
        Some(table) if lower <= upper => Some(engine(table.range(lower..=upper))?),
        _ => None,
    };
    let pair = |entry| {
        engine(entry).map(|(key, value): (redb::AccessGuard<'_, u32>, redb::AccessGuard<'_, u32>)| {
            (key.value(), value.value())
        })
    };
    Ok(interval.into_iter().flatten().map(pair))
}

impl Rival for Database {
    const NAME: &'static str = "redb";

    fn update(&mut self, keys: &[u32], values: &[u32], deletes: &[u32]) -> Result<()> {
        self.write(|table| {
            insert(table, keys, values)?;
            deletes.iter().try_for_each(|key| engine(table.remove(key)).map(drop))
        })
    }

    fn slide(&mut self, keys: &[u32], values: &[u32], lower: u32, upper: u32) -> Result<()> {
        self.write(|table| {
            if lower <= upper {
                engine(table.retain_in(lower..=upper, |_, _| false))?;
            }
            insert(table, keys, values)
        })
    }

    fn lookup(&self, keys: &[u32]) -> Result<Found> {
        let (table, mut answers) = (self.table()?, Found::with_capacity(keys.len()));
        for key in keys {
            let value = match &table {
                Some(table) => engine(table.get(key))?.map(|value| value.value()),
                None => None,
            };
            answers.push(value);
        }
        Ok(answers)
    }

    fn count(&self, lower: &[u32], upper: &[u32]) -> Result<Vec<u32>> {
        let table = self.table()?;
        let mut counts = Vec::with_capacity(lower.len());
        for (&lower, &upper) in lower.iter().zip(upper) {
            let mut count = 0;
            for entry in between(&table, lower, upper)? {
                entry?;
                count += 1;
            }
            counts.push(count);
        }
        Ok(counts)
    }

    fn range(&self, lower: &[u32], upper: &[u32]) -> Result<Entries> {
        let table = self.table()?;
        collect(lower.iter().zip(upper).map(|(&lower, &upper)| between(&table, lower, upper)))
    }

    fn len(&self) -> Result<u64> {
        match self.table()? {
            Some(table) => engine(table.len()),
            None => Ok(0),
        }
    }
}
