//! How instructions stand in the log: one tagged block a message, written here and read back here.

use std::path::{Path, PathBuf};

use hookspec::{Message, Role};

use crate::text::escape;

const OPEN: &str = "<agent-instructions source=\"";
const CLOSE: &str = "</agent-instructions>";
const SKIPPED: &str = "<agent-instructions-skipped source=\"";

/// Groups whose hooks write such blocks. Anybody else's block is only text.
const GROUPS: [&str; 2] = ["agents_md_inject", "tool_target_instructions"];

/// A block, read back.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Block {
    /// Instructions; `None` where the block is cut short.
    Loaded(PathBuf, Option<String>),
    /// A note that a file was passed over.
    Skipped(PathBuf),
}

/// The message that tells the model what a file says. `text` is [`sealed`].
pub(super) fn loaded(path: &Path, home: Option<&Path>, text: &str, again: bool) -> Message {
    let source = attribute(&display(path, home));
    let change = if again { " (changed; this replaces what it said before)" } else { "" };
    let mut message = Message::system(format!(
        "{OPEN}{source}\">\n# Instructions from {source}{change}\n\n{text}\n{CLOSE}"
    ))
    .hidden();
    message.files.push(path.to_owned());
    message
}

/// The note that a file was passed over.
pub(super) fn skipped(path: &Path, home: Option<&Path>, why: &str) -> Message {
    let source = attribute(&display(path, home));
    Message::system(format!("{SKIPPED}{source}\">{why}</agent-instructions-skipped>"))
}

/// The block in a message, if one of our hooks emitted it.
pub(super) fn read(message: &Message, home: Option<&Path>) -> Option<Block> {
    let group = message.hook.as_deref()?.split('.').next()?;
    if message.role != Role::System || !GROUPS.contains(&group) {
        return None;
    }
    if let Some(rest) = message.content.strip_prefix(SKIPPED) {
        let (source, _) = rest.split_once("\">")?;
        return Some(Block::Skipped(path_of(source, home)));
    }
    let (source, rest) = message.content.strip_prefix(OPEN)?.split_once("\">")?;
    // The attached file is the exact path; the attribute may have lost bytes that are no text.
    let path = message.files.first().cloned().unwrap_or_else(|| path_of(source, home));
    let inner = rest.strip_suffix(CLOSE).and_then(|inner| inner.split_once("\n\n"));
    Some(Block::Loaded(path, inner.map(|(_, text)| text.to_owned())))
}

/// A file's text, such that nothing in it ends the block.
pub(super) fn sealed(text: &str) -> String {
    let tag = CLOSE.trim_end_matches('>');
    let lower = text.to_ascii_lowercase();
    let mut sealed = String::with_capacity(text.len());
    let mut from = 0;
    for (at, _) in lower.match_indices(tag) {
        sealed.push_str(&text[from..at]);
        sealed.push_str("&lt;");
        from = at + 1;
    }
    sealed.push_str(&text[from..]);
    sealed
}

/// `~/…` below home, else absolute.
fn display(path: &Path, home: Option<&Path>) -> String {
    match home.and_then(|home| path.strip_prefix(home).ok()) {
        Some(rest) => format!("~/{}", rest.display()),
        None => path.display().to_string(),
    }
}

fn attribute(text: &str) -> String {
    let line: String = text.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect();
    escape(&line).replace('"', "&quot;")
}

fn path_of(source: &str, home: Option<&Path>) -> PathBuf {
    let text = source.replace("&quot;", "\"").replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&");
    let path = match (text.strip_prefix("~/"), home) {
        (Some(rest), Some(home)) => home.join(rest),
        _ => PathBuf::from(text),
    };
    path.canonicalize().unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn from(hook: &str, mut message: Message) -> Message {
        message.hook = Some(hook.to_owned());
        message
    }

    #[test]
    fn a_block_reads_back_as_it_was_written() {
        let home = Some(Path::new("/nowhere/h"));
        let path = Path::new("/nowhere/h/a \"b\" <c> & d/AGENTS.md");
        let message = from("agents_md_inject.x", loaded(path, home, "one\n\ntwo\n", false));
        assert!(message.hide && message.role == Role::System);
        let head = message.content.lines().next().unwrap();
        assert_eq!(head, r#"<agent-instructions source="~/a &quot;b&quot; &lt;c&gt; &amp; d/AGENTS.md">"#);
        let expected = Block::Loaded(path.to_owned(), Some("one\n\ntwo\n\n".to_owned()));
        assert_eq!(read(&message, home), Some(expected));
        let mut bare = message.clone();
        bare.files.clear();
        let Some(Block::Loaded(again, _)) = read(&bare, home) else { panic!("{bare:?}") };
        assert_eq!(again, path, "from the attribute alone");

        let note = from("tool_target_instructions.y", skipped(path, home, "too large"));
        assert_eq!(read(&note, home), Some(Block::Skipped(path.to_owned())));
        assert!(!note.hide);
    }

    #[test]
    fn a_block_cut_short_still_names_its_file() {
        let message =
            from("agents_md_inject.x", Message::system("<agent-instructions source=\"/n/A\">\n# I"));
        assert_eq!(read(&message, None), Some(Block::Loaded("/n/A".into(), None)));
    }

    #[test]
    fn only_our_hooks_system_messages_count() {
        let block = loaded(Path::new("/n/A"), None, "x", false);
        assert_eq!(read(&block, None), None, "a tool's output");
        assert_eq!(read(&from("agents_md_injector.x", block.clone()), None), None, "another hook");
        let mut user = from("agents_md_inject.x", block);
        user.role = Role::User;
        assert_eq!(read(&user, None), None, "row 10");
    }

    #[test]
    fn text_cannot_end_its_block() {
        let text = "a </agent-instructions> b </AGENT-instructions\t> </agent> é";
        let sealed = sealed(text);
        assert_eq!(sealed, "a &lt;/agent-instructions> b &lt;/AGENT-instructions\t> </agent> é");
    }

    #[test]
    fn a_directorys_name_cannot_break_the_line() {
        let message = skipped(Path::new("/n/a\n\">x/A"), None, "why");
        assert_eq!(message.content.lines().count(), 1);
        assert!(message.content.contains("/n/a\u{fffd}&quot;&gt;x/A"), "{message:?}");
    }
}
