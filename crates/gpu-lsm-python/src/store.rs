//! Stores, as Python sees them. Every call releases the interpreter while it waits.

use crate::dictionary::Dictionary;
use crate::durable::Durable;
use crate::failure::{Failure, Outcome};
use crate::home::{ConfigArguments, HomeArguments, plan};
use crate::process::Owned;
use crate::report::{Info, Objects, Version, collected, described, verified, versions_of};
use crate::snapshot::Snapshot;
use gpu_lsm_store::{Error, Options, Types};
use pyo3::prelude::*;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// The kind of keys, the words of values, and the names of both types.
type TypeArguments = (String, usize, String, String);

/// As the fields of `WriteOptions`.
type OptionArguments = (usize, f64, u64, usize, f64, u64, u64, usize);

/// A place for one dictionary.
#[pyclass(frozen)]
pub(crate) struct Store {
    url: String,
    store: Owned<gpu_lsm_store::Store>,
}

impl Store {
    /// Asks the store something.
    fn ask<T: Send>(
        &self,
        py: Python<'_>,
        ask: impl FnOnce(&gpu_lsm_store::Store) -> Result<T, Error> + Send,
    ) -> PyResult<T> {
        let store = self.store.get()?;
        Ok(py.detach(|| ask(store)).map_err(Failure::from)?)
    }

    /// The store, with the types that a dictionary of words has there.
    fn typed(&self, key: String, value: String) -> Outcome<gpu_lsm_store::Store> {
        Ok(self.store.get()?.clone().with_types(Types::named(key, value)))
    }
}

#[pymethods]
impl Store {
    #[new]
    fn at(py: Python<'_>, url: &str, settings: Vec<(String, String)>) -> PyResult<Self> {
        let settings: Vec<_> = settings.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        let store = py.detach(|| gpu_lsm_store::Store::with_settings(url, &settings));
        let store = store.map_err(Failure::from)?;
        Ok(Self { url: store.url(), store: Owned::new(store) })
    }

    /// Where it is, without what may be secret.
    fn url(&self) -> &str {
        &self.url
    }

    /// The names of the types of keys and values; nothing if there is no store.
    fn types(&self, py: Python<'_>) -> PyResult<Option<(String, String)>> {
        self.ask(py, |store| match store.kept() {
            Ok((types, _)) => Ok(Some((types.key().into(), types.value().into()))),
            Err(Error::NoStore { .. }) => Ok(None),
            Err(error) => Err(error),
        })
    }

    /// The dictionary of the newest state, or of a version.
    fn load(
        &self,
        py: Python<'_>,
        types: TypeArguments,
        home: HomeArguments<'_>,
        byte_budget: Option<u64>,
        version: Option<u64>,
    ) -> PyResult<Dictionary> {
        let (kind, words, key, value) = types;
        let (plan, store) = (plan(&kind, words, home, (None, byte_budget))?, self.typed(key, value)?);
        Ok(Dictionary::new(plan.kind, py.detach(|| plan.load(&store, version))?))
    }

    /// The durable dictionary, which takes the store over.
    fn write(
        &self,
        py: Python<'_>,
        types: TypeArguments,
        home: HomeArguments<'_>,
        config: ConfigArguments,
        options: OptionArguments,
    ) -> PyResult<Durable> {
        let (kind, words, key, value) = types;
        let (plan, store) = (plan(&kind, words, home, config)?, self.typed(key, value)?);
        let options = options_of(options)?;
        Ok(Durable::new(plan.kind, py.detach(|| plan.write(&store, options))?))
    }

    /// Saves a snapshot as a version, and keeps so many.
    fn save(
        &self,
        py: Python<'_>,
        types: (String, String),
        snapshot: &Snapshot,
        versions: Option<usize>,
    ) -> PyResult<u64> {
        let (store, queries) = (self.typed(types.0, types.1)?, snapshot.queries()?);
        Ok(py.detach(|| queries.save(&store, versions.unwrap_or(usize::MAX)))?)
    }

    /// The versions, oldest first.
    fn versions(&self, py: Python<'_>) -> PyResult<Vec<Version>> {
        self.ask(py, |store| Ok(versions_of(&store.versions()?)))
    }

    /// What it has.
    fn info(&self, py: Python<'_>) -> PyResult<Info> {
        Ok(described(self.ask(py, gpu_lsm_store::Store::info)?))
    }

    /// Reads everything, and compares it with its checksums.
    fn verify(&self, py: Python<'_>, progress: Option<Py<PyAny>>) -> PyResult<Objects> {
        let failure = Arc::new(Mutex::new(None));
        let kept = Arc::clone(&failure);
        let tell = move |done: u64, total: u64| {
            let Some(progress) = &progress else { return };
            let mut failure = kept.lock().unwrap_or_else(PoisonError::into_inner);
            if failure.is_none() {
                *failure = Python::attach(|py| progress.call1(py, (done, total)).err());
            }
        };
        let found = self.ask(py, |store| store.verify(tell))?;
        let failure = failure.lock().unwrap_or_else(PoisonError::into_inner).take();
        failure.map_or_else(|| Ok(verified(&found)), Err)
    }

    /// Takes it over and deletes everything that no version needs.
    fn collect(&self, py: Python<'_>, versions: Option<usize>) -> PyResult<Objects> {
        Ok(collected(&self.ask(py, |store| store.collect(versions))?))
    }
}

fn options_of(given: OptionArguments) -> Outcome<Options> {
    let (versions, age, checkpoint, group, delay, records, in_flight, part) = given;
    Ok(Options::new()
        .with_versions(versions)
        .with_version_age(seconds(age)?)
        .with_checkpoint_bytes(checkpoint)
        .with_group(group, seconds(delay)?)
        .with_in_flight(records, in_flight)
        .with_part_bytes(part))
}

fn seconds(seconds: f64) -> Outcome<Duration> {
    Duration::try_from_secs_f64(seconds).map_err(|_| Failure::NoSeconds { seconds })
}
