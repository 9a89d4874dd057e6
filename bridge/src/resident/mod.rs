//! A process that stays, for those who count each millisecond.
//!
//! What a process per event pays again each time, a program to map and tables to make, a resident process has paid
//! once. The program that the client starts hands the event over a Unix socket and passes the answer on; where nobody
//! is there it answers by itself, as it always does, and starts one for the next event ([`serve`]). What remains is the
//! start of that program: a small one that only passes events on ([`pass_on`]) is the fastest.
//!
//! Nothing may depend on who answers:
//!
//! - A resident process serves those events only that find what it was started with: the same program, unchanged,
//!   the same arguments, folder and environment ([`socket`] is made of all that). Configuration and trust are
//!   read anew for each event.
//! - It serves one event at a time. Who finds it busy for [`PATIENCE`] answers by itself.
//! - What hooks print goes to the standard error of the process that brought the event.
//! - Once it has taken an event, it has it: where it ends without an answer, what waits for a permission is
//!   refused, and nothing is run a second time.
//! - Socket and folder are the user's alone, and both sides ask the system who the other is.
//!
//! It ends when it had nothing to do for a while, when hooks overrun, and after [`EVENTS`] events, so that what hooks leave
//! behind does not pile up.
//!
//! On Linux only, where the system tells who is at the other end of a socket. Elsewhere each process answers by itself, and says once
//! that nobody stays.

#[cfg(target_os = "linux")]
mod ask;
#[cfg(not(target_os = "linux"))]
mod elsewhere;
#[cfg(target_os = "linux")]
mod here;
#[cfg(target_os = "linux")]
mod stay;
#[cfg(target_os = "linux")]
mod wire;

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

#[cfg(not(target_os = "linux"))]
pub use elsewhere::{pass_on, reside, serve, socket};
#[cfg(target_os = "linux")]
pub use here::{pass_on, serve, socket};
#[cfg(target_os = "linux")]
pub use stay::reside;

/// How long an event waits for a resident process that is busy with another, unless it is said otherwise.
pub const PATIENCE: Duration = Duration::from_millis(50);

/// Events after which a resident process makes way for a fresh one.
pub const EVENTS: u32 = 2000;

/// Why there is no resident process.
#[derive(Debug, thiserror::Error)]
pub enum ResidentError {
    /// A file or folder cannot be used.
    #[error("{path} cannot be used by a resident process: {source}")]
    Io {
        /// The socket, its lock or its folder.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// Others could put something there.
    #[error(
        "{0} is not yours alone, so no resident process listens there; take the others' rights away (chmod 700)"
    )]
    Shared(PathBuf),
    /// This system does not tell who is at the other end of a socket.
    #[error(
        "a resident process is for Linux only: here the system does not tell whose an event is; leave `--resident` out"
    )]
    Unsupported,
    /// The program cannot be started once more.
    #[error("a resident process cannot be started: {0}")]
    Start(io::Error),
}

/// Where to find a resident process, and how to start one.
#[derive(Clone, Debug)]
pub struct Resident {
    /// The folder of the sockets; it is made if it is missing. A socket's path has room for about 70 bytes of it.
    pub folder: PathBuf,
    /// The arguments with which this program becomes one; the socket's path is added as the last.
    pub start: Vec<OsString>,
    /// How long the hooks of this event may take together.
    pub deadline: Duration,
    /// How long to wait for a process that is busy.
    pub patience: Duration,
}

impl Resident {
    /// The folder for sockets: the user's runtime folder (`XDG_RUNTIME_DIR`) where there is one, and else one in the folder
    /// of states.
    #[must_use]
    pub fn folder(state: &Path) -> PathBuf {
        let runtime = std::env::var_os("XDG_RUNTIME_DIR").map(PathBuf::from);
        match runtime.filter(|folder| folder.is_absolute() && folder.is_dir()) {
            Some(folder) => folder.join("hookspec"),
            None => state.join("resident"),
        }
    }
}
