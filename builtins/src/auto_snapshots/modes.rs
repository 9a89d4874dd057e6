//! The modes of files and folders. Git knows of a file whether it may be run, and of a folder nothing.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// Those that are other than `0644` or `0755` for files, and other than `0755` for folders. A folder's name ends in `/`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Modes {
    odd: BTreeMap<Vec<u8>, u32>,
    /// The folder that was looked at last: names come sorted.
    folder: Vec<u8>,
}

impl Modes {
    /// Looks at a file of the workspace, and at the folders that it is in.
    pub(super) fn look(&mut self, workspace: &Path, name: &[u8]) {
        if let Some(end) = name.iter().rposition(|byte| *byte == b'/')
            && self.folder != name[..=end]
        {
            let new = name[..=end].to_vec();
            let ends = new.iter().enumerate().filter(|(_, byte)| **byte == b'/').map(|(index, _)| index + 1);
            for end in ends.filter(|end| !self.folder.starts_with(&new[..*end])).collect::<Vec<_>>() {
                self.note(workspace, &new[..end]);
            }
            self.folder = new;
        }
        self.note(workspace, name);
    }

    fn note(&mut self, workspace: &Path, name: &[u8]) {
        let is_odd = |mode: &u32| *mode != 0o755 && (name.ends_with(b"/") || *mode != 0o644);
        // With a slash at its end, a link would be what it leads to.
        let path = name.strip_suffix(b"/").unwrap_or(name);
        let data = workspace.join(OsStr::from_bytes(path)).symlink_metadata().ok();
        let mode = data.filter(|data| !data.is_symlink()).map(|data| data.mode() & 0o7777);
        match mode.filter(is_odd) {
            Some(mode) => drop(self.odd.insert(name.to_owned(), mode)),
            None => drop(self.odd.remove(name)),
        }
    }

    /// One that is no part of the snapshot.
    pub(super) fn forget(&mut self, name: &[u8]) {
        self.odd.remove(name);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.odd.is_empty()
    }

    pub(super) fn of(&self, name: &[u8]) -> Option<u32> {
        self.odd.get(name).copied()
    }

    pub(super) fn iter(&self) -> impl DoubleEndedIterator<Item = (&[u8], u32)> {
        self.odd.iter().map(|(name, mode)| (name.as_slice(), *mode))
    }

    /// As a snapshot has them: mode, blank, name, NUL.
    pub(super) fn written(&self) -> Vec<u8> {
        let mut text = Vec::new();
        for (name, mode) in &self.odd {
            text.extend_from_slice(format!("{mode:04o} ").as_bytes());
            text.extend_from_slice(name);
            text.push(0);
        }
        text
    }

    pub(super) fn read(text: &[u8]) -> Self {
        let entry = |entry: &[u8]| {
            let at = entry.iter().position(|byte| *byte == b' ')?;
            let mode = u32::from_str_radix(std::str::from_utf8(&entry[..at]).ok()?, 8).ok()?;
            Some((entry[at + 1..].to_owned(), mode & 0o7777))
        };
        let odd = text.split(|byte| *byte == 0).filter_map(entry).collect();
        Self { odd, folder: Vec::new() }
    }
}
