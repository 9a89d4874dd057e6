//! A repository as the git that works in it sees it: its objects, references and index, and a configuration of ours.
//!
//! Git reads the configuration of the folder that `GIT_DIR` names, and there is no switch against that. So that folder is one of
//! our own, with links to what is to be seen: what `git-new-workdir` does for a second working tree. Hooks, the configuration and
//! everything else that is not linked is not there.

use std::io::ErrorKind;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use super::error::{GitError, io};
use super::settings::Settings;

/// Where a repository is.
#[derive(Clone, Debug)]
pub(super) struct Place {
    /// The folder with its files.
    pub(super) root: PathBuf,
    /// What `.git` is or names.
    pub(super) git_dir: PathBuf,
    /// The same, or for a linked working tree that of the main one.
    pub(super) common: PathBuf,
}

/// What must not be a link that leads out of the repository.
const OWN: [&str; 9] =
    ["HEAD", "index", "logs", "logs/HEAD", "logs/refs", "packed-refs", "refs", "refs/heads", "reftable"];

impl Place {
    /// The repository whose `.git` is in `root`. One that lies elsewhere has to say that it belongs there: else anybody's `.git`
    /// could be a link to a repository of the user's.
    pub(super) fn of(root: PathBuf, settings: &Settings) -> Result<Self, GitError> {
        let mark = root.join(".git");
        let astray = |why: String| GitError::Astray { root: root.clone(), why };
        let data = mark.symlink_metadata().map_err(|_| {
            astray(
                "its repository lies elsewhere and says that its files are here: unset `core.worktree` there"
                    .to_owned(),
            )
        })?;
        let named = if data.is_file() { named_by(&mark)? } else { mark.clone() };
        let git_dir = named.canonicalize().map_err(io("found", &named))?;
        let common = match std::fs::read(git_dir.join("commondir")) {
            Ok(text) => {
                let common = git_dir.join(path_in(&text));
                common.canonicalize().map_err(io("found", &common))?
            }
            Err(error) if error.kind() == ErrorKind::NotFound => git_dir.clone(),
            Err(error) => return Err(io("read", git_dir.join("commondir"))(error)),
        };
        let is_linked = common != git_dir;
        if is_linked && git_dir.parent() != Some(&common.join("worktrees")) {
            return Err(astray(format!(
                "{} shares a repository that does not know of it",
                git_dir.display()
            )));
        }
        let is = |path: &Path| path.canonicalize().is_ok_and(|path| path == root);
        let says = settings.worktree.as_ref().map(|folder| is(&git_dir.join(folder)));
        let back = || {
            let text = std::fs::read(git_dir.join("gitdir")).ok()?;
            Some(is(git_dir.join(path_in(&text)).parent()?))
        };
        let is_ours = match says {
            _ if is_linked => back() == Some(true),
            Some(says) => says,
            None => data.is_dir(),
        };
        if !is_ours {
            let git_dir = git_dir.display();
            return Err(astray(match says {
                Some(_) if !is_linked => {
                    format!("{git_dir} says by `core.worktree` that its files are elsewhere")
                }
                _ => format!(
                    "its `.git` names {git_dir}, which does not name it back; if it is meant, \
                     `git --git-dir={git_dir} config core.worktree {}` says so",
                    root.display()
                ),
            }));
        }
        let place = Self { root: root.clone(), git_dir, common };
        match place.link_outside() {
            Some(link) => {
                Err(astray(format!("{} is a link that leads out of its repository", link.display())))
            }
            None => Ok(place),
        }
    }

    fn link_outside(&self) -> Option<PathBuf> {
        let folders = [&self.git_dir, &self.common];
        let parts = folders.into_iter().flat_map(|folder| OWN.iter().map(move |name| folder.join(name)));
        parts.filter(|part| part.is_symlink()).find(|part| {
            let real = part.canonicalize().unwrap_or_default();
            !folders.iter().any(|folder| real.starts_with(folder))
        })
    }
}

/// What a `.git` file names.
fn named_by(file: &Path) -> Result<PathBuf, GitError> {
    let text = std::fs::read(file).map_err(io("read", file))?;
    let named = text.strip_prefix(b"gitdir: ").unwrap_or(&text);
    Ok(file.parent().unwrap_or(file).join(path_in(named)))
}

/// A path that is all of a file but for its last line break.
fn path_in(text: &[u8]) -> PathBuf {
    let end = text.iter().rposition(|byte| !matches!(byte, b'\n' | b'\r')).map_or(0, |last| last + 1);
    PathBuf::from(std::ffi::OsString::from_vec(text[..end].to_owned()))
}

/// A folder for `GIT_DIR`; gone when it is dropped.
#[derive(Debug)]
pub(super) struct View {
    folder: tempfile::TempDir,
    pub(super) place: Place,
}

impl View {
    pub(super) fn of(place: Place, settings: &Settings) -> Result<Self, GitError> {
        let temporary = std::env::temp_dir();
        let made = tempfile::Builder::new().prefix("hookspec-git-").tempdir_in(&temporary);
        let folder = made.map_err(io("made", temporary))?;
        let view = Self { folder, place };
        let Place { git_dir, common, .. } = &view.place;
        if settings.ref_storage.as_deref() == Some("reftable") && git_dir != common {
            let why = "a linked working tree with references as a table is not understood here".to_owned();
            return Err(GitError::Astray { root: view.place.root.clone(), why });
        }
        for folder in ["logs", "info"] {
            let folder = view.path().join(folder);
            std::fs::create_dir(&folder).map_err(io("made", &folder))?;
        }
        for (name, folder) in [
            ("refs", common),
            ("packed-refs", common),
            ("reftable", common),
            ("shallow", common),
            ("info/exclude", common),
            ("info/attributes", common),
            ("info/sparse-checkout", git_dir),
        ] {
            view.link(name, &folder.join(name))?;
        }
        for entry in std::fs::read_dir(git_dir).map_err(io("read", git_dir))?.flatten() {
            if entry.file_name().as_bytes().starts_with(b"sharedindex.") {
                let name = entry.file_name();
                view.link(Path::new(&name), &entry.path())?;
            }
        }
        let config = view.path().join("config");
        std::fs::write(&config, settings.file()).map_err(io("written", config))?;
        view.follow()?;
        Ok(view)
    }

    fn link(&self, name: impl AsRef<Path>, to: &Path) -> Result<(), GitError> {
        if !to.exists() {
            return Ok(());
        }
        let link = self.path().join(name);
        symlink(to, &link).map_err(io("made", link))
    }

    /// Links to the logs of the references, and makes what is missing of them; for whoever changes one.
    pub(super) fn have_logs(&self) -> Result<(), GitError> {
        let Place { git_dir, common, .. } = &self.place;
        let (head, refs) = (git_dir.join("logs"), common.join("logs/refs"));
        for folder in [&head, &refs] {
            std::fs::create_dir_all(folder).map_err(io("made", folder))?;
        }
        for (name, to) in [("logs/HEAD", head.join("HEAD")), ("logs/refs", refs)] {
            let link = self.path().join(name);
            if !link.is_symlink() {
                symlink(to, &link).map_err(io("made", link))?;
            }
        }
        Ok(())
    }

    /// Takes over which branch is checked out: the user may have changed that a moment ago.
    pub(super) fn follow(&self) -> Result<(), GitError> {
        let (theirs, ours) = (self.place.git_dir.join("HEAD"), self.path().join("HEAD"));
        // `HEAD` as a link to a reference, as it was long ago.
        let linked = std::fs::read_link(&theirs).ok().filter(|to| to.starts_with("refs"));
        let text = match linked {
            Some(to) => [b"ref: ", to.as_os_str().as_bytes(), b"\n"].concat(),
            None => std::fs::read(&theirs).map_err(io("read", theirs))?,
        };
        std::fs::write(&ours, text).map_err(io("written", ours))
    }

    pub(super) fn path(&self) -> &Path {
        self.folder.path()
    }
}
