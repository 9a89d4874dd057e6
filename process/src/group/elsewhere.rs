//! Where a program cannot be ended with all that it started.

use std::io;
use std::process::{Child, Command};
use std::time::Instant;

use crate::kept::Kept;

use super::Followed;

/// The one answer that there is.
fn unsupported() -> io::Error {
    io::Error::new(
        io::ErrorKind::Unsupported,
        "programs are run on Unix only, for here one could not be ended with all that it starts",
    )
}

pub(crate) fn spawn(_: &mut Command) -> io::Result<Child> {
    Err(unsupported())
}

pub(crate) fn follow(_: Child, _: &[u8], keep: usize, _: Instant) -> Followed {
    (Err(unsupported()), Kept::at_most(keep), Kept::at_most(keep))
}
