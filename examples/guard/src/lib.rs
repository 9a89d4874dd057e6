//! House rules for whatever agent works here: what it may not touch, what it should know, what it does
//! differently, and what it has to say at the end. The same functions run in `guard chat`, and in Codex, Claude
//! Code or Gemini CLI after `guard install codex`.

use hookspec::ask::Continue;
use hookspec::points::{
    LOOP_CONTINUE, SESSION_START, TOOL_POST_EXECUTE, TOOL_PRE_EXECUTE, TOOL_TRANSFORM, TURN_PRE,
};
use hookspec::{First, Fold, Gate, Message, ToolUse, hook};
use serde::{Deserialize, Serialize};

hookspec::plugin!();

/// `[hooks.guard]` in `hookspec.toml`.
#[derive(Debug, Serialize, Deserialize)]
#[serde(default)]
pub struct Settings {
    /// Names that no command may take away.
    protected: Vec<String>,
    /// What the model is told with each prompt.
    rules: String,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            protected: vec!["precious".to_owned()],
            rules: "Tests are run with `cargo test --workspace`.".to_owned(),
        }
    }
}

/// What has happened in this session.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Seen {
    calls: u32,
    reported: bool,
}

/// Says that somebody watches.
#[hook(SESSION_START)]
fn welcome(settings: &Settings) -> Message {
    Message::system(format!("Protected here: {}.", settings.protected.join(", "))).hidden()
}

/// Tells the rules with each prompt.
#[hook(TURN_PRE)]
fn rules(settings: &Settings) -> Message {
    Message::system(settings.rules.as_str()).hidden()
}

/// Refuses commands that remove what is protected.
#[hook(TOOL_PRE_EXECUTE)]
fn protect(tool_use: &ToolUse, settings: &Settings) -> Option<Gate> {
    let command = tool_use.text("command")?;
    let mut words = command.split_whitespace();
    let removes = words.by_ref().any(|word| matches!(word, "rm" | "mv" | "shred"));
    let name = settings.protected.iter().find(|name| command.contains(name.as_str()))?;
    removes.then(|| Gate::deny(format!("`{name}` is protected: it is neither removed nor moved.")))
}

/// Pushes without running over what others pushed.
#[hook(TOOL_TRANSFORM)]
fn gentle_push(tool_use: &ToolUse) -> Option<Fold<ToolUse>> {
    let command = tool_use.text("command")?;
    let gentle = command.replace("push --force ", "push --force-with-lease ");
    (gentle != command).then(|| Fold(tool_use.with_text("command", gentle)))
}

/// Counts the tool calls of the session.
#[hook(TOOL_POST_EXECUTE)]
fn count(state: &mut Seen) -> Message {
    state.calls += 1;
    Message::system(format!("That was tool call {} of this session.", state.calls)).hidden()
}

/// Wants one sentence of summary before the agent rests, once a session.
#[hook(LOOP_CONTINUE)]
fn report(state: &mut Seen) -> Option<First<Continue>> {
    let first = state.calls > 0 && !std::mem::replace(&mut state.reported, true);
    first.then(|| First(Continue::With(Message::user("Say in one sentence what you changed."))))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)] // a test that cannot go on has failed

    use std::time::Duration;

    use hookspec::tool::ToolStatus;
    use hookspec::{Hooks, Registry, Session, fire_now};
    use serde_json::{Map, json};

    use super::*;

    /// A command, written in both ways that a model has.
    fn shell(command: &str) -> [ToolUse; 2] {
        let named = Map::from_iter([("command".to_owned(), json!(command))]);
        [ToolUse::native("shell", "c1", named), ToolUse::fenced("shell", [""; 0], command)]
    }

    #[test]
    fn what_is_protected_is_neither_removed_nor_moved() {
        let settings = Settings::default();
        let refused = |command: &str| shell(command).map(|call| protect(&call, &settings).is_some());
        assert_eq!(refused("cd /tmp && rm -rf precious"), [true; 2]);
        assert_eq!(refused("mv precious elsewhere"), [true; 2]);
        assert_eq!(refused("ls precious"), [false; 2]);
        assert_eq!(refused("rm -rf target"), [false; 2]);
    }

    #[test]
    fn a_forced_push_becomes_gentle() {
        for call in shell("git push --force origin main") {
            let Fold(changed) = gentle_push(&call).unwrap();
            let gentle = "git push --force-with-lease origin main";
            assert_eq!(changed, call.with_text("command", gentle), "nothing else is changed");
            assert_eq!(changed.text("command").as_deref(), Some(gentle));
        }
        assert!(shell("git push origin main").iter().all(|call| gentle_push(call).is_none()));
    }

    #[test]
    fn it_counts_and_asks_for_one_report() {
        let hooks = Hooks::new(Registry::builder().allow(["guard"]).build().unwrap());
        let session = Session::builder(&hooks, "s").build();
        let [call, _] = shell("ls");
        let over = || {
            let fired = fire_now!(
                session,
                TOOL_POST_EXECUTE {
                    tool_use: &call,
                    result: &[],
                    status: ToolStatus::Ok,
                    duration: Duration::ZERO
                }
            );
            fired.into_messages()[0].content.clone()
        };
        assert!(over().contains("tool call 1 of"));
        assert!(over().contains("tool call 2 of"));
        let rests = || {
            let outcome = hookspec::points::TurnOutcome::Complete;
            fire_now!(session, LOOP_CONTINUE { outcome, queue: &[], continued: 0 }).answer().is_none()
        };
        assert_eq!([rests(), rests()], [false, true]);
    }
}
