//! The tool calls that an assistant's message makes.
//!
//! A model calls a tool either through its provider's own interface, and then the calls are in the
//! message's metadata, or in its text, as a fenced block whose tag starts with a tool's name:
//!
//! ````text
//! ```save notes/today.md
//! - buy milk
//! ```
//! ````
//!
//! The rest of the tag is split into arguments the way a shell would; the block's text, with the line end
//! of its last line, is the content. The text is read as CommonMark, so an indented fence, one in a list and
//! one made of `~~~` are what they look like, and a longer fence may hold shorter ones.
//!
//! What is not a call: a block in a block quote (the model is quoting somebody), and a block that can't be
//! trusted to end where it seems to: one that is never closed, or one whose content opens a fence of its own that
//! is as long as the outer one, so that the first inner end cut it off. Whether such a block names a tool or not,
//! what follows it may well be the rest of its content, so no later block is a call either; if that leaves out a
//! call, the [`CallProblem`] says so to the model.
//!
//! Limits: CRLF line ends in a block become LF; a backslash in a tag escapes, so a Windows path there needs
//! quotes or slashes; calls written as XML are not recognised.

use std::ops::Range;

use hookspec::tool::CallFormat;
use hookspec::{Message, Role, ToolUse};
use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};

/// What a text holds: the calls in order, and at most one problem that kept others out.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FoundCalls {
    /// The calls, in the order of the text.
    pub calls: Vec<ToolUse>,
    /// What the model should be told; a host may add to it.
    pub problems: Vec<CallProblem>,
}

/// A block after which nothing is a call. The texts are written for the model.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CallProblem {
    /// The block has no end.
    #[error(
        "The {} was never closed, so neither it nor anything after it was run: end it with a line that holds only its fence.",
        described(.tool)
    )]
    Unclosed {
        /// The first word of its tag: a tool's name, or another word if the block only makes what follows doubtful.
        tool: String,
        /// Byte offset of the block in its message.
        start: usize,
    },
    /// The block's content opens a fence that the block's own fence can't hold.
    #[error(
        "The {} holds another fenced block, so where it ends is not clear, and neither it nor anything after it was run: write it again with a fence longer than {fence}.",
        described(.tool)
    )]
    Nested {
        /// As for [`Unclosed`](Self::Unclosed).
        tool: String,
        /// Byte offset of the block in its message.
        start: usize,
        /// The fence that was too short.
        fence: String,
    },
}

fn described(tool: &str) -> String {
    if tool.is_empty() { "block without a tag".to_owned() } else { format!("`{tool}` block") }
}

/// The id of a call written as a fenced block: `<message id>-<number of the block in its message>`, from 1.
///
/// All fenced blocks count, whether they name a tool or not, so the id stays the same when the set of
/// tools changes between two runs.
#[must_use]
pub fn fenced_call_id(message_id: &str, block: usize) -> String {
    format!("{message_id}-{block}")
}

/// The calls that `message` makes: none unless an assistant said it; the native ones if it has any (its text is
/// then only text), otherwise the fenced blocks that name a tool.
///
/// Fenced calls, and native ones that came without an id, get one from the message's id (see
/// [`fenced_call_id`]); a message that has none leaves them without.
pub fn calls_of(message: &Message, is_tool: impl Fn(&str) -> bool) -> FoundCalls {
    if message.role != Role::Assistant {
        return FoundCalls::default();
    }
    let native = message.metadata.as_deref().map_or(&[][..], |metadata| &metadata.tool_calls);
    if native.is_empty() {
        return find_calls(&message.content, message.id.as_deref(), is_tool);
    }
    let mut calls = native.to_vec();
    for (index, call) in calls.iter_mut().enumerate() {
        if call.call_id.is_none() {
            call.call_id = message.id.as_deref().map(|id| fenced_call_id(id, index + 1));
        }
    }
    FoundCalls { calls, problems: Vec::new() }
}

/// The fenced blocks of `text` that call a tool; `is_tool` says which names are tools.
pub fn find_calls(text: &str, message_id: Option<&str>, is_tool: impl Fn(&str) -> bool) -> FoundCalls {
    let mut found = FoundCalls::default();
    let mut doubt = None;
    for (index, block) in fenced_blocks(text).iter().enumerate() {
        if block.quoted {
            continue;
        }
        let (tool, args) = block.tag.split_once(char::is_whitespace).unwrap_or((block.tag, ""));
        doubt = doubt.or_else(|| block.problem(tool));
        if tool.is_empty() || !is_tool(tool) {
            continue;
        }
        if let Some(problem) = doubt {
            found.problems.push(problem);
            break;
        }
        found.calls.push(ToolUse {
            tool: tool.to_owned(),
            args: split_words(args),
            content: block.content.clone(),
            call_id: message_id.map(|id| fenced_call_id(id, index + 1)),
            start: Some(block.start),
            format: CallFormat::Markdown,
            ..ToolUse::default()
        });
    }
    found
}

/// A fenced block as it stands in a text.
#[derive(Debug)]
struct Block<'a> {
    /// Byte offset of the fence.
    start: usize,
    /// The characters of the opening fence.
    fence: &'a str,
    /// What follows the fence in its line, as written: entities and escapes are not resolved.
    tag: &'a str,
    content: String,
    closed: bool,
    quoted: bool,
}

impl Block<'_> {
    /// Why the block may not end where it seems to.
    fn problem(&self, tool: &str) -> Option<CallProblem> {
        let (tool, start) = (tool.to_owned(), self.start);
        if !self.closed {
            return Some(CallProblem::Unclosed { tool, start });
        }
        let nested = self.content.lines().any(|line| opens_fence(line, self.fence));
        nested.then(|| CallProblem::Nested { tool, start, fence: self.fence.to_owned() })
    }
}

fn fenced_blocks(text: &str) -> Vec<Block<'_>> {
    let mut blocks = Vec::new();
    let mut quotes = 0_usize;
    let mut open: Option<(Block<'_>, Range<usize>)> = None;
    for (event, range) in Parser::new_ext(text, Options::empty()).into_offset_iter() {
        match event {
            Event::Start(Tag::BlockQuote(_)) => quotes += 1,
            Event::End(TagEnd::BlockQuote(_)) => quotes = quotes.saturating_sub(1),
            Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(_))) => {
                let whole = text.get(range.clone()).unwrap_or_default();
                let first = whole.lines().next().unwrap_or_default();
                let width = fence_width(first);
                let (fence, tag) = first.split_at_checked(width).unwrap_or((first, ""));
                let block = Block {
                    start: range.start,
                    fence,
                    tag: tag.trim(),
                    content: String::new(),
                    closed: false,
                    quoted: quotes > 0,
                };
                // What follows the content decides whether the block is closed; before any content, that
                // is what follows the first line.
                open = Some((block, range.start + first.len()..range.end));
            }
            Event::Text(part) => {
                if let Some((block, rest)) = &mut open {
                    block.content.push_str(&part);
                    rest.start = rest.start.max(range.end);
                }
            }
            Event::End(TagEnd::CodeBlock) => {
                if let Some((mut block, rest)) = open.take() {
                    // An end is all that the parser leaves after the content, but for a quote's marks.
                    let end = text.get(rest).unwrap_or_default();
                    block.closed = end.trim_end().ends_with(block.fence);
                    blocks.push(block);
                }
            }
            _ => {}
        }
    }
    blocks
}

/// How many of the same fence character `line` starts with.
fn fence_width(line: &str) -> usize {
    match line.bytes().next() {
        Some(mark @ (b'`' | b'~')) => line.bytes().take_while(|byte| *byte == mark).count(),
        _ => 0,
    }
}

/// Whether `line` would open a block, with a tag, by a fence that `fence` can't hold.
fn opens_fence(line: &str, fence: &str) -> bool {
    let inner = line.trim_start_matches(' ');
    let width = fence_width(inner);
    let (marks, tag) = inner.split_at_checked(width).unwrap_or((inner, ""));
    let tag = tag.trim();
    line.len() - inner.len() < 4
        && marks.starts_with(fence)
        && !fence.is_empty()
        && !tag.is_empty()
        && !(marks.starts_with('`') && tag.contains('`'))
}

/// Splits like a shell, without its comments: `#1.md` is a name. Unbalanced quotes are taken literally.
fn split_words(rest: &str) -> Vec<String> {
    // The splitter drops what follows a `#`, so it gets to see a character that the text does not use.
    let stand_in = ('\u{E000}'..='\u{F8FF}').find(|mark| !rest.contains(*mark));
    let words = stand_in.and_then(|mark| {
        let words = shell_words::split(&rest.replace('#', mark.encode_utf8(&mut [0; 4]))).ok()?;
        Some(words.iter().map(|word| word.replace(mark, "#")).collect())
    });
    words.unwrap_or_else(|| rest.split_whitespace().map(str::to_owned).collect())
}

#[cfg(test)]
mod tests;
