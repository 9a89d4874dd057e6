//! Why a model's server is not there.

use std::path::PathBuf;

/// Why a model's server is not there, in full sentences with the remedy.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum StartError {
    /// The server's program is not there.
    #[error(
        "the model server's program `{program}` is not there or may not be run; install it, or name it as `server.binary` in the file of local models"
    )]
    NoProgram {
        /// Its name.
        program: String,
    },
    /// The model's file is not there.
    #[error(
        "the file {path} of the local model `{key}` is not there; correct `models.{key}.gguf` or `server.models_dir`"
    )]
    NoFile {
        /// The model.
        key: String,
        /// The file.
        path: PathBuf,
    },
    /// Somebody else has the port.
    #[error(
        "{address} is in use by another program, which is left alone ({why}); end that program, or choose another `server.port`"
    )]
    PortTaken {
        /// Where the server was to listen.
        address: String,
        /// What the system said.
        why: String,
    },
    /// The system did not start it.
    #[error(
        "the server of the local model `{key}` could not be started: {why}; check the folder of its log and the program"
    )]
    NotStarted {
        /// The model.
        key: String,
        /// What the system said.
        why: String,
    },
    /// It ended.
    #[error(
        "the server of the local model `{key}` ended by itself with {how}; the end of its log {log}:\n{lines}"
    )]
    Ended {
        /// The model.
        key: String,
        /// Its exit code or signal.
        how: String,
        /// Its log.
        log: PathBuf,
        /// The log's last lines.
        lines: String,
    },
    /// What answers is not what was started.
    #[error(
        "what answers at {address} serves {served} and not `{alias}`; nothing is sent there. Another server may have taken the port, or the program does not heed --alias"
    )]
    WrongModel {
        /// Where.
        address: String,
        /// What it says that it serves.
        served: String,
        /// What was started.
        alias: String,
    },
    /// It was not ready in time.
    #[error(
        "the server of the local model `{key}` was not ready after {seconds} s ({last}) and was stopped; raise `server.start_seconds`, or look at the end of its log {log}:\n{lines}"
    )]
    Slow {
        /// The model.
        key: String,
        /// How long it was waited for.
        seconds: u64,
        /// What it said last.
        last: String,
        /// Its log.
        log: PathBuf,
        /// The log's last lines.
        lines: String,
    },
    /// It failed a moment ago.
    #[error(
        "{error}\nIt is tried again in {seconds} s at the earliest, or as soon as the file of local models changes."
    )]
    TooSoon {
        /// How it failed.
        error: Box<Self>,
        /// Until the next try.
        seconds: u64,
    },
    /// Somebody stopped it, or wants another model, while it started.
    #[error("the start of the local model `{key}` was given up, since {why}; try again")]
    GivenUp {
        /// The model.
        key: String,
        /// Why.
        why: &'static str,
    },
    /// Another session works with another model.
    #[error(
        "the local model `{key}` cannot be started while the session `{session}` works with `{other}`; wait for its turn to end, or use `{other}` too"
    )]
    Busy {
        /// The wanted model.
        key: String,
        /// The running one.
        other: String,
        /// Who works with it.
        session: String,
    },
    /// Another session works with the server that is to be stopped.
    #[error(
        "the local model `{key}` is not stopped, since the session `{session}` works with it; wait for its turn to end"
    )]
    InUse {
        /// The running model.
        key: String,
        /// Who works with it.
        session: String,
    },
    /// A sub-agent wants another model than the one that runs.
    #[error(
        "the local model `{key}` does not run, and sub-agents do not switch; let the session that started this one switch to it"
    )]
    NotTopLevel {
        /// The wanted model.
        key: String,
    },
    /// The part that keeps the servers has failed.
    #[error(
        "local models cannot be started any more in this process: their keeper has failed; restart the program"
    )]
    Gone,
}
