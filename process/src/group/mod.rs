//! Groups of processes: to start one, to follow it to its end or its deadline, and to end all of it.
//!
//! The one place where systems differ. On Unix a group is a process group. Elsewhere there is none that this package can end as a
//! whole, and a program that nobody can end is not started: [`spawn`] is an error that says so.

#[cfg(not(unix))]
mod elsewhere;
#[cfg(unix)]
mod unix;

use std::io;
use std::process::ExitStatus;

use crate::kept::Kept;

#[cfg(not(unix))]
pub(crate) use elsewhere::{follow, spawn};
#[cfg(unix)]
pub(crate) use unix::{follow, spawn};

/// How it ended, or nothing if the deadline came first; and what it wrote to each output.
pub(crate) type Followed = (io::Result<Option<ExitStatus>>, Kept, Kept);
