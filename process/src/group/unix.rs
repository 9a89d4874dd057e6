//! A program and all that it starts, as a process group: one loop over its pipes, and the signals that end it.

use std::io::{self, ErrorKind, Read, Write};
use std::os::fd::AsFd;
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, ExitStatus};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};

use crate::kept::Kept;

use super::Followed;

/// How long a group may clean up between the request to end and the kill.
const MERCY: Duration = Duration::from_millis(300);
/// How long output may trickle in after the program itself has ended.
const AFTERGLOW: Duration = Duration::from_millis(300);
/// How often the loop looks whether the program has ended.
const TICK: Duration = Duration::from_millis(5);

pub(crate) fn spawn(command: &mut Command) -> io::Result<Child> {
    command.process_group(0).spawn()
}

pub(crate) fn follow(child: Child, input: &[u8], keep: usize, deadline: Instant) -> Followed {
    let mut running = Running::new(child, input, keep);
    let followed = running.follow(deadline);
    let Running { stdout: (_, stdout), stderr: (_, stderr), .. } = running;
    (followed, stdout, stderr)
}

/// A child, its pipes, and what came out of them.
struct Running<'a> {
    child: Child,
    stdin: Option<ChildStdin>,
    input: &'a [u8],
    stdout: (Option<ChildStdout>, Kept),
    stderr: (Option<ChildStderr>, Kept),
}

impl<'a> Running<'a> {
    fn new(mut child: Child, input: &'a [u8], keep: usize) -> Self {
        Self {
            stdin: child.stdin.take(),
            stdout: (child.stdout.take(), Kept::at_most(keep)),
            stderr: (child.stderr.take(), Kept::at_most(keep)),
            child,
            input,
        }
    }

    /// Moves data until the program has ended; `None` if the deadline came first. The group is dead after it.
    fn follow(&mut self, deadline: Instant) -> io::Result<Option<ExitStatus>> {
        let followed = self.until_exit(deadline);
        if matches!(followed, Ok(false)) {
            self.signal(Signal::TERM);
            let _ = self.until_exit(Instant::now() + MERCY);
        }
        // Before the leader is reaped, since its number, which is the group's, is ours until then.
        self.signal(Signal::KILL);
        let status = self.child.wait()?;
        self.rest(Instant::now() + AFTERGLOW)?;
        Ok(followed?.then_some(status))
    }

    fn until_exit(&mut self, deadline: Instant) -> io::Result<bool> {
        loop {
            if self.has_exited()? {
                // What it wrote last is in the pipes still.
                self.rest(
                    Instant::now() + AFTERGLOW.min(deadline.saturating_duration_since(Instant::now())),
                )?;
                return Ok(true);
            }
            if Instant::now() >= deadline {
                return Ok(false);
            }
            self.exchange(TICK)?;
        }
    }

    /// Reads until both outputs end, or the time is up: a daemon may hold them for ever.
    fn rest(&mut self, until: Instant) -> io::Result<()> {
        self.stdin = None;
        while (self.stdout.0.is_some() || self.stderr.0.is_some()) && Instant::now() < until {
            self.exchange(TICK)?;
        }
        Ok(())
    }

    fn pid(&self) -> Option<Pid> {
        i32::try_from(self.child.id()).ok().and_then(Pid::from_raw)
    }

    /// Whether it has ended, without reaping it.
    fn has_exited(&self) -> io::Result<bool> {
        let Some(pid) = self.pid() else { return Ok(true) };
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        Ok(waitid(WaitId::Pid(pid), options)?.is_some())
    }

    fn signal(&self, signal: Signal) {
        let Some(pid) = self.pid() else { return };
        match kill_process_group(pid, signal) {
            Ok(()) | Err(Errno::SRCH | Errno::PERM) => {}
            Err(error) => tracing::warn!(%error, "a process group could not be ended"),
        }
    }

    /// Waits for the pipes at most `patience` and moves what can be moved.
    fn exchange(&mut self, patience: Duration) -> io::Result<()> {
        let ends = [
            self.stdin.as_ref().map(|pipe| (pipe.as_fd(), PollFlags::OUT)),
            self.stdout.0.as_ref().map(|pipe| (pipe.as_fd(), PollFlags::IN)),
            self.stderr.0.as_ref().map(|pipe| (pipe.as_fd(), PollFlags::IN)),
        ];
        let mut fds: Vec<PollFd<'_>> =
            ends.iter().flatten().map(|(fd, flags)| PollFd::from_borrowed_fd(*fd, *flags)).collect();
        let patience = Timespec { tv_sec: 0, tv_nsec: patience.subsec_nanos().into() };
        match poll(&mut fds, Some(&patience)) {
            Ok(_) => {}
            Err(Errno::INTR) => return Ok(()),
            Err(error) => return Err(error.into()),
        }
        let mut polled = fds.iter().map(|fd| !fd.revents().is_empty());
        let [write, read, complain] = ends.map(|end| end.is_some() && polled.next().unwrap_or(false));
        if write && let Some(pipe) = &mut self.stdin {
            // A pipe that is ready takes this many bytes without making us wait (POSIX: PIPE_BUF).
            const READY: usize = if cfg!(target_os = "linux") { 4096 } else { 512 };
            let piece = &self.input[..self.input.len().min(READY)];
            match pipe.write(piece) {
                Ok(count) => self.input = &self.input[count..],
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                // It does not want to read on, which is its own affair.
                Err(error) if error.kind() == ErrorKind::BrokenPipe => self.input = &[],
                Err(error) => return Err(error),
            }
            if self.input.is_empty() {
                self.stdin = None;
            }
        }
        if read {
            take(&mut self.stdout)?;
        }
        if complain {
            take(&mut self.stderr)?;
        }
        Ok(())
    }
}

/// Reads what a ready pipe holds; closes it at its end.
fn take<P: Read>((pipe, kept): &mut (Option<P>, Kept)) -> io::Result<()> {
    let mut buffer = [0; 16 * 1024];
    let Some(open) = pipe else { return Ok(()) };
    match open.read(&mut buffer) {
        Ok(0) => *pipe = None,
        Ok(count) => kept.add(&buffer[..count]),
        Err(error) if error.kind() == ErrorKind::Interrupted => {}
        Err(error) => return Err(error),
    }
    Ok(())
}
