//! Storage engines that write one batch after the other, each synced before the next.

use crate::Result;
use crate::entries::Columns;
use fjall::{KeyspaceCreateOptions, PersistMode};
use redb::TableDefinition;

/// Writes batches into a new database in a folder.
pub(crate) type Write = fn(&str, &[Columns]) -> Result<()>;

/// One transaction per batch, synced when it returns.
pub(crate) fn redb(folder: &str, batches: &[Columns]) -> Result<()> {
    const TABLE: TableDefinition<'_, u64, u32> = TableDefinition::new("entries");
    let database = redb::Database::create(format!("{folder}/redb"))?;
    for (keys, values) in batches {
        let transaction = database.begin_write()?;
        let mut table = transaction.open_table(TABLE)?;
        for (key, value) in keys.iter().zip(values) {
            table.insert(key, value)?;
        }
        drop(table);
        transaction.commit()?;
    }
    Ok(())
}

/// One write batch per batch, and a sync of the journal.
pub(crate) fn fjall(folder: &str, batches: &[Columns]) -> Result<()> {
    let database = fjall::Database::builder(folder).open()?;
    let keyspace = database.keyspace("entries", KeyspaceCreateOptions::default)?;
    for (keys, values) in batches {
        let mut batch = database.batch().durability(Some(PersistMode::SyncAll));
        for (key, value) in keys.iter().zip(values) {
            batch.insert(&keyspace, key.to_be_bytes(), value.to_be_bytes());
        }
        batch.commit()?;
    }
    Ok(())
}

/// One write batch per batch on synced local files, and a flush of the write-ahead log.
#[cfg(feature = "slatedb")]
pub(crate) fn slatedb(folder: &str, batches: &[Columns]) -> Result<()> {
    use slatedb::object_store::local::LocalFileSystem;
    use slatedb::{Db, WriteBatch};
    use std::sync::Arc;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(async {
        let files = LocalFileSystem::new_with_prefix(folder)?.with_fsync(true);
        let database = Db::open("db", Arc::new(files)).await?;
        for (keys, values) in batches {
            let mut batch = WriteBatch::new();
            for (key, value) in keys.iter().zip(values) {
                batch.put(key.to_be_bytes(), value.to_be_bytes());
            }
            database.write(batch).await?;
            // By itself, this happens by the clock.
            database.flush().await?;
        }
        database.close().await?;
        Ok(())
    })
}
