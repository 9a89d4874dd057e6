//! `markdown_validation`: notices a tool call whose block ended too early.
//!
//! A model that writes markdown into a fenced block, and in it a fence without a tag, closes the block in the
//! middle of its text: what is left usually ends with the heading before the inner fence.
//!
//! **Watches** each assistant message when it is stored. **Speaks** if the block of the last tool call in it ends
//! with a heading, or if the last block is never closed: one visible message that shows the line and says how to
//! write the block. **Keeps** nothing. **Costs** one read of the message as CommonMark if it has a fence in it,
//! otherwise nothing.
//!
//! Calls through a model's own tool interface are JSON and cannot be cut off this way; they are not looked at.
//!
//! Different from gptme: it runs after each assistant message, before the tools, so that it fires with every
//! format and no other hook's message can hide the one that it looks at. Only a line that is a heading counts:
//! `#!/bin/sh` and `#endif` are none, and a file type or tool whose comments start with `#` is left out. A block
//! that is not closed is told too.

use hookspec::points::MESSAGE_POST_PROCESS;
use hookspec::tool::CallFormat;
use hookspec::{Message, Role, Session, ToolUse, hook};
use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};

use crate::text::escape;

/// Tools whose text is code with `#` comments.
const CODE_TOOLS: &[&str] = &["bash", "ipython", "python", "ruby", "sh", "shell", "terminal", "tmux"];

/// Endings of files in which a line that starts with `#` is no heading.
const HASH_COMMENTS: &[&str] = &[
    "awk",
    "bash",
    "bazel",
    "bzl",
    "cfg",
    "cmake",
    "coffee",
    "conf",
    "cr",
    "csv",
    "dockerfile",
    "editorconfig",
    "env",
    "ex",
    "exs",
    "fish",
    "gitattributes",
    "gitignore",
    "gql",
    "graphql",
    "hcl",
    "ini",
    "jl",
    "just",
    "justfile",
    "ksh",
    "makefile",
    "mk",
    "nim",
    "nix",
    "php",
    "pl",
    "pm",
    "po",
    "properties",
    "ps1",
    "py",
    "pyi",
    "r",
    "rake",
    "rb",
    "sed",
    "sh",
    "tcl",
    "tf",
    "tfvars",
    "toml",
    "tsv",
    "yaml",
    "yml",
    "zsh",
];

/// Plain text files whose comments start with `#` all the same.
const HASH_FILES: &[&str] = &["cmakelists.txt", "constraints.txt", "requirements.txt", "robots.txt"];

/// Why a block is suspicious.
#[derive(Debug, PartialEq, Eq)]
enum Cut {
    /// It ends with a heading.
    Heading(String),
    /// It does not end.
    Unclosed(String),
}

/// Says that the last tool call of a message may be cut off.
#[hook(MESSAGE_POST_PROCESS, priority = 1)]
fn check(message: &Message, session: &Session) -> Option<Message> {
    if message.role != Role::Assistant {
        return None;
    }
    let registry = session.hooks().load();
    let cut = cut_off(message, |name| registry.tools().get(name).is_some())?;
    Some(Message::system(text(&cut)))
}

fn cut_off(message: &Message, is_tool: impl Fn(&str) -> bool) -> Option<Cut> {
    let calls = message.metadata.as_deref().map_or(&[][..], |metadata| &metadata.tool_calls);
    if !calls.is_empty() {
        // What another program has read from the text; a native call is JSON.
        let last = calls.last().filter(|call| call.format != CallFormat::Tool)?;
        return heading_at_end(last).map(Cut::Heading);
    }
    if !["```", "~~~"].iter().any(|fence| message.content.contains(fence)) {
        return None;
    }
    let blocks = blocks(&message.content);
    // A block that was cut off often leaves a stray fence behind it, so what the call ends with goes first.
    let call = blocks.iter().rfind(|block| !block.quoted && is_tool(block.words().0));
    let heading = call.filter(|block| block.closed).and_then(|block| heading_at_end(&block.call()));
    let unclosed = || blocks.last().filter(|block| !block.closed && !block.quoted);
    heading.map(Cut::Heading).or_else(|| unclosed().map(|block| Cut::Unclosed(block.tag.clone())))
}

/// The last line of a call's text, if that is a heading.
fn heading_at_end(call: &ToolUse) -> Option<String> {
    let last = call.content.lines().map(str::trim).rfind(|line| !line.is_empty())?;
    let words = last.trim_start_matches('#');
    let is_heading =
        (1..=6).contains(&(last.len() - words.len())) && (words.is_empty() || words.starts_with([' ', '\t']));
    (is_heading && !has_hash_comments(call)).then(|| last.to_owned())
}

fn has_hash_comments(call: &ToolUse) -> bool {
    if CODE_TOOLS.contains(&call.tool.as_str()) {
        return true;
    }
    let path = call.args.join(" ").to_lowercase();
    let file = path.rsplit(['/', '\\']).next().unwrap_or_default();
    let ending = file.rsplit('.').next().unwrap_or_default();
    HASH_FILES.contains(&file) || HASH_COMMENTS.contains(&ending)
}

/// A fenced block of a message.
#[derive(Debug, Default)]
struct Block {
    tag: String,
    content: String,
    closed: bool,
    /// In a block quote, where nothing is a call.
    quoted: bool,
}

impl Block {
    /// The first word of the tag, which names the tool of a call, and the others.
    fn words(&self) -> (&str, impl Iterator<Item = &str>) {
        let mut words = self.tag.split_whitespace();
        (words.next().unwrap_or_default(), words)
    }

    fn call(&self) -> ToolUse {
        let (tool, words) = self.words();
        ToolUse::fenced(tool, words, self.content.clone())
    }
}

fn blocks(text: &str) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    let (mut inside, mut quotes) = (false, 0_usize);
    for (event, range) in Parser::new_ext(text, Options::empty()).into_offset_iter() {
        match event {
            Event::Start(Tag::BlockQuote(_)) => quotes += 1,
            Event::End(TagEnd::BlockQuote(_)) => quotes = quotes.saturating_sub(1),
            Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(tag))) => {
                let closed = is_closed(text.get(range).unwrap_or_default());
                let (tag, quoted) = (tag.into_string(), quotes > 0);
                blocks.push(Block { tag, content: String::new(), closed, quoted });
                inside = true;
            }
            Event::Text(part) if inside => {
                if let Some(block) = blocks.last_mut() {
                    block.content.push_str(&part);
                }
            }
            Event::End(TagEnd::CodeBlock) => inside = false,
            _ => {}
        }
    }
    blocks
}

/// Whether a block's source ends with a fence as long as the one that it starts with.
fn is_closed(source: &str) -> bool {
    let Some(mark) = source.chars().next() else { return false };
    let width = source.chars().take_while(|c| *c == mark).count();
    let last = source.trim_end().lines().skip(1).last().unwrap_or_default();
    let fence = last.trim_start_matches([' ', '\t', '>']);
    fence.chars().count() >= width && fence.chars().all(|c| c == mark)
}

fn text(cut: &Cut) -> String {
    let (what, why) = match cut {
        Cut::Heading(line) => {
            let line: String = line.chars().take(120).collect();
            (
                format!("the last tool call ends with the heading `{}`", escape(&line)),
                "A fence without a tag inside the block may have closed it early.",
            )
        }
        Cut::Unclosed(tag) if tag.is_empty() => {
            ("the last block is never closed".to_owned(), "Its end may be missing.")
        }
        Cut::Unclosed(tag) => {
            let tag: String = tag.chars().take(120).collect();
            (format!("the block `{}` is never closed", escape(&tag)), "Its end may be missing.")
        }
    };
    format!(
        "⚠️ Potential markdown codeblock cut-off: {what}. {why} Give inner fences a tag, and the outer one more backticks than any inside:\n\n`````save notes.md\n```python\nprint(1)\n```\n`````"
    )
}

#[cfg(test)]
mod tests;
