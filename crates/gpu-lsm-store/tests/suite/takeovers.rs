//! Another writer takes the store over at every operation of a writer that has many records in flight, and what was said of
//! each batch is compared with what the store has.

use crate::meddled::{Act, Meddled, Then};
use crate::memory::Memory;
use crate::replaced::{is_fenced, options, store_of};
use gpu_lsm::{Batch, Device};
use gpu_lsm_store::protocol::MOST_IN_FLIGHT;
use gpu_lsm_store::{Durable, Error, Pending, Receipt, Result, Store};
use std::sync::Arc;
use std::time::Duration;

/// Batches in flight.
const BATCHES: u32 = 8;

/// Another writer opens the store, and writes nothing.
fn opened(memory: Arc<Memory>) -> Pending<'static, ()> {
    aside(memory, |_| Ok(()))
}

/// Another writer opens the store and makes two versions, so that everything before is collected.
fn opened_and_collected(memory: Arc<Memory>) -> Pending<'static, ()> {
    aside(memory, |durable| {
        durable.checkpoint()?;
        durable.checkpoint()?;
        durable.collect().map(drop)
    })
}

fn aside(memory: Arc<Memory>, work: fn(&mut Durable<u32, u32>) -> Result<()>) -> Pending<'static, ()> {
    let live = move || {
        let lived =
            Store::over(memory).write(&Device::host(), options()).and_then(|mut other| work(&mut other));
        // It is replaced in turn if the test is at its end already.
        assert!(lived.is_ok() || is_fenced(&lived), "{lived:?}");
    };
    Box::pin(async move {
        tokio::task::spawn_blocking(live).await.unwrap();
        Ok(())
    })
}

/// A writer with several batches in flight, and checkpoints at the same time. Returns what was said of each batch.
fn live(place: &Arc<Meddled>, plan: (u32, Act, Then)) -> Vec<Result<u64>> {
    // Each batch has a record of its own.
    let options = options().with_checkpoint_bytes(1).with_group(1, Duration::ZERO);
    let mut durable: Durable<u32, u32> = store_of(place).write(&Device::host(), options).unwrap();
    // So many records behind its fence, a writer sends one at a time.
    for _ in 0..=MOST_IN_FLIGHT {
        durable.cleanup().unwrap();
    }
    let (skip, act, then) = plan;
    place.plan("", skip, act, then);
    let submit = |i| {
        let batch: Batch<u32, u32> = [(i, Some(i))].into_iter().collect();
        durable.submit(batch)
    };
    let receipts: Vec<Result<Receipt>> = (0..BATCHES).map(submit).collect();
    let outcomes = receipts.into_iter().map(|receipt| receipt?.wait()).collect();
    // A replaced writer says so.
    let last = durable.checkpoint();
    assert!(
        matches!(
            last,
            Ok(_) | Err(Error::Fenced { .. } | Error::Unavailable { .. } | Error::NotWritten { .. })
        ),
        "{last:?}"
    );
    outcomes
}

fn check(place: &Meddled, outcomes: &[Result<u64>], what: &str) {
    let store = Store::over(Arc::clone(&place.memory) as _);
    // The other writer may open it at the same time.
    let open = || store.write::<u32, u32>(&Device::host(), options());
    let found = (0..10).map(|_| open()).find(|opened| !is_fenced(opened)).unwrap().unwrap();
    for (i, outcome) in outcomes.iter().enumerate() {
        let is_there = found.get(i as u32).unwrap().is_some();
        match outcome {
            Ok(_) => assert!(is_there, "{what}: batch {i} was acknowledged and is lost"),
            Err(Error::Fenced { .. } | Error::NotWritten { .. }) => {
                assert!(!is_there, "{what}: batch {i} was refused and is there: {outcome:?}");
            }
            Err(error) => panic!("{what}: {error}"),
        }
    }
}

fn at_every_operation(act: Act) {
    for then in [Then::Goes, Then::IsNotAnswered, Then::Fails, Then::IsRefused] {
        let mut skip = 0;
        loop {
            let place = Meddled::new();
            let outcomes = live(&place, (skip, act, then));
            // Checkpoints and collections may still go on, and be met.
            let is_met = place.plans() == 0;
            check(&place, &outcomes, &format!("operation {skip}, {then:?}"));
            if !is_met {
                break;
            }
            skip += 1;
        }
        assert!(skip > BATCHES, "{skip}");
    }
}

#[test]
fn at_every_operation_another_writer_opens_the_store() {
    at_every_operation(opened);
}

#[test]
fn at_every_operation_another_writer_collects_everything() {
    at_every_operation(opened_and_collected);
}
