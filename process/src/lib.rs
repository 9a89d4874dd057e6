//! Subprocesses that cannot outstay their welcome.
//!
//! A hook that starts a program wants it gone when the time is up, with everything it started; wants its
//! output, but not a gigabyte of it; and does not want to hand it the secrets in its own environment.
//! [`Program`] does that and nothing else, on the calling thread: one loop over the three pipes, no threads.
//!
//! ```
//! use std::time::Duration;
//! use hookspec_process::Program;
//!
//! let ended = Program::new("sh").args(["-c", "cat; echo done >&2"])
//!     .input("hello")
//!     .deadline(Duration::from_secs(5))
//!     .run()?;
//! assert_eq!((ended.stdout.text(), ended.stderr.text()), ("hello".into(), "done\n".into()));
//! # Ok::<(), hookspec_process::ProcessError>(())
//! ```
//!
//! What programs and models wrote is shown to people by [`visible`], with nothing in it that deceives.
//!
//! What is promised: when `run` returns, the program and every process of its group have been told to die.
//! What is not: a process that moved into a session of its own (a daemon) is beyond reach. On systems that are no Unix nothing is
//! started: [`Program::run`] is an error that says why.

mod environment;
mod executable;
mod find;
mod group;
mod kept;
mod run;
mod visible;

pub use environment::Environment;
pub use find::find;
pub use kept::Kept;
pub use run::{Ended, ProcessError, Program};
pub use visible::{hangs_on_next, visible, visible_line};
