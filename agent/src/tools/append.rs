//! `append`: adds to the end of a file.

use hookspec::tool::ToolError;
use hookspec::{Session, tool};
use schemars::JsonSchema;
use serde::Deserialize;

use super::files::{checked, read_text, write};

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct AppendArgs {
    /// The file, relative to the current directory.
    path: String,
    /// What to add.
    content: String,
}

/// Adds text to the end of a file. The file is made if there is none.
#[tool(args = [path], content = content, confirm)]
async fn append(args: AppendArgs, session: &Session) -> Result<String, ToolError> {
    let path = checked(session, &args.path).await?;
    let mut text = read_text(&path)?.unwrap_or_default();
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    text.push_str(&args.content);
    write(session, &path, &text).await?;
    Ok(format!("Appended to {}", path.display()))
}
