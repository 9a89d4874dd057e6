//! The server as our child, and what sees to it that it never outlives us.
//!
//! Two processes share a group of their own, away from the terminal's, so that a Ctrl-C there does not end a server in the middle
//! of an answer:
//!
//! ```text
//! host ── pipe, held open ──▶ watcher (sh, leads the group, ignores TERM)
//!   └──── child ────────────▶ server (in the watcher's group)
//! ```
//!
//! When the host dies, however it dies, the pipe closes; the watcher then asks its group to end, and after five seconds kills it.
//! Linux's parent-death signal is not used: it is sent when the *thread* that started the child ends, it needs `unsafe` to be set,
//! and other systems do not have it. The watcher leads the group, so that the group's number cannot pass to anybody else
//! while there is somebody to be killed in it.
//!
//! A note on disk names the child by pid and start time. It serves the case that both host and watcher were killed: the next
//! start ends what matches the note, and touches nothing else.

use std::fs::File;
use std::io::{self, PipeWriter, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use hookspec_process::Environment;
use rustix::io::Errno;
use rustix::process::{Pid, Signal, getpgid, kill_process, kill_process_group};
use serde::{Deserialize, Serialize};
use sysinfo::{ProcessRefreshKind, ProcessesToUpdate, System};

/// Reads the server's pid, waits for the end of its input, and then ends its own group: asks, waits five seconds, kills.
const WATCHER: &str = "trap '' TERM INT HUP QUIT
read -r pid
read -r end
kill -TERM 0
for second in 1 2 3 4 5; do
    kill -0 \"$pid\" 2>/dev/null || break
    sleep 1
done
kill -KILL 0";

/// A process of this machine: its pid, and the second in which it was started, since pids are used again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Identity {
    pub(crate) pid: u32,
    started: u64,
}

impl Identity {
    /// Of the process that has this pid now.
    pub(crate) fn of(pid: u32) -> Option<Self> {
        let mut system = System::new().ok()?;
        let sought = sysinfo::Pid::from_u32(pid);
        system.refresh_processes_specifics(
            ProcessesToUpdate::Some(&[sought]),
            true,
            ProcessRefreshKind::nothing().without_tasks(),
        );
        let process = system.process(sought)?;
        // One that has ended and was not collected is gone, whatever the table says.
        let gone = matches!(process.status(), sysinfo::ProcessStatus::Zombie | sysinfo::ProcessStatus::Dead);
        (!gone).then(|| Self { pid, started: process.start_time() })
    }

    /// Whether it still runs. The start is computed from the time of the boot, which moves when the clock is corrected: a second
    /// or two are no difference.
    pub(crate) fn runs(&self) -> bool {
        Self::of(self.pid).is_some_and(|now| now.started.abs_diff(self.started) <= 2)
    }
}

/// What is written down of a running server.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Note {
    pub(crate) server: Identity,
    /// The leader of its group.
    group: u32,
    /// Who started it.
    pub(crate) host: Identity,
    pub(crate) key: String,
    pub(crate) address: String,
}

/// A running server.
#[derive(Debug)]
pub(crate) struct Running {
    server: Child,
    watcher: Child,
    /// Closed by our end, whatever it is.
    _alive: PipeWriter,
    note: PathBuf,
    over: bool,
}

fn pid(number: u32) -> Option<Pid> {
    i32::try_from(number).ok().and_then(Pid::from_raw)
}

fn signal_group(group: u32, signal: Signal) {
    let Some(group) = pid(group) else { return };
    match kill_process_group(group, signal) {
        Ok(()) | Err(Errno::SRCH) => {}
        Err(error) => tracing::warn!(%error, "a model server's process group could not be signalled"),
    }
}

impl Running {
    /// Starts a program with its output in `log`, and writes the note about it into `place`.
    pub(crate) fn start(
        program: &Path,
        args: &[String],
        log: File,
        place: &Path,
        (key, address): (&str, &str),
    ) -> io::Result<Self> {
        let (wait, mut alive) = io::pipe()?;
        let mut watcher = Command::new("sh")
            .args(["-c", WATCHER, "hookspec-llm-switch"])
            .env_clear()
            .envs(std::env::var_os("PATH").map(|path| ("PATH", path)))
            .stdin(wait)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .process_group(0)
            .spawn()?;
        let started = start_server(program, args, log, watcher.id());
        let server = match started {
            Ok(server) => server,
            Err(error) => {
                signal_group(watcher.id(), Signal::KILL);
                watcher.wait()?;
                return Err(error);
            }
        };
        // Without a pid the watcher would not wait between asking and killing.
        let told = writeln!(alive, "{}", server.id());
        let note = place.join(format!("server-{}.json", server.id()));
        let running = Self { server, watcher, _alive: alive, note, over: false };
        told?;
        running.write_note(key, address)?;
        Ok(running)
    }

    fn write_note(&self, key: &str, address: &str) -> io::Result<()> {
        let (Some(server), Some(host)) = (Identity::of(self.pid()), Identity::of(std::process::id())) else {
            return Ok(()); // it has ended already, which is found out next
        };
        let (key, address) = (key.to_owned(), address.to_owned());
        let note = Note { server, group: self.watcher.id(), host, key, address };
        // Written whole: half a note would name nobody.
        let folder = self.note.parent().unwrap_or(Path::new("."));
        let mut file = tempfile::NamedTempFile::new_in(folder)?;
        serde_json::to_writer(&mut file, &note)?;
        file.persist(&self.note).map_err(|error| error.error)?;
        Ok(())
    }

    pub(crate) fn pid(&self) -> u32 {
        self.server.id()
    }

    /// How it ended, if it has. Collected by this, so that no zombie stays.
    pub(crate) fn ended(&mut self) -> io::Result<Option<ExitStatus>> {
        self.server.try_wait()
    }

    /// Asks the group to end.
    pub(crate) fn ask_to_end(&self) {
        signal_group(self.watcher.id(), Signal::TERM);
    }

    /// Kills what there is left of the group, the watcher included, and collects both.
    pub(crate) fn kill(&mut self) {
        if std::mem::replace(&mut self.over, true) {
            return;
        }
        // The watcher is not collected yet, so that the group's number is still ours.
        signal_group(self.watcher.id(), Signal::KILL);
        for (child, name) in [(&mut self.server, "the model server"), (&mut self.watcher, "its watcher")] {
            if let Err(error) = child.wait() {
                tracing::warn!(%error, "{name} could not be collected");
            }
        }
        forget(&self.note);
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.kill();
    }
}

fn start_server(program: &Path, args: &[String], log: File, group: u32) -> io::Result<Child> {
    let errors = log.try_clone()?;
    let group = i32::try_from(group).map_err(io::Error::other)?;
    Command::new(program)
        .args(args)
        .env_clear()
        // Libraries and devices are found through many variables; keys of other services are none of its business.
        .envs(Environment::WithoutSecrets.variables())
        .stdin(Stdio::null())
        .stdout(log)
        .stderr(errors)
        .process_group(group)
        .spawn()
}

fn forget(file: &Path) {
    if let Err(error) = std::fs::remove_file(file)
        && error.kind() != io::ErrorKind::NotFound
    {
        tracing::warn!(%error, file = %file.display(), "a file about a model server could not be removed");
    }
}

/// Ends servers whose host was killed together with its watcher; gives back what it ended.
///
/// A server whose host lives is that host's. A note whose process is gone, or is another by now, is only removed.
pub(crate) fn clean(place: &Path, mercy: Duration) -> Vec<Note> {
    let Ok(files) = std::fs::read_dir(place) else { return Vec::new() };
    let mut ended = Vec::new();
    for path in files.filter_map(|file| Some(file.ok()?.path())) {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        if !(name.starts_with("server-") && name.ends_with(".json")) {
            continue;
        }
        let Ok(text) = std::fs::read_to_string(&path) else { continue };
        let note = match serde_json::from_str::<Note>(&text) {
            Ok(note) if note.host.runs() => continue,
            Ok(note) => note,
            Err(error) => {
                tracing::warn!(%error, note = %path.display(), "a note about a model server is not understood; remove it");
                continue;
            }
        };
        if note.server.runs() {
            tracing::warn!(pid = note.server.pid, key = note.key, "a model server of a killed host is ended");
            end_orphan(&note, mercy);
            ended.push(note);
        }
        forget(&path);
    }
    ended
}

fn end_orphan(note: &Note, mercy: Duration) {
    let signal = |signal| {
        let Some(server) = pid(note.server.pid) else { return };
        // The group only if the server is in it still: its number may be somebody else's otherwise.
        if getpgid(Some(server)).ok() == pid(note.group) {
            signal_group(note.group, signal);
        } else {
            let _ = kill_process(server, signal);
        }
    };
    signal(Signal::TERM);
    let until = Instant::now() + mercy;
    while note.server.runs() && Instant::now() < until {
        std::thread::sleep(Duration::from_millis(50));
    }
    if note.server.runs() {
        signal(Signal::KILL);
    }
}

/// A folder that only its owner may look into.
pub(crate) fn private_folder(path: &Path) -> io::Result<()> {
    std::fs::DirBuilder::new().recursive(true).mode(0o700).create(path)
}

/// A new, empty log that only its owner may read. What was there is another start's; of others' logs only the newest stay, since
/// each free port gives one of its own.
pub(crate) fn new_log(path: &Path) -> io::Result<File> {
    const KEPT: usize = 15;
    forget(path);
    for old in logs(path.parent().unwrap_or(Path::new("."))).into_iter().skip(KEPT) {
        forget(&old);
    }
    std::fs::OpenOptions::new().append(true).create_new(true).mode(0o600).open(path)
}

/// The logs of a folder, the newest first.
fn logs(folder: &Path) -> Vec<PathBuf> {
    let Ok(files) = std::fs::read_dir(folder) else { return Vec::new() };
    let paths = files.filter_map(|file| Some(file.ok()?.path()));
    let mut logs: Vec<_> = paths
        .filter(|path| path.extension().is_some_and(|ending| ending == "log"))
        .filter_map(|path| Some((path.metadata().and_then(|data| data.modified()).ok()?, path)))
        .collect();
    logs.sort_by(|one, other| other.cmp(one));
    logs.into_iter().map(|(_, path)| path).collect()
}

/// The last lines of a log, bounded.
pub(crate) fn last_lines(path: &Path) -> String {
    const LINES: usize = 8;
    const BYTES: usize = 2000;
    let text = std::fs::read(path).map(|bytes| {
        let from = bytes.len().saturating_sub(BYTES);
        String::from_utf8_lossy(bytes.get(from..).unwrap_or_default()).into_owned()
    });
    let text = text.unwrap_or_default();
    let lines: Vec<&str> = text.trim_end().lines().collect();
    lines.get(lines.len().saturating_sub(LINES)..).unwrap_or_default().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edge_12_logs_do_not_heap_up() {
        let folder = tempfile::tempdir().unwrap();
        for number in 0..40 {
            new_log(&folder.path().join(format!("write-{number}.log"))).unwrap();
        }
        assert_eq!(logs(folder.path()).len(), 16);
        assert!(folder.path().join("write-39.log").exists());
    }

    #[test]
    fn the_end_of_a_log_is_bounded() {
        let folder = tempfile::tempdir().unwrap();
        let log = folder.path().join("x.log");
        std::fs::write(&log, "early\n".repeat(1000) + &"line\n".repeat(7) + "last\n").unwrap();
        assert_eq!(last_lines(&log), "line\n".repeat(7) + "last");
        std::fs::write(&log, "x".repeat(5000)).unwrap();
        assert_eq!(last_lines(&log).len(), 2000);
        assert_eq!(last_lines(&folder.path().join("none")), "");
    }

    #[test]
    fn this_process_runs_and_one_that_has_ended_does_not() {
        assert!(Identity::of(std::process::id()).unwrap().runs());
        let mut child = Command::new("true").spawn().unwrap();
        let id = child.id();
        child.wait().unwrap();
        assert_eq!(Identity::of(id), None);
    }
}
