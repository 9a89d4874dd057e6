use hookspec::points::{FILE_POST_SAVE, STEP_PRE, TOOL_PRE_EXECUTE, TOOL_TRANSFORM};
use hookspec::{Fold, Gate, ToolUse, hook};

#[hook(FILE_POST_SAVE)]
fn too_late() -> Option<Gate> {
    None
}

#[hook(TOOL_PRE_EXECUTE)]
fn rewritten(tool_use: &ToolUse) -> Fold<ToolUse> {
    Fold(tool_use.clone())
}

#[hook(TOOL_TRANSFORM)]
fn refused() -> Gate {
    Gate::deny("no")
}

#[hook(STEP_PRE)]
fn nowhere_near() -> Gate {
    Gate::deny("no")
}

fn main() {}
