//! Secrets that were hidden once stay hidden, wherever they are moved.
//!
//! A command may rename the folder around a secret: into a folder that is not walked, into the temporary folder, or to a name under which
//! nobody would look for secrets. For the command itself nothing changes, since what covers a file moves with it. The next one would
//! find it bare. So each secret that could be moved is held open, by a descriptor that reads nothing, and the kernel says where it is
//! now.

use std::collections::BTreeMap;
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use rustix::fs::{Mode, OFlags, fstat};

/// So many are held: each takes one of the descriptors that a process may have.
const MOST: usize = 400;

/// The secrets of a sandbox that could be moved.
#[derive(Debug, Default)]
pub(super) struct Known {
    held: BTreeMap<(u64, u64), OwnedFd>,
}

impl Known {
    /// Where they are now, and which files they are. One that is gone is forgotten.
    pub(super) fn places(&mut self) -> Vec<(PathBuf, (u64, u64))> {
        let mut places = Vec::new();
        self.held.retain(|which, file| {
            if !fstat(&*file).is_ok_and(|data| data.st_nlink > 0) {
                return false;
            }
            if let Ok(path) = std::fs::read_link(format!("/proc/self/fd/{}", file.as_raw_fd())) {
                places.push((path, *which));
            }
            true
        });
        places
    }

    /// Holds one more.
    pub(super) fn hold(&mut self, path: &Path, which: (u64, u64)) {
        if self.held.contains_key(&which) {
            return;
        }
        if self.held.len() >= MOST {
            tracing::warn!(path = %path.display(), "a secret is not followed when it is moved: there are more than {MOST}");
            return;
        }
        let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        if let Ok(file) = rustix::fs::open(path.as_os_str().as_bytes(), flags, Mode::empty())
            && fstat(&file).is_ok_and(|data| (data.st_dev, data.st_ino) == which)
        {
            self.held.insert(which, file);
        }
    }
}
