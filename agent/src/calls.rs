//! Tool calls in an assistant's text: fenced blocks whose tag begins with a tool's name.
//!
//! ````text
//! ```save src/main.rs
//! fn main() {}
//! ```
//! ````
//!
//! A longer fence may hold shorter ones. A block that is never closed is not a call: the answer was cut off,
//! and half a file must not be written.

use std::collections::BTreeSet;

use hookspec::ToolUse;
use pulldown_cmark::{CodeBlockKind, Event, Parser, Tag, TagEnd};

/// The calls of `tools` in a text, in order.
#[must_use]
pub fn find(text: &str, tools: &BTreeSet<&str>) -> Vec<ToolUse> {
    let mut calls = Vec::new();
    let mut open: Option<ToolUse> = None;
    for (event, range) in Parser::new(text).into_offset_iter() {
        match event {
            Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(tag))) => {
                open = call(&tag, tools).map(|call| ToolUse { start: Some(range.start), ..call });
            }
            Event::Text(part) => {
                if let Some(call) = &mut open {
                    call.content.push_str(&part);
                }
            }
            Event::End(TagEnd::CodeBlock) => {
                if let Some(call) = open.take()
                    && is_closed(&text[range])
                {
                    calls.push(call);
                }
            }
            _ => {}
        }
    }
    calls
}

fn call(tag: &str, tools: &BTreeSet<&str>) -> Option<ToolUse> {
    let tag = tag.trim();
    let (name, rest) = tag.split_once(char::is_whitespace).unwrap_or((tag, ""));
    if !tools.contains(name) {
        return None;
    }
    // An odd quote is part of a name, not a mistake of the model that should cost the call.
    let words =
        shell_words::split(rest).unwrap_or_else(|_| rest.split_whitespace().map(str::to_owned).collect());
    Some(ToolUse::fenced(name, words, ""))
}

/// Whether a fenced block has its closing fence.
fn is_closed(block: &str) -> bool {
    let opening = block.trim_start_matches(|c| c != '`' && c != '~');
    let Some(mark) = opening.chars().next() else { return false };
    let length = opening.chars().take_while(|c| *c == mark).count();
    let mut lines = block.trim_end().lines();
    let last = lines.next_back().unwrap_or_default();
    let closing = last.trim_start_matches(['>', ' ', '\t']).trim_end();
    lines.next().is_some() && closing.len() >= length && closing.chars().all(|c| c == mark)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<(String, Vec<String>, String)> {
        let tools = BTreeSet::from(["save", "shell", "patch"]);
        find(text, &tools).into_iter().map(|call| (call.tool, call.args, call.content)).collect()
    }

    fn one(tool: &str, args: &[&str], content: &str) -> (String, Vec<String>, String) {
        (tool.into(), args.iter().map(|arg| (*arg).to_owned()).collect(), content.into())
    }

    #[test]
    fn calls_are_found_in_order_and_other_blocks_are_not_calls() {
        let text = "First\n```save a.py\nx = 1\n```\nthen\n```python\nno\n```\n~~~shell\nls\n~~~\n";
        assert_eq!(found(text), [one("save", &["a.py"], "x = 1\n"), one("shell", &[], "ls\n")]);
    }

    #[test]
    fn a_longer_fence_holds_shorter_ones() {
        let text = "````save README.md\n# Hi\n```sh\nls\n```\n````\n";
        assert_eq!(found(text), [one("save", &["README.md"], "# Hi\n```sh\nls\n```\n")]);
    }

    #[test]
    fn a_block_that_is_not_closed_is_not_a_call() {
        assert_eq!(found("```save a\nhalf"), []);
        assert_eq!(found("````save a\nhalf\n```\n"), []);
        assert_eq!(found("```shell"), []);
        assert_eq!(found("```shell\n```"), [one("shell", &[], "")]);
    }

    #[test]
    fn names_with_spaces_are_quoted_and_odd_quotes_cost_nothing() {
        assert_eq!(found("```save 'my file.txt'\nx\n```"), [one("save", &["my file.txt"], "x\n")]);
        assert_eq!(found("```save it's\nx\n```"), [one("save", &["it's"], "x\n")]);
    }

    #[test]
    fn lists_quotes_and_windows_line_ends_do_not_matter() {
        assert_eq!(found("- item\n\n  ```shell\n  ls\n  ```\n"), [one("shell", &[], "ls\n")]);
        assert_eq!(found("> ```shell\n> ls\n> ```\n"), [one("shell", &[], "ls\n")]);
        assert_eq!(found("```shell\r\nls\r\n```\r\n").len(), 1);
    }

    #[test]
    fn the_start_is_the_offset_of_the_fence() {
        let text = "Hü\n```shell\nls\n```";
        let calls = find(text, &BTreeSet::from(["shell"]));
        assert_eq!(&text[calls[0].start.unwrap()..][..8], "```shell");
    }

    proptest::proptest! {
        #[test]
        fn no_text_makes_it_panic(text in "([`~> \n-]|save|shell|ä|x){0,40}") {
            let _ = found(&text);
        }
    }
}
