//! Everything here must compile, without a warning.
#![deny(warnings, missing_docs)]
#![forbid(unsafe_code)]

use std::path::Path;

use hookspec::ask::Continue;
use hookspec::points::{
    FILE_POST_SAVE, FILE_PRE_SAVE, LOOP_CONTINUE, MESSAGE_TRANSFORM, STEP_PRE, TOOL_PRE_EXECUTE,
};
use hookspec::points::{FilePostSave, MessageTransform};
use hookspec::{Each, First, Flow, Fold, Gate, Message, Session, hook};
use serde::{Deserialize, Serialize};

#[derive(Default, Serialize, Deserialize)]
struct Kept(u32);

#[derive(Default, Serialize, Deserialize)]
#[serde(default)]
struct Told {
    limit: u32,
}

#[hook(FILE_POST_SAVE)]
fn nothing() {}

#[hook(FILE_POST_SAVE)]
fn any_order(created: bool, path: &Path) -> Option<Message> {
    created.then(|| path.display().to_string().into())
}

#[hook(FILE_POST_SAVE)]
fn unused(_path: &Path, _content: &str) {}

#[hook(FILE_POST_SAVE)]
fn changed(mut content: &str) {
    content = content.trim();
    let _ = content;
}

#[hook(FILE_POST_SAVE)]
fn lifetimes<'a>(path: &'a Path, content: &'a str) -> Vec<Message> {
    let _: (&'a Path, &'a str) = (path, content);
    Vec::new()
}

const LATE: i32 = -1000;

const fn after(other: i32) -> i32 {
    other - 1
}

#[hook(FILE_POST_SAVE, priority = LATE)]
fn late() {}

#[hook(FILE_POST_SAVE, priority = after(LATE) - 1)]
fn later() {}

#[hook(FILE_POST_SAVE, priority = -3, name = "x.y", enabled = false, modes = [cli, server, no_confirm], once)]
fn options(event: &FilePostSave<'_>, session: &Session, state: &mut Kept, settings: &Told) {
    state.0 += settings.limit;
    let _ = (event.path, session.id());
}

#[hook(FILE_POST_SAVE, background, budget = "250ms", quarantine = 3, on_error = failed)]
fn beside(content: &str) -> Result<Option<Message>, std::io::Error> {
    let _ = content;
    Ok(None)
}

fn failed(_: &hookspec::hooks::Failure, _: &Session) {}

#[hook(FILE_POST_SAVE, blocking, timeout = "1s")]
fn slow() -> Result<(), String> {
    Ok(())
}

#[hook(FILE_POST_SAVE, timeout = "5m")]
async fn waits(
    path: &Path,
    session: &Session,
    state: &mut Kept,
    settings: &Told,
    event: &FilePostSave<'_>,
) -> Message {
    state.0 += settings.limit;
    let _ = event.created;
    Message::system(format!("{} {}", path.display(), session.id()))
}

#[hook(FILE_POST_SAVE)]
fn each() -> Each<impl Iterator<Item = Message>> {
    Each(["a", "b"].into_iter().map(Message::system))
}

#[hook(FILE_POST_SAVE)]
fn says_and_stops() -> (Message, Flow) {
    (Message::system("enough"), Flow::Stop)
}

#[hook(TOOL_PRE_EXECUTE, fail_open)]
fn gate(tool_use: &hookspec::ToolUse) -> Result<Gate, Box<dyn std::error::Error + Send + Sync>> {
    Ok(if tool_use.tool == "shell" { Gate::ask("sure?") } else { Gate::Allow })
}

#[hook(FILE_PRE_SAVE)]
fn gate_and_fold(content: &str) -> (Option<Gate>, Option<Fold<String>>) {
    (None, Some(Fold(content.to_uppercase())))
}

#[hook(MESSAGE_TRANSFORM)]
fn fold(event: &MessageTransform<'_>) -> Fold<Message> {
    Fold(event.message.clone())
}

#[hook(LOOP_CONTINUE)]
fn first(continued: u32) -> Option<First<Continue>> {
    (continued > 2).then_some(First(Continue::Rest))
}

/// Names of the prelude mean what the user says.
mod shadows {
    #![allow(dead_code, non_camel_case_types)]
    use super::{STEP_PRE, hook};

    struct Option;
    struct Result;
    struct Some;
    struct None;
    struct Box;
    struct String;

    #[hook(STEP_PRE, priority = 4, budget = "1s", name = "shadows.plain")]
    fn plain(step: u32) {
        let _ = step;
    }

    #[hook(STEP_PRE)]
    async fn waits() {}
}

/// The same function name in another module.
mod again {
    use super::{STEP_PRE, hook};

    #[hook(STEP_PRE)]
    fn nothing() {}

    #[cfg(any())]
    #[hook(STEP_PRE)]
    fn not_here(no_such: Type) {}

    #[hook(STEP_PRE)]
    #[cfg(any())]
    fn nor_here(no_such: Type) {}
}

macro_rules! made {
    ($name:ident) => {
        #[hook(STEP_PRE)]
        fn $name(step: u32) {
            let _ = step;
        }
    };
}
made!(by_a_macro);

#[hook(STEP_PRE)]
fn r#type() {}

#[test]
fn every_hook_is_gathered_under_its_name() {
    #[hook(hookspec::points::STEP_PRE)]
    fn inside_a_function(step: u32) {
        let _ = step;
    }
    let registry = hookspec::Registry::builder().build().unwrap();
    let names: Vec<_> = registry.list().into_iter().map(|row| row.info.name.clone()).collect();
    for name in ["shadows.plain", "shadows.waits", "again.nothing", "x.y"] {
        assert!(names.iter().any(|known| known == name), "{name} in {names:?}");
    }
    assert!(names.iter().any(|name| name.ends_with(".type")));
    assert!(!names.iter().any(|name| name.contains("here")));
}
