//! Where dictionaries are and how they are divided, as Python says it.

use crate::columns::Column;
use crate::kind::{Codes, Kind};
use crate::plan::{Home, Plan};
use gpu_lsm::Config;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::borrow::Cow;

/// Devices, the number of shards, and the first keys of all shards but the first.
pub(crate) type HomeArguments<'py> = (Vec<String>, Option<usize>, Option<Column<'py>>);

/// The batch size and the byte budget.
pub(crate) type ConfigArguments = (Option<usize>, Option<u64>);

/// The plan that arguments describe.
pub(crate) fn plan(
    kind: &str,
    words: usize,
    (devices, shards, boundaries): HomeArguments<'_>,
    (batch_size, byte_budget): ConfigArguments,
) -> PyResult<Plan> {
    let kind = Kind::named(kind).ok_or_else(|| PyValueError::new_err(format!("no kind is {kind:?}")))?;
    let config = Config::new().with_batch_size(batch_size.unwrap_or(Config::DEFAULT_BATCH_SIZE));
    let config = byte_budget.map_or(config, |bytes| config.with_byte_budget(bytes));
    let boundaries = boundaries.map(|keys| PyResult::Ok(owned(&kind.encode(&keys.words()?)))).transpose()?;
    Ok(Plan { kind, words, config, home: Home { devices, shards, boundaries } })
}

fn owned(codes: &Codes<'_>) -> Codes<'static> {
    match codes {
        Codes::Narrow(codes) => Codes::Narrow(Cow::Owned(codes.to_vec())),
        Codes::Wide(codes) => Codes::Wide(Cow::Owned(codes.to_vec())),
    }
}
