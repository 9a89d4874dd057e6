//! The process that the client starts: it hands its event over and passes the answer on.

use std::io::{self, Read};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use super::here::own_folder;
use super::wire::{Head, READY, Reply, is_own, read_frame, send_file, write_frame};
use super::{Resident, ResidentError};
use crate::input::Limits;
use crate::lower::Answer;

/// How much longer than hooks may take an answer may take: a resident process that overran tells so itself.
const OVERDUE: Duration = Duration::from_secs(3);

/// What became of an event that was taken.
pub(super) enum Asked {
    /// A resident process has answered.
    Answered(Answer),
    /// It took the event and never answered.
    Lost(String),
}

/// Why a resident process has not taken an event.
pub(super) enum Absent {
    /// It is busy with another one.
    Busy,
    /// There is none.
    Nobody,
}

/// A resident process that waits for an event, or why there is none.
pub(super) fn ready(socket: &Path, patience: Duration) -> Result<UnixStream, Absent> {
    let Ok(mut stream) = UnixStream::connect(socket) else { return Err(Absent::Nobody) };
    if !is_own(&stream) {
        tracing::warn!(socket = %socket.display(), "another user listens there, and gets no event");
        return Err(Absent::Busy);
    }
    let mut ready = [0];
    let waited = stream.set_read_timeout(Some(patience)).and_then(|()| stream.read_exact(&mut ready));
    if waited.is_ok() && ready == [READY] { Ok(stream) } else { Err(Absent::Busy) }
}

pub(super) fn hand_over(mut stream: UnixStream, head: &Head, event: &[u8]) -> Asked {
    match exchange(&mut stream, head, event) {
        Ok(answer) => Asked::Answered(answer),
        Err(error) => {
            Asked::Lost(format!("the resident process took the event and did not answer ({error})"))
        }
    }
}

fn exchange(stream: &mut UnixStream, head: &Head, event: &[u8]) -> io::Result<Answer> {
    let patience = Some(head.deadline + OVERDUE);
    stream.set_read_timeout(patience)?;
    stream.set_write_timeout(patience)?;
    send_file(stream, rustix::stdio::stderr())?;
    write_frame(stream, &serde_json::to_vec(head)?)?;
    write_frame(stream, event)?;
    let reply: Reply = serde_json::from_slice(&read_frame(stream, Limits::default().keep)?)?;
    Ok(reply.into())
}

/// Starts a resident process for the events to come. It holds none of this one's pipes, and a signal to the client's
/// process group does not reach it.
pub(super) fn start(resident: &Resident, socket: &Path) -> Result<(), ResidentError> {
    own_folder(&resident.folder)?;
    let program = std::env::current_exe().map_err(ResidentError::Start)?;
    let started = Command::new(program)
        .args(&resident.start)
        .arg(socket)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .process_group(0)
        .spawn();
    started.map(drop).map_err(ResidentError::Start)
}
