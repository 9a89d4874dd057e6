//! The first message of a conversation: what the model is told about its tools.

use std::fmt::Write;

use hookspec::tool::ToolEntry;
use hookspec::{Message, Registry, Session};

use crate::models::Model;

/// What a model needs to know to begin.
#[must_use]
pub fn system_prompt(registry: &Registry, model: &dyn Model, session: &Session) -> Message {
    let mut text = String::from(
        "You are an agent that works in a directory of the user's machine through tools. Use them one step at a time, look at each result, and stop when the task is done.\n",
    );
    if let Some(workspace) = session.workspace() {
        let _ = write!(text, "\nWorkspace: {}\n", workspace.display());
    }
    if !model.native_tools() {
        text.push_str("\nTo use a tool, write a fenced block whose tag names it:\n");
        for tool in registry.tools().iter() {
            fenced(&mut text, tool);
        }
    }
    Message::system(text)
}

fn fenced(text: &mut String, tool: &ToolEntry) {
    let words: Vec<_> = tool.names.words.iter().map(|word| format!(" <{word}>")).collect();
    let _ = write!(text, "\n{}\n````{}{}\n", tool.description.trim(), tool.name, words.concat());
    if let Some(content) = tool.names.content {
        let _ = writeln!(text, "<{content}>");
    }
    text.push_str("````\n");
}
