//! A command and all that it starts: the one place of the tools where systems differ.
//!
//! On Unix it is a process group. Elsewhere a command could not be asked to end, nor its output be read without a thread that waits
//! for it, and none is started: [`start`] is an error that says so.

#[cfg(not(unix))]
mod elsewhere;
#[cfg(unix)]
mod unix;

#[cfg(not(unix))]
pub(super) use elsewhere::{Pipe, end, pipe, start};
#[cfg(unix)]
pub(super) use unix::{Pipe, end, pipe, start};
