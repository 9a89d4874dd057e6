//! What this package asks of the system, and where systems differ: streams, and whose files are.
//!
//! Elsewhere than on Unix a client's event cannot be read with a limit on how long it may take to come, nor standard output be kept
//! for the answer: both are errors that say so, and a hook that gets such an error refuses what waits for it.

#[cfg(not(unix))]
mod elsewhere;
#[cfg(unix)]
mod unix;

#[cfg(not(unix))]
pub use elsewhere::Stream;
#[cfg(not(unix))]
pub(crate) use elsewhere::{keep_stdout, own_file, own_folder, read_within};
#[cfg(unix)]
pub use unix::Stream;
#[cfg(unix)]
pub(crate) use unix::{keep_stdout, own_file, own_folder, read_within};

/// What came of waiting for bytes.
#[cfg_attr(not(unix), allow(dead_code))] // nothing ever comes there
pub(crate) enum Came {
    /// So many.
    Bytes(usize),
    /// None, and none will.
    End,
    /// None in that time.
    Nothing,
    /// The wait was broken off; there may be more.
    Again,
}
