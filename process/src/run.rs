//! Running a program to its end, or to the deadline.

use std::ffi::{OsStr, OsString};
use std::io::{self, ErrorKind, Read, Write};
use std::os::fd::AsFd;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};

use crate::environment::Environment;
use crate::kept::Kept;

/// How long a group may clean up between the request to end and the kill.
const MERCY: Duration = Duration::from_millis(300);
/// How long output may trickle in after the program itself has ended.
const AFTERGLOW: Duration = Duration::from_millis(300);
/// How often the loop looks whether the program has ended.
const TICK: Duration = Duration::from_millis(5);

/// A program to run.
#[derive(Clone, Debug)]
pub struct Program {
    program: OsString,
    args: Vec<OsString>,
    cwd: Option<PathBuf>,
    environment: Environment,
    variables: Vec<(OsString, OsString)>,
    input: Vec<u8>,
    deadline: Duration,
    keep: usize,
}

/// A program that ran to its end.
#[derive(Clone, Debug)]
pub struct Ended {
    /// How it ended.
    pub status: ExitStatus,
    /// What it wrote.
    pub stdout: Kept,
    /// What it complained of.
    pub stderr: Kept,
    /// How long it took.
    pub duration: Duration,
}

impl Ended {
    /// How it ended, in words: `exit code 3`, `signal: 9 (SIGKILL)`.
    #[must_use]
    pub fn words(&self) -> String {
        self.status.code().map_or_else(|| self.status.to_string(), |code| format!("exit code {code}"))
    }
}

/// A program that did not run to its end.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ProcessError {
    /// It could not be started.
    #[error("`{program}` could not be started: {source}; check that it is installed and may be run")]
    Start {
        /// The program.
        program: String,
        /// What the system said.
        source: io::Error,
    },
    /// It was still running when its time was up, and was ended with all it had started.
    #[error("`{program}` was ended after {} s, its time limit", .after.as_secs_f32())]
    Deadline {
        /// The program.
        program: String,
        /// Its time limit.
        after: Duration,
        /// What it had written.
        stdout: Box<Kept>,
        /// What it had complained of.
        stderr: Box<Kept>,
    },
    /// The system failed us in between.
    #[error("`{program}` could not be followed: {source}")]
    Lost {
        /// The program.
        program: String,
        /// What the system said.
        source: io::Error,
    },
}

impl Program {
    /// A program by its path, or by a name that the system looks up on `PATH`; [`find`](crate::find) looks
    /// with more care. It runs for at most 30 s, with a plain environment and an empty input, and 64 KiB of
    /// each of its outputs are kept, unless said otherwise.
    pub fn new(program: impl AsRef<OsStr>) -> Self {
        Self {
            program: program.as_ref().to_owned(),
            args: Vec::new(),
            cwd: None,
            environment: Environment::Plain,
            variables: Vec::new(),
            input: Vec::new(),
            deadline: Duration::from_secs(30),
            keep: 64 * 1024,
        }
    }

    /// Adds an argument.
    #[must_use]
    pub fn arg(mut self, arg: impl AsRef<OsStr>) -> Self {
        self.args.push(arg.as_ref().to_owned());
        self
    }

    /// Adds arguments.
    #[must_use]
    pub fn args(mut self, args: impl IntoIterator<Item = impl AsRef<OsStr>>) -> Self {
        self.args.extend(args.into_iter().map(|arg| arg.as_ref().to_owned()));
        self
    }

    /// Where it runs.
    #[must_use]
    pub fn cwd(mut self, cwd: impl Into<PathBuf>) -> Self {
        self.cwd = Some(cwd.into());
        self
    }

    /// Which of our variables it gets.
    #[must_use]
    pub fn environment(mut self, environment: Environment) -> Self {
        self.environment = environment;
        self
    }

    /// Sets a variable.
    #[must_use]
    pub fn env(mut self, name: impl AsRef<OsStr>, value: impl AsRef<OsStr>) -> Self {
        self.variables.push((name.as_ref().to_owned(), value.as_ref().to_owned()));
        self
    }

    /// What it reads. One that ends without reading it all is no error.
    #[must_use]
    pub fn input(mut self, input: impl Into<Vec<u8>>) -> Self {
        self.input = input.into();
        self
    }

    /// How long it may take, from its start to the end of its output.
    #[must_use]
    pub fn deadline(mut self, deadline: Duration) -> Self {
        self.deadline = deadline;
        self
    }

    /// How many bytes of each output are kept; the middle of a longer one is left out.
    #[must_use]
    pub fn keep(mut self, bytes: usize) -> Self {
        self.keep = bytes;
        self
    }

    /// Runs it on this thread and waits. Whatever its group still runs when it ends is killed.
    ///
    /// # Errors
    /// If it cannot be started, or is not done in time. A failing exit status is not an error here.
    pub fn run(&self) -> Result<Ended, ProcessError> {
        let mut command = Command::new(&self.program);
        command
            .args(&self.args)
            .env_clear()
            .envs(self.environment.variables())
            .envs(self.variables.iter().map(|(name, value)| (name, value)))
            .stdin(if self.input.is_empty() { Stdio::null() } else { Stdio::piped() })
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0);
        if let Some(cwd) = &self.cwd {
            command.current_dir(cwd);
        }
        let began = Instant::now();
        let child = command.spawn().map_err(|source| ProcessError::Start { program: self.name(), source })?;
        let mut running = Running::new(child, &self.input, self.keep);
        let followed = running.follow(began + self.deadline);
        let Running { stdout: (_, stdout), stderr: (_, stderr), .. } = running;
        match followed {
            Ok(Some(status)) => Ok(Ended { status, stdout, stderr, duration: began.elapsed() }),
            Ok(None) => Err(ProcessError::Deadline {
                program: self.name(),
                after: self.deadline,
                stdout: Box::new(stdout),
                stderr: Box::new(stderr),
            }),
            Err(source) => Err(ProcessError::Lost { program: self.name(), source }),
        }
    }

    fn name(&self) -> String {
        self.program.to_string_lossy().into_owned()
    }
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
