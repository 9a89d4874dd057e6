//! Where nobody stays: each process answers by itself.

use std::fmt::Display;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::bridge::{Bridge, Event};
use crate::client::Client;

use super::{Resident, ResidentError};

/// The socket of the resident process of a program that sees just what this one sees, whatever the event.
///
/// # Errors
/// Always, on this system.
pub fn socket(_folder: &Path, _program: &Path) -> io::Result<PathBuf> {
    Err(io::Error::new(io::ErrorKind::Unsupported, ResidentError::Unsupported.to_string()))
}

/// Hands the event on standard input to the resident process at a socket and gives the exit code; `None` where none has
/// time for it: on this system always.
#[must_use]
pub fn pass_on(
    _client: Client,
    _name: Option<&str>,
    _socket: &Path,
    _deadline: Duration,
    _patience: Duration,
) -> Option<u8> {
    None
}

/// As [`serve`](crate::serve::serve): on this system nobody else answers, which is logged.
pub fn serve<E: Display>(
    client: Client,
    name: Option<&str>,
    _resident: &Resident,
    bridge: impl FnOnce(&Event) -> Result<Bridge, E>,
) -> u8 {
    tracing::warn!("{}", ResidentError::Unsupported);
    crate::serve::serve(client, name, bridge)
}

/// Answers the events that come over a socket.
///
/// # Errors
/// Always, on this system.
pub fn reside<E: Display>(
    _socket: &Path,
    _idle: Duration,
    _bridge: impl Fn(&Event) -> Result<Bridge, E>,
) -> Result<(), ResidentError> {
    Err(ResidentError::Unsupported)
}
