//! Running the handlers of one event.

use std::path::Path;
use std::sync::Arc;

use hookspec::Session;
use serde_json::{Map, Value, json};

use super::action::{self, Action, Post};
use super::config::Handler;
use super::tool::Theirs;
use super::{Dialect, Event, Said, Together};
use crate::inbound::script::Place;
use crate::trust::{Fingerprint, Subject};

/// Processes of one event at a time.
const AT_ONCE: usize = 16;

/// A handler that the user trusts.
#[derive(Debug)]
pub(super) struct Ready {
    pub(super) handler: Handler,
    pub(super) subject: Subject,
    pub(super) print: Fingerprint,
}

/// The handlers of one event, in the order of the configuration.
pub(super) struct Set {
    pub(super) dialect: Dialect,
    pub(super) event: Event,
    pub(super) handlers: Vec<Ready>,
    /// How requests are made, if they are.
    pub(super) post: Option<Arc<Post>>,
    /// Whether nobody waits for them.
    pub(super) background: bool,
    pub(super) place: Arc<Place>,
}

/// What an event is about: the text that matchers look at, or a tool call.
pub(super) enum Target<'t> {
    Text(&'t str),
    Tool(&'t Theirs),
}

impl Set {
    /// Runs all handlers that the event is for, at once, and puts together what they say.
    pub(super) fn run(&self, session: &Session, target: &Target<'_>, more: Value) -> Together {
        let workspace = session.workspace().map_or_else(|| session.cwd(), Path::to_owned);
        let input = self.input(session, target, more);
        let meant: Vec<_> =
            self.handlers.iter().filter(|ready| ready.is_meant(self.dialect, target)).collect();
        let mut all = Vec::with_capacity(meant.len());
        for some in meant.chunks(AT_ONCE) {
            std::thread::scope(|scope| {
                let (input, workspace) = (&input, &workspace);
                let mut running = Vec::with_capacity(some.len());
                for ready in some {
                    running.push((
                        ready,
                        scope.spawn(move || ready.run(self.dialect, workspace, input, self.post.as_deref())),
                    ));
                }
                for (ready, run) in running {
                    let said = run.join().unwrap_or_else(|_| Said::failed("its thread panicked"));
                    all.push((ready.handler.place.as_str(), ready.closed(said)));
                }
            });
        }
        let mut together = Together::of(all);
        for problem in &together.problems {
            tracing::warn!(event = self.dialect.name_of(self.event), "{}: {problem}", self.dialect);
        }
        for notice in &together.notices {
            tracing::warn!(event = self.dialect.name_of(self.event), "{} hook says: {notice}", self.dialect);
        }
        for text in &mut together.contexts {
            *text = self.place.overflow.fit(session.id(), std::mem::take(text));
        }
        together
    }

    /// What the handlers read. One JSON object; Codex has no newline after it.
    fn input(&self, session: &Session, target: &Target<'_>, more: Value) -> Vec<u8> {
        if self.dialect == Dialect::Hermes {
            return self.hermes_input(session, target, &more);
        }
        let transcript = self.place.transcript(session.id());
        let mut all = Map::from_iter([
            ("hook_event_name".to_owned(), json!(self.event.name())),
            ("session_id".to_owned(), json!(session.id())),
            ("cwd".to_owned(), json!(session.cwd())),
        ]);
        let mut put = |key: &str, value: Value| all.insert(key.to_owned(), value);
        match self.dialect {
            Dialect::Claude => put("transcript_path", json!(transcript.unwrap_or_default())),
            Dialect::Codex | Dialect::Hermes => put("transcript_path", json!(transcript)),
        };
        if !matches!(self.event, Event::SessionEnd | Event::PostCompact) {
            put("permission_mode", json!("default"));
        }
        if self.dialect == Dialect::Codex && self.event != Event::SessionEnd {
            put("model", json!(session.model()));
            if self.event != Event::SessionStart {
                let turn =
                    session.log().iter().filter(|message| message.role == hookspec::Role::User).count();
                put("turn_id", json!(turn.to_string()));
            }
        }
        if let Target::Tool(call) = target {
            put("tool_name", json!(call.name));
            put("tool_input", call.input.clone());
        }
        if let Value::Object(more) = more {
            all.extend(more);
        }
        Value::Object(all).to_string().into_bytes()
    }

    /// What is Hermes's own stands at the top; everything else is `extra`.
    fn hermes_input(&self, session: &Session, target: &Target<'_>, more: &Value) -> Vec<u8> {
        let (name, input) = match target {
            Target::Tool(call) => (json!(call.name), call.input.clone()),
            Target::Text(_) => (Value::Null, Value::Null),
        };
        let all = json!({
            "hook_event_name": self.dialect.name_of(self.event),
            "tool_name": name,
            "tool_input": input,
            "session_id": session.id(),
            "cwd": session.cwd(),
            "profile": "default",
            "extra": if more.is_null() { json!({}) } else { more.clone() },
        });
        all.to_string().into_bytes()
    }
}

impl Ready {
    fn is_meant(&self, dialect: Dialect, target: &Target<'_>) -> bool {
        match target {
            Target::Text(text) => self.handler.matcher.takes(&[text]),
            Target::Tool(call) => {
                let holds = |condition: &super::config::Condition| condition.holds(&call.name, &call.input);
                self.handler.matcher.takes(&call.names(dialect))
                    && self.handler.condition.as_ref().is_none_or(holds)
            }
        }
    }

    fn run(&self, dialect: Dialect, workspace: &Path, input: &[u8], post: Option<&Post>) -> Said {
        let here = Subject { cwd: workspace.to_owned(), ..self.subject.clone() };
        match here.fingerprint() {
            Ok(print) if print == self.print => {}
            Ok(_) => {
                return self.altered("a file that it names is no longer what it was when you trusted it");
            }
            Err(error) => return self.altered(&error.to_string()),
        }
        let project = workspace.display().to_string();
        let mut variables = vec![];
        if dialect == Dialect::Claude {
            variables.push(("CLAUDE_PROJECT_DIR", project));
        }
        if let Some(plugin) = &self.handler.plugin {
            let plugin = plugin.display().to_string();
            variables.extend([("CLAUDE_PLUGIN_ROOT", plugin.clone()), ("PLUGIN_ROOT", plugin)]);
        }
        match (&self.handler.action, post) {
            (Action::Run(command), _) => {
                dialect.read(self.handler.event, &command.run(workspace, &variables, input))
            }
            (Action::Post(address), Some(post)) => {
                action::read(self.handler.event, post(address.request(input)))
            }
            (Action::Post(_), None) => Said::failed("this program makes no requests"),
        }
    }

    /// A guard that may not run keeps shut.
    fn altered(&self, why: &str) -> Said {
        let why = format!(
            "`{}` was not run: {why}; look at it with `hookspec trust`, then start again",
            self.handler.action
        );
        if self.handler.event.gates() {
            Said { problem: Some(why.clone()), ..Said::denied(why) }
        } else {
            Said::failed(why)
        }
    }

    /// What was said, where a failure is to be a refusal.
    fn closed(&self, said: Said) -> Said {
        match said.problem {
            Some(problem) if self.handler.closed && self.handler.event.gates() => {
                Said { problem: Some(problem.clone()), ..Said::denied(problem) }
            }
            problem => Said { problem, ..said },
        }
    }
}
