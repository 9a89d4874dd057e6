use hookspec::{Session, ToolUse, tool};

struct Plain;

/// Not a struct that can be read.
#[tool]
fn plain(args: Plain) -> String {
    let _ = args;
    String::new()
}

/// Words without a struct.
#[tool(args = [path], content = text)]
fn none() -> String {
    String::new()
}

/// Taken whole.
#[tool]
fn whole(session: Session, call: ToolUse) -> String {
    let _ = (session, call);
    String::new()
}

fn main() {}
