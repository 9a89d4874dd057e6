//! Finding a resident process, and handing an event to it.

use std::collections::hash_map::DefaultHasher;
use std::ffi::OsString;
use std::fmt::Display;
use std::hash::{Hash, Hasher};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::bridge::{Bridge, Event};
use crate::client::Client;
use crate::input::{self, Limits};
use crate::serve::{judge, own_stdout};

use super::ask::{self, Absent, Asked};
use super::{Resident, ResidentError, wire};

/// What the environment holds of a shell rather than of the user.
const PASSING: [&str; 4] = ["PWD", "OLDPWD", "SHLVL", "_"];

/// Options that may differ from event to event, each with a value; they are told with the event.
const PER_EVENT: [&str; 2] = ["--event", "--deadline"];

impl Resident {
    fn socket(&self) -> io::Result<PathBuf> {
        socket(&self.folder, &std::env::current_exe()?)
    }
}

/// The socket of the resident process of a program that sees just what this one sees, whatever the event.
///
/// # Errors
/// If the program cannot be found, or its socket would have too long a name.
pub fn socket(folder: &Path, program: &Path) -> io::Result<PathBuf> {
    let data = program.metadata()?;
    let mut seen = DefaultHasher::new();
    (program, data.dev(), data.ino(), data.len(), data.mtime(), data.mtime_nsec()).hash(&mut seen);
    lasting(std::env::args_os().skip(1)).hash(&mut seen);
    std::env::current_dir()?.hash(&mut seen);
    let kept = std::env::vars_os().filter(|(name, _)| !PASSING.iter().any(|passing| name == passing));
    let mut kept: Vec<_> = kept.collect();
    kept.sort_unstable();
    kept.hash(&mut seen);
    let socket = folder.join(format!("{:016x}.sock", seen.finish()));
    std::os::unix::net::SocketAddr::from_pathname(&socket)?;
    Ok(socket)
}

/// Hands the event on standard input to the resident process at a socket and gives the exit code; `None` where none has
/// time for it, with standard input as it was, so that the program itself can be run in place of this one.
#[must_use]
pub fn pass_on(
    client: Client,
    name: Option<&str>,
    socket: &Path,
    deadline: Duration,
    patience: Duration,
) -> Option<u8> {
    Some(passed(ask::ready(socket, patience).ok()?, client, name, deadline))
}

fn passed(taker: UnixStream, client: Client, name: Option<&str>, deadline: Duration) -> u8 {
    let Some(stdout) = own_stdout() else { return 2 };
    let (bytes, read) = input::read(std::io::stdin(), &Limits::default());
    let why = match &read {
        // Nothing is run for what cannot be read; the resident process finds its caller gone.
        Err(_) => String::new(),
        Ok(()) => match ask::hand_over(taker, &wire::Head::new(client, name, deadline), &bytes) {
            Asked::Answered(answer) => return stdout.give(&answer),
            Asked::Lost(why) => why,
        },
    };
    let refused = |_: &Event| Err::<Bridge, _>(why);
    judge(client, name, &bytes, read, refused, move |answer| stdout.give(answer))
}

/// The arguments without those that may differ from event to event.
fn lasting(arguments: impl Iterator<Item = OsString>) -> Vec<OsString> {
    let mut kept = Vec::new();
    let mut is_value = false;
    for word in arguments {
        let text = word.to_string_lossy();
        let per_event = PER_EVENT.iter().any(|option| {
            text.strip_prefix(option).is_some_and(|rest| rest.is_empty() || rest.starts_with('='))
        });
        if !per_event && !std::mem::take(&mut is_value) {
            kept.push(word);
        } else {
            is_value = per_event && !text.contains('=');
        }
    }
    kept
}

/// As [`serve`](crate::serve::serve), by a resident process where one is there, and starting one where none is.
pub fn serve<E: Display>(
    client: Client,
    name: Option<&str>,
    resident: &Resident,
    bridge: impl FnOnce(&Event) -> Result<Bridge, E>,
) -> u8 {
    let socket = match resident.socket() {
        Ok(socket) => socket,
        Err(error) => {
            tracing::warn!(%error, folder = %resident.folder.display(), "no resident process can listen there");
            return crate::serve::serve(client, name, bridge);
        }
    };
    match ask::ready(&socket, resident.patience) {
        Ok(taker) => passed(taker, client, name, resident.deadline),
        Err(Absent::Busy) => crate::serve::serve(client, name, bridge),
        Err(Absent::Nobody) => {
            let code = crate::serve::serve(client, name, bridge);
            if let Err(error) = ask::start(resident, &socket) {
                tracing::warn!(%error);
            }
            code
        }
    }
}

/// Makes the folder of the sockets, or sees to it that nobody else can put one there.
pub(super) fn own_folder(folder: &Path) -> Result<(), ResidentError> {
    let io = |source| ResidentError::Io { path: folder.to_owned(), source };
    std::fs::DirBuilder::new().recursive(true).mode(0o700).create(folder).map_err(io)?;
    let data = folder.metadata().map_err(io)?;
    if data.uid() != rustix::process::geteuid().as_raw() || data.mode() & 0o077 != 0 {
        return Err(ResidentError::Shared(folder.to_owned()));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::lasting;

    #[test]
    fn what_belongs_to_one_event_does_not_tell_processes_apart() {
        let of = |line: &str| lasting(line.split(' ').map(Into::into));
        let kept = of("bridge codex --allow x --idle 4");
        for line in [
            "bridge codex --event Stop --allow x --idle 4",
            "bridge codex --event=SessionEnd --deadline 4 --allow x --idle 4",
            "--deadline=4 bridge codex --allow x --idle 4 --event Stop",
        ] {
            assert_eq!(of(line), kept, "{line}");
        }
        for line in
            ["bridge codex --allow y --idle 4", "bridge claude --allow x --idle 4", "bridge codex --events x"]
        {
            assert_ne!(of(line), kept, "{line}");
        }
    }
}
