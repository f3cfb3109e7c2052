//! Writers and readers, and what they must find.

use super::session::Session;
use super::state::{load, numbers};
use super::world::{World, check_error};
use gpu_lsm_store::manifest::Manifest;
use gpu_lsm_store::protocol::{Retention, Walk, is_current, latest, read_manifest};
use gpu_lsm_store::{Objects, Result};
use std::sync::Arc;

pub(super) async fn reader(world: World, reads: u32) {
    for _ in 0..reads {
        let result = if world.roll(3) == 0 { read_version(&world).await } else { read_latest(&world).await };
        result.inspect_err(check_error).ok();
    }
}

async fn read_latest(world: &World) -> Result<()> {
    let (objects, expectation) = (world.objects(), world.expectation());
    loop {
        let Some(manifest) = latest(&*objects).await? else {
            assert!(expectation.acknowledged.is_empty(), "the store is lost");
            return Ok(());
        };
        let state = read_with_log(&objects, &manifest).await?;
        match (is_current(&*objects, &manifest).await?, state) {
            (true, Some(state)) => {
                world.check(&expectation, &state);
                return Ok(());
            }
            (true, None) => panic!("a run of {} is missing", manifest.number),
            (false, _) => {}
        }
    }
}

async fn read_with_log(objects: &Arc<dyn Objects>, manifest: &Manifest) -> Result<Option<Vec<u32>>> {
    let Some(mut state) = load(&**objects, manifest).await? else { return Ok(None) };
    let mut walk = Walk::of_reader(objects, manifest, 1);
    while let Some((_, record)) = walk.next().await? {
        state.extend(numbers(&record.payload));
    }
    Ok(Some(state))
}

/// A version that is listed can be read, unless it was dropped meanwhile.
async fn read_version(world: &World) -> Result<()> {
    let objects = world.objects();
    let Some(newest) = latest(&*objects).await? else { return Ok(()) };
    let Some(&version) = newest.versions.get(world.roll(2) as usize) else { return Ok(()) };
    let state = match read_manifest(&*objects, version).await? {
        Some(manifest) => load(&*objects, &manifest).await?,
        None => None,
    };
    match state {
        Some(state) => assert!(state.len() <= world.submitted() as usize),
        None => {
            let newest = latest(&*objects).await?.unwrap();
            assert!(!newest.versions.contains(&version), "version {version} is lost");
        }
    }
    Ok(())
}

pub(super) async fn writer(world: World, writer: u32, sessions: u32, retention: Retention) {
    for _ in 0..sessions {
        let result = write(&world, retention).await;
        result.inspect_err(check_error).ok();
        if writer == 0 && world.roll(2) == 0 {
            return;
        }
    }
}

/// One session: opens the store, writes, makes versions, and collects.
async fn write(world: &World, retention: Retention) -> Result<()> {
    let mut session = Session::open(world, retention).await?;
    for _ in 0..world.roll(7) {
        match world.roll(5) {
            0 => session.prepare().await?,
            1 => session.publish().await?,
            _ => session.append().await?,
        }
    }
    Ok(())
}

/// After everything: two openings find the same, and nothing is lost.
pub(super) async fn check_at_end(world: World) {
    let retention = Retention { versions: 1, age: std::time::Duration::ZERO };
    read_latest(&world).await.unwrap();
    let first = Session::open(&world, retention).await.unwrap();
    let second = Session::open(&world, retention).await.unwrap();
    assert_eq!(first.state, second.state);
    read_latest(&world).await.unwrap();
}
