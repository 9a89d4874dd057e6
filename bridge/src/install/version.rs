//! Which version of a client is on this machine, and whether it knows what we tell it.
//!
//! The client's own program is asked, with a plain environment, away from the project, for a few seconds at most. What
//! lies under the project is never run: a repository that brings a file called `codex` is not Codex.

use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use hookspec_process::{Ended, ProcessError, Program, find};

use crate::client::Client;

/// How long a client may take to tell its version. Those that run on Node take a second on a busy machine.
const PATIENCE: Duration = Duration::from_secs(10);
/// Bytes of its answer that are looked at.
const ANSWER: usize = 4096;

/// The numbers of a version.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Version(Vec<u64>);

impl Version {
    /// The first version in a text: `codex-cli 0.169.0`, `2.1.317 (Claude Code)`, `v1.2`.
    #[must_use]
    pub fn find(text: &str) -> Option<Self> {
        text.split_whitespace().find_map(Self::of_word)
    }

    fn of_word(word: &str) -> Option<Self> {
        let word = word.strip_prefix('v').unwrap_or(word);
        let end = word.find(|c: char| c != '.' && !c.is_ascii_digit()).unwrap_or(word.len());
        let numbers: Option<Vec<u64>> =
            word[..end].trim_end_matches('.').split('.').map(|part| part.parse().ok()).collect();
        numbers.filter(|numbers| numbers.len() > 1).map(Self)
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words: Vec<_> = self.0.iter().map(u64::to_string).collect();
        f.write_str(&words.join("."))
    }
}

/// Why a client's version is not known.
#[derive(Debug, thiserror::Error)]
pub enum VersionError {
    /// It was not to be run, or did not end.
    #[error("{path} does not tell its version: {source}; see whether the client itself starts")]
    Run {
        /// The program.
        path: PathBuf,
        /// What happened.
        source: ProcessError,
    },
    /// It said something else.
    #[error("{path} does not tell its version ({words}); see whether it is the client at all")]
    Silent {
        /// The program.
        path: PathBuf,
        /// How it ended.
        words: String,
    },
}

/// A client's program.
#[derive(Debug, PartialEq, Eq)]
pub struct Installed {
    /// Where it is.
    pub path: PathBuf,
    /// Its version.
    pub version: Version,
}

impl Client {
    /// The name of its program.
    #[must_use]
    pub const fn program(self) -> &'static str {
        match self {
            Self::Cursor => "cursor-agent",
            Self::Codex | Self::Claude | Self::Gemini | Self::Copilot | Self::Goose | Self::Hermes => {
                self.name()
            }
        }
    }

    /// The version from which on what we tell it is known to be understood; `None` where the makers' documents name
    /// no version. Codex: the first with all the events that are written; Claude Code: the first in which a guard that
    /// cannot be started refuses; Gemini CLI: the one that our tests run.
    #[must_use]
    pub fn written_for(self) -> Option<Version> {
        let numbers = match self {
            Self::Codex => [0, 164, 0],
            Self::Claude => [2, 1, 295],
            Self::Gemini => [0, 61, 0],
            Self::Cursor | Self::Copilot | Self::Goose | Self::Hermes => return None,
        };
        Some(Version(numbers.into()))
    }

    /// Asks the client's program on `PATH` for its version; `None` where there is none outside of `project`.
    #[must_use]
    pub fn installed(self, project: &Path) -> Option<Result<Installed, VersionError>> {
        let path = find(self.program(), Some(project))?;
        Some(version_of(&path).map(|version| Installed { path, version }))
    }
}

fn version_of(path: &Path) -> Result<Version, VersionError> {
    let program = Program::new(path).arg("--version").cwd("/").deadline(PATIENCE).keep(ANSWER);
    let ended = program.run().map_err(|source| VersionError::Run { path: path.to_owned(), source })?;
    told(&ended).ok_or_else(|| VersionError::Silent { path: path.to_owned(), words: ended.words() })
}

fn told(ended: &Ended) -> Option<Version> {
    ended.status.success().then(|| Version::find(&ended.stdout.text()))?
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn versions_are_found_and_compared_by_number() {
        for (text, wanted) in [
            ("codex-cli 0.169.0\n", Some("0.169.0")),
            ("2.1.317 (Claude Code)", Some("2.1.317")),
            ("goose v1.2", Some("1.2")),
            ("2026.09.18-7ae6800", Some("2026.9.18")),
            ("0.62.0-preview.1", Some("0.62.0")),
            ("version 7", None),
            ("1..2 oops", None),
            ("99999999999999999999.1", None),
            ("", None),
        ] {
            assert_eq!(Version::find(text).map(|version| version.to_string()).as_deref(), wanted, "{text}");
        }
        let version = |text| Version::find(text).unwrap();
        assert!(version("0.99.0") < version("0.164.0") && version("2.1.295") >= version("2.1.295"));
    }

    #[test]
    fn only_a_program_that_ends_well_tells_its_version() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("client");
        let say = |script: &str| {
            std::fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
            version_of(&path).map(|version| version.to_string()).map_err(|error| error.to_string())
        };
        assert_eq!(
            say("test \"$1\" = --version && test \"$PWD\" = / && echo client 1.2.3").unwrap(),
            "1.2.3"
        );
        assert!(say("echo 1.2.3; exit 3").unwrap_err().contains("exit code 3"));
        assert!(say("echo hello").unwrap_err().contains("is the client at all"));
    }
}
