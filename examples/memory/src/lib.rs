//! Remembers facts about a workspace in `.hookspec/memory.md`, and brings them into each new session.

use std::io::Write;
use std::path::PathBuf;

use hookspec::points::SESSION_START;
use hookspec::tool::ToolError;
use hookspec::{Message, Session, hook, tool};
use schemars::JsonSchema;
use serde::Deserialize;

hookspec::plugin!();

#[derive(Debug, Deserialize, JsonSchema)]
struct Remember {
    /// One fact, in one line.
    fact: String,
}

/// Remembers a fact about this workspace for later sessions.
#[tool(content = fact)]
fn remember(args: Remember, session: &Session) -> Result<String, ToolError> {
    let path = memory(session).ok_or("There is no workspace to remember things about.")?;
    let folder = path.parent().ok_or("The memory has no folder.")?;
    std::fs::create_dir_all(folder)?;
    let mut text = std::fs::read_to_string(&path).unwrap_or_default();
    text.push_str(&format!("- {}\n", args.fact.split_whitespace().collect::<Vec<_>>().join(" ")));
    // Written whole: a crash leaves the old memory or the new one.
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    file.write_all(text.as_bytes())?;
    file.persist(&path).map_err(|error| error.error)?;
    Ok("Remembered.".to_owned())
}

/// Reminds the model of what was remembered.
#[hook(SESSION_START, tool = "remember")]
fn remind(resumed: bool, session: &Session) -> Option<Message> {
    let facts = std::fs::read_to_string(memory(session)?).ok()?;
    (!resumed).then(|| Message::system(format!("<memory>\n{facts}</memory>")).hidden())
}

fn memory(session: &Session) -> Option<PathBuf> {
    Some(session.workspace()?.join(".hookspec/memory.md"))
}
