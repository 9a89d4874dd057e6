//! A server that was started: what is looked at before, and what is known of it after.

use std::io;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use crate::error::StartError;
use crate::keeper::Serving;
use crate::launch::{Launch, bare, is_wildcard, reach};
use crate::process::{self, Running};

/// A server that was started and is not collected.
pub(crate) struct Up {
    pub(crate) running: Running,
    pub(crate) launch: Arc<Launch>,
    pub(crate) address: String,
    pub(crate) log: PathBuf,
}

impl Up {
    /// Starts a server where there is none. Whoever has the port already is left alone.
    pub(crate) fn start(launch: &Arc<Launch>, place: &Path, mercy: Duration) -> Result<Self, StartError> {
        let not_started =
            |error: io::Error| StartError::NotStarted { key: launch.key.clone(), why: error.to_string() };
        process::private_folder(place).map_err(not_started)?;
        process::clean(place, mercy);
        let no_program = || StartError::NoProgram { program: launch.program.clone() };
        let program = match Path::new(&launch.program) {
            path if launch.program.contains('/') => path.to_owned(),
            _ => {
                hookspec_process::find(&launch.program, launch.not_under.as_deref()).ok_or_else(no_program)?
            }
        };
        if !launch.gguf.is_file() {
            return Err(StartError::NoFile { key: launch.key.clone(), path: launch.gguf.clone() });
        }
        let port = free_port(launch)?;
        if is_wildcard(&launch.host) {
            tracing::warn!(
                host = launch.host,
                "the model server can be used by anybody who reaches this machine"
            );
        }
        let address = reach(&launch.host, port);
        let log = place.join(format!("{}-{}.log", file_name(&launch.key), port));
        let file = process::new_log(&log).map_err(not_started)?;
        let mut args = launch.args.clone();
        args.extend([
            "--host".to_owned(),
            bare(&launch.host).to_owned(),
            "--port".to_owned(),
            port.to_string(),
        ]);
        let started = Running::start(&program, &args, file, place, (&launch.key, &address));
        let running = started.map_err(|error| match error.kind() {
            io::ErrorKind::NotFound | io::ErrorKind::PermissionDenied => no_program(),
            _ => not_started(error),
        })?;
        Ok(Self { running, launch: Arc::clone(launch), address, log })
    }

    /// As `launch` calls it: the host's name may have changed while the server did not.
    pub(crate) fn serving(&self, launch: &Launch) -> Serving {
        Serving {
            key: launch.key.clone(),
            model: launch.model.clone(),
            endpoint: self.endpoint(),
            context: launch.context,
            pid: self.running.pid(),
        }
    }

    pub(crate) fn ended_by_itself(&mut self) -> Option<StartError> {
        let how = match self.running.ended() {
            Ok(None) => return None,
            Ok(Some(status)) => {
                status.code().map_or_else(|| status.to_string(), |code| format!("exit code {code}"))
            }
            Err(error) => format!("an end that the system did not tell ({error})"),
        };
        let (key, log) = (self.launch.key.clone(), self.log.clone());
        Some(StartError::Ended { key, how, lines: process::last_lines(&log), log })
    }

    /// Where it is asked, as a base URL.
    pub(crate) fn endpoint(&self) -> String {
        format!("http://{}/v1", self.address)
    }
}

/// The port, which nobody else has; where the file says 0, one that is free.
fn free_port(launch: &Launch) -> Result<u16, StartError> {
    let bound =
        TcpListener::bind((bare(&launch.host), launch.port)).and_then(|listener| listener.local_addr());
    bound.map(|address| address.port()).map_err(|error| {
        let (address, why) = (reach(&launch.host, launch.port), error.to_string());
        if error.kind() == io::ErrorKind::AddrInUse {
            return StartError::PortTaken { address, why };
        }
        StartError::NotStarted {
            key: launch.key.clone(),
            why: format!("it cannot listen on {address} ({why})"),
        }
    })
}

/// A key as part of a file's name.
fn file_name(key: &str) -> String {
    key.chars().map(|c| if c.is_ascii_alphanumeric() || c == '-' || c == '_' { c } else { '_' }).collect()
}
