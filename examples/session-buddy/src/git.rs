//! Git, as far as scores, metrics and checkpoints need it.
//!
//! It runs nothing that a repository names: hooks, file-system monitors, filters, signers, pagers. Every call has a deadline,
//! no prompt and no network. What it cannot tell is `None`.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::time::Duration;

use hookspec_process::{Program, find};
use jiff::Timestamp;

const OFF: [&str; 10] = [
    "core.fsmonitor=false",
    "core.hooksPath=/dev/null",
    "core.pager=cat",
    "core.editor=false",
    "core.sshCommand=false",
    "credential.helper=",
    "protocol.allow=never",
    "log.showSignature=false",
    "gc.auto=0",
    "maintenance.auto=false",
];

/// Settings of a repository that name programs under names of its own.
const DRIVERS: &str = r"^filter\..*\.(clean|smudge|process|required)$";

/// A commit or a tag that was not made.
#[derive(Debug, thiserror::Error)]
pub enum GitError {
    /// There is no repository, or no git.
    #[error(
        "There is no git repository in the workspace, or no git on PATH: nothing can be committed or tagged."
    )]
    None,
    /// It said no.
    #[error("`git {command}` failed: {said}")]
    Failed {
        /// The subcommand.
        command: String,
        /// What it complained of.
        said: String,
    },
}

/// A repository.
#[derive(Debug)]
pub(crate) struct Git {
    program: PathBuf,
    /// The folder that was asked about: the whole repository or a part of it.
    dir: PathBuf,
    drivers: Vec<String>,
}

impl Git {
    /// The repository around a folder.
    pub(crate) fn at(dir: &Path) -> Option<Self> {
        let program = find("git", Some(dir))?;
        let mut git = Self { program, dir: dir.to_owned(), drivers: Vec::new() };
        git.ask(["rev-parse", "--show-toplevel"])?;
        let named =
            git.ask(["config", "--local", "--name-only", "--get-regexp", DRIVERS]).unwrap_or_default();
        // What the user's own configuration says of the same driver stays (large-file storage).
        let off = |name: &str| {
            let nothing = if name.ends_with(".required") { "false" } else { "" };
            let own = git.ask(["config", "--global", "--get", name]);
            format!("{name}={}", own.as_deref().unwrap_or(nothing))
        };
        let drivers = named.lines().map(off).collect();
        git.drivers = drivers;
        Some(git)
    }

    fn run(&self, args: &[OsString]) -> Result<String, GitError> {
        let command = args.first().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let failed = |said: String| GitError::Failed { command: command.clone(), said };
        let off =
            OFF.iter().copied().chain(self.drivers.iter().map(String::as_str)).flat_map(|set| ["-c", set]);
        let ended = Program::new(&self.program)
            .args(off)
            .args(args)
            .cwd(&self.dir)
            .env("GIT_TERMINAL_PROMPT", "0")
            .env("GIT_OPTIONAL_LOCKS", "0")
            .env("GIT_LITERAL_PATHSPECS", "1")
            .deadline(Duration::from_secs(10))
            .keep(4 * 1024 * 1024)
            .run()
            .map_err(|error| failed(error.to_string()))?;
        if ended.status.success() {
            return Ok(ended.stdout.text().trim_end().to_owned());
        }
        let said = [ended.stderr.text(), ended.stdout.text()].join("\n").trim().to_owned();
        Err(failed(if said.is_empty() { ended.words() } else { said }))
    }

    /// What git says; `None` where it fails.
    pub(crate) fn ask<const N: usize>(&self, args: [&str; N]) -> Option<String> {
        self.run(&args.map(OsString::from)).ok()
    }

    /// The commit that is checked out.
    pub(crate) fn head(&self) -> Option<String> {
        self.ask(["rev-parse", "--verify", "--quiet", "HEAD"])
    }

    /// How many commits came after one.
    pub(crate) fn commits_since(&self, head: Option<&str>) -> Option<u32> {
        let range = head.map_or_else(|| "HEAD".to_owned(), |head| format!("{head}..HEAD"));
        self.ask(["rev-list", "--count", &range])?.parse().ok()
    }

    /// How many commits came after a time.
    pub(crate) fn commits_after(&self, time: Timestamp) -> Option<u32> {
        self.ask(["rev-list", "--count", &format!("--since={time}"), "HEAD"])?.parse().ok()
    }

    /// When a file of the folder was last committed.
    pub(crate) fn committed(&self, path: &str) -> Option<Timestamp> {
        let seconds = self.ask(["log", "-1", "--format=%ct", "--", path])?;
        Timestamp::from_second(seconds.parse().ok()?).ok()
    }

    /// Commits what differs in the folder of what git follows already, and these files of it. Gives the commit's short id;
    /// `None` where nothing differs.
    pub(crate) fn commit(&self, made: &[String], message: &str) -> Result<Option<String>, GitError> {
        for path in made.iter().filter(|path| self.dir.join(path).is_file()) {
            // One that is ignored, or lies elsewhere, stays out.
            if let Err(error) = self.run(&["add", "--intent-to-add", "--", path].map(OsString::from)) {
                tracing::debug!(path, %error, "a file is left out of the checkpoint's commit");
            }
        }
        let differs =
            self.run(&["status", "--porcelain", "--untracked-files=no", "--", "."].map(OsString::from))?;
        if differs.is_empty() {
            return Ok(None);
        }
        let commit = ["commit", "--only", "--quiet", "--no-gpg-sign", "-m", message, "--", "."];
        self.run(&commit.map(OsString::from))?;
        Ok(self.ask(["rev-parse", "--short", "HEAD"]))
    }

    /// Tags what is checked out.
    pub(crate) fn tag(&self, name: &str, message: &str) -> Result<(), GitError> {
        let name: &OsStr = name.as_ref();
        let args = ["tag", "--annotate", "--no-sign", "-m", message, "--"].map(OsString::from);
        self.run(&args.into_iter().chain([name.to_owned()]).collect::<Vec<_>>()).map(drop)
    }
}
