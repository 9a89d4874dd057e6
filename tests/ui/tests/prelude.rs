//! The prelude is all that a hook's author imports of hookspec.
#![deny(warnings)]

use std::path::Path;

use hookspec::prelude::*;

hook_point! {
    /// After the dough came out of the oven.
    pub BAKED("prelude.baked") -> Gate {
        /// Minutes in the oven.
        minutes: u32,
    }
}

#[hook(BAKED)]
fn coal(minutes: u32) -> Option<Gate> {
    (minutes > 90).then(|| Gate::deny("coal"))
}

#[hook(TOOL_PRE_EXECUTE, tools = ["shell"])]
fn careful(tool_use: &ToolUse) -> Option<Gate> {
    tool_use
        .text("command")
        .is_some_and(|command| command.contains("rm -rf"))
        .then(|| Gate::ask("it removes"))
}

#[hook(points::MESSAGE_TRANSFORM)]
fn trimmed(message: &Message) -> Fold<Message> {
    let mut message = message.clone();
    message.content = message.content.trim_end().to_owned();
    Fold(message)
}

#[hook(FILE_POST_SAVE)]
fn told(path: &Path, session: &Session) -> Each<std::vec::IntoIter<Message>> {
    Each(vec![Message::system(format!("{} in {}", path.display(), session.id()))].into_iter())
}

#[hook(STEP_POST)]
fn enough() -> Flow {
    Flow::Stop
}

/// Says a word back.
#[tool(enabled = false)]
fn echo(call: &ToolUse) -> String {
    call.content.clone()
}

#[test]
fn what_it_brings_is_enough() {
    let registry = hookspec::Registry::builder().build().unwrap();
    let session = Session::builder(&hookspec::Hooks::new(registry), "s").build();
    let fired = fire_now!(session, BAKED { minutes: 91 });
    assert_eq!(fired.denied().map(|(why, _)| why), Some("coal"));
    let shell = ToolUse::fenced("shell", [""; 0], "rm -rf build");
    assert_eq!(
        fire_now!(session, TOOL_PRE_EXECUTE { tool_use: &shell }).gate(),
        Some(&Gate::ask("it removes"))
    );
}
