//! gather: brings values into the order of their keys. Twin of gpu/gather.rs.

use super::{Host, HostArray, marks};
use crate::code::Code;
use crate::entries::{Pile, Sorted};
use crate::error::Result;
use crate::tuning::HOST_TILE;
use crate::value::Value;
use rayon::prelude::*;

/// The values at `sources`; zero past the end of the values.
pub(super) fn values<V: Value>(host: &Host, values: &[V], sources: &[u32]) -> Result<HostArray<V>> {
    let mut out = host.zeroed::<V>(sources.len())?;
    if V::WORDS > 0 {
        let value = |source: u32| values.get(source as usize).copied().unwrap_or(V::zeroed());
        out.slice_mut().par_chunks_mut(HOST_TILE).zip(sources.par_chunks(HOST_TILE)).for_each(
            |(out, sources)| {
                for (out, &source) in out.iter_mut().zip(sources) {
                    *out = value(source);
                }
            },
        );
    }
    Ok(out.share())
}

/// Brings the values and marks of a batch into the order of its sorted keys.
pub(super) fn arrange<K: Code, V: Value>(
    host: &Host,
    sorted: &Sorted<Host, K>,
    values: &HostArray<V>,
    marks: Option<&HostArray<u32>>,
) -> Result<Pile<Host, K, V>> {
    let len = sorted.keys.len();
    let gathered = self::values(host, values, &sorted.positions)?;
    let marks = match marks {
        Some(bits) => Some(marks::gather(host, bits, &sorted.positions)?),
        None => None,
    };
    Ok(Pile { keys: sorted.keys.clone(), values: gathered, marks, len })
}
