use hookspec::{Session, ToolUse, tool};

struct Own;

/// Says nothing.
#[tool]
fn silent() {}

/// Has an error of its own.
#[tool]
fn own_error() -> Result<String, Own> {
    Ok(String::new())
}

/// An error of the standard library.
#[tool]
fn format_error() -> Result<String, std::fmt::Error> {
    Ok(String::new())
}

/// A preview with something else.
#[tool(preview = shown)]
fn previewed() -> String {
    String::new()
}

fn shown(_: &ToolUse) -> String {
    String::new()
}

/// A preview that says too much.
#[tool(preview = says)]
fn said() -> String {
    String::new()
}

fn says(_: &ToolUse, _: &Session) -> String {
    String::new()
}

fn main() {}
