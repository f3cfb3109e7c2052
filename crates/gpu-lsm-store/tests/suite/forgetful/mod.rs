//! Power cuts: a file system that forgets what was not synced. What a writer had acknowledged is there after each.

mod disk;
mod mount;

use crate::crash;
use crate::site::Site;
use disk::Disk;
use rand::RngExt;
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// The disk notices what this test is about: a name without its folder's sync, and contents without the file's.
#[test]
fn what_is_not_synced_is_forgotten() {
    use std::io::Write;
    let (folder, disk) = (crate::folder("forgets"), Arc::new(Mutex::new(Disk::new())));
    std::fs::create_dir_all(&folder).unwrap();
    let session = mount::mount(&disk, &folder);
    let write = |name: &str, is_synced: bool| {
        let mut file = std::fs::File::create_new(folder.join(name)).unwrap();
        file.write_all(b"contents").unwrap();
        if is_synced {
            file.sync_all().unwrap();
        }
    };
    write("kept", true);
    write("empty", false);
    std::fs::File::open(&folder).unwrap().sync_all().unwrap();
    write("gone", true);
    disk.lock().unwrap().cut_power();
    assert!(std::fs::read(folder.join("kept")).is_err());
    disk.lock().unwrap().restore_power();
    assert_eq!(std::fs::read(folder.join("kept")).unwrap(), b"contents");
    assert_eq!(std::fs::read(folder.join("empty")).unwrap(), b"");
    assert!(!std::fs::exists(folder.join("gone")).unwrap());
    drop(session);
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn power_cuts_lose_nothing() {
    let (site, disk) = (Site::local("power"), Arc::new(Mutex::new(Disk::new())));
    let folder = crate::folder("power");
    std::fs::create_dir_all(&folder).unwrap();
    let session = mount::mount(&disk, &folder);
    let mut found = crash::Found::nothing();
    for _ in 0..crash::kills() {
        let mut writer = crash::start(&[], &site, 100_000);
        std::thread::sleep(Duration::from_millis(rand::rng().random_range(20..900)));
        disk.lock().unwrap().cut_power();
        writer.kill().unwrap();
        let last = crash::acknowledged(&mut writer);
        writer.wait().unwrap();
        disk.lock().unwrap().restore_power();
        found.check(&site, last);
    }
    assert!(found.last() > 0 && disk.lock().unwrap().syncs() > found.last(), "the writers wrote and synced");
    drop(session);
}
