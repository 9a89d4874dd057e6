//! The file of grants.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::{Fingerprint, Standing, Subject};

/// The user's word for one content of one hook.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Grant {
    /// What was agreed to.
    pub fingerprint: Fingerprint,
    /// The configuration file, for people who read the list.
    pub file: PathBuf,
    /// The part of it, for the same.
    pub part: String,
    /// When, as RFC 3339.
    pub at: String,
}

/// All grants, by fingerprint.
#[derive(Clone, Debug, Default)]
pub struct Grants(BTreeMap<Fingerprint, Grant>);

impl Grants {
    /// Whether exactly this content was agreed to.
    #[must_use]
    pub fn has(&self, fingerprint: &Fingerprint) -> bool {
        self.0.contains_key(fingerprint)
    }

    /// What the user said of a subject that has this fingerprint now.
    #[must_use]
    pub fn standing(&self, subject: &Subject, now: &Fingerprint) -> Standing {
        if self.has(now) {
            return Standing::Trusted;
        }
        let before = |grant: &Grant| grant.file == subject.file && grant.part == subject.part;
        if self.iter().any(before) { Standing::Changed } else { Standing::New }
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = &Grant> {
        self.0.values()
    }
}

/// Grants that cannot be read or kept.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TrustError {
    /// The system said no.
    #[error("the list of trusted hooks {path} cannot be used: {source}")]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// Somebody wrote something else there.
    #[error(
        "the list of trusted hooks {path} is damaged ({why}), so that nothing in it counts; repair or remove it"
    )]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        why: String,
    },
}

#[derive(Serialize, Deserialize)]
struct OnDisk {
    version: u32,
    grants: Vec<Grant>,
}

/// The file of grants. Writers take turns; readers see the old list or the new one.
#[derive(Clone, Debug)]
pub struct Store {
    path: PathBuf,
}

impl Store {
    /// The store in that file, which need not exist yet.
    #[must_use]
    pub fn at(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into() }
    }

    /// The file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The grants as they are now.
    ///
    /// # Errors
    /// If the file is there and cannot be read; nothing is trusted then.
    pub fn load(&self) -> Result<Grants, TrustError> {
        let text = match std::fs::read_to_string(&self.path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Grants::default()),
            Err(source) => return Err(self.io(source)),
        };
        let damaged = |why: String| TrustError::Damaged { path: self.path.clone(), why };
        let read: OnDisk = serde_json::from_str(&text).map_err(|error| damaged(error.to_string()))?;
        if read.version != 1 {
            return Err(damaged(format!("version {} is not known here", read.version)));
        }
        Ok(Grants(read.grants.into_iter().map(|grant| (grant.fingerprint.clone(), grant)).collect()))
    }

    /// Adds grants.
    ///
    /// # Errors
    /// If the file cannot be read or written; it is then as it was.
    pub fn grant(&self, grants: impl IntoIterator<Item = Grant>) -> Result<(), TrustError> {
        self.change(|held| {
            held.extend(grants.into_iter().map(|grant| (grant.fingerprint.clone(), grant)));
        })
    }

    /// Takes back the grants that `is_meant`, and tells which.
    ///
    /// # Errors
    /// If the file cannot be read or written; it is then as it was.
    pub fn revoke(&self, is_meant: impl Fn(&Grant) -> bool) -> Result<Vec<Grant>, TrustError> {
        let mut gone = Vec::new();
        self.change(|held| {
            held.retain(|_, grant| {
                let meant = is_meant(grant);
                if meant {
                    gone.push(grant.clone());
                }
                !meant
            });
        })?;
        Ok(gone)
    }

    fn change(&self, change: impl FnOnce(&mut BTreeMap<Fingerprint, Grant>)) -> Result<(), TrustError> {
        let folder = self.path.parent().unwrap_or(Path::new("."));
        std::fs::create_dir_all(folder).map_err(|source| self.io(source))?;
        let lock = File::create(self.path.with_extension("lock")).map_err(|source| self.io(source))?;
        lock.lock().map_err(|source| self.io(source))?;
        let Grants(mut held) = self.load()?;
        change(&mut held);
        let text = serde_json::to_string_pretty(&OnDisk { version: 1, grants: held.into_values().collect() })
            .map_err(|error| self.io(error.into()))?;
        self.write(folder, &text).map_err(|source| self.io(source))
    }

    /// Whole or not at all, and for the owner's eyes.
    fn write(&self, folder: &Path, text: &str) -> io::Result<()> {
        let mut file = tempfile::NamedTempFile::new_in(folder)?;
        file.write_all(text.as_bytes())?;
        file.as_file().sync_all()?;
        file.persist(&self.path)?;
        Ok(())
    }

    fn io(&self, source: io::Error) -> TrustError {
        TrustError::Io { path: self.path.clone(), source }
    }
}
