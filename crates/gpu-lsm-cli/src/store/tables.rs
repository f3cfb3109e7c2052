//! `gpu-lsm store export` and `import`: all entries as one Parquet file.

use super::kinds::{unknown, with_words};
use crate::bar::bar;
use crate::output::say;
use clap::Args;
use gpu_lsm::{Device, Dictionary, Sharding};
use gpu_lsm_store::{
    ColumnNames, Store, StoredKey, StoredValue, Types, column_types, read_entries, write_entries,
};
use indicatif::{HumanBytes, ProgressBar};
use std::error::Error;
use std::fs::{self, File};
use std::path::Path;

/// The type of the values of a set.
const NO_VALUES: &str = "()";

/// Rows that are written at a time.
const ROWS: u32 = 1 << 18;

/// The columns of a Parquet file.
#[derive(Args)]
pub(crate) struct Columns {
    /// The column with the keys.
    #[arg(long, default_value = "key")]
    key: String,
    /// The column with the values: "value", unless this names another.
    #[arg(long)]
    value: Option<String>,
}

impl Columns {
    fn names(&self) -> ColumnNames {
        let ColumnNames { value, .. } = ColumnNames::default();
        ColumnNames { key: self.key.clone(), value: self.value.clone().unwrap_or(value) }
    }
}

pub(super) fn export(
    store: &Store,
    file: &Path,
    version: Option<u64>,
    columns: &Columns,
) -> Result<(), Box<dyn Error>> {
    let (types, _) = store.kept()?;
    let (store, names) = (store.clone().with_types(types.clone()), columns.names());
    let exported = with_words!(types, export_words(&store, file, version, &names, &types));
    let entries = exported.ok_or_else(|| unknown(types.key(), types.value()))??;
    say!("{entries} entries, {}", HumanBytes(fs::metadata(file)?.len()));
    Ok(())
}

fn export_words<K: StoredKey, V: StoredValue>(
    store: &Store,
    file: &Path,
    version: Option<u64>,
    names: &ColumnNames,
    types: &Types,
) -> Result<u64, Box<dyn Error>> {
    let bar = bar("{spinner} {msg} {elapsed}").with_message("loading");
    // Stores of any number of shards can be opened as sharded ones.
    let dictionary = store.load_sharded::<K, V>(&[Device::host()], &Sharding::new(), version)?;
    bar.finish_and_clear();
    let out = File::create_new(file).map_err(|error| format!("{}: {error}", file.display()))?;
    let bar = ProgressBar::no_length().with_style(bar.style()).with_message("writing");
    let written = write_entries(dictionary.scan(ROWS), bar.wrap_write(out), names, types);
    bar.finish_and_clear();
    written.map_err(|error| {
        // A part of a file would be taken for all of it.
        match fs::remove_file(file) {
            Ok(()) => error.into(),
            Err(left) => {
                format!("{error}; {} is not whole, and can't be removed: {left}", file.display()).into()
            }
        }
    })
}

pub(super) fn import(store: &Store, file: &Path, columns: &Columns, set: bool) -> Result<(), Box<dyn Error>> {
    let names = columns.names();
    let open = || File::open(file).map_err(|error| format!("{}: {error}", file.display()));
    let (key, mut value) = column_types(open()?, &names)?;
    if set {
        value = NO_VALUES.into();
    } else if let Some(missing) = columns.value.as_ref().filter(|_| value == NO_VALUES) {
        let file = file.display();
        return Err(format!("{file} has no column {missing:?}; say --set if it has only keys").into());
    }
    let types = Types::named(&key, &value);
    let store = store.clone().with_types(types.clone());
    let imported = with_words!(types, import_words(&store, open()?, &names, &types));
    let (entries, version) = imported.ok_or_else(|| unknown(&key, &value))??;
    say!("{entries} entries with {key} keys and {value} values are version {version}");
    Ok(())
}

fn import_words<K: StoredKey, V: StoredValue>(
    store: &Store,
    file: File,
    names: &ColumnNames,
    types: &Types,
) -> Result<(u64, u64), Box<dyn Error>> {
    let bar = bar("{spinner} {msg} {elapsed}").with_message("reading");
    let mut dictionary = Dictionary::<K, V>::new(&Device::host())?;
    for rows in read_entries(file, names, types)? {
        let (keys, values) = rows?;
        dictionary.insert(keys, values)?;
    }
    bar.set_message("saving");
    let version = store.save(&dictionary)?;
    bar.finish_and_clear();
    Ok((dictionary.len()?, version))
}
