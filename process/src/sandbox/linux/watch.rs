//! The kernel's notes of what changes in folders.

use std::collections::BTreeSet;
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;
use std::path::Path;

use rustix::fs::inotify::{self, CreateFlags, ReadFlags, WatchFlags};
use rustix::io::Errno;

/// What the kernel tells.
pub(super) enum Told {
    /// Of these folders.
    Notes(BTreeSet<i32>),
    /// More than it could keep: anything may have changed.
    All,
}

#[derive(Debug)]
pub(super) struct Watch {
    notes: OwnedFd,
}

impl Watch {
    pub(super) fn new() -> Option<Self> {
        inotify::init(CreateFlags::CLOEXEC | CreateFlags::NONBLOCK).ok().map(|notes| Self { notes })
    }

    pub(super) fn add(&mut self, folder: &Path) -> Result<i32, Errno> {
        let what = WatchFlags::CREATE
            | WatchFlags::MOVED_TO
            | WatchFlags::MOVED_FROM
            | WatchFlags::DELETE
            | WatchFlags::DELETE_SELF
            | WatchFlags::MOVE_SELF
            | WatchFlags::ONLYDIR
            | WatchFlags::DONT_FOLLOW
            | WatchFlags::EXCL_UNLINK;
        inotify::add_watch(&self.notes, folder, what)
    }

    pub(super) fn forget(&mut self, note: i32) {
        let _ = inotify::remove_watch(&self.notes, note);
    }

    /// What changed since the last question.
    pub(super) fn told(&mut self) -> Told {
        let mut buffer = [MaybeUninit::uninit(); 16 * 1024];
        let mut reader = inotify::Reader::new(&self.notes, &mut buffer);
        let mut told = BTreeSet::new();
        loop {
            match reader.next() {
                Ok(event) if event.events().contains(ReadFlags::QUEUE_OVERFLOW) => {
                    while reader.next().is_ok() {}
                    return Told::All;
                }
                Ok(event) => _ = told.insert(event.wd()),
                Err(Errno::INTR) => {}
                Err(_) => return Told::Notes(told),
            }
        }
    }
}
