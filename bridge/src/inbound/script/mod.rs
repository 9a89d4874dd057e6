//! `script`: a command from `[[hooks.scripts]]` of `hookspec.toml`, at any point.
//!
//! **Watches** the point that its entry names. **Speaks** what the command answers: JSON on its output, or a refusal
//! by exit code 2. **Keeps** nothing. **Costs** a process each time, on a thread of its own.
//!
//! The command gets one JSON document to read (the event, and where it happens) and the same in short as
//! variables. At a gate one that fails, or takes too long, refuses, unless its entry says `fail_open`.
//! `docs/scripts.md` has all of it.
//!
//! Different from gptme: any point, not only the session's begin and end; standard input is the event and never the
//! terminal; the end of the output is told, not its beginning, after a timeout too; a project's commands run only
//! when the user trusts them; every host runs them, also for conversations on a server.

mod answer;
mod entry;
#[cfg(test)]
mod tests;

use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use hookspec::hooks::{BoxError, JsonEvent, JsonHook, JsonOutcome, Placement};
use hookspec::point::AnyPoint;
use hookspec::{Gate, Options, Session};
use serde_json::{Value, json};

use crate::command::{CommandError, Overflow};
use crate::trust::{Fingerprint, Subject, Unreadable};

use super::{Complaint, Inbound, plain};
use entry::Script;

/// The name that a complaint gives an entry.
const ENTRY: &str = "[[hooks.scripts]]";

/// Whether a file's scripts may run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Admission {
    /// It is the user's own.
    Own,
    /// The user trusts it as it is. What its commands name is looked at again before each run.
    Granted,
    /// Not, for this reason.
    Barred(String),
}

/// A `hookspec.toml` that was read.
#[derive(Clone, Debug)]
pub struct Source {
    /// The file.
    pub file: PathBuf,
    /// Its text.
    pub text: String,
    /// Whether its scripts may run.
    pub admission: Admission,
}

/// Where scripts run, and where what belongs to them is.
#[derive(Clone, Debug)]
pub struct Place {
    /// The directory tree that is worked in, absolute.
    pub workspace: PathBuf,
    /// The folder with the conversations, one folder each.
    pub logs: PathBuf,
    /// Where the wholes of long texts are kept.
    pub overflow: Overflow,
}

impl Place {
    /// The file with a session's conversation, where there is one.
    #[must_use]
    pub fn transcript(&self, session: &str) -> Option<PathBuf> {
        let file = logdir(&self.logs, session)?.join("conversation.jsonl");
        file.is_file().then_some(file)
    }
}

/// A whole `hookspec.toml` with everything that its commands name, to be trusted or not.
#[must_use]
pub fn subject(file: &Path, text: &str, workspace: &Path) -> Subject {
    Subject {
        file: file.canonicalize().unwrap_or_else(|_| file.to_owned()),
        part: "the whole file".to_owned(),
        text: text.to_owned(),
        commands: entry::commands(text),
        variables: entry::variables(workspace),
        cwd: workspace.to_owned(),
    }
}

/// The scripts of a file that holds other things too, such as gptme's; `None` if there are none.
#[must_use]
pub fn subject_of_scripts(file: &Path, text: &str, workspace: &Path) -> Option<Subject> {
    let entries: Vec<String> = entry::entries(text).iter().map(|(_, entry)| entry.to_string()).collect();
    (!entries.is_empty()).then(|| Subject {
        part: "its scripts".to_owned(),
        text: entries.join("\n"),
        ..subject(file, text, workspace)
    })
}

/// The hooks of these files, in their order. They are numbered from 1 on over all files, so that of equal
/// priorities the first that was written runs first.
#[must_use]
pub fn load(sources: &[Source], place: &Place) -> Inbound {
    let mut loaded = Inbound::default();
    let place = Arc::new(place.clone());
    let mut number = 0;
    for source in sources {
        for (line, table) in entry::entries(&source.text) {
            number += 1;
            let at = source.file.display().to_string();
            match Script::read(&table) {
                Ok(script) => {
                    let name = name(number, script.point);
                    let hook = match Run::new(script, source, &table, &place) {
                        Ok(run) => run.hook(number),
                        Err((error, point)) => off(point, number, error.to_string()),
                    };
                    let hook = match &source.admission {
                        Admission::Barred(why) => {
                            loaded.waiting.entry(source.file.clone()).or_default().push(name);
                            hook.barred(why.as_str())
                        }
                        Admission::Own | Admission::Granted => hook,
                    };
                    loaded.hooks.push(hook.written_at(at, line));
                }
                Err((why, point)) => {
                    let why = why.to_string();
                    let hook = point.map(|point| off(point, number, why.clone()).written_at(at, line));
                    loaded.hooks.extend(hook);
                    let (file, entry) = (source.file.clone(), ENTRY.to_owned());
                    loaded.complaints.push(Complaint { file, line, entry, why });
                }
            }
        }
    }
    loaded
}

fn name(number: usize, point: &'static dyn AnyPoint) -> String {
    format!("script.{number:03}.{}", point.info().wire)
}

/// A hook that is only listed.
fn off(point: &'static dyn AnyPoint, number: usize, why: String) -> JsonHook {
    let silent = Arc::new(|_: &JsonEvent, _: &Session| Ok(JsonOutcome::default()));
    JsonHook::new(point, name(number, point), silent).barred(plain(&why))
}

/// A script with everything that a run of it takes.
struct Run {
    script: Script,
    /// Its entry and its files as they were when the program began, where they need the user's trust.
    trusted: Option<(Subject, Fingerprint)>,
    place: Arc<Place>,
}

impl Run {
    fn new(
        script: Script,
        source: &Source,
        entry: &toml::Table,
        place: &Arc<Place>,
    ) -> Result<Self, (Unreadable, &'static dyn AnyPoint)> {
        let place = Arc::clone(place);
        if source.admission != Admission::Granted {
            return Ok(Self { script, trusted: None, place });
        }
        let subject = Subject { text: entry.to_string(), ..subject(&source.file, "", &place.workspace) };
        let subject = Subject { commands: vec![script.command.line.clone()], ..subject };
        match subject.fingerprint() {
            Ok(print) => Ok(Self { script, trusted: Some((subject, print)), place }),
            Err(error) => Err((error, script.point)),
        }
    }

    fn hook(self, number: usize) -> JsonHook {
        let Script { point, priority, background, fail_open, .. } = self.script;
        let placement = if background { Placement::Background } else { Placement::Blocking };
        let budget = Some(self.script.command.timeout);
        // The command has a deadline of its own, which ends its processes too; the dispatcher's would not.
        let options = Options { priority, placement, fail_open, budget, ..Options::DEFAULT };
        let docs = format!("Runs `{}`.", plain(&self.script.command.line.to_string()));
        let call = move |event: &JsonEvent, session: &Session| self.call(event, session);
        JsonHook::new(point, name(number, point), Arc::new(call)).options(options).docs(docs)
    }

    fn call(&self, event: &Value, session: &Session) -> Result<JsonOutcome, BoxError> {
        if self.script.matcher.as_ref().is_some_and(|matcher| !matcher.takes(event)) {
            return Ok(JsonOutcome::default());
        }
        let cwd = session.workspace().map_or_else(|| session.cwd(), Path::to_owned);
        if let Some((subject, print)) = &self.trusted {
            // In another folder the same words name other files.
            let here = Subject { cwd: cwd.clone(), variables: entry::variables(&cwd), ..subject.clone() };
            if here.fingerprint()? != *print {
                let files: Vec<_> = here.files().iter().map(|file| file.display().to_string()).collect();
                let command = self.script.command.line.to_string();
                return Err(Box::new(Altered { command, files: files.join(", ") }));
            }
        }
        let about = About::new(event, session, &self.place, self.script.point);
        let mut input = serde_json::to_vec(&about.document(event, session))?;
        input.push(b'\n');
        let reply =
            self.script.command.run(&cwd, &about.variables(), &input).map_err(CommandError::into_cause)?;
        let mut outcome = answer::read(&reply, self.script.point.info())?;
        if self.script.background
            && (outcome.gate.is_some() || outcome.first.is_some() || outcome.fold.is_some())
        {
            return Err(Box::new(TooLate));
        }
        let fit = |text: &mut String| *text = self.place.overflow.fit(session.id(), std::mem::take(text));
        outcome.messages.iter_mut().for_each(|message| fit(&mut message.content));
        if let Some(Gate::Ask(reason) | Gate::Deny(reason)) = &mut outcome.gate {
            fit(reason);
        }
        Ok(outcome)
    }
}

/// A script that is no longer what the user agreed to.
#[derive(Debug, thiserror::Error)]
#[error(
    "`{command}` was not run: a file that it names is no longer what it was when you trusted it and this program began (there are {files}); look at them with `hookspec trust`, then start again"
)]
struct Altered {
    command: String,
    files: String,
}

/// A decision that nobody waited for.
#[derive(Debug, thiserror::Error)]
#[error("it decided, but an `async` script is not waited for; leave `async` out where a script decides")]
struct TooLate;

/// What a script is told beside the event.
struct About {
    point: &'static str,
    session: String,
    workspace: String,
    cwd: String,
    logdir: String,
    model: String,
    tool: Option<String>,
}

impl About {
    fn new(event: &Value, session: &Session, place: &Place, point: &'static dyn AnyPoint) -> Self {
        let path = |path: &Path| path.display().to_string();
        let tool = event.pointer("/tool_use/tool").and_then(Value::as_str);
        Self {
            point: point.info().wire,
            session: session.id().to_owned(),
            workspace: session.workspace().map(path).unwrap_or_default(),
            cwd: path(&session.cwd()),
            logdir: logdir(&place.logs, session.id()).as_deref().map(path).unwrap_or_default(),
            model: session.model(),
            tool: tool.map(str::to_owned),
        }
    }

    /// Text goes there as it is: a variable's value is not read by the shell again unless the script says so.
    fn variables(&self) -> Vec<(&'static str, String)> {
        let Self { point, session, workspace, cwd, logdir, model, tool } = self;
        let mut all =
            vec![("HOOKSPEC_EVENT", (*point).to_owned()), ("GPTME_HOOK_EVENT", (*point).to_owned())];
        for (ours, gptmes, value) in [
            ("HOOKSPEC_WORKSPACE", Some("GPTME_WORKSPACE"), workspace),
            ("HOOKSPEC_LOGDIR", Some("GPTME_LOGDIR"), logdir),
            ("HOOKSPEC_MODEL", Some("GPTME_MODEL"), model),
            ("HOOKSPEC_SESSION", None, session),
            ("HOOKSPEC_CWD", None, cwd),
        ] {
            all.push((ours, value.clone()));
            all.extend(gptmes.map(|name| (name, value.clone())));
        }
        all.extend(tool.iter().map(|tool| ("HOOKSPEC_TOOL", tool.clone())));
        // A variable cannot hold a NUL; a process with one would not start.
        all.retain(|(_, value)| !value.contains('\0'));
        all
    }

    fn document(&self, event: &Value, session: &Session) -> Value {
        json!({
            "point": self.point,
            "session": self.session,
            "workspace": self.workspace,
            "cwd": self.cwd,
            "logdir": self.logdir,
            "model": self.model,
            "time": session.clock().now().to_string(),
            "event": event,
        })
    }
}

/// The folder of a conversation, where there is one.
fn logdir(logs: &Path, session: &str) -> Option<PathBuf> {
    let mut parts = Path::new(session).components();
    let plain = matches!((parts.next(), parts.next()), (Some(Component::Normal(_)), None));
    let folder = logs.join(session);
    (plain && folder.is_dir()).then_some(folder)
}
