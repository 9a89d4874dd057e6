use hookspec::{hook, points::FILE_POST_SAVE, points::TOOL_PRE_EXECUTE, Gate, Message};

#[hook(FILE_POST_SAVE)]
fn count(content: &str) -> usize {
    content.len()
}

#[hook(FILE_POST_SAVE)]
fn refuse() -> Gate {
    Gate::deny("too late")
}

#[hook(TOOL_PRE_EXECUTE)]
fn decide() -> Option<bool> {
    None
}

#[hook(TOOL_PRE_EXECUTE, background)]
fn watch() -> Gate {
    Gate::deny("nobody waits for this")
}

fn main() {
    let _ = Message::system("");
}
