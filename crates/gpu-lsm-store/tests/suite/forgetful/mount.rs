//! The disk as a file system. The kernel caches nothing, so that it forgets what the disk forgets.

use super::disk::{Content, Disk, ROOT};
use fuser::{
    BackgroundSession, Config, Errno, FileAttr, FileHandle, FileType, Filesystem, FopenFlags, Generation,
    INodeNo, LockOwner, OpenFlags, RenameFlags, ReplyAttr, ReplyCreate, ReplyData, ReplyDirectory,
    ReplyEmpty, ReplyEntry, ReplyOpen, ReplyWrite, Request, TimeOrNow, WriteFlags,
};
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

const NOTHING_CACHED: Duration = Duration::ZERO;

struct Mounted(Arc<Mutex<Disk>>);

/// Mounts a disk at a folder, until the result is dropped.
pub(super) fn mount(disk: &Arc<Mutex<Disk>>, folder: &Path) -> BackgroundSession {
    fuser::spawn_mount(Mounted(Arc::clone(disk)), folder, &Config::default()).unwrap()
}

fn attributes(id: u64, content: &Content) -> FileAttr {
    let (kind, size) = match content {
        Content::File(bytes) => (FileType::RegularFile, bytes.len() as u64),
        Content::Folder(_) => (FileType::Directory, 0),
    };
    let time = SystemTime::UNIX_EPOCH;
    FileAttr {
        ino: INodeNo(id),
        size,
        blocks: size.div_ceil(512),
        atime: time,
        mtime: time,
        ctime: time,
        crtime: time,
        kind,
        perm: 0o777,
        nlink: 1,
        uid: 0,
        gid: 0,
        rdev: 0,
        flags: 0,
        blksize: 4096,
    }
}

impl Mounted {
    fn on<T>(&self, work: impl FnOnce(&mut Disk) -> Result<T, Errno>) -> Result<T, Errno> {
        work(&mut self.0.lock().unwrap())
    }

    /// Answers with the attributes of what some work found or made.
    fn entry(&self, reply: ReplyEntry, work: impl FnOnce(&mut Disk) -> Result<u64, Errno>) {
        let found = self.on(|disk| {
            let id = work(disk)?;
            Ok(attributes(id, disk.content(id)?))
        });
        match found {
            Ok(attributes) => reply.entry(&NOTHING_CACHED, &attributes, Generation(0)),
            Err(error) => reply.error(error),
        }
    }

    fn done(&self, reply: ReplyEmpty, work: impl FnOnce(&mut Disk) -> Result<(), Errno>) {
        match self.on(work) {
            Ok(()) => reply.ok(),
            Err(error) => reply.error(error),
        }
    }
}

impl Filesystem for Mounted {
    fn lookup(&self, _: &Request, parent: INodeNo, name: &OsStr, reply: ReplyEntry) {
        self.entry(reply, |disk| disk.find(parent.0, name));
    }

    fn getattr(&self, _: &Request, ino: INodeNo, _: Option<FileHandle>, reply: ReplyAttr) {
        match self.on(|disk| Ok(attributes(ino.0, disk.content(ino.0)?))) {
            Ok(attributes) => reply.attr(&NOTHING_CACHED, &attributes),
            Err(error) => reply.error(error),
        }
    }

    fn setattr(
        &self,
        _: &Request,
        ino: INodeNo,
        _: Option<u32>,
        _: Option<u32>,
        _: Option<u32>,
        size: Option<u64>,
        _: Option<TimeOrNow>,
        _: Option<TimeOrNow>,
        _: Option<SystemTime>,
        _: Option<FileHandle>,
        _: Option<SystemTime>,
        _: Option<SystemTime>,
        _: Option<SystemTime>,
        _: Option<fuser::BsdFileFlags>,
        reply: ReplyAttr,
    ) {
        let set = self.on(|disk| {
            if let Some(size) = size {
                disk.file(ino.0)?.resize(size as usize, 0);
            }
            Ok(attributes(ino.0, disk.content(ino.0)?))
        });
        match set {
            Ok(attributes) => reply.attr(&NOTHING_CACHED, &attributes),
            Err(error) => reply.error(error),
        }
    }

    fn mkdir(&self, _: &Request, parent: INodeNo, name: &OsStr, _: u32, _: u32, reply: ReplyEntry) {
        self.entry(reply, |disk| disk.make(parent.0, name, Content::Folder(BTreeMap::new())));
    }

    fn create(&self, _: &Request, parent: INodeNo, name: &OsStr, _: u32, _: u32, _: i32, reply: ReplyCreate) {
        let made = self.on(|disk| {
            let id = disk.make(parent.0, name, Content::File(Vec::new()))?;
            Ok(attributes(id, disk.content(id)?))
        });
        let direct = FopenFlags::FOPEN_DIRECT_IO;
        match made {
            Ok(attributes) => {
                reply.created(&NOTHING_CACHED, &attributes, Generation(0), FileHandle(0), direct);
            }
            Err(error) => reply.error(error),
        }
    }

    fn open(&self, _: &Request, _: INodeNo, _: OpenFlags, reply: ReplyOpen) {
        reply.opened(FileHandle(0), FopenFlags::FOPEN_DIRECT_IO);
    }

    fn read(
        &self,
        _: &Request,
        ino: INodeNo,
        _: FileHandle,
        offset: u64,
        size: u32,
        _: OpenFlags,
        _: Option<LockOwner>,
        reply: ReplyData,
    ) {
        let read = self.on(|disk| {
            let file = disk.file(ino.0)?;
            let start = file.len().min(offset as usize);
            Ok(file[start..file.len().min(start + size as usize)].to_vec())
        });
        match read {
            Ok(bytes) => reply.data(&bytes),
            Err(error) => reply.error(error),
        }
    }

    fn write(
        &self,
        _: &Request,
        ino: INodeNo,
        _: FileHandle,
        offset: u64,
        data: &[u8],
        _: WriteFlags,
        _: OpenFlags,
        _: Option<LockOwner>,
        reply: ReplyWrite,
    ) {
        match self.on(|disk| disk.write(ino.0, offset as usize, data)) {
            Ok(()) => reply.written(data.len() as u32),
            Err(error) => reply.error(error),
        }
    }

    fn flush(&self, _: &Request, _: INodeNo, _: FileHandle, _: LockOwner, reply: ReplyEmpty) {
        reply.ok();
    }

    fn link(&self, _: &Request, ino: INodeNo, newparent: INodeNo, newname: &OsStr, reply: ReplyEntry) {
        self.entry(reply, |disk| disk.link(ino.0, newparent.0, newname).map(|()| ino.0));
    }

    fn unlink(&self, _: &Request, parent: INodeNo, name: &OsStr, reply: ReplyEmpty) {
        self.done(reply, |disk| disk.unlink(parent.0, name));
    }

    fn rename(
        &self,
        _: &Request,
        parent: INodeNo,
        name: &OsStr,
        newparent: INodeNo,
        newname: &OsStr,
        _: RenameFlags,
        reply: ReplyEmpty,
    ) {
        self.done(reply, |disk| disk.rename((parent.0, name), (newparent.0, newname)));
    }

    fn fsync(&self, _: &Request, ino: INodeNo, _: FileHandle, _: bool, reply: ReplyEmpty) {
        self.done(reply, |disk| disk.sync(ino.0));
    }

    fn fsyncdir(&self, _: &Request, ino: INodeNo, _: FileHandle, _: bool, reply: ReplyEmpty) {
        self.done(reply, |disk| disk.sync(ino.0));
    }

    fn readdir(&self, _: &Request, ino: INodeNo, _: FileHandle, offset: u64, mut reply: ReplyDirectory) {
        let listed = self.on(|disk| match disk.content(ino.0)?.clone() {
            Content::File(_) => Err(Errno::ENOTDIR),
            Content::Folder(names) => names
                .into_iter()
                .map(|(name, id)| Ok((attributes(id, disk.content(id)?).kind, id, name)))
                .collect::<Result<Vec<_>, _>>(),
        });
        let listed = match listed {
            Ok(listed) => listed,
            Err(error) => return reply.error(error),
        };
        let dots = [".", ".."].map(|name| (FileType::Directory, ROOT, name.into()));
        for (i, (kind, id, name)) in dots.into_iter().chain(listed).enumerate().skip(offset as usize) {
            if reply.add(INodeNo(id), i as u64 + 1, kind, name) {
                break;
            }
        }
        reply.ok();
    }
}
