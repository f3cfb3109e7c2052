//! A disk in memory that keeps through a power cut only what was synced: the contents of files that were synced, and the names
//! in folders that were synced. Anything else is as it was at the sync before, or empty.

use fuser::Errno;
use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};

pub(super) const ROOT: u64 = 1;

#[derive(Debug, Clone)]
pub(super) enum Content {
    File(Vec<u8>),
    Folder(BTreeMap<OsString, u64>),
}

#[derive(Debug)]
struct Node {
    now: Content,
    synced: Content,
}

#[derive(Debug)]
pub(super) struct Disk {
    nodes: BTreeMap<u64, Node>,
    next: u64,
    has_power: bool,
    syncs: u64,
}

type Result<T> = std::result::Result<T, Errno>;

impl Disk {
    pub(super) fn new() -> Self {
        let empty = Content::Folder(BTreeMap::new());
        let root = Node { now: empty.clone(), synced: empty };
        Self { nodes: [(ROOT, root)].into(), next: ROOT + 1, has_power: true, syncs: 0 }
    }

    /// Every call fails from now on.
    pub(super) fn cut_power(&mut self) {
        self.has_power = false;
    }

    /// What was not synced is gone.
    pub(super) fn restore_power(&mut self) {
        self.has_power = true;
        self.nodes.values_mut().for_each(|node| node.now = node.synced.clone());
    }

    /// How often anything was synced.
    pub(super) fn syncs(&self) -> u64 {
        self.syncs
    }

    fn node(&mut self, id: u64) -> Result<&mut Node> {
        if !self.has_power {
            return Err(Errno::EIO);
        }
        self.nodes.get_mut(&id).ok_or(Errno::ENOENT)
    }

    pub(super) fn content(&mut self, id: u64) -> Result<&Content> {
        Ok(&self.node(id)?.now)
    }

    pub(super) fn file(&mut self, id: u64) -> Result<&mut Vec<u8>> {
        match &mut self.node(id)?.now {
            Content::File(bytes) => Ok(bytes),
            Content::Folder(_) => Err(Errno::EISDIR),
        }
    }

    fn folder(&mut self, id: u64) -> Result<&mut BTreeMap<OsString, u64>> {
        match &mut self.node(id)?.now {
            Content::Folder(names) => Ok(names),
            Content::File(_) => Err(Errno::ENOTDIR),
        }
    }

    pub(super) fn find(&mut self, folder: u64, name: &OsStr) -> Result<u64> {
        self.folder(folder)?.get(name).copied().ok_or(Errno::ENOENT)
    }

    /// Makes a file or folder, which is empty.
    pub(super) fn make(&mut self, folder: u64, name: &OsStr, empty: Content) -> Result<u64> {
        let id = self.next;
        self.link(id, folder, name)?;
        self.nodes.insert(id, Node { now: empty.clone(), synced: empty });
        self.next += 1;
        Ok(id)
    }

    pub(super) fn link(&mut self, id: u64, folder: u64, name: &OsStr) -> Result<()> {
        let names = self.folder(folder)?;
        if names.contains_key(name) {
            return Err(Errno::EEXIST);
        }
        names.insert(name.into(), id);
        Ok(())
    }

    pub(super) fn unlink(&mut self, folder: u64, name: &OsStr) -> Result<()> {
        self.folder(folder)?.remove(name).map(drop).ok_or(Errno::ENOENT)
    }

    pub(super) fn rename(&mut self, from: (u64, &OsStr), to: (u64, &OsStr)) -> Result<()> {
        let id = self.find(from.0, from.1)?;
        self.folder(to.0)?.insert(to.1.into(), id);
        self.unlink(from.0, from.1)
    }

    pub(super) fn write(&mut self, id: u64, offset: usize, data: &[u8]) -> Result<()> {
        let file = self.file(id)?;
        file.resize(file.len().max(offset + data.len()), 0);
        file[offset..offset + data.len()].copy_from_slice(data);
        Ok(())
    }

    pub(super) fn sync(&mut self, id: u64) -> Result<()> {
        let node = self.node(id)?;
        node.synced = node.now.clone();
        self.syncs += 1;
        Ok(())
    }
}
