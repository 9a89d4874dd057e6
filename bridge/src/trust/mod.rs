//! Trust: which commands from files that others can write may run.
//!
//! A project's folder comes from somebody else, and other agents' settings were written for other agents. So a
//! project's `hookspec.toml` counts, and another agent's hook runs, only after the user agreed to exactly this
//! content: where it is, what is written there, and the bytes of every file that a command in it names. All of that
//! goes into one [`Fingerprint`]; whatever changes, the fingerprint does, and the user is asked again. It is taken
//! again before each run, so that what an agent does to a script in the middle of a session does not run either.
//!
//! The user's own `hookspec.toml` needs no grant: who can write there can write grants as well.
//!
//! Limits: a script that runs another file without naming it in the command (`source`, `import`) is covered, the
//! other file is not. Programs of the system (`/usr`, `/bin`, …) are not covered, since only the administrator
//! changes them and every update would ask again.

mod files;
mod store;
#[cfg(test)]
mod tests;

use std::fmt;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::command::Line;

pub use files::named_files;
pub use store::{Grant, Grants, Store, TrustError};

/// Exactly one content of one hook: `sha256:` and 64 hexadecimal digits.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Fingerprint(String);

impl Fingerprint {
    /// Whether it begins with `text`, with or without `sha256:`; at least six digits are wanted.
    #[must_use]
    pub fn begins(&self, text: &str) -> bool {
        let digits = text.strip_prefix("sha256:").unwrap_or(text);
        digits.len() >= 6 && self.0.strip_prefix("sha256:").is_some_and(|own| own.starts_with(digits))
    }

    /// The first twelve digits: enough to tell hooks apart on a screen.
    #[must_use]
    pub fn short(&self) -> &str {
        let digits = self.0.strip_prefix("sha256:").unwrap_or(&self.0);
        digits.get(..12).unwrap_or(digits)
    }
}

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// What a grant is about: a whole configuration file, or one hook in one.
#[derive(Clone, Debug)]
pub struct Subject {
    /// The configuration file.
    pub file: PathBuf,
    /// Which part of it: `the whole file`, or an event and the entry's place.
    pub part: String,
    /// What is written there, or everything of it that decides what runs and when.
    pub text: String,
    /// The commands in it.
    pub commands: Vec<Line>,
    /// Variables that the commands will see and may use for paths.
    pub variables: Vec<(String, String)>,
    /// Where the commands will run.
    pub cwd: PathBuf,
}

/// What the user said of a subject.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Standing {
    /// Agreed to, as it is now.
    Trusted,
    /// Agreed to once; it is different now.
    Changed,
    /// Nothing yet.
    New,
}

/// A file that a command names and that cannot be read.
#[derive(Debug, thiserror::Error)]
#[error("{path}, which the command names, cannot be read: {source}")]
pub struct Unreadable {
    /// The file.
    pub path: PathBuf,
    /// What the system said.
    pub source: io::Error,
}

impl Subject {
    /// The files that its commands name, as they are found now.
    #[must_use]
    pub fn files(&self) -> Vec<PathBuf> {
        named_files(&self.commands, &self.variables, &self.cwd)
    }

    /// The fingerprint of its content now.
    ///
    /// # Errors
    /// If a file that a command names cannot be read.
    pub fn fingerprint(&self) -> Result<Fingerprint, Unreadable> {
        let mut hash = Sha256::new();
        part(&mut hash, self.file.as_os_str().as_encoded_bytes());
        part(&mut hash, self.part.as_bytes());
        part(&mut hash, self.text.as_bytes());
        for path in self.files() {
            part(&mut hash, path.as_os_str().as_encoded_bytes());
            let content = digest(&path).map_err(|source| Unreadable { path: path.clone(), source })?;
            part(&mut hash, &content);
        }
        Ok(Fingerprint(format!("sha256:{}", hex(&hash.finalize()))))
    }
}

/// With its length before it, so that no two lists of parts give the same bytes.
fn part(hash: &mut Sha256, bytes: &[u8]) {
    hash.update((bytes.len() as u64).to_le_bytes());
    hash.update(bytes);
}

fn digest(path: &Path) -> io::Result<Vec<u8>> {
    let mut file = std::fs::File::open(path)?;
    let (mut hash, mut buffer) = (Sha256::new(), vec![0; 64 * 1024]);
    loop {
        match file.read(&mut buffer)? {
            0 => return Ok(hash.finalize().to_vec()),
            count => hash.update(&buffer[..count]),
        }
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
