//! `patch`: replaces parts of a file.
//!
//! A patch is one or more blocks:
//!
//! ```text
//! <<<<<<< ORIGINAL
//! the lines to replace, as they are in the file
//! =======
//! the lines to put there
//! >>>>>>> UPDATED
//! ```

use hookspec::tool::ToolError;
use hookspec::{Session, ToolUse, tool};
use schemars::JsonSchema;
use serde::Deserialize;

use super::files::{checked, diff, read_text, resolve, rewrite};

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct PatchArgs {
    /// The file, relative to the current directory.
    path: String,
    /// One or more blocks `<<<<<<< ORIGINAL`, `=======`, `>>>>>>> UPDATED`, each marker on a line of its own.
    patch: String,
}

/// A patch that cannot be applied.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PatchError {
    /// No block in it.
    #[error(
        "the patch holds no block; it takes `<<<<<<< ORIGINAL`, `=======` and `>>>>>>> UPDATED`, each on a line of its own"
    )]
    Empty,
    /// A block without an end.
    #[error(
        "block {0} of the patch is not closed; each block ends with `>>>>>>> UPDATED` on a line of its own"
    )]
    Unclosed(usize),
    /// The original lines are not in the file.
    #[error("the original lines of block {0} are not in the file; read the file and copy them exactly")]
    NotFound(usize),
    /// The original lines are there more than once.
    #[error(
        "the original lines of block {0} are in the file {1} times; add lines around them to tell which are meant"
    )]
    Ambiguous(usize, usize),
}

/// Replaces parts of a file. Each block names the original lines exactly as they are and what to put in
/// their place; the original must be in the file exactly once.
#[tool(args = [path], content = patch, confirm, preview = preview)]
async fn patch(args: PatchArgs, session: &Session) -> Result<String, ToolError> {
    let path = checked(session, &args.path).await?;
    let before = read_text(&path)?.ok_or_else(|| format!("{} does not exist.", path.display()))?;
    let after = apply(&before, &args.patch).map_err(|error| ToolError::Failed(error.to_string()))?;
    let diff = rewrite(session, &path, &args.patch, &before, &after).await?;
    Ok(format!("Patched {}\n```diff\n{diff}```", path.display()))
}

fn preview(call: &ToolUse, session: &Session) -> Option<String> {
    let path = resolve(session, &call.text("path")?);
    let before = read_text(&path).ok()??;
    let after = apply(&before, &call.text("patch")?).ok()?;
    Some(diff(&path, &before, &after))
}

/// The text with a patch applied.
///
/// # Errors
/// If the patch is malformed, or an original is not in the text exactly once.
pub fn apply(text: &str, patch: &str) -> Result<String, PatchError> {
    let blocks = parse(patch)?;
    let mut text = text.to_owned();
    for (number, (original, updated)) in blocks.iter().enumerate() {
        let number = number + 1;
        match text.matches(original.as_str()).count() {
            0 => return Err(PatchError::NotFound(number)),
            1 => text = text.replacen(original.as_str(), updated, 1),
            _ if original.is_empty() => return Err(PatchError::NotFound(number)),
            many => return Err(PatchError::Ambiguous(number, many)),
        }
    }
    Ok(text)
}

fn parse(patch: &str) -> Result<Vec<(String, String)>, PatchError> {
    enum Part {
        Outside,
        Original,
        Updated,
    }
    let (mut blocks, mut part) = (Vec::new(), Part::Outside);
    let (mut original, mut updated) = (String::new(), String::new());
    for line in patch.split_inclusive('\n') {
        let marker = line.trim_end();
        match part {
            Part::Outside if marker == "<<<<<<< ORIGINAL" => part = Part::Original,
            Part::Outside => {}
            Part::Original if marker == "=======" => part = Part::Updated,
            Part::Original => original.push_str(line),
            Part::Updated if marker == ">>>>>>> UPDATED" => {
                part = Part::Outside;
                blocks.push((std::mem::take(&mut original), std::mem::take(&mut updated)));
            }
            Part::Updated => updated.push_str(line),
        }
    }
    match part {
        Part::Outside if blocks.is_empty() => Err(PatchError::Empty),
        Part::Outside => Ok(blocks),
        _ => Err(PatchError::Unclosed(blocks.len() + 1)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block(original: &str, updated: &str) -> String {
        format!("<<<<<<< ORIGINAL\n{original}=======\n{updated}>>>>>>> UPDATED\n")
    }

    #[test]
    fn blocks_are_applied_in_order() {
        let patch = block("b\n", "B\n") + &block("B\n", "BB\n");
        assert_eq!(apply("a\nb\nc\n", &patch).unwrap(), "a\nBB\nc\n");
        assert_eq!(apply("a\nb\n", &block("a\n", "")).unwrap(), "b\n");
    }

    #[test]
    fn what_cannot_be_applied_is_said() {
        assert_eq!(apply("a\n", "nothing"), Err(PatchError::Empty));
        assert_eq!(apply("a\n", "<<<<<<< ORIGINAL\na\n=======\n"), Err(PatchError::Unclosed(1)));
        assert_eq!(apply("a\n", &block("x\n", "")), Err(PatchError::NotFound(1)));
        assert_eq!(apply("a\na\n", &block("a\n", "")), Err(PatchError::Ambiguous(1, 2)));
        assert_eq!(apply("a\n", &block("", "x\n")), Err(PatchError::NotFound(1)));
    }
}
