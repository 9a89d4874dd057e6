//! The workspace as a tree, with what git does not keep of it.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs::File;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use hookspec_process::sensitive::secret_file;

use super::error::SnapshotError;
use super::modes::Modes;
use super::shadow::Shadow;

/// So many files are taken in by one run of git.
const AT_ONCE: usize = 10_000;
/// From so many on they are stored as they are, in one file; compressing them is for later.
const MANY: usize = 500;

/// What was staged, and what was not.
pub(super) struct Staged {
    /// Of the files and their modes.
    pub(super) tree: String,
    /// Of the files.
    pub(super) files: String,
    pub(super) modes: Modes,
    pub(super) left_out: Vec<String>,
}

impl Shadow {
    /// Brings the index up to date with the workspace; from nothing where it cannot be used any more.
    pub(super) fn stage(&self) -> Result<Staged, SnapshotError> {
        // Whoever left it is dead, since this session's lock is ours.
        let _ = std::fs::remove_file(self.index.with_added_extension("lock"));
        match self.stage_onto() {
            // That is not the index's fault, and from nothing it would take longer still.
            Err(error) if error.took_long() => Err(error),
            Err(SnapshotError::Git(error)) if std::fs::remove_file(&self.index).is_ok() => {
                tracing::warn!(%error, "the index of the snapshots is made anew");
                self.stage_onto()
            }
            staged => staged,
        }
    }

    fn stage_onto(&self) -> Result<Staged, SnapshotError> {
        let listing = ["ls-files", "-z", "--others", "--modified", "--deleted", "--exclude-standard"];
        // Both look at each file: two at once.
        let (listed, modes) = std::thread::scope(|scope| {
            let modes = scope.spawn(|| self.modes_of_known());
            (self.names(&listing), modes.join())
        });
        let (listed, mut modes) = (listed?, modes.unwrap_or_else(|panic| std::panic::resume_unwind(panic))?);
        let names: BTreeSet<&[u8]> =
            listed.split(|byte| *byte == 0).filter(|name| !name.is_empty()).collect();
        let (mut fresh, mut gone, mut left_out) = (Vec::new(), Vec::new(), Vec::new());
        for name in names {
            match self.why_not(name) {
                None => {
                    modes.look(&self.workspace, name);
                    fresh.push(name);
                }
                Some(why) => {
                    left_out.push(format!("{} ({why})", String::from_utf8_lossy(name)));
                    if !name.ends_with(b"/") {
                        modes.forget(name);
                        gone.push(name);
                    }
                }
            }
        }
        self.take_in(&fresh)?;
        if !gone.is_empty() {
            self.git.feed(&["update-index", "--force-remove", "-z", "--stdin"], list(&gone))?;
        }
        let files = self.git.run(["write-tree"])?.text().trim_end().to_owned();
        let mut entries = format!("040000 tree {files}\tfiles\n");
        if !modes.is_empty() {
            let blob = self.git.feed(&["hash-object", "-w", "--stdin"], modes.written())?.text();
            entries.push_str(&format!("100644 blob {}\tmodes\n", blob.trim_end()));
        }
        let tree = self.git.feed(&["mktree", "--missing"], entries)?.text().trim_end().to_owned();
        Ok(Staged { tree, files, modes, left_out })
    }

    fn take_in(&self, names: &[&[u8]]) -> Result<(), SnapshotError> {
        for names in names.chunks(AT_ONCE) {
            let mut git = self.git.clone();
            if names.len() >= MANY {
                // Whatever is larger than that goes into a pack at once, and is not compressed.
                git = git.set("core.bigFileThreshold", "1").set("core.compression", "0");
                self.note_plain()?;
            }
            git.feed(&["update-index", "--add", "--remove", "-z", "--stdin"], list(names))?;
        }
        Ok(())
    }

    /// The modes of the files of the snapshot before.
    fn modes_of_known(&self) -> Result<Modes, SnapshotError> {
        let mut modes = Modes::default();
        if self.index.exists() {
            let known = self.names(&["ls-files", "-z"])?;
            for name in known.split(|byte| *byte == 0).filter(|name| !name.is_empty()) {
                modes.look(&self.workspace, name);
            }
        }
        Ok(modes)
    }

    /// Names that git lists, all of them.
    pub(super) fn names(&self, listing: &[&str]) -> Result<Vec<u8>, SnapshotError> {
        let listed = self.git.run(listing)?;
        if listed.dropped() > 0 {
            return Err(SnapshotError::TooMany(self.workspace.clone()));
        }
        Ok(listed.bytes())
    }

    /// Why a file is left out, if it is. One that is gone is not: that is a change as well.
    fn why_not(&self, name: &[u8]) -> Option<String> {
        let name = OsStr::from_bytes(name);
        let path = self.workspace.join(name);
        let data = std::fs::symlink_metadata(&path).ok()?;
        if data.is_dir() {
            return name.as_bytes().ends_with(b"/").then(|| "a repository of its own".to_owned());
        }
        if !data.is_file() {
            return None;
        }
        if data.len() > self.biggest {
            return Some(format!("{} MiB", data.len().div_ceil(1024 * 1024)));
        }
        if !self.secrets && secret_file(Path::new(name)) {
            return Some("made to hold credentials".to_owned());
        }
        let unreadable = data.mode() & 0o444 != 0o444
            && File::open(&path).is_err_and(|error| error.kind() == io::ErrorKind::PermissionDenied);
        unreadable.then(|| "not readable".to_owned())
    }
}

/// Names as git reads them from a list.
pub(super) fn list(names: &[&[u8]]) -> Vec<u8> {
    let mut list = names.join(&0);
    list.push(0);
    list
}
