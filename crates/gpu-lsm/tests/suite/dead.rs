//! Dead stretches, which searches begin behind: what is inserted from buffers ends those that it reaches.

use crate::on_every_device;
use crate::support::Pair;
use gpu_lsm::{Buffer, Device, Dictionary, Error};

on_every_device!(inserts_of_buffers_end_the_dead_stretches_that_they_reach,);

/// Batches that reach dead stretches, or just don't, and those that delete beside them or have no entry.
fn inserts_of_buffers_end_the_dead_stretches_that_they_reach(device: &Device) {
    const MAX: u32 = u32::MAX;
    let inserts: [&[u32]; 6] = [&[100, 109], &[109, 90], &[200, 110, 99], &[0], &[MAX], &[7, MAX - 7]];
    for keys in inserts {
        let batch: Vec<_> = keys.iter().map(|&key| (key, Some(key))).collect();
        ends_what_it_reaches(device, &batch, |dictionary, keys, values, _| dictionary.insert(keys, values));
        // The deletes are on the host, beside the stretch in the middle and within the last one.
        let deletes = [(98, None), (MAX - 1, None)];
        ends_what_it_reaches(device, &[&batch[..], &deletes].concat(), |dictionary, keys, values, _| {
            let (keys, values) = (keys.slice(..batch.len())?, values.slice(..batch.len())?);
            dictionary.update(&keys, &values, &[98, MAX - 1])
        });
        ends_what_it_reaches(device, &[&batch[..], &deletes].concat(), |dictionary, keys, values, flags| {
            dictionary.apply_columns(keys, values, flags)
        });
    }
    ends_what_it_reaches(device, &[], |dictionary, keys, values, flags| {
        dictionary.apply_columns(keys, values, flags)
    });
}

/// Stretches in the middle of all keys and at both ends of the domain are emptied, and an update takes a batch as columns
/// in buffers: keys, values, and whether each is a delete.
fn ends_what_it_reaches(
    device: &Device,
    batch: &[(u32, Option<u32>)],
    update: impl Fn(&mut Dictionary<u32, u32>, &Buffer<u32>, &Buffer<u32>, &Buffer<u32>) -> Result<(), Error>,
) {
    let mut pair = Pair::<u32, u32>::new(device, 16);
    let inserts: Vec<_> = (0..300).chain(u32::MAX - 9..=u32::MAX).map(|key| (key, Some(key))).collect();
    let keys: Vec<u32> = inserts.iter().map(|insert| insert.0).collect();
    pair.dictionary.insert(&keys, &keys).unwrap();
    let (lower, upper) = ([0, 100, u32::MAX - 5], [9, 109, u32::MAX]);
    pair.dictionary.delete_range(&lower, &upper).unwrap();
    let is_dead = |key: &u32| lower.iter().zip(&upper).any(|(low, up)| (low..=up).contains(&key));
    let dead: Vec<_> = keys.into_iter().filter(is_dead).map(|key| (key, None)).collect();
    let column = |of: fn(&(u32, Option<u32>)) -> u32| {
        device.upload(&batch.iter().map(of).collect::<Vec<u32>>()).unwrap()
    };
    let (keys, values) = (column(|entry| entry.0), column(|entry| entry.1.unwrap_or_default()));
    let flags = column(|entry| u32::from(entry.1.is_none()));
    update(&mut pair.dictionary, &keys, &values, &flags).unwrap();
    [&inserts[..], &dead, batch].into_iter().for_each(|operations| pair.tell_model(operations));
    // Each query by itself: the searches of a few queries begin past dead stretches.
    for query in [0, 5, 9, 10, 99, 100, 105, 109, 110, u32::MAX - 8, u32::MAX - 5, u32::MAX] {
        pair.check_neighbours(&[query], &format!("{batch:?}"));
    }
    pair.dictionary.delete_range(&[0], &[u32::MAX]).unwrap();
    assert!(pair.dictionary.is_empty().unwrap(), "{batch:?}");
}
