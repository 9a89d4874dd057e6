//! The process that stays.

use std::fmt::Display;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Write};
use std::os::fd::AsFd;
use std::os::unix::fs::OpenOptionsExt;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};

use super::here::own_folder;
use super::wire::{Head, READY, Reply, is_own, read_frame, take_file, write_frame};
use super::{EVENTS, ResidentError};
use crate::bridge::{Bridge, Event};
use crate::client::Client;
use crate::input::Limits;
use crate::lower::Answer;
use crate::serve::judge;

/// How long the parts of an event may take to come: longer than the client may take to write it.
const STALLED: Duration = Duration::from_secs(25);

/// Answers the events that come over a socket, until none has come for `idle`. Where another process listens there
/// already, it returns at once.
///
/// # Errors
/// If the socket cannot be had.
pub fn reside<E: Display>(
    socket: &Path,
    idle: Duration,
    bridge: impl Fn(&Event) -> Result<Bridge, E>,
) -> Result<(), ResidentError> {
    let failed = |path: &Path| {
        let path = path.to_owned();
        move |source| ResidentError::Io { path, source }
    };
    own_folder(socket.parent().unwrap_or(Path::new("/")))?;
    // A leader of its own session already, if this fails.
    let _ = rustix::process::setsid();
    let lock = socket.with_extension("lock");
    let held = OpenOptions::new().create(true).truncate(false).write(true).mode(0o600).open(&lock);
    let held = held.map_err(failed(&lock))?;
    match held.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => return Ok(()),
        Err(TryLockError::Error(error)) => return Err(failed(&lock)(error)),
    }
    // Who holds the lock is the only one; a socket that is there was left by one that was killed.
    match std::fs::remove_file(socket) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(failed(socket)(error)),
        _ => {}
    }
    let listener = UnixListener::bind(socket).map_err(failed(socket))?;
    let nowhere = OpenOptions::new().write(true).open("/dev/null").map_err(failed(Path::new("/dev/null")))?;
    for _ in 0..EVENTS {
        if !comes(&listener, idle).map_err(failed(socket))? {
            break;
        }
        let Ok((stream, _)) = listener.accept() else { continue };
        if let Err(error) = answer(stream, &bridge) {
            tracing::debug!(%error, "an event did not come whole");
        }
        print_to(&nowhere).map_err(failed(Path::new("/dev/null")))?;
    }
    // Who connects in this moment is not answered and answers by itself. The lock's file stays: to remove it would
    // let two processes hold two locks of one name.
    std::fs::remove_file(socket).map_err(failed(socket))
}

fn comes(listener: &UnixListener, idle: Duration) -> io::Result<bool> {
    let idle = Timespec::try_from(idle).ok();
    loop {
        match poll(&mut [PollFd::new(listener, PollFlags::IN)], idle.as_ref()) {
            Ok(count) => return Ok(count > 0),
            Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
}

/// Standard output and standard error, from now on.
fn print_to(file: impl AsFd) -> io::Result<()> {
    // What hooks left unfinished goes where the rest of it went.
    io::stdout().flush().or_else(|error| {
        tracing::debug!(%error, "what hooks printed cannot be written");
        Ok::<_, io::Error>(())
    })?;
    rustix::stdio::dup2_stdout(&file)?;
    rustix::stdio::dup2_stderr(&file)?;
    Ok(())
}

fn answer<E: Display>(
    mut stream: UnixStream,
    bridge: impl Fn(&Event) -> Result<Bridge, E>,
) -> io::Result<()> {
    if !is_own(&stream) {
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, "another user has knocked"));
    }
    stream.set_read_timeout(Some(STALLED))?;
    stream.set_write_timeout(Some(STALLED))?;
    stream.write_all(&[READY])?;
    let stderr = File::from(take_file(&stream)?);
    let head: Head = serde_json::from_slice(&read_frame(&mut stream, 64 * 1024)?)?;
    let client: Client = head.client.parse().map_err(io::Error::other)?;
    let event = read_frame(&mut stream, Limits::default().keep)?;
    print_to(&stderr)?;
    drop(stderr);
    let give = move |answer: &Answer| {
        let reply = serde_json::to_vec(&Reply::from(answer)).map_err(io::Error::from);
        if let Err(error) = reply.and_then(|reply| write_frame(&mut stream, &reply)) {
            // Who brought the event refuses it where it waits for a permission.
            tracing::error!(%error, "the answer cannot be handed back");
        }
        0
    };
    let bridge = |event: &Event| bridge(event).map(|bridge| Bridge { deadline: head.deadline, ..bridge });
    judge(client, head.name.as_deref(), &event, Ok(()), bridge, give);
    Ok(())
}
