//! Git, such that it runs nothing that a repository names.
//!
//! A repository's own configuration can name programs for git to run: a file-system monitor, hooks, filters,
//! external diffs and text converters, ssh commands, pagers. An agent works in repositories that somebody
//! else wrote, so none of these may run because a hook asked for a status. What the user's own configuration
//! names stays in force where it matters for what is stored (filters: large-file storage).
//!
//! Every call has a deadline, literal pathspecs, and no prompt, pager, editor or network.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::time::Duration;

use hookspec_process::{Ended, Kept, ProcessError, Program, find};

/// Switched off on every call, whoever set it.
const OFF: [&str; 15] = [
    "core.fsmonitor=false",
    "core.hooksPath=/dev/null",
    "core.pager=cat",
    "core.editor=false",
    "core.askPass=",
    "core.sshCommand=false",
    "core.gitProxy=",
    "core.alternateRefsCommand=",
    "credential.helper=",
    "protocol.allow=never",
    "diff.ignoreSubmodules=all",
    "submodule.recurse=false",
    "log.showSignature=false",
    "gc.auto=0",
    "maintenance.auto=false",
];

/// Settings that name a program, and that a repository may carry under names of its own.
const DRIVERS: &str = r"^(filter\..*\.(clean|smudge|process|required)|merge\..*\.driver)$";

/// Subcommands that may call a differ.
const DIFFING: [&str; 6] = ["diff", "diff-index", "diff-tree", "format-patch", "log", "show"];

/// A call of git that did not give what was asked.
#[derive(Debug, thiserror::Error)]
pub(crate) enum GitError {
    /// There is no git.
    #[error("git is not on PATH (outside of {0}); install it, or leave out the hook that needs it")]
    Missing(PathBuf),
    /// It did not run to its end.
    #[error(transparent)]
    Process(#[from] ProcessError),
    /// It said no.
    #[error("`git {command}` failed in {dir} ({how}): {said}")]
    Failed {
        /// The subcommand.
        command: String,
        /// Where it ran.
        dir: PathBuf,
        /// The exit status, in words.
        how: String,
        /// The end of what it complained of.
        said: String,
    },
}

/// Git in one directory.
#[derive(Clone, Debug)]
pub(crate) struct Git {
    program: PathBuf,
    dir: PathBuf,
    /// `name=value`, for `-c`.
    overrides: Vec<OsString>,
    variables: Vec<(OsString, OsString)>,
    deadline: Duration,
    keep: usize,
}

impl Git {
    /// Git in a directory of a working tree. Reads which programs the repository's configuration names, so
    /// that later calls run none of them.
    ///
    /// # Errors
    /// If there is no git. A directory outside of any repository is no error here, but in later calls.
    pub(crate) fn at(dir: &Path) -> Result<Self, GitError> {
        let mut git = Self::bare(dir)?;
        git.overrides = git.drivers()?;
        Ok(git)
    }

    /// Git for a repository of our own, whose configuration nobody else writes.
    pub(crate) fn own(git_dir: &Path, work_tree: &Path) -> Result<Self, GitError> {
        Ok(Self::bare(work_tree)?.env("GIT_DIR", git_dir).env("GIT_WORK_TREE", work_tree))
    }

    fn bare(dir: &Path) -> Result<Self, GitError> {
        let program = find("git", Some(dir)).ok_or_else(|| GitError::Missing(dir.to_owned()))?;
        Ok(Self {
            program,
            dir: dir.to_owned(),
            overrides: Vec::new(),
            variables: Vec::new(),
            deadline: Duration::from_secs(10),
            keep: 4 * 1024 * 1024,
        })
    }

    /// How long each call may take; 10 s unless said otherwise.
    pub(crate) fn deadline(mut self, deadline: Duration) -> Self {
        self.deadline = deadline;
        self
    }

    /// How many bytes of each output are kept; 4 MiB unless said otherwise.
    pub(crate) fn keep(mut self, bytes: usize) -> Self {
        self.keep = bytes;
        self
    }

    /// Sets a variable for each call.
    pub(crate) fn env(mut self, name: &str, value: impl AsRef<OsStr>) -> Self {
        self.variables.push((name.into(), value.as_ref().to_owned()));
        self
    }

    /// Runs a subcommand. What comes from outside belongs behind `--`, or into [`paths`](Self::paths).
    ///
    /// # Errors
    /// If it fails, or is not done in time.
    pub(crate) fn run<A: AsRef<OsStr>>(&self, args: impl IntoIterator<Item = A>) -> Result<Kept, GitError> {
        let args: Vec<OsString> = args.into_iter().map(|arg| arg.as_ref().to_owned()).collect();
        let ended = self.ended(&args, Vec::new())?;
        self.checked(&args, ended)
    }

    /// Runs a subcommand with an input.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub(crate) fn feed(&self, args: &[&str], input: Vec<u8>) -> Result<Kept, GitError> {
        let args: Vec<OsString> = args.iter().map(Into::into).collect();
        let ended = self.ended(&args, input)?;
        self.checked(&args, ended)
    }

    /// Runs a subcommand on these paths, taken literally; they go in through standard input, so that there
    /// may be any number of them. The subcommand must take `--pathspec-from-file`.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub(crate) fn paths(&self, args: &[&str], paths: &[impl AsRef<Path>]) -> Result<Kept, GitError> {
        use std::os::unix::ffi::OsStrExt;

        let mut input = Vec::new();
        for path in paths {
            input.extend_from_slice(path.as_ref().as_os_str().as_bytes());
            input.push(0);
        }
        let from_input = ["--pathspec-from-file=-", "--pathspec-file-nul"];
        let args: Vec<OsString> = args.iter().chain(&from_input).map(Into::into).collect();
        let ended = self.ended(&args, input)?;
        self.checked(&args, ended)
    }

    /// The text that a subcommand prints, trimmed; `None` where it fails, which for a query means "no".
    pub(crate) fn ask(&self, args: &[&str]) -> Result<Option<String>, GitError> {
        let args: Vec<OsString> = args.iter().map(Into::into).collect();
        let ended = self.ended(&args, Vec::new())?;
        Ok(ended.status.success().then(|| ended.stdout.text().trim_end().to_owned()))
    }

    fn ended(&self, args: &[OsString], input: Vec<u8>) -> Result<Ended, ProcessError> {
        let mut program = Program::new(&self.program)
            .args(["--no-pager", "--no-optional-locks", "--literal-pathspecs"])
            .cwd(&self.dir)
            .env("LC_ALL", "C")
            .env("GIT_TERMINAL_PROMPT", "0")
            .env("GIT_EDITOR", "false")
            .env("GIT_SEQUENCE_EDITOR", "false")
            .deadline(self.deadline)
            .keep(self.keep)
            .input(input);
        for setting in OFF.iter().map(OsStr::new).chain(self.overrides.iter().map(OsString::as_os_str)) {
            program = program.arg("-c").arg(setting);
        }
        for (name, value) in &self.variables {
            program = program.env(name, value);
        }
        let (subcommand, rest) = args.split_at(args.len().min(1));
        program = program.args(subcommand);
        // Of a differ, an empty setting is a program with an empty name; only these switch it off.
        if subcommand.first().is_some_and(|name| DIFFING.iter().any(|known| name == known)) {
            program = program.args(["--no-ext-diff", "--no-textconv"]);
        }
        program.args(rest).run()
    }

    fn checked(&self, args: &[OsString], ended: Ended) -> Result<Kept, GitError> {
        if ended.status.success() {
            return Ok(ended.stdout);
        }
        Err(GitError::Failed {
            command: args.first().map(|arg| arg.to_string_lossy().into_owned()).unwrap_or_default(),
            dir: self.dir.clone(),
            how: ended.words(),
            said: ended.stderr.text().trim().to_owned(),
        })
    }

    /// For each program that the repository's own configuration names: the user's setting of the same name,
    /// or nothing.
    fn drivers(&self) -> Result<Vec<OsString>, GitError> {
        let query = ["config", "--null", "--show-scope", "--get-regexp", DRIVERS];
        let listed = self.ended(&query.map(Into::into), Vec::new())?.stdout.text();
        // Scope, NUL, name, line break, value, NUL.
        let mut parts = listed.split('\0');
        let mut users: Vec<(&str, &str)> = Vec::new();
        let mut named: Vec<&str> = Vec::new();
        while let (Some(scope), Some(setting)) = (parts.next(), parts.next()) {
            let (name, value) = setting.split_once('\n').unwrap_or((setting, ""));
            match scope {
                "system" | "global" => users.push((name, value)),
                _ => named.push(name),
            }
        }
        Ok(named
            .into_iter()
            .map(|name| {
                let of_user = users.iter().rev().find(|(held, _)| *held == name).map(|(_, value)| *value);
                let nothing = if name.ends_with(".required") { "false" } else { "" };
                format!("{name}={}", of_user.unwrap_or(nothing)).into()
            })
            .collect())
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    fn repository() -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        let git = Git::at(folder.path()).unwrap();
        git.run(["init", "-q", "-b", "main"]).unwrap();
        for (name, value) in [("user.name", "T"), ("user.email", "t@example.org")] {
            git.run(["config", name, value]).unwrap();
        }
        folder
    }

    #[test]
    fn nothing_that_a_repository_names_is_run() {
        let folder = repository();
        let dir = folder.path();
        let trap = dir.join(".git").join("trap.sh");
        std::fs::write(&trap, "#!/bin/sh\ntouch \"$(dirname \"$0\")/sprung\"\ncat\n").unwrap();
        std::fs::set_permissions(&trap, std::fs::Permissions::from_mode(0o755)).unwrap();
        let hooks = dir.join(".git/hooks");
        std::fs::create_dir_all(&hooks).unwrap();
        for hook in ["pre-commit", "post-commit", "post-index-change", "reference-transaction"] {
            std::fs::copy(&trap, hooks.join(hook)).unwrap();
        }
        let named = trap.display().to_string();
        let setup = Git::at(dir).unwrap();
        for name in [
            "core.fsmonitor",
            "core.pager",
            "core.editor",
            "core.sshCommand",
            "diff.external",
            "diff.evil.textconv",
            "diff.evil.command",
            "filter.evil.clean",
            "filter.evil.smudge",
            "filter.evil.process",
            "gpg.program",
        ] {
            setup.run(["config", name, &named]).unwrap();
        }
        setup.run(["config", "filter.evil.required", "true"]).unwrap();
        std::fs::write(dir.join(".gitattributes"), "* filter=evil diff=evil\n").unwrap();
        std::fs::write(dir.join("a"), "one\n").unwrap();

        let git = Git::at(dir).unwrap();
        git.paths(&["add"], &[dir.join("a"), dir.join(".gitattributes")]).unwrap();
        git.run(["commit", "-q", "-m", "first"]).unwrap();
        std::fs::write(dir.join("a"), "two\n").unwrap();
        git.run(["status", "--porcelain"]).unwrap();
        let diff = git.run(["diff"]).unwrap().text();
        assert!(diff.contains("+two"), "{diff}");
        git.run(["checkout", "-q", "--", "a"]).unwrap();
        git.run(["log", "-p", "-1"]).unwrap();
        let sprung = |folder: &Path| folder.join("sprung").exists();
        assert!(!sprung(&dir.join(".git")) && !sprung(&hooks));

        // The trap does spring for a git that is not careful; else this test would show nothing.
        std::process::Command::new("git").arg("status").current_dir(dir).output().unwrap();
        assert!(sprung(&dir.join(".git")) || sprung(&hooks));
    }

    #[test]
    fn names_that_look_like_options_or_patterns_are_names() {
        let folder = repository();
        let dir = folder.path();
        for name in ["--help", "*", ":(top)x"] {
            std::fs::write(dir.join(name), "x").unwrap();
        }
        let git = Git::at(dir).unwrap();
        git.paths(&["add"], &["--help", ":(top)x"]).unwrap();
        let staged = git.run(["ls-files", "-z"]).unwrap().text();
        assert_eq!(
            staged.split('\0').filter(|name| !name.is_empty()).collect::<Vec<_>>(),
            ["--help", ":(top)x"]
        );
    }

    #[test]
    fn a_failure_says_where_and_why() {
        let folder = tempfile::tempdir().unwrap();
        let git = Git::at(folder.path()).unwrap();
        let error = git.run(["rev-parse", "--verify", "HEAD"]).unwrap_err().to_string();
        assert!(error.starts_with("`git rev-parse` failed in ") && error.contains("not a git"), "{error}");
        assert_eq!(git.ask(&["rev-parse", "--show-toplevel"]).unwrap(), None);
    }
}
