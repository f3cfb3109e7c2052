//! `gpu-lsm store`: what a store has, whether it is whole, cleaning it up, and entries from and to Parquet files.

mod kinds;
mod tables;

use crate::bar::bar;
use crate::output::say;
use clap::Subcommand;
use gpu_lsm_store::{Store, StoreInfo};
use indicatif::HumanBytes;
use serde_json::json;
use std::error::Error;
use std::path::PathBuf;
use tables::Columns;

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Say what a store has: types, versions, and how much of the log is not part of a version.
    Info {
        /// file:///folder or a path, s3://bucket/path, az://container/path, gs://bucket/path.
        url: String,
        /// Print it in JSON.
        #[arg(long)]
        json: bool,
    },
    /// Read everything that the store needs, and compare it with its checksums.
    Verify {
        /// As for info.
        url: String,
    },
    /// Delete what no version needs. The store gets a new writer: whoever writes to it can write no more.
    Gc {
        /// As for info.
        url: String,
        /// Say that whoever writes to the store may be stopped.
        #[arg(long)]
        take_over: bool,
        /// Keep only this many versions.
        #[arg(long)]
        keep: Option<usize>,
    },
    /// Write the live entries to one Parquet file, in the order of their keys.
    Export {
        /// As for info.
        url: String,
        /// The file. It must not exist.
        file: PathBuf,
        /// The version; otherwise the newest state.
        #[arg(long)]
        version: Option<u64>,
        #[command(flatten)]
        columns: Columns,
    },
    /// Make a store of the rows of a Parquet file, or replace all entries of one by them: they become its newest version, and
    /// older ones can still be exported. Of several rows with one key, the last wins.
    Import {
        /// As for info.
        url: String,
        /// The file.
        file: PathBuf,
        /// Say that all entries of a store may be replaced, and that whoever writes to it may be stopped.
        #[arg(long)]
        take_over: bool,
        /// Take the keys only. So is a file without a column "value", if no other is named.
        #[arg(long, conflicts_with = "value")]
        set: bool,
        #[command(flatten)]
        columns: Columns,
    },
}

pub(crate) fn run(command: &Command) -> Result<(), Box<dyn Error>> {
    match command {
        Command::Info { url, json } => info(&Store::at(url)?, *json),
        Command::Verify { url } => verify(&Store::at(url)?),
        Command::Gc { url, take_over, keep } => collect(&Store::at(url)?, *take_over, *keep),
        Command::Export { url, file, version, columns } => {
            tables::export(&Store::at(url)?, file, *version, columns)
        }
        Command::Import { url, file, take_over, set, columns } => {
            let store = Store::at(url)?;
            if !take_over && exists(&store)? {
                return Err("this replaces all entries of the store, also those of its log that no version has, and \
                            takes it over, so that whoever writes to it can write no more; say --take-over if that may be"
                    .into());
            }
            tables::import(&store, file, columns, *set)
        }
    }
}

fn exists(store: &Store) -> Result<bool, gpu_lsm_store::Error> {
    match store.kept() {
        Ok(_) => Ok(true),
        Err(gpu_lsm_store::Error::NoStore { .. }) => Ok(false),
        Err(error) => Err(error),
    }
}

fn info(store: &Store, is_json: bool) -> Result<(), Box<dyn Error>> {
    let info = store.info()?;
    if is_json {
        say!("{}", in_json(&info));
        return Ok(());
    }
    let (records, log_bytes) = info.log;
    let (objects, bytes) = info.objects;
    say!("{}", info.url);
    say!("format {}, {} keys, {} values, batch size {}", info.format, info.key, info.value, info.batch_size);
    say!("opened for writing {} times; shards: {}; runs: {}", info.epoch, info.shards, info.runs);
    for version in &info.versions {
        let (number, entries, bytes) = (version.version, version.entries, HumanBytes(version.bytes));
        say!("version {number}: {entries} entries with tombstones, {bytes}");
    }
    say!("log after the newest version: {records} records, {}", HumanBytes(log_bytes));
    say!("in all {objects} objects, {}", HumanBytes(bytes));
    Ok(())
}

fn in_json(info: &StoreInfo) -> serde_json::Value {
    let versions = info.versions.iter().map(
        |version| json!({ "version": version.version, "entries": version.entries, "bytes": version.bytes }),
    );
    json!({
        "url": info.url,
        "format": info.format,
        "key": info.key,
        "value": info.value,
        "batch_size": info.batch_size,
        "epoch": info.epoch,
        "shards": info.shards,
        "runs": info.runs,
        "versions": versions.collect::<Vec<_>>(),
        "log": { "records": info.log.0, "bytes": info.log.1 },
        "objects": { "count": info.objects.0, "bytes": info.objects.1 },
    })
}

fn verify(store: &Store) -> Result<(), Box<dyn Error>> {
    let bar = bar("{bar:30} {bytes}/{total_bytes} {bytes_per_sec} {elapsed}");
    let shown = bar.clone();
    let verified = store.verify(move |done, total| {
        shown.set_length(total);
        shown.set_position(done);
    });
    bar.finish_and_clear();
    let verified = verified?;
    say!(
        "whole: {} versions, {} files of runs, {} log records, {} parts, {}",
        verified.versions,
        verified.files,
        verified.records,
        verified.parts,
        HumanBytes(verified.bytes),
    );
    Ok(())
}

fn collect(store: &Store, may_take_over: bool, keep: Option<usize>) -> Result<(), Box<dyn Error>> {
    if !may_take_over {
        return Err("this takes the store over, so that whoever writes to it can write no more; \
                    say --take-over if that may be"
            .into());
    }
    let bar = bar("{spinner} deleting {elapsed}");
    let collected = store.collect(keep);
    bar.finish_and_clear();
    let collected = collected?;
    say!(
        "deleted {} manifests, {} log records, {} files of runs and {} parts with {}",
        collected.manifests,
        collected.records,
        collected.runs,
        collected.parts,
        HumanBytes(collected.bytes),
    );
    Ok(())
}
