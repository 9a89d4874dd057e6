//! Git, such that it runs nothing that a repository names.
//!
//! A repository's configuration can name programs for git to run: a file-system monitor, hooks, filters, signers, external diffs
//! and text converters, ssh commands, pagers, transports for what a partial clone lacks; there are more with each version. An agent
//! works in repositories that somebody else wrote, so none of these may run because a hook asked for a status.
//!
//! So the git that works never reads a repository's configuration. [`Git::around`] has git list it, which runs nothing, hands on
//! the settings that say how files are stored and who commits, by name, and works through a folder of our own that links to the
//! repository's objects, references and index. What the user's own configuration names stays in force where it matters
//! for what is stored (filters: large-file storage).
//!
//! Every call has a deadline, literal pathspecs, an environment without anything of git's, a `PATH` without the repository's
//! folders, and no prompt, pager, editor, replaced objects or network. A subcommand that nobody has looked at is refused.
//!
//! ```no_run
//! use hookspec_process::git::Git;
//!
//! if let Some(git) = Git::around(std::path::Path::new("."))? {
//!     let changed = git.states()?;
//!     println!("{} files of {} differ", changed.len(), git.root().display());
//! }
//! # Ok::<(), hookspec_process::git::GitError>(())
//! ```

mod commands;
mod commit;
mod error;
mod settings;
mod state;
mod view;

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use crate::find::{find, path_outside};
use crate::kept::Kept;
use crate::run::{Ended, ProcessError, Program};

pub use commit::{Committed, LeftOut, Version};
pub use error::GitError;
pub use state::State;

use settings::Settings;
use view::{Place, View};

/// Variables of each call. Beside these, git gets of our environment what every program does, which is none that it looks for.
const VARIABLES: &[(&str, &str)] = &[
    ("LC_ALL", "C"),
    ("GIT_CONFIG_NOSYSTEM", "1"),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("GIT_ASKPASS", "false"),
    ("SSH_ASKPASS", "false"),
    ("GIT_EDITOR", "false"),
    ("GIT_SEQUENCE_EDITOR", "false"),
    ("GIT_PAGER", "cat"),
    ("GIT_SSH_COMMAND", "false"),
    ("GIT_NO_LAZY_FETCH", "1"),
    ("GIT_ALLOW_PROTOCOL", "none"),
    ("GIT_PROTOCOL_FROM_USER", "0"),
    // Else what is looked at and what is committed may be two things.
    ("GIT_NO_REPLACE_OBJECTS", "1"),
];

/// Git in one directory.
#[derive(Clone, Debug)]
pub struct Git {
    program: PathBuf,
    dir: PathBuf,
    /// Through what it works; none for a repository of our own.
    view: Option<Arc<View>>,
    variables: Vec<(OsString, OsString)>,
    /// For others that run git here.
    shield: Vec<(OsString, OsString)>,
    deadline: Duration,
    keep: usize,
}

impl Git {
    /// Git in the working tree around a directory; `None` where there is none.
    ///
    /// # Errors
    /// If there is no git, the repository cannot be read, belongs to another user, or is not where it says.
    pub fn around(dir: &Path) -> Result<Option<Self>, GitError> {
        let mut git = Self::plain(dir, dir)?.deadline(Duration::from_secs(10));
        git.variables.retain(|(name, _)| name != "GIT_CONFIG_NOSYSTEM");
        let args = ["rev-parse", "--show-toplevel"].map(OsString::from);
        let ended = git.program(&args, Vec::new(), &[]).run()?;
        if !ended.status.success() {
            // Neither in one, nor in a folder of its files: inside of `.git`, or a repository without files.
            let said = ended.stderr.text();
            let none = ["not a git repository", "must be run in a work tree", "cannot use bare repository"];
            if none.iter().any(|none| said.contains(none)) {
                return Ok(None);
            }
            return Err(git.failed(&args, &ended));
        }
        let root = ended.stdout.bytes();
        let root = PathBuf::from(OsString::from_vec(root.strip_suffix(b"\n").unwrap_or(&root).to_owned()));
        let args = ["config", "--list", "--show-scope", "--null"].map(OsString::from);
        let ended = git.program(&args, Vec::new(), &[]).run()?;
        let listed = git.checked(&args, ended)?;
        if listed.dropped() > 0 {
            return Err(GitError::TooMuch("config".to_owned()));
        }
        let settings = Settings::read(&listed.bytes());
        let root = root.canonicalize().map_err(error::io("found", root))?;
        let view = View::of(Place::of(root, &settings)?, &settings)?;
        let mut git = Self::plain(dir, &view.place.root)?;
        git.variables.extend(settings.variables());
        git = git
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_DIR", view.path())
            .env("GIT_WORK_TREE", &view.place.root)
            .env("GIT_OBJECT_DIRECTORY", view.place.common.join("objects"))
            .env("GIT_INDEX_FILE", view.place.git_dir.join("index"));
        git.view = Some(Arc::new(view));
        git.shield = settings.shield();
        Ok(Some(git))
    }

    /// Git for a repository of our own, whose configuration nobody else writes. Its working tree may be anybody's.
    ///
    /// # Errors
    /// If there is no git.
    pub fn own(git_dir: &Path, work_tree: &Path) -> Result<Self, GitError> {
        let mut git = Self::plain(work_tree, work_tree)?;
        git.variables.retain(|(name, _)| name != "GIT_CONFIG_NOSYSTEM");
        Ok(git.env("GIT_DIR", git_dir).env("GIT_WORK_TREE", work_tree))
    }

    /// With nothing of a repository, and programs from outside of `not_under`.
    fn plain(dir: &Path, not_under: &Path) -> Result<Self, GitError> {
        let program = find("git", Some(not_under)).ok_or_else(|| GitError::Missing(not_under.to_owned()))?;
        let mut variables: Vec<(OsString, OsString)> =
            VARIABLES.iter().map(|(name, value)| (name.into(), value.into())).collect();
        variables.push(("PATH".into(), path_outside(not_under)));
        variables.extend(Settings::default().variables());
        let (deadline, keep) = (Duration::from_secs(10), 4 * 1024 * 1024);
        let shield = Settings::default().shield();
        Ok(Self { program, dir: dir.to_owned(), view: None, variables, shield, deadline, keep })
    }

    /// The top of the working tree, by its real path.
    #[must_use]
    pub fn root(&self) -> &Path {
        self.view.as_ref().map_or(&self.dir, |view| &view.place.root)
    }

    /// The same repository, from its top.
    #[must_use]
    pub fn from_root(mut self) -> Self {
        self.dir = self.root().to_owned();
        self
    }

    /// Variables for a program that runs git by itself in this repository: file-system monitor, hooks, filters and differs of the
    /// repository's are off. That is a list, and so weaker than what is done here.
    pub fn shield(&self) -> impl Iterator<Item = (&OsStr, &OsStr)> {
        self.shield.iter().map(|(name, value)| (name.as_os_str(), value.as_os_str()))
    }

    /// How long each call may take; 10 s unless said otherwise.
    #[must_use]
    pub fn deadline(mut self, deadline: Duration) -> Self {
        self.deadline = deadline;
        self
    }

    /// How many bytes of each output are kept; 4 MiB unless said otherwise.
    #[must_use]
    pub fn keep(mut self, bytes: usize) -> Self {
        self.keep = bytes;
        self
    }

    /// Sets a variable for each call.
    #[must_use]
    pub fn env(mut self, name: &str, value: impl AsRef<OsStr>) -> Self {
        self.variables.push((name.into(), value.as_ref().to_owned()));
        self
    }

    /// Sets a setting for each call, over all others.
    #[must_use]
    pub fn set(mut self, name: &str, value: &str) -> Self {
        let counted = self.variables.iter().rev().find(|(name, _)| name == "GIT_CONFIG_COUNT");
        let count: usize = counted.and_then(|(_, count)| count.to_str()?.parse().ok()).unwrap_or(0);
        for (name, value) in [
            (format!("GIT_CONFIG_KEY_{count}"), name.to_owned()),
            (format!("GIT_CONFIG_VALUE_{count}"), value.to_owned()),
            ("GIT_CONFIG_COUNT".to_owned(), (count + 1).to_string()),
        ] {
            self.variables.push((name.into(), value.into()));
        }
        self
    }

    /// Runs a subcommand. What comes from outside belongs behind `--`, or into [`paths`](Self::paths).
    ///
    /// # Errors
    /// If it fails, is not done in time, or is none that is known to run no program.
    pub fn run<A: AsRef<OsStr>>(&self, args: impl IntoIterator<Item = A>) -> Result<Kept, GitError> {
        let args: Vec<OsString> = args.into_iter().map(|arg| arg.as_ref().to_owned()).collect();
        let ended = self.ended(&args, Vec::new())?;
        self.checked(&args, ended)
    }

    /// Runs a subcommand with an input.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn feed(&self, args: &[&str], input: impl Into<Vec<u8>>) -> Result<Kept, GitError> {
        let args: Vec<OsString> = args.iter().map(Into::into).collect();
        let ended = self.ended(&args, input.into())?;
        self.checked(&args, ended)
    }

    /// Runs a subcommand on these paths, taken literally; they go in through standard input, so that there
    /// may be any number of them. The subcommand must take `--pathspec-from-file`.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn paths(&self, args: &[&str], paths: &[impl AsRef<Path>]) -> Result<Kept, GitError> {
        let from_input = ["--pathspec-from-file=-", "--pathspec-file-nul"];
        let args: Vec<OsString> = args.iter().chain(&from_input).map(Into::into).collect();
        let ended = self.ended(&args, listed(paths))?;
        self.checked(&args, ended)
    }

    /// The text that a subcommand prints, trimmed; `None` where it fails, which for a query means "no".
    ///
    /// # Errors
    /// If it does not run to its end.
    pub fn ask<A: AsRef<OsStr>>(
        &self,
        args: impl IntoIterator<Item = A>,
    ) -> Result<Option<String>, GitError> {
        let args: Vec<OsString> = args.into_iter().map(|arg| arg.as_ref().to_owned()).collect();
        let ended = self.ended(&args, Vec::new())?;
        Ok(ended.status.success().then(|| ended.stdout.text().trim_end().to_owned()))
    }

    fn ended(&self, args: &[OsString], input: Vec<u8>) -> Result<Ended, GitError> {
        let name = args.first().map(OsString::as_os_str).unwrap_or_default();
        let unknown = || GitError::Unknown(name.to_string_lossy().into_owned());
        let known = commands::known(name).ok_or_else(unknown)?;
        if known.own && self.view.is_some() {
            return Err(unknown());
        }
        if let Some(view) = &self.view {
            view.follow()?;
            if known.moves {
                view.have_logs()?;
            }
        }
        Ok(self.program(args, input, known.options).run()?)
    }

    fn program(&self, args: &[OsString], input: Vec<u8>, options: &[&str]) -> Program {
        let (name, rest) = args.split_at(args.len().min(1));
        let mut program = Program::new(&self.program)
            .args(["--no-pager", "--no-optional-locks", "--literal-pathspecs"])
            .args(name)
            .args(options)
            .args(rest)
            .cwd(&self.dir)
            .deadline(self.deadline)
            .keep(self.keep)
            .input(input);
        for (name, value) in &self.variables {
            program = program.env(name, value);
        }
        program
    }

    fn checked(&self, args: &[OsString], ended: Ended) -> Result<Kept, GitError> {
        if ended.status.success() { Ok(ended.stdout) } else { Err(self.failed(args, &ended)) }
    }

    fn failed(&self, args: &[OsString], ended: &Ended) -> GitError {
        GitError::Failed {
            command: args.first().map(|arg| arg.to_string_lossy().into_owned()).unwrap_or_default(),
            dir: self.dir.clone(),
            how: ended.words(),
            said: ended.stderr.text().trim().to_owned(),
        }
    }
}

impl GitError {
    /// Whether it failed for want of time.
    #[must_use]
    pub fn took_long(&self) -> bool {
        matches!(self, Self::Process(ProcessError::Deadline { .. }))
    }
}

/// Paths as git reads them from a list: each with a NUL after it.
fn listed(paths: &[impl AsRef<Path>]) -> Vec<u8> {
    let mut list = Vec::new();
    for path in paths {
        list.extend_from_slice(path.as_ref().as_os_str().as_bytes());
        list.push(0);
    }
    list
}
