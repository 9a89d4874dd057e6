//! Elsewhere.

use std::fs::{DirBuilder, File, OpenOptions};
use std::io;
use std::time::Duration;

use super::Came;

/// What an event would be read from.
pub trait Stream {}
impl<T> Stream for T {}

fn unsupported(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::Unsupported, format!("{what} on Unix only"))
}

pub(crate) fn read_within(_: &impl Stream, _: Duration, _: &mut [u8]) -> io::Result<Came> {
    Err(unsupported("an event is read"))
}

pub(crate) fn keep_stdout() -> io::Result<File> {
    Err(unsupported("standard output can be kept for an answer"))
}

/// Rights are inherited from the folder above here: the user's own, where that is his profile.
pub(crate) fn own_folder(builder: &mut DirBuilder) -> &mut DirBuilder {
    builder
}

/// As with folders.
pub(crate) fn own_file(options: &mut OpenOptions) -> &mut OpenOptions {
    options
}
