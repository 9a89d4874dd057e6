//! `read`: shows a file to the model.

use std::fmt::Write;

use hookspec::tool::ToolError;
use hookspec::{Session, tool};
use schemars::JsonSchema;
use serde::Deserialize;

use super::files::{checked, read_text};

/// At most so many characters of a file are shown: a larger one would fill the context.
const MOST: usize = 100_000;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ReadArgs {
    /// The file, relative to the current directory.
    path: String,
    /// The first line to show, from 1.
    #[serde(default)]
    from: Option<usize>,
    /// How many lines to show.
    #[serde(default)]
    lines: Option<usize>,
}

/// Reads a text file, or a part of it.
#[tool(args = [path], pure)]
async fn read(args: ReadArgs, session: &Session) -> Result<String, ToolError> {
    let path = checked(session, &args.path).await?;
    let text = read_text(&path)?.ok_or_else(|| format!("{} does not exist.", path.display()))?;
    let from = args.from.unwrap_or(1).max(1);
    let lines = text.lines().skip(from - 1).take(args.lines.unwrap_or(usize::MAX));
    let mut shown = String::new();
    for line in lines {
        if shown.len() + line.len() > MOST {
            let _ = write!(shown, "… (cut at {MOST} bytes; read on with `from` and `lines`)");
            break;
        }
        shown.push_str(line);
        shown.push('\n');
    }
    let fence = "`".repeat(longest_run(&shown).max(2) + 1);
    Ok(format!("{fence}{}\n{shown}{fence}", path.display()))
}

/// The longest run of backticks, so that a fence around the text can be longer.
fn longest_run(text: &str) -> usize {
    text.split(|c| c != '`').map(str::len).max().unwrap_or(0)
}
