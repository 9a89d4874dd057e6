//! A commit of these files and no others, whose content somebody has looked at.
//!
//! What is looked at is what is committed, byte for byte: a tree is made first, its files are shown, and then that tree becomes the
//! commit. A file that is written to in between is committed as it was shown. The repository's hooks are not run, nor is
//! the commit signed.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use super::{Git, GitError, listed};

/// A file as it would be committed.
#[derive(Clone, Copy, Debug)]
pub struct Version<'a> {
    /// Relative to the repository's root.
    pub path: &'a Path,
    /// As it is committed now; empty where it is not.
    pub before: &'a [u8],
    /// As it would be.
    pub after: &'a [u8],
}

/// A file that is not committed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftOut {
    /// Relative to the repository's root.
    pub path: PathBuf,
    /// Why.
    pub why: String,
}

/// What became of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Committed {
    /// The commit's short id; none where nothing was left that differs.
    pub id: Option<String>,
    /// What it changed, relative to the repository's root.
    pub files: Vec<PathBuf>,
    /// What somebody objected to.
    pub left_out: Vec<LeftOut>,
}

/// A file that a tree changes.
struct Changed {
    path: PathBuf,
    /// Of its mode; `160000` is a repository of its own.
    mode: String,
    before: Option<String>,
    after: Option<String>,
}

/// A file that is larger, in bytes, is not looked at, and so not committed.
const LARGEST: u64 = 16 << 20;
/// About so much is looked at in one go.
const AT_ONCE: u64 = 48 << 20;

impl Git {
    /// Commits files, given relative to the root, as they are in the working tree; ones that are gone are deleted. `screen` is shown
    /// each and says why one is not to be committed; `message` is asked once it is known which are. Neither what is staged nor
    /// any other file has a part in it.
    ///
    /// # Errors
    /// If git fails; then nothing is committed, but for [`GitError::IndexBehind`].
    pub fn commit(
        &self,
        files: &[PathBuf],
        screen: &mut dyn FnMut(Version<'_>) -> Option<String>,
        message: &dyn Fn(&[PathBuf]) -> String,
    ) -> Result<Committed, GitError> {
        let Some(view) = &self.view else { return Err(GitError::Unknown("commit".to_owned())) };
        let here = self.clone().from_root();
        let apart =
            here.clone().env("GIT_INDEX_FILE", view.path().join("next-index")).keep(2 * AT_ONCE as usize);
        let head = here.ask(["rev-parse", "--verify", "--quiet", "HEAD^{commit}"])?;
        let before = match &head {
            Some(head) => format!("{head}^{{tree}}"),
            None => apart.feed(&["mktree"], [])?.text().trim_end().to_owned(),
        };
        let mut wanted: BTreeSet<PathBuf> = files.iter().cloned().collect();
        let mut committed = Committed::default();
        let (tree, changed) = loop {
            let tree = apart.tree_with(head.as_deref(), &wanted)?;
            let changed = apart.changed(&before, &tree)?;
            let objections = apart.objections(&changed, screen)?;
            if objections.is_empty() {
                break (tree, changed);
            }
            for left in objections {
                wanted.remove(&left.path);
                committed.left_out.push(left);
            }
        };
        if changed.is_empty() {
            return Ok(committed);
        }
        committed.files = changed.iter().map(|changed| changed.path.clone()).collect();
        let message = cleaned(&message(&committed.files));
        let mut args = vec!["commit-tree", tree.as_str()];
        if let Some(head) = &head {
            args.extend(["-p", head]);
        }
        let id = apart.feed(&args, message.as_bytes())?.text().trim_end().to_owned();
        let subject = message.lines().next().unwrap_or_default();
        let log = format!("commit{}: {subject}", if head.is_some() { "" } else { " (initial)" });
        here.run(["update-ref", "-m", &log, "HEAD", &id, head.as_deref().unwrap_or("")])?;
        let short = here.ask(["rev-parse", "--short", &id])?.unwrap_or(id);
        here.have_index_follow(&changed)
            .map_err(|why| GitError::IndexBehind { commit: short.clone(), why: Box::new(why) })?;
        committed.id = Some(short);
        Ok(committed)
    }

    /// The tree of a commit with these files as they are now.
    fn tree_with(&self, head: Option<&str>, files: &BTreeSet<PathBuf>) -> Result<String, GitError> {
        self.run(["read-tree", head.unwrap_or("--empty")])?;
        if !files.is_empty() {
            let files: Vec<&PathBuf> = files.iter().collect();
            self.feed(&["update-index", "--add", "--remove", "-z", "--stdin"], listed(&files))?;
        }
        // Others than these may be missing, in a partial clone.
        Ok(self.run(["write-tree", "--missing-ok"])?.text().trim_end().to_owned())
    }

    fn changed(&self, before: &str, after: &str) -> Result<Vec<Changed>, GitError> {
        let raw = self.run(["diff-tree", "-r", "-z", "--no-renames", "--no-abbrev", before, after])?;
        if raw.dropped() > 0 {
            return Err(GitError::TooMuch("diff-tree".to_owned()));
        }
        let raw = raw.bytes();
        // `:mode mode id id status`, NUL, path, NUL.
        let mut parts = raw.split(|byte| *byte == 0);
        let mut all = Vec::new();
        while let (Some(head), Some(path)) = (parts.next(), parts.next()) {
            let head = String::from_utf8_lossy(head).into_owned();
            let mut fields = head.split(' ').skip(1);
            let (Some(mode), Some(before), Some(after)) = (fields.next(), fields.next(), fields.next())
            else {
                continue;
            };
            let object = |id: &str| id.bytes().any(|byte| byte != b'0').then(|| id.to_owned());
            all.push(Changed {
                path: PathBuf::from(OsStr::from_bytes(path)),
                mode: mode.to_owned(),
                before: object(before),
                after: object(after),
            });
        }
        Ok(all)
    }

    /// Shows each file, and gives those that are objected to.
    fn objections(
        &self,
        changed: &[Changed],
        screen: &mut dyn FnMut(Version<'_>) -> Option<String>,
    ) -> Result<Vec<LeftOut>, GitError> {
        let mut objections = Vec::new();
        let is_file = |changed: &&Changed| changed.mode != "160000" && changed.after.is_some();
        let shown: Vec<&Changed> = changed.iter().filter(is_file).collect();
        let ids = |changed: &Changed| [changed.before.clone(), changed.after.clone()].into_iter().flatten();
        let sizes = self.sizes(&shown.iter().flat_map(|changed| ids(changed)).collect::<Vec<_>>())?;
        let size =
            |id: &Option<String>| id.as_ref().map_or(0, |id| sizes.get(id).copied().unwrap_or(u64::MAX));
        let mut rest = shown.as_slice();
        while !rest.is_empty() {
            let (mut count, mut sum, mut wanted) = (0, 0, Vec::new());
            for changed in rest {
                let (before, after) = (size(&changed.before), size(&changed.after));
                if count > 0 && sum + before.min(LARGEST) + after.min(LARGEST) > AT_ONCE {
                    break;
                }
                count += 1;
                for (id, size) in [(&changed.before, before), (&changed.after, after)] {
                    if let Some(id) = id.as_ref().filter(|_| size <= LARGEST) {
                        wanted.push(id.clone());
                        sum += size;
                    }
                }
            }
            let contents = self.contents(&wanted)?;
            let (these, others) = rest.split_at(count);
            rest = others;
            for changed in these {
                let content = |id: &Option<String>| match id {
                    Some(id) => contents.get(id).map(Vec::as_slice),
                    None => Some(&[][..]),
                };
                let path = changed.path.as_path();
                let why = match content(&changed.after) {
                    None => Some("it is too large to be looked through".to_owned()),
                    // An old version that is too large excuses nothing.
                    Some(after) => {
                        screen(Version { path, before: content(&changed.before).unwrap_or_default(), after })
                    }
                };
                objections.extend(why.map(|why| LeftOut { path: path.to_owned(), why }));
            }
        }
        Ok(objections)
    }

    fn sizes(&self, ids: &[String]) -> Result<BTreeMap<String, u64>, GitError> {
        if ids.is_empty() {
            return Ok(BTreeMap::new());
        }
        let check = "--batch-check=%(objectname) %(objectsize)";
        let said = self.feed(&["cat-file", check], ids.join("\n") + "\n")?.text();
        let entry = |line: &str| {
            line.split_once(' ').and_then(|(id, size)| Some((id.to_owned(), size.parse().ok()?)))
        };
        Ok(said.lines().filter_map(entry).collect())
    }

    fn contents(&self, ids: &[String]) -> Result<BTreeMap<String, Vec<u8>>, GitError> {
        let mut contents = BTreeMap::new();
        if ids.is_empty() {
            return Ok(contents);
        }
        let said = self.feed(&["cat-file", "--batch=%(objectname) %(objectsize)"], ids.join("\n") + "\n")?;
        if said.dropped() > 0 {
            return Err(GitError::TooMuch("cat-file".to_owned()));
        }
        let said = said.bytes();
        let mut rest = said.as_slice();
        while let Some(end) = rest.iter().position(|byte| *byte == b'\n') {
            let head = String::from_utf8_lossy(&rest[..end]).into_owned();
            rest = &rest[end + 1..];
            let size = head.split_once(' ').and_then(|(id, size)| Some((id, size.parse::<usize>().ok()?)));
            // `missing`: nobody can look at it.
            let Some((id, size)) = size.filter(|(_, size)| *size < rest.len()) else { continue };
            contents.insert(id.to_owned(), rest[..size].to_vec());
            rest = &rest[size + 1..];
        }
        Ok(contents)
    }

    /// Has the index say of these files what the commit says.
    fn have_index_follow(&self, changed: &[Changed]) -> Result<(), GitError> {
        let head = ["ls-tree", "-r", "-z", "HEAD", "--"].map(OsStr::new);
        let mut info = Vec::new();
        let digits = changed.iter().find_map(|changed| changed.before.as_ref()).map_or(40, String::len);
        // As many as a command line bears.
        for some in changed.chunks(200) {
            let (there, gone): (Vec<_>, Vec<_>) = some.iter().partition(|changed| changed.after.is_some());
            for changed in gone {
                info.extend_from_slice(format!("0 {}\t", "0".repeat(digits)).as_bytes());
                info.extend_from_slice(changed.path.as_os_str().as_bytes());
                info.push(0);
            }
            if !there.is_empty() {
                let paths = there.iter().map(|changed| changed.path.as_os_str());
                info.extend(self.run(head.iter().copied().chain(paths))?.bytes());
            }
        }
        self.feed(&["update-index", "-z", "--index-info"], info)?;
        // For the time stamps; it fails where something differs, which is no news.
        self.ask(["update-index", "-q", "--refresh"]).map(drop)
    }
}

/// A message as `git commit` keeps it: no blanks at the ends of lines, no empty lines before, after or twice in a row.
fn cleaned(message: &str) -> String {
    let mut text = String::new();
    let mut empty = 0;
    for line in message.lines().map(|line| line.replace('\0', "")) {
        let line = line.trim_end();
        if line.is_empty() {
            empty += 1;
            continue;
        }
        if empty > 0 && !text.is_empty() {
            text.push('\n');
        }
        empty = 0;
        text.push_str(line);
        text.push('\n');
    }
    if text.is_empty() { "Change files\n".to_owned() } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_cleaned_and_none_is_empty() {
        assert_eq!(cleaned("\n a \n\n\n b\t\n\n"), " a\n\n b\n");
        assert_eq!(cleaned(" \n"), "Change files\n");
    }
}
