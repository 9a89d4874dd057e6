//! Running a program to its end, or to the deadline.

use std::ffi::{OsStr, OsString};
use std::io;
use std::path::PathBuf;
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use crate::environment::Environment;
use crate::group;
use crate::kept::Kept;

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
    /// This system cannot end a program with all that it starts, so that none is started.
    #[error("`{program}` was not started: {source}")]
    Unsupported {
        /// The program.
        program: String,
        /// Why not.
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
            .stderr(Stdio::piped());
        if let Some(cwd) = &self.cwd {
            command.current_dir(cwd);
        }
        let began = Instant::now();
        let start = |source: io::Error| match source.kind() {
            io::ErrorKind::Unsupported => ProcessError::Unsupported { program: self.name(), source },
            _ => ProcessError::Start { program: self.name(), source },
        };
        let child = group::spawn(&mut command).map_err(start)?;
        let (followed, stdout, stderr) = group::follow(child, &self.input, self.keep, began + self.deadline);
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
