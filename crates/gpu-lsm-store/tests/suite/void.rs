//! A void record in the way of a writer that was replaced, from its creation to its collection.

use crate::memory::Memory;
use bytes::Bytes;
use futures_util::FutureExt;
use gpu_lsm_store::nonce::Nonces;
use gpu_lsm_store::protocol::{Appended, Claim, Leader, Retention, Template, Version, collect, sweep};
use gpu_lsm_store::{Error, Objects, Result};
use std::sync::Arc;
use std::time::Duration;

/// Found by the simulation among ten million schedules.
#[test]
fn it_stays_when_the_log_is_collected() {
    for is_sweep in [false, true] {
        // Nothing here waits.
        life(is_sweep).now_or_never().unwrap().unwrap();
    }
}

async fn life(is_sweep: bool) -> Result<()> {
    let objects: Arc<dyn Objects> = Arc::new(Memory::default());
    let mut first = writer(&objects, 1).await?;
    let (_fenced_off, late) = (first.append(vec![], Bytes::new()), first.append(vec![], Bytes::new()));
    let mut second = writer(&objects, 2).await?;
    assert_eq!(late.run().await?, Appended::Done, "behind the second's fence, so it is void");
    let stalled = second.append(vec![], Bytes::new());
    let mut third = writer(&objects, 3).await?;
    for _ in 0..2 {
        let before = third.manifest().clone();
        let log = third.log_before(third.next(), None);
        let shards = before.shards.clone();
        let version = Version { batch_size: 1, log, callers: Default::default(), shards };
        third.publish(&version, &Retention { versions: 1, age: Duration::ZERO }).await?;
        let collection = third.collection(before);
        if is_sweep {
            sweep(&collection).await?
        } else {
            collect(&collection).await?
        };
    }
    assert_eq!(stalled.run().await?, Appended::Void, "nobody will read this number again");
    let next = second.append(vec![], Bytes::new()).run().await;
    assert!(matches!(next, Err(Error::Fenced { epoch: 2, by: 3 })), "{next:?}");
    Ok(())
}

/// Opens the store, and fences off whoever wrote before.
async fn writer(objects: &Arc<dyn Objects>, writer: u64) -> Result<Leader> {
    let new = Template { key: "u32".into(), value: "()".into(), batch_size: 1 };
    let claim = Claim::take(objects, Nonces::of_writer(writer), Some(&new), |_| Ok(())).await?;
    Ok(claim.lead_from_end().await?.0)
}
