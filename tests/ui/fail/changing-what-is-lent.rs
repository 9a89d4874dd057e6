use std::path::Path;

use hookspec::points::{self, FILE_POST_SAVE, FILE_PRE_SAVE, MESSAGE_TRANSFORM, TOOL_PRE_EXECUTE};
use hookspec::{Message, ToolUse, hook};

#[hook(MESSAGE_TRANSFORM)]
fn in_place(message: &mut Message) {
    message.content.push('.');
}

#[hook(FILE_POST_SAVE)]
fn too_late(content: &mut String) {
    content.push('\n');
}

#[hook(FILE_PRE_SAVE)]
fn another_field(path: &mut Path) {
    let _ = path;
}

#[hook(TOOL_PRE_EXECUTE)]
async fn at_the_gate(tool_use: &mut ToolUse) {
    let _ = tool_use;
}

#[hook(points::TURN_PRE)]
fn no_field(tool: &mut ToolUse) {
    let _ = tool;
}

fn main() {}
