//! `shell`: runs a command.
//!
//! Each call is a process of its own in the session's directory, in a process group of its own, with no
//! terminal and nothing to read. The directory in which the command ends becomes the session's, however it
//! got there (`cd`, `pushd`), unless it failed. A command that takes too long, or is interrupted, is ended
//! with its whole group: asked first, then killed.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::process::{ExitStatus, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use hookspec::tool::ToolError;
use hookspec::{Session, tool};
use process_wrap::tokio::{ChildWrapper, CommandWrap};
use schemars::JsonSchema;
use serde::Deserialize;
use tokio::io::AsyncReadExt;

use super::group::{self, Pipe};

/// How long a command may take unless the call says otherwise.
const TIMEOUT: u64 = 120;
/// How long it may take at most.
const LONGEST: u64 = 3600;
/// At most so many bytes of output are kept: the first half and the last.
const MOST: usize = 64 * 1024;
/// How long a command that was asked to end may take to do so.
const GRACE: Duration = Duration::from_secs(2);

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ShellArgs {
    /// The command, for bash.
    command: String,
    /// How many seconds it may take, at most 3600; 120 unless said.
    #[serde(default)]
    timeout_s: Option<u64>,
}

/// Runs a command in bash, in the current directory, and gives its output. `cd` lasts, also where the command fails.
#[tool(content = command, confirm)]
async fn shell(args: ShellArgs, session: &Session) -> Result<String, ToolError> {
    let limit = Duration::from_secs(args.timeout_s.unwrap_or(TIMEOUT).clamp(1, LONGEST));
    let note = tempfile::NamedTempFile::new()?;
    stand(session, session.cwd());
    let (mut child, output) = start(&args.command, &session.cwd(), note.path())?;
    let status = tokio::select! {
        status = child.wait() => status?,
        () = tokio::time::sleep(limit) => {
            group::end(&mut *child, GRACE).await;
            let shown = output.shown().await;
            let text = format!("The command was ended after {} s.\n{shown}", limit.as_secs());
            return Err(ToolError::Timeout(text));
        }
        _ = session.until_interrupted() => {
            group::end(&mut *child, GRACE).await;
            let shown = output.shown().await;
            return Err(ToolError::Interrupted(format!("The command was interrupted.\n{shown}")));
        }
    };
    let shown = output.shown().await;
    follow(session, note.path());
    if !status.success() {
        return Err(ToolError::Failed(format!("The command ended with {}.\n{shown}", words(status))));
    }
    Ok(shown)
}

fn words(status: ExitStatus) -> String {
    status.code().map_or_else(|| status.to_string(), |code| format!("exit code {code}"))
}

/// Starts bash on a command; where it is at its end, it writes into `note`.
fn start(command: &str, cwd: &Path, note: &Path) -> Result<(Box<dyn ChildWrapper>, Output), ToolError> {
    let (reader, writer) = std::io::pipe()?;
    let errors = writer.try_clone()?;
    // The trap runs whichever way the command ends, `exit` included.
    let script = format!("trap 'pwd -P > \"$HOOKSPEC_CWD_NOTE\"' EXIT\n{command}\n");
    let mut wrapped = CommandWrap::with_new("bash", |bash| {
        bash.arg("-c")
            .arg(script)
            .current_dir(cwd)
            .env("HOOKSPEC_CWD_NOTE", note)
            .env("PAGER", "cat")
            .env("GIT_PAGER", "cat")
            .env("GIT_TERMINAL_PROMPT", "0")
            .stdin(Stdio::null())
            .stdout(writer)
            .stderr(errors)
            .kill_on_drop(true);
    });
    let child = group::start(&mut wrapped).map_err(|error| {
        ToolError::Failed(format!("bash could not be started in {}: {error}", cwd.display()))
    })?;
    // The command builder holds the write end too; without this the pipe would never end.
    drop(wrapped);
    Ok((child, Output::read(group::pipe(reader)?)))
}

/// Moves the session to where the command ended.
fn follow(session: &Session, note: &Path) {
    let cwd = std::fs::read_to_string(note).unwrap_or_default();
    let cwd = PathBuf::from(cwd.trim_end_matches('\n'));
    stand(session, if cwd.is_absolute() && cwd.is_dir() { cwd } else { session.cwd() });
}

/// Moves the session to a directory, or where that is gone to the nearest one above it: without one to stand in no
/// command could start, `cd` included.
fn stand(session: &Session, cwd: PathBuf) {
    if let Some(cwd) = cwd.ancestors().find(|directory| directory.is_dir())
        && cwd != session.cwd()
    {
        session.set_cwd(cwd.to_owned());
    }
}

/// A command's output while it runs, both streams as they came.
struct Output {
    kept: Arc<Mutex<Kept>>,
    reading: tokio::task::JoinHandle<()>,
}

impl Output {
    fn read(mut pipe: Pipe) -> Self {
        let kept = Arc::<Mutex<Kept>>::default();
        let into = Arc::clone(&kept);
        let reading = tokio::spawn(async move {
            let mut buffer = vec![0; 8192];
            while let Ok(count @ 1..) = pipe.read(&mut buffer).await {
                into.lock().unwrap_or_else(PoisonError::into_inner).add(&buffer[..count]);
            }
        });
        Self { kept, reading }
    }

    /// The output. A process that the command left behind may still hold the pipe: it is not waited for.
    async fn shown(mut self) -> String {
        if tokio::time::timeout(GRACE, &mut self.reading).await.is_err() {
            self.reading.abort();
        }
        self.kept.lock().unwrap_or_else(PoisonError::into_inner).shown()
    }
}

/// The first and the last bytes of an output.
#[derive(Default)]
struct Kept {
    head: Vec<u8>,
    tail: VecDeque<u8>,
    dropped: usize,
}

impl Kept {
    fn add(&mut self, bytes: &[u8]) {
        let room = (MOST / 2).saturating_sub(self.head.len()).min(bytes.len());
        self.head.extend_from_slice(&bytes[..room]);
        self.tail.extend(&bytes[room..]);
        let over = self.tail.len().saturating_sub(MOST / 2);
        self.tail.drain(..over);
        self.dropped += over;
    }

    fn shown(&self) -> String {
        let tail: Vec<u8> = self.tail.iter().copied().collect();
        if self.dropped == 0 {
            // As one, since a character may lie across the middle.
            return String::from_utf8_lossy(&[&*self.head, &*tail].concat()).into_owned();
        }
        let (head, tail) = (String::from_utf8_lossy(&self.head), String::from_utf8_lossy(&tail));
        format!("{head}\n… ({} bytes left out) …\n{tail}", self.dropped)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_output_keeps_its_ends() {
        let mut kept = Kept::default();
        kept.add(b"begin");
        for _ in 0..100 {
            kept.add(&[b'x'; 4096]);
        }
        kept.add(b"end");
        let shown = kept.shown();
        assert!(shown.starts_with("begin") && shown.ends_with("end"));
        assert!(shown.len() < MOST + 100 && shown.contains("bytes left out"));
    }

    #[test]
    fn a_character_across_the_middle_stays_whole() {
        let mut kept = Kept::default();
        kept.add(&vec![b'x'; MOST / 2 - 1]);
        kept.add("ä".as_bytes());
        assert!(kept.shown().ends_with("xä"), "{:?}", &kept.shown()[MOST / 2 - 3..]);
    }
}
