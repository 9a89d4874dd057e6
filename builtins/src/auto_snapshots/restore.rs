//! Going back to a snapshot.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::fs::Permissions;
use std::io::ErrorKind;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use serde::Serialize;

use super::error::{SnapshotError, failed};
use super::history::{Change, Snapshot};
use super::modes::Modes;
use super::shadow::Shadow;
use super::stage::{Staged, list};

/// So many ignored files and folders are told one by one.
const TOLD: usize = 20;

/// What a restore did.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Restored {
    /// The snapshot that was made before.
    pub safety: String,
    /// Files that are as they were again.
    pub written: Vec<PathBuf>,
    /// Files that did not exist then.
    pub deleted: Vec<PathBuf>,
    /// Files that were left alone, since no snapshot holds what they are now.
    pub left: Vec<PathBuf>,
    /// What the snapshot does not hold, and why: whatever it was then, it is as it is now.
    pub not_held: Vec<String>,
}

impl Shadow {
    /// Brings every file back to what it was in a snapshot. Before that the tree is saved as it is now; if it cannot be,
    /// nothing is touched. Files that were added since are deleted; files that snapshots leave out are left alone.
    ///
    /// # Errors
    /// If the tree could not be saved, or not all of it restored.
    pub fn restore(&self, snapshot: &Snapshot, now: Timestamp) -> Result<Restored, SnapshotError> {
        let not_safe = |error| SnapshotError::NotSafe(Box::new(error));
        let theirs = self.clone().on_branch(&snapshot.session);
        let _held = theirs.hold().map_err(not_safe)?;
        let short = snapshot.id.get(..10).unwrap_or(&snapshot.id);
        let staged = theirs.stage().map_err(not_safe)?;
        let safety = theirs.commit(&format!("safety:{short}"), now, &staged).map_err(not_safe)?;
        let plan = theirs.plan(snapshot, &staged).map_err(not_safe)?;
        let not_held = theirs.not_held(snapshot).map_err(not_safe)?;
        theirs.carry_out(snapshot, &plan, &staged).map_err(|error| SnapshotError::BrokenOff {
            why: Box::new(error),
            safety: safety.get(..10).unwrap_or_default().to_owned(),
        })?;
        let written = plan.written.into_iter().collect();
        let (deleted, left) = (plan.deleted.into_iter().collect(), plan.left);
        Ok(Restored { safety, written, deleted, left, not_held })
    }

    fn plan(&self, snapshot: &Snapshot, staged: &Staged) -> Result<Plan, SnapshotError> {
        let changes = self.differences(&staged.files, &snapshot.files())?;
        // Whoever works here as well may be quicker than we are.
        let busy = self.names(&["ls-files", "-z", "--modified"])?;
        let busy: BTreeSet<&[u8]> = busy.split(|byte| *byte == 0).collect();
        let mut plan = Plan::default();
        let mut wanted = Vec::new();
        for Change { kind, path } in changes {
            // What is gone meanwhile is in the way of nothing.
            let is_there = self.workspace.join(&path).symlink_metadata().is_ok();
            if is_there && busy.contains(path.as_os_str().as_bytes()) {
                plan.left.push(path);
            } else if kind == 'D' {
                plan.deleted.insert(path);
            } else {
                wanted.push((kind, path));
            }
        }
        for (kind, path) in wanted {
            if self.has_room(kind, &path, &plan.deleted) {
                plan.written.insert(path);
            } else {
                plan.left.push(path);
            }
        }
        plan.left.sort();
        Ok(plan)
    }

    /// Whether a file can be written without the loss of anything that is not in the snapshot just made.
    fn has_room(&self, kind: char, path: &Path, deleted: &BTreeSet<PathBuf>) -> bool {
        if let Some(part) = self.no_folder_above(path) {
            // Through a link lies what is elsewhere; once that is gone, nothing is in the way.
            return deleted.contains(&part);
        }
        match self.workspace.join(path).symlink_metadata() {
            Ok(data) if data.is_dir() => self.goes_whole(path, deleted),
            // It is there, and git knows of no such file.
            Ok(_) => kind != 'A',
            Err(_) => true,
        }
    }

    /// The uppermost part of the way to a file that is there and no folder.
    fn no_folder_above(&self, path: &Path) -> Option<PathBuf> {
        let above: Vec<&Path> =
            path.ancestors().skip(1).filter(|part| !part.as_os_str().is_empty()).collect();
        let is_other =
            |part: &Path| self.workspace.join(part).symlink_metadata().is_ok_and(|data| !data.is_dir());
        above.into_iter().rev().find(|part| is_other(part)).map(Path::to_owned)
    }

    /// Whether all of a folder is deleted.
    fn goes_whole(&self, folder: &Path, deleted: &BTreeSet<PathBuf>) -> bool {
        let Ok(entries) = std::fs::read_dir(self.workspace.join(folder)) else { return false };
        entries.into_iter().all(|entry| {
            let Ok(entry) = entry else { return false };
            let path = folder.join(entry.file_name());
            let is_dir = entry.file_type().is_ok_and(|kind| kind.is_dir());
            if is_dir { self.goes_whole(&path, deleted) } else { deleted.contains(&path) }
        })
    }

    fn carry_out(&self, snapshot: &Snapshot, plan: &Plan, staged: &Staged) -> Result<(), SnapshotError> {
        let mut opened = Opened::default();
        let done = self.change_files(snapshot, plan, &mut opened);
        opened.close();
        done?;
        if snapshot.has_modes { self.change_modes(snapshot, plan, &staged.modes) } else { Ok(()) }
    }

    fn change_files(
        &self,
        snapshot: &Snapshot,
        plan: &Plan,
        opened: &mut Opened,
    ) -> Result<(), SnapshotError> {
        for path in plan.deleted.iter().chain(&plan.written) {
            let above: Vec<&Path> = path.ancestors().skip(1).collect();
            for folder in above.into_iter().rev() {
                // Not through a link.
                if !opened.open(&self.workspace.join(folder)) {
                    break;
                }
            }
        }
        for path in &plan.deleted {
            let whole = self.workspace.join(path);
            match std::fs::remove_file(&whole) {
                Err(error) if !matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
                    return Err(failed("deleted", &whole)(error));
                }
                _ => {}
            }
            for folder in path.ancestors().skip(1).filter(|part| !part.as_os_str().is_empty()) {
                if std::fs::remove_dir(self.workspace.join(folder)).is_err() {
                    break;
                }
            }
        }
        for path in &plan.written {
            // With nothing in it but folders, if it is one: that was looked at.
            remove_folders(&self.workspace.join(path));
        }
        if plan.deleted.is_empty() && plan.written.is_empty() {
            return Ok(());
        }
        self.git.feed(&["update-index", "-z", "--index-info"], self.index_info(snapshot, plan)?)?;
        let written: Vec<&[u8]> = plan.written.iter().map(|path| path.as_os_str().as_bytes()).collect();
        if !written.is_empty() {
            self.git.feed(&["checkout-index", "--force", "--index", "-z", "--stdin"], list(&written))?;
        }
        Ok(())
    }

    /// What the index is to say of the files of a plan.
    fn index_info(&self, snapshot: &Snapshot, plan: &Plan) -> Result<Vec<u8>, SnapshotError> {
        let listed = self.names(&["ls-tree", "-r", "-z", "--full-tree", &snapshot.files()])?;
        let (mut gone, mut info) = (Vec::new(), Vec::new());
        for path in &plan.deleted {
            gone.extend_from_slice(b"0 0000000000000000000000000000000000000000\t");
            gone.extend_from_slice(path.as_os_str().as_bytes());
            gone.push(0);
        }
        for entry in listed.split(|byte| *byte == 0) {
            let Some(at) = entry.iter().position(|byte| *byte == b'\t') else { continue };
            if plan.written.contains(Path::new(OsStr::from_bytes(&entry[at + 1..]))) {
                info.extend_from_slice(entry);
                info.push(0);
            }
        }
        Ok([gone, info].concat())
    }

    fn change_modes(&self, snapshot: &Snapshot, plan: &Plan, now: &Modes) -> Result<(), SnapshotError> {
        let listed = self.git.run(["ls-tree", "-z", &snapshot.id, "modes"])?;
        let modes = match listed.is_empty() {
            true => Modes::default(),
            false => Modes::read(&self.names(&["cat-file", "blob", &format!("{}:modes", snapshot.id)])?),
        };
        let set = |name: &[u8], mode: Option<u32>| {
            let is_folder = name.ends_with(b"/");
            let inside = Path::new(OsStr::from_bytes(name.strip_suffix(b"/").unwrap_or(name)));
            let path = self.workspace.join(inside);
            let Ok(data) = path.symlink_metadata() else { return Ok(()) };
            if data.is_symlink() || data.is_dir() != is_folder || self.no_folder_above(inside).is_some() {
                return Ok(());
            }
            let ordinary = if is_folder || data.mode() & 0o100 != 0 { 0o755 } else { 0o644 };
            let mode = mode.unwrap_or(ordinary);
            if data.mode() & 0o7777 == mode {
                return Ok(());
            }
            std::fs::set_permissions(&path, Permissions::from_mode(mode))
                .map_err(failed("given its mode", &path))
        };
        let left: BTreeSet<&[u8]> = plan.left.iter().map(|path| path.as_os_str().as_bytes()).collect();
        for path in &plan.written {
            let name = path.as_os_str().as_bytes();
            set(name, modes.of(name))?;
        }
        // What was ordinary then, and is in the snapshot at all.
        for (name, _) in now.iter().filter(|(name, _)| modes.of(name).is_none() && !left.contains(name)) {
            let Ok(text) = std::str::from_utf8(name) else { continue };
            let there = format!("{}:{}", snapshot.files().trim_end_matches(':'), text.trim_end_matches('/'));
            let there = there.replacen(":files:", ":files/", 1);
            if self.git.ask(["rev-parse", "--verify", "--quiet", &there])?.is_some() {
                set(name, None)?;
            }
        }
        // Folders after what is in them: it may be the last time that they can be entered.
        for (name, mode) in modes.iter().rev().filter(|(name, _)| !left.contains(name)) {
            set(name, Some(mode))?;
        }
        Ok(())
    }

    /// What the snapshot does not hold, and what is ignored now.
    fn not_held(&self, snapshot: &Snapshot) -> Result<Vec<String>, SnapshotError> {
        let mut told = snapshot.left_out.clone();
        let ignored =
            self.git.run(["ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--directory"])?;
        let ignored = ignored.bytes();
        let names: Vec<_> = ignored.split(|byte| *byte == 0).filter(|name| !name.is_empty()).collect();
        told.extend(
            names.iter().take(TOLD).map(|name| format!("{} (ignored)", String::from_utf8_lossy(name))),
        );
        if names.len() > TOLD {
            told.push(format!("{} more that are ignored", names.len() - TOLD));
        }
        Ok(told)
    }
}

/// What a restore does.
#[derive(Debug, Default)]
struct Plan {
    deleted: BTreeSet<PathBuf>,
    written: BTreeSet<PathBuf>,
    left: Vec<PathBuf>,
}

/// Folders that were made writable, with what they were.
#[derive(Debug, Default)]
struct Opened(BTreeMap<PathBuf, u32>);

impl Opened {
    /// Gives whether it is a folder.
    fn open(&mut self, folder: &Path) -> bool {
        let Some(data) = folder.symlink_metadata().ok().filter(std::fs::Metadata::is_dir) else {
            return false;
        };
        let mode = data.mode() & 0o7777;
        // Where that is not for us to say, the change itself will fail.
        if mode & 0o300 != 0o300
            && std::fs::set_permissions(folder, Permissions::from_mode(mode | 0o300)).is_ok()
        {
            self.0.insert(folder.to_owned(), mode);
        }
        true
    }

    /// What is inside comes first.
    fn close(&self) {
        for (folder, mode) in self.0.iter().rev() {
            if folder.is_dir()
                && let Err(error) = std::fs::set_permissions(folder, Permissions::from_mode(*mode))
            {
                tracing::warn!(folder = %folder.display(), %error, "the folder stays writable");
            }
        }
    }
}

/// Removes a folder that holds nothing but such folders.
fn remove_folders(path: &Path) {
    if path.symlink_metadata().is_ok_and(|data| data.is_dir()) {
        for entry in std::fs::read_dir(path).into_iter().flatten().flatten() {
            remove_folders(&entry.path());
        }
        let _ = std::fs::remove_dir(path);
    }
}
