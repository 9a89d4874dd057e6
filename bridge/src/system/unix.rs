//! On Unix.

use std::fs::{DirBuilder, File, OpenOptions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;

use super::Came;

/// What an event is read from: an open file.
pub use std::os::fd::AsFd as Stream;

/// Waits for bytes, and reads those that came.
pub(crate) fn read_within(from: &impl Stream, patience: Duration, buffer: &mut [u8]) -> io::Result<Came> {
    let from = from.as_fd();
    let wait = Timespec::try_from(patience).ok();
    let mut watched = [PollFd::new(&from, PollFlags::IN)];
    match poll(&mut watched, wait.as_ref()) {
        Ok(0) => return Ok(Came::Nothing),
        Ok(_) => {}
        Err(Errno::INTR) => return Ok(Came::Again),
        Err(error) => return Err(error.into()),
    }
    match rustix::io::read(from, buffer) {
        Ok(0) => Ok(Came::End),
        Ok(count) => Ok(Came::Bytes(count)),
        Err(Errno::INTR | Errno::AGAIN) => Ok(Came::Again),
        Err(error) => Err(error.into()),
    }
}

/// Standard output for us alone: what others print goes to standard error from now on.
pub(crate) fn keep_stdout() -> io::Result<File> {
    let kept = rustix::io::fcntl_dupfd_cloexec(rustix::stdio::stdout(), 3)?;
    rustix::stdio::dup2_stdout(rustix::stdio::stderr())?;
    Ok(File::from(kept))
}

/// The same for folders that only the user may look into.
pub(crate) fn own_folder(builder: &mut DirBuilder) -> &mut DirBuilder {
    builder.mode(0o700)
}

/// The same for files that only the user may read.
pub(crate) fn own_file(options: &mut OpenOptions) -> &mut OpenOptions {
    options.mode(0o600)
}
