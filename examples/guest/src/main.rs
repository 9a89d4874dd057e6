//! Hooks of one's own inside other agents, in a program that holds nothing else.
//!
//! `guest bridge CLIENT [--event NAME]` answers one event; `hookspec install codex --program guest` writes that
//! into Codex's configuration. The hooks below show what can be said: a refusal, a changed call, context, and a count
//! that goes on from process to process.

use std::path::PathBuf;
use std::process::exit;

use hookspec::points::{
    LOOP_CONTINUE, SESSION_START, TOOL_POST_EXECUTE, TOOL_PRE_EXECUTE, TOOL_TRANSFORM, TURN_PRE,
};
use hookspec::{Fold, Gate, Hooks, Message, Mode, Registry, ToolUse, hook};
use hookspec_bridge::bridge::Bridge;
use hookspec_bridge::client::Client;
use hookspec_bridge::serve::serve;
use hookspec_bridge::store::Store;
use serde::{Deserialize, Serialize};

hookspec::plugin!();

/// Tells the model where it is.
#[hook(SESSION_START)]
fn welcome() -> Message {
    Message::system("This project keeps its notes in NOTES.md.")
}

/// Tells the model what to keep in mind, with each prompt.
#[hook(TURN_PRE)]
fn remind() -> Message {
    Message::system("Answer in one sentence.")
}

/// Lets nobody delete folders.
#[hook(TOOL_PRE_EXECUTE)]
fn guard(tool_use: &ToolUse) -> Option<Gate> {
    let command = tool_use.text("command")?;
    command
        .contains("rm -rf")
        .then(|| Gate::deny("Folders are not deleted here; move it to the trash instead."))
}

/// Makes a test run say less.
#[hook(TOOL_TRANSFORM)]
fn quieter(tool_use: &ToolUse) -> Option<Fold<ToolUse>> {
    let command = tool_use.text("command")?;
    let quiet = command.replace("echo loud", "echo quiet");
    (quiet != command).then(|| Fold(tool_use.with_text("command", quiet)))
}

#[derive(Default, Serialize, Deserialize)]
struct Calls(u32);

/// Counts the session's tool calls.
#[hook(TOOL_POST_EXECUTE)]
fn count(state: &mut Calls) -> Message {
    state.0 += 1;
    Message::system(format!("Tool calls so far: {}.", state.0))
}

/// Tells whoever reads the log how much was done; what hooks print goes to standard error.
#[hook(LOOP_CONTINUE)]
#[allow(clippy::print_stdout)] // to show that it does no harm
fn rests(state: &mut Calls) {
    println!("{} tool calls were made", state.0);
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let (client, event) = match *words {
        ["bridge", client] => (client.parse::<Client>(), None),
        ["bridge", client, "--event", event, ..] => (client.parse::<Client>(), Some(event)),
        _ => {
            eprintln!("usage: guest bridge CLIENT [--event NAME]");
            exit(2);
        }
    };
    let client = client.unwrap_or_else(|error| {
        eprintln!("{error}");
        exit(2);
    });
    let code = serve(client, event, |_| {
        let registry = Registry::builder().plugins(hookspec::plugins![]).mode(Mode::Bridge).build()?;
        let bridge = Bridge::new(Hooks::new(registry));
        Ok::<_, hookspec::registry::BuildError>(match state_folder() {
            Some(folder) => bridge.remembering(Store::new(folder)),
            None => bridge,
        })
    });
    exit(code.into());
}

fn state_folder() -> Option<PathBuf> {
    let folder = |name| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    folder("GUEST_STATE").or_else(|| folder("HOME").map(|home| home.join(".local/state/guest")))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A command, written in both ways that a model has: a client sends the first, an agent of ours both.
    fn shell(command: &str) -> [ToolUse; 2] {
        let named = [("command".to_owned(), command.into())].into_iter().collect();
        [ToolUse::native("shell", "c1", named), ToolUse::fenced("shell", [""; 0], command)]
    }

    #[test]
    fn no_hook_is_walked_around_by_the_other_way_to_write_a_call() {
        assert_eq!(shell("cd x && rm -rf y").map(|call| guard(&call).is_some()), [true; 2]);
        assert_eq!(shell("ls").map(|call| guard(&call).is_some()), [false; 2]);
        for call in shell("echo loud") {
            let Some(Fold(changed)) = quieter(&call) else { panic!("{call:?} stays loud") };
            assert_eq!(changed, call.with_text("command", "echo quiet"));
            assert_eq!(changed.text("command").as_deref(), Some("echo quiet"));
        }
    }
}
