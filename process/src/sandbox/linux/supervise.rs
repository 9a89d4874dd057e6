//! The two processes between us and a confined command.
//!
//! `Command` waits for the process that it forked, and that one cannot enter the room's list of processes, only its children can, so
//! that a second one stands in the room:
//!
//! ```text
//! us ─┬─ monitor       ends as the command did
//!     └─ supervisor    adopts and ends what is left, when the leash is dropped
//!         └─ the command ── what it starts
//! ```
//!
//! The monitor hands signals in and the status out. The supervisor stays while anything runs that the command started, daemons
//! included, and ends all of it when the leash is dropped, when we die, or when the monitor is killed. Both close all descriptors
//! that they do not need: the streams would not end before them, and `Command` would wait for ever for the start.

use std::os::fd::RawFd;

use libc::{POLLERR, POLLHUP, POLLIN, c_int, pid_t, pollfd};

use super::sys;

/// What is said to the leash: that the command is about to start.
pub(super) const STARTED: u8 = b'+';
/// Who the supervisor is, four bytes.
pub(super) const IS: u8 = b'=';
/// What failed, a byte, and the system's number for it, four.
pub(super) const FAILED: u8 = b'!';

fn wait_on(file: RawFd, events: i16) -> pollfd {
    pollfd { fd: file, events, revents: 0 }
}

/// Signals that somebody sends to a program, as opposed to those that the system sends.
fn is_sent(signal: c_int) -> bool {
    use libc::{SIGALRM, SIGCONT, SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGWINCH};
    [SIGALRM, SIGCONT, SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGWINCH].contains(&signal)
}

/// Hands signals to the supervisor until the status of the command comes, and ends as it did.
pub(super) fn monitor(supervisor: pid_t, status: RawFd) -> ! {
    let Ok(signals) = sys::signals() else { sys::end_by(libc::SIGKILL) };
    sys::close_all_but(&mut [status, signals]);
    let _ = sys::close_to_others();
    let mut watched = [wait_on(status, POLLIN), wait_on(signals, POLLIN)];
    loop {
        sys::poll(&mut watched);
        while let Some(signal) = sys::next_signal(signals) {
            if is_sent(signal) {
                let _ = sys::kill(supervisor, signal);
            }
        }
        if watched[0].revents != 0 {
            let mut told = [0; 4];
            match sys::read(status, &mut told) {
                Ok(4) => end_as(c_int::from_ne_bytes(told)),
                _ => sys::end_by(libc::SIGKILL),
            }
        }
    }
}

fn end_as(status: c_int) -> ! {
    if libc::WIFSIGNALED(status) {
        sys::end_by(libc::WTERMSIG(status))
    } else {
        sys::exit(libc::WEXITSTATUS(status))
    }
}

/// Stays until nothing runs any more that the command started, or ends all of it.
pub(super) fn supervise(command: pid_t, leash: RawFd, status: RawFd) -> ! {
    let Ok(signals) = sys::signals() else { sys::exit(1) };
    sys::close_all_but(&mut [leash, status, signals]);
    sys::write(leash, &[STARTED]);
    let mut call = Call { command, status: Some(status) };
    loop {
        let monitor = call.status.unwrap_or(-1);
        let mut watched = [wait_on(leash, POLLIN), wait_on(signals, POLLIN), wait_on(monitor, 0)];
        sys::poll(&mut watched);
        while let Some(signal) = sys::next_signal(signals) {
            if is_sent(signal) && call.status.is_some() && sys::kill(-command, signal).is_err() {
                let _ = sys::kill(command, signal);
            }
        }
        if call.reap_all() {
            sys::exit(0);
        }
        let is_dropped = watched[0].revents != 0;
        let is_abandoned = call.status.is_some() && watched[2].revents & (POLLERR | POLLHUP) != 0;
        if is_dropped || is_abandoned {
            call.end_all();
            sys::exit(0);
        }
    }
}

struct Call {
    command: pid_t,
    /// Where the status of the command is told, until it was.
    status: Option<RawFd>,
}

impl Call {
    /// Whether no child is left.
    fn reap_all(&mut self) -> bool {
        loop {
            match sys::reap() {
                Ok(Some((pid, status))) => {
                    if pid == self.command
                        && let Some(monitor) = self.status.take()
                    {
                        sys::write(monitor, &status.to_ne_bytes());
                        sys::close(monitor);
                    }
                }
                Ok(None) => return false,
                Err(_) => return true,
            }
        }
    }

    /// Kills what there is until nothing is. What loses its parent becomes a child of ours.
    fn end_all(&mut self) {
        // Stopped first, so that none of them can fork while the others are killed.
        for _ in 0..2 {
            each_below(|pid| _ = sys::kill(pid, libc::SIGSTOP));
        }
        while !self.reap_all() {
            if !each_below(|pid| _ = sys::kill(pid, libc::SIGKILL)) {
                // This kernel does not tell who our children are.
                let _ = sys::kill(-self.command, libc::SIGKILL);
                sys::exit(0);
            }
            sys::pause(1);
        }
    }
}

/// Calls for each process below this one that can be told; false if none can.
fn each_below(mut found: impl FnMut(pid_t)) -> bool {
    let mut known = [0; 1024];
    let Some(mut count) = children(None, &mut known) else { return false };
    let mut next = 0;
    while let Some(pid) = known.get(next).copied().filter(|_| next < count) {
        found(pid);
        if let Some(room) = known.get_mut(count..) {
            count += children(Some(pid), room).unwrap_or_default();
        }
        next += 1;
    }
    true
}

/// The children of a process's first thread, or of this process.
fn children(of: Option<pid_t>, into: &mut [pid_t]) -> Option<usize> {
    let mut path = [0; 64];
    let mut list = [0; 4096];
    let path = match of {
        None => c"/proc/thread-self/children",
        Some(pid) => children_path(pid, &mut path)?,
    };
    let file = sys::open_to_read(path).ok()?;
    let mut count = 0;
    let mut number: pid_t = 0;
    while let Ok(length @ 1..) = sys::read(file, &mut list) {
        for byte in list.iter().take(length) {
            if byte.is_ascii_digit() {
                number = number.wrapping_mul(10).wrapping_add(pid_t::from(byte - b'0'));
            } else if number > 0 {
                if let Some(place) = into.get_mut(count) {
                    *place = number;
                    count += 1;
                }
                number = 0;
            }
        }
    }
    sys::close(file);
    Some(count)
}

/// `/proc/7/task/7/children`, without memory of its own.
fn children_path(pid: pid_t, into: &mut [u8; 64]) -> Option<&std::ffi::CStr> {
    use std::io::Write;

    let mut rest = &mut into[..63];
    write!(rest, "/proc/{pid}/task/{pid}/children").ok()?;
    std::ffi::CStr::from_bytes_until_nul(into).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_without_memory() {
        assert_eq!(children_path(42, &mut [0; 64]).unwrap(), c"/proc/42/task/42/children");
        let mut found = [0; 16];
        let mut child = std::process::Command::new("sleep").arg("30").spawn().unwrap();
        let count = children(None, &mut found).unwrap();
        let pid = pid_t::try_from(child.id()).unwrap();
        assert!(found[..count].contains(&pid), "{pid} in {found:?}");
        child.kill().unwrap();
        child.wait().unwrap();
    }
}
