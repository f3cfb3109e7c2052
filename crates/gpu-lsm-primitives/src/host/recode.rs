//! recode: keys in their other form, native or code. Twin of gpu/recode.rs.

use super::{Host, HostArray};
use crate::error::Result;
use crate::recoding::Recoding;
use crate::tuning::HOST_TILE;
use crate::value::Plain;
use rayon::prelude::*;

/// One pass over the words.
pub(super) fn recode<T: Plain, U: Plain>(
    host: &Host,
    keys: &HostArray<T>,
    recoding: Recoding,
) -> Result<HostArray<U>> {
    let mut out = host.zeroed::<U>(keys.len())?;
    let words: &[u32] = bytemuck::cast_slice(keys);
    let out_words: &mut [u32] = bytemuck::cast_slice_mut(out.slice_mut());
    out_words.par_chunks_mut(HOST_TILE).zip(words.par_chunks(HOST_TILE)).for_each(|(out, words)| {
        for (out, key) in out.chunks_exact_mut(recoding.words()).zip(words.chunks_exact(recoding.words())) {
            if let [low, high] = *key {
                let other = recoding.wide(u64::from(high) << 32 | u64::from(low));
                (out[0], out[1]) = (other as u32, (other >> 32) as u32);
            } else {
                out[0] = recoding.narrow(key[0]);
            }
        }
    });
    Ok(out.share())
}
