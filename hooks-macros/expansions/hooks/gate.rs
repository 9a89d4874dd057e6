#[hook(hookspec::points::TOOL_PRE_EXECUTE, fail_open, name = "guard.gate")]
fn gate(tool_use: &ToolUse) -> Gate {
    Gate::Allow
}
