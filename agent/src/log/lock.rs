//! One writer a conversation.
//!
//! The lock is the operating system's, on the file `.lock`: it ends with the process that holds it,
//! however that ends, so there are no stale locks to clear. The file's content is the holder's process id, for
//! the message that others get; it means nothing while nobody holds the lock. The file is never deleted,
//! because two processes could then each hold "the" lock, on two files.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::Path;

use super::{LogError, names};

/// Held as long as it lives.
#[derive(Debug)]
pub(super) struct Lock {
    _file: File,
}

impl Lock {
    /// Takes the lock in `folder`, or says who has it.
    pub(super) fn take(folder: &Path, id: &str) -> Result<Self, LogError> {
        let path = folder.join(names::LOCK);
        let mut file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(&path)
            .map_err(LogError::io("open", &path))?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                // Where locks are mandatory the file can't be read, and the holder stays unknown.
                let mut text = String::new();
                let pid = file.read_to_string(&mut text).ok().and_then(|_| text.trim().parse().ok());
                return Err(LogError::Locked { id: id.to_owned(), pid });
            }
            Err(TryLockError::Error(error)) => return Err(LogError::io("lock", &path)(error)),
        }
        let written = file
            .set_len(0)
            .and_then(|()| file.seek(SeekFrom::Start(0)))
            .and_then(|_| writeln!(file, "{}", std::process::id()));
        written.map_err(LogError::io("write", &path))?;
        Ok(Self { _file: file })
    }
}
