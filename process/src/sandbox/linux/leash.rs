//! Our end of the socket at whose other end a command's supervisor stands.

use std::io::{ErrorKind, Read};
use std::net::Shutdown;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};

use super::appeared::After;
use super::room::Room;
use super::supervise::{FAILED, IS, STARTED};
use super::{child, locked, sys};

/// So long does a supervisor have to end what is left. It takes milliseconds, but for processes that a disk or network holds.
const PATIENCE: Duration = Duration::from_secs(2);

/// A command, held.
#[derive(Debug)]
pub(in crate::sandbox) struct Held {
    ours: UnixStream,
    /// The other end, which the command takes with it when it is forked.
    theirs: Arc<Mutex<Option<OwnedFd>>>,
    is_taken: Arc<AtomicBool>,
    told: Mutex<Heard>,
    after: Option<After>,
    /// Lives as long as what runs in it.
    _room: Option<Arc<Room>>,
}

/// What the other end said.
#[derive(Debug, Default)]
struct Heard {
    bytes: Vec<u8>,
    supervisor: Option<i32>,
    failure: Option<(u8, i32)>,
    is_gone: bool,
}

impl Heard {
    fn add(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
        loop {
            let number = |from: usize| {
                let four: Option<[u8; 4]> =
                    self.bytes.get(from..from + 4).and_then(|four| four.try_into().ok());
                four.map(i32::from_ne_bytes)
            };
            let taken = match self.bytes.first() {
                Some(&STARTED) => 1,
                Some(&IS) => {
                    let Some(pid) = number(1) else { return };
                    self.supervisor = Some(pid);
                    5
                }
                Some(&FAILED) => {
                    let (Some(step), Some(error)) = (self.bytes.get(1), number(2)) else { return };
                    self.failure = Some((*step, error));
                    6
                }
                _ => return,
            };
            self.bytes.drain(..taken);
        }
    }

    /// Nobody is at the other end: the supervisor has ended, and is waited for, once.
    fn end(&mut self) {
        self.is_gone = true;
        if let Some(supervisor) = self.supervisor.take() {
            sys::wait_for(supervisor);
        }
    }
}

impl Held {
    pub(super) fn new(
        ours: UnixStream,
        theirs: Arc<Mutex<Option<OwnedFd>>>,
        is_taken: Arc<AtomicBool>,
        room: Option<Arc<Room>>,
        after: Option<After>,
    ) -> Self {
        Self { ours, theirs, is_taken, told: Mutex::default(), after, _room: room }
    }

    /// Hears what the other end has said, without waiting.
    fn hear(&self) -> MutexGuard<'_, Heard> {
        let mut heard = locked(&self.told);
        let mut buffer = [0; 64];
        let _ = self.ours.set_nonblocking(true);
        while !heard.is_gone {
            match (&self.ours).read(&mut buffer) {
                Ok(0) => heard.end(),
                Ok(count) => {
                    heard.add(buffer.get(..count).unwrap_or_default());
                    // Our copy of the other end is not needed any more, and would hide that nobody else has one.
                    self.take();
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                // A command that was dropped without having been started leaves the other end to us alone.
                Err(error) if error.kind() == ErrorKind::WouldBlock => {
                    if Arc::strong_count(&self.theirs) > 1 || self.is_taken.load(Ordering::Relaxed) {
                        break;
                    }
                    self.take();
                }
                Err(_) => heard.end(),
            }
        }
        heard
    }

    fn take(&self) {
        self.is_taken.store(true, Ordering::Relaxed);
        *locked(&self.theirs) = None;
    }

    pub(in crate::sandbox) fn is_over(&self) -> bool {
        self.hear().is_gone
    }

    /// Why the command could not be started.
    pub(in crate::sandbox) fn failure(&self) -> Option<String> {
        let (step, number) = self.hear().failure?;
        Some(format!("{}: {}", child::words(step), std::io::Error::from_raw_os_error(number)))
    }

    pub(in crate::sandbox) fn findings(&mut self) -> Vec<String> {
        self.after.as_mut().map(After::findings).unwrap_or_default()
    }

    fn wait_for_the_end(&self) {
        let until = Instant::now() + PATIENCE;
        while !self.hear().is_gone {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                tracing::warn!("what a command left running did not end when it was told to");
                return;
            }
            let left = Timespec {
                tv_sec: i64::try_from(left.as_secs()).unwrap_or(1),
                tv_nsec: left.subsec_nanos().into(),
            };
            let _ = poll(&mut [PollFd::from_borrowed_fd(self.ours.as_fd(), PollFlags::IN)], Some(&left));
        }
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        self.take();
        let _ = self.ours.shutdown(Shutdown::Write);
        self.wait_for_the_end();
        for finding in self.findings() {
            tracing::warn!("{finding}");
        }
    }
}
