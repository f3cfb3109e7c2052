//! recode: every encoding in both directions, at the edges and in the middle.

use crate::on_every_backend;
use crate::support::{MIXES, fits, keys};
use gpu_lsm_primitives::{Backend, Recoding};

on_every_backend!(keys_are_recoded_as_defined_and_back);

fn keys_are_recoded_as_defined_and_back(backend: &impl Backend) {
    for recoding in Recoding::ALL {
        for (len, mix) in [0, 1, 257, 5000, 70_001]
            .into_iter()
            .filter(|&len| fits(len))
            .flat_map(|len| MIXES.map(|mix| (len, mix)))
        {
            let case = format!("{recoding:?}, {len} keys, {mix:?}");
            if recoding.words() == 1 {
                let keys: Vec<u32> = keys(mix, len, 7);
                let coded = backend.recode::<u32, f32>(&backend.upload(&keys).unwrap(), recoding).unwrap();
                let found = backend.download(&coded, len).unwrap();
                assert!(
                    found.iter().map(|code| code.to_bits()).eq(keys.iter().map(|&key| recoding.narrow(key))),
                    "{case}"
                );
                let back = backend.recode::<f32, u32>(&coded, recoding.back()).unwrap();
                assert!(backend.download(&back, len).unwrap() == keys, "{case}");
            } else {
                let keys: Vec<u64> = keys(mix, len, 7);
                let coded =
                    backend.recode::<u64, [u32; 2]>(&backend.upload(&keys).unwrap(), recoding).unwrap();
                let found = backend.download(&coded, len).unwrap();
                let number = |words: &[u32; 2]| u64::from(words[1]) << 32 | u64::from(words[0]);
                assert!(found.iter().map(number).eq(keys.iter().map(|&key| recoding.wide(key))), "{case}");
                let back = backend.recode::<[u32; 2], u64>(&coded, recoding.back()).unwrap();
                assert!(backend.download(&back, len).unwrap() == keys, "{case}");
            }
        }
    }
}
