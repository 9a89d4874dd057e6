//! Looking at snapshots, and going back to one.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use serde::Serialize;

use super::shadow::{BRANCHES, Shadow, SnapshotError};

/// A snapshot.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Snapshot {
    /// Its id: a commit of the repository that holds it.
    pub id: String,
    /// The session's id, as its branch writes it: what is not a letter, a digit, `_` or `-` is `%XX`.
    pub session: String,
    /// `initial`, `pre:<tool>`, `post:<tool>` or `safety:<id>`.
    pub label: String,
    /// When it was made.
    pub time: Timestamp,
    /// What it does not hold, and why.
    pub left_out: Vec<String>,
}

/// A file that differs between two snapshots.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Change {
    /// `A` added, `M` changed, `D` deleted, `T` of another type.
    pub kind: char,
    /// Relative to the workspace.
    pub path: PathBuf,
}

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
}

impl Shadow {
    /// The workspace's snapshots, those of all sessions, the newest first.
    ///
    /// # Errors
    /// If the repository cannot be read. Without one there are none.
    pub fn list(&self) -> Result<Vec<Snapshot>, SnapshotError> {
        let mut all = Vec::new();
        if !self.exists() {
            return Ok(all);
        }
        let branches = self.git.run(["for-each-ref", "--format=%(refname)", BRANCHES])?.text();
        for branch in branches.lines() {
            // A control character ends each field, so that no text of a message can be taken for another field.
            let listed = self.git.run(["log", "-z", "--format=%H%x1f%ct%x1f%s%x1f%b", branch, "--"])?.text();
            all.extend(
                listed.split('\0').filter_map(|entry| read(entry, branch.trim_start_matches(BRANCHES))),
            );
        }
        // Stable, so that the newer one of a second stays before the older.
        all.sort_by_key(|snapshot| std::cmp::Reverse(snapshot.time));
        Ok(all)
    }

    /// The snapshot whose id begins so.
    ///
    /// # Errors
    /// If there is none, or more than one.
    pub fn find(&self, id: &str) -> Result<Snapshot, SnapshotError> {
        let mut found =
            self.list()?.into_iter().filter(|snapshot| !id.is_empty() && snapshot.id.starts_with(id));
        match (found.next(), found.next()) {
            (Some(one), None) => Ok(one),
            (None, _) => Err(SnapshotError::Unknown(id.to_owned())),
            (Some(_), Some(_)) => Err(SnapshotError::Ambiguous(id.to_owned())),
        }
    }

    /// Whether a snapshot is of this session.
    #[must_use]
    pub fn has(&self, snapshot: &Snapshot) -> bool {
        self.branch.strip_prefix(BRANCHES) == Some(&snapshot.session)
    }

    /// What changed in a snapshot, compared with the one before it; all of it where none is before it.
    ///
    /// # Errors
    /// If the repository cannot be read.
    pub fn changes(&self, snapshot: &Snapshot) -> Result<Vec<Change>, SnapshotError> {
        let before = self.before(snapshot)?;
        self.differences(&before, &snapshot.id)
    }

    /// The same as a unified diff.
    ///
    /// # Errors
    /// If the repository cannot be read.
    pub fn diff(&self, snapshot: &Snapshot) -> Result<String, SnapshotError> {
        let before = self.before(snapshot)?;
        Ok(self.git.run(["diff-tree", "-p", "-r", "--no-renames", &before, &snapshot.id])?.text())
    }

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
        let mut restored = Restored { safety, written: Vec::new(), deleted: Vec::new(), left: Vec::new() };
        for Change { kind, path } in self.differences(&restored.safety, &snapshot.id).map_err(not_safe)? {
            let into = match kind {
                'D' => &mut restored.deleted,
                'A' if self.is_in_the_way(&path, &restored.deleted) => &mut restored.left,
                _ => &mut restored.written,
            };
            into.push(path);
        }
        let brought_back = || -> Result<(), SnapshotError> {
            if !restored.deleted.is_empty() {
                theirs.git.paths(&["rm", "--quiet", "--force", "--ignore-unmatch"], &restored.deleted)?;
            }
            if !restored.written.is_empty() {
                theirs.git.paths(&["checkout", "--quiet", &snapshot.id], &restored.written)?;
            }
            Ok(())
        };
        brought_back().map_err(|error| SnapshotError::BrokenOff {
            why: Box::new(error),
            safety: restored.safety.get(..10).unwrap_or_default().to_owned(),
        })?;
        Ok(restored)
    }

    /// Whether something stands where a file is to be written, or where one of its folders is, that is not in the
    /// snapshot just made: nothing could bring it back.
    fn is_in_the_way(&self, path: &Path, deleted: &[PathBuf]) -> bool {
        path.ancestors().filter(|part| !part.as_os_str().is_empty()).any(|part| {
            let there = self.workspace.join(part).symlink_metadata();
            there.is_ok_and(|data| part == path || !data.is_dir()) && !deleted.iter().any(|gone| gone == part)
        })
    }

    /// The snapshot before one, or an empty tree.
    fn before(&self, snapshot: &Snapshot) -> Result<String, SnapshotError> {
        let parent = format!("{}^", snapshot.id);
        match self.git.ask(&["rev-parse", "--verify", "--quiet", &parent])? {
            Some(parent) => Ok(parent),
            None => Ok(self
                .git
                .run(["hash-object", "-w", "-t", "tree", "/dev/null"])?
                .text()
                .trim_end()
                .to_owned()),
        }
    }

    fn differences(&self, from: &str, to: &str) -> Result<Vec<Change>, SnapshotError> {
        let raw = self.git.run(["diff-tree", "-r", "-z", "--no-renames", from, to])?;
        if raw.dropped() > 0 {
            return Err(SnapshotError::TooMany(self.workspace.clone()));
        }
        let raw = raw.bytes();
        // `:modes ids status`, NUL, path, NUL.
        let mut parts = raw.split(|byte| *byte == 0);
        let mut found = BTreeMap::new();
        while let (Some(head), Some(path)) = (parts.next(), parts.next()) {
            let kind = head.rsplit(|byte| *byte == b' ').next().and_then(|status| status.first());
            if let Some(kind) = kind {
                found.insert(PathBuf::from(OsStr::from_bytes(path)), char::from(*kind));
            }
        }
        Ok(found.into_iter().map(|(path, kind)| Change { kind, path }).collect())
    }
}

fn read(entry: &str, session: &str) -> Option<Snapshot> {
    let mut fields = entry.splitn(4, '\u{1f}');
    let (id, time, label, body) = (fields.next()?, fields.next()?, fields.next()?, fields.next()?);
    let left_out = body.split_once("Left out:\n").map(|(_, list)| list).unwrap_or_default();
    Some(Snapshot {
        id: id.trim().to_owned(),
        session: session.to_owned(),
        label: label.to_owned(),
        time: Timestamp::from_second(time.parse().ok()?).ok()?,
        left_out: left_out.lines().filter(|line| !line.is_empty()).map(str::to_owned).collect(),
    })
}
