//! Tools as other servers bring them: they run in this process, and no shell and no sandbox is in between.

use hookspec::Session;
use hookspec::tool;
use hookspec::tool::ToolError;
use schemars::JsonSchema;
use serde::Deserialize;

/// A file to read.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct File {
    /// Where it is.
    path: String,
}

/// An address to fetch.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Address {
    /// Where the page is.
    url: String,
}

/// A text to send.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Text {
    /// The text.
    text: String,
}

/// Reads a file, as a server for files does.
#[tool(name = "mcp__files__read_text_file")]
fn read_text_file(args: File, session: &Session) -> Result<String, ToolError> {
    Ok(std::fs::read_to_string(session.cwd().join(args.path))?)
}

/// Fetches a page: what the file `pages/NAME` of the workspace holds.
#[tool(name = "mcp__web__fetch")]
fn fetch(args: Address, session: &Session) -> Result<String, ToolError> {
    let name = args.url.rsplit('/').next().unwrap_or_default();
    Ok(std::fs::read_to_string(session.cwd().join("pages").join(name))?)
}

/// Posts a text where others read it.
#[tool(name = "mcp__chat__post")]
fn post(args: Text) -> String {
    format!("posted {} characters", args.text.len())
}
