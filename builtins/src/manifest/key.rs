//! The key of the records' hashes.

use std::fmt;
use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind, Read, Write};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

/// Fewer bytes are no secret.
const SHORTEST: usize = 16;

/// A key; it never shows in text.
#[derive(Clone)]
pub struct Key(Hmac<Sha256>);

/// A key that cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum KeyError {
    /// It cannot be read, or made.
    #[error("the manifest's key {path} could not be {what}: {source}; set `key_file` to a file of yours")]
    Io {
        /// The file.
        path: PathBuf,
        /// What was tried.
        what: &'static str,
        /// What the system said.
        source: io::Error,
    },
    /// Others can read it.
    #[error("the manifest's key {0} can be read by others: make it yours alone, as with `chmod 600`")]
    Open(PathBuf),
    /// It is empty, or nearly so.
    #[error(
        "the manifest's key {0} has fewer than {SHORTEST} bytes: put random ones in, or remove it so that one is made"
    )]
    Short(PathBuf),
}

impl KeyError {
    fn io(what: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::Io { path, what, source }
    }
}

impl Key {
    /// Reads the key from a file: all of its bytes, but for line breaks at the end.
    ///
    /// # Errors
    /// If it cannot be read, is too short, or can be read by others than its owner.
    pub fn read(path: &Path) -> Result<Self, KeyError> {
        let mut file = File::open(path).map_err(KeyError::io("read", path))?;
        let mode = file.metadata().map_err(KeyError::io("read", path))?.permissions().mode();
        if mode & 0o077 != 0 {
            return Err(KeyError::Open(path.to_owned()));
        }
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(KeyError::io("read", path))?;
        let bytes = bytes.trim_ascii_end();
        if bytes.len() < SHORTEST {
            return Err(KeyError::Short(path.to_owned()));
        }
        Hmac::new_from_slice(bytes).map(Self).map_err(|_| KeyError::Short(path.to_owned()))
    }

    /// Reads the key, or makes one of 32 random bytes, written in hex, that only its owner can read.
    pub(super) fn read_or_make(path: &Path) -> Result<Self, KeyError> {
        match Self::read(path) {
            Err(KeyError::Io { source, .. }) if source.kind() == ErrorKind::NotFound => {}
            read => return read,
        }
        make(path).map_err(KeyError::io("made", path))?;
        Self::read(path)
    }

    /// The HMAC-SHA256 of a text, in hex.
    pub(super) fn sign(&self, text: &str) -> String {
        hex::encode(self.0.clone().chain_update(text).finalize().into_bytes())
    }
}

/// Whole or not at all, and never over one that another process has just made.
fn make(path: &Path) -> io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("/"));
    std::fs::create_dir_all(folder)?;
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes).map_err(io::Error::other)?;
    // Temporary files are made for their owner only.
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    writeln!(file, "{}", hex::encode(bytes))?;
    file.as_file().sync_all()?;
    match file.persist_noclobber(path) {
        Err(error) if error.error.kind() != ErrorKind::AlreadyExists => Err(error.error),
        _ => Ok(()),
    }
}

/// Opens a file of records for its owner only.
pub(super) fn private(path: &Path) -> io::Result<File> {
    OpenOptions::new().read(true).append(true).create(true).mode(0o600).open(path)
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Key(…)")
    }
}
