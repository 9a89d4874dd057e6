//! `save`: writes a file.

use hookspec::tool::ToolError;
use hookspec::{Session, ToolUse, tool};
use schemars::JsonSchema;
use serde::Deserialize;

use super::files::{checked, diff, read_text, resolve, write};

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct SaveArgs {
    /// The file, relative to the current directory.
    path: String,
    /// The whole new text of the file.
    content: String,
}

/// Writes a file, in place of what it held before. Folders are made as needed.
#[tool(args = [path], content = content, confirm, preview = preview)]
async fn save(args: SaveArgs, session: &Session) -> Result<String, ToolError> {
    let path = checked(session, &args.path).await?;
    let created = write(session, &path, &args.content).await?;
    let what = if created { "Created" } else { "Saved" };
    Ok(format!("{what} {}", path.display()))
}

/// The difference to what is there, or the new text where nothing is.
fn preview(call: &ToolUse, session: &Session) -> Option<String> {
    let path = resolve(session, &call.text("path")?);
    let content = call.text("content").unwrap_or_default();
    match read_text(&path) {
        Ok(Some(before)) => Some(diff(&path, &before, &content)),
        _ => Some(content.into_owned()),
    }
}
