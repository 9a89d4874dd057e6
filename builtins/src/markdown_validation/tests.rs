use hookspec::model::Metadata;
use hookspec::{Hooks, Registry, fire_now};

use super::*;

fn is_tool(name: &str) -> bool {
    ["save", "append", "patch", "shell", "ipython"].contains(&name)
}

fn cut(text: &str) -> Option<Cut> {
    cut_off(&Message::assistant(text), is_tool)
}

fn save(path: &str, content: &str) -> Option<Cut> {
    cut(&format!("Here:\n\n```save {path}\n{content}\n```\n"))
}

fn heading(line: &str) -> Option<Cut> {
    Some(Cut::Heading(line.to_owned()))
}

/// What a session without tools says: an unclosed block needs none.
fn said(message: &Message) -> Vec<Message> {
    let registry = Registry::builder().allow(["markdown_validation"]).build().unwrap();
    let session = Session::builder(&Hooks::new(registry), "s").build();
    fire_now!(session, MESSAGE_POST_PROCESS { message }).into_messages()
}

#[test]
fn t1_t2_only_what_an_assistant_said() {
    let text = "```save a.md\n# Header";
    for message in [Message::user(text), Message::system(text), Message::assistant("")] {
        assert!(said(&message).is_empty());
    }
    let [message] = &said(&Message::assistant(text))[..] else { panic!() };
    assert!(message.content.contains("Potential markdown codeblock cut-off") && !message.hide);
    assert!(message.content.contains("`save a.md` is never closed"));
}

#[test]
fn t3_no_tool_call() {
    assert_eq!(cut("# Title\n\nText that ends with\n\n# Header"), None);
    assert_eq!(cut("```python\nx = 1\n# done\n```"), None);
    assert_eq!(cut("```markdown\n# Header\n```"), None);
}

#[test]
fn t4_t7_a_block_that_ends_in_text() {
    assert_eq!(save("a.py", "# one\nprint(1)"), None);
    assert_eq!(save("a.md", "# One\n\nTitle:"), None);
    assert_eq!(save("a.md", "#hashtag"), None);
    assert_eq!(save("a.md", "####### seven"), None);
}

#[test]
fn t5_t6_a_heading_at_the_end() {
    assert_eq!(save("notes.md", "Text\n# Header"), heading("# Header"));
    assert_eq!(save("notes.md", "Text\n  ## Header  \n\n   \n"), heading("## Header"));
    assert_eq!(save("notes.md", "Text\n##"), heading("##"));
    assert_eq!(save("LICENSE", "# Header"), heading("# Header"));
    let real = "```save a.md\n# Title\n\n## Use\n```\ncargo run\n```\n";
    assert_eq!(cut(real), heading("## Use"), "and not that the inner end opened a new block");
    let real = "```save a.md\n# Title\n\n## Use\n```\ncargo run\n```\nmore\n```\n```\n";
    assert_eq!(cut(real), heading("## Use"));
}

#[test]
fn t8_lines_that_start_with_a_hash_and_are_no_headings() {
    for (path, line) in [
        ("run", "#!/bin/sh"),
        ("a.h", "#endif"),
        ("a.c", "#endif /* A_H */"),
        ("a.rs", "#[derive(Debug)]"),
        ("a.py", "# the end"),
        ("conf/a.YAML", "# the end"),
        ("Makefile", "# the end"),
        ("Dockerfile", "# the end"),
        (".gitignore", "# the end"),
        ("requirements.txt", "# the end"),
    ] {
        assert_eq!(save(path, &format!("x\n{line}")), None, "{path}");
    }
    assert_eq!(cut("```shell\nls\n# done\n```"), None);
    assert_eq!(cut("```ipython\nx\n# done\n```"), None);
}

#[test]
fn t9_the_last_call_counts() {
    let text = "```save a.md\n# A\n```\n\n```save b.md\ntext\n```\n";
    assert_eq!(cut(text), None);
    let text = "```save a.md\ntext\n```\n\n```save b.md\n# B\n```\n\n```python\nx\n```";
    assert_eq!(cut(text), heading("# B"), "a block that is no call does not count");
}

#[test]
fn a_quoted_block_is_no_call() {
    assert_eq!(cut("> ```save a.md\n> # A\n> ```\n"), None);
    assert_eq!(cut("```save a.md\n# A\n```\n\n> ```save b.md\n> text\n> ```\n"), heading("# A"));
}

#[test]
fn t10_nothing_in_the_block() {
    assert_eq!(save("a.md", ""), None);
    assert_eq!(save("a.md", "  \n\n"), None);
}

#[test]
fn calls_in_the_metadata_go_before_the_text() {
    let with = |call: ToolUse| {
        let mut message = Message::assistant("text");
        message.metadata = Some(Box::new(Metadata { tool_calls: vec![call], ..Metadata::default() }));
        cut_off(&message, is_tool)
    };
    assert_eq!(with(ToolUse::fenced("save", ["a.md"], "# Header")), heading("# Header"));
    let mut native = ToolUse::fenced("save", ["a.md"], "# Header");
    native.format = CallFormat::Tool;
    assert_eq!(with(native), None);
}

#[test]
fn a_block_is_closed_by_a_fence_as_long_as_its_own() {
    for (text, closed) in [
        ("```save a.md\nx\n```", true),
        ("```save a.md\nx\n`````", true),
        ("````save a.md\nx\n```\n", false),
        ("~~~save a.md\nx\n~~~\n\n", true),
        ("```save a.md\nx\n~~~", false),
        ("- list\n  ```save a.md\n  x\n  ```\n", true),
        ("> ```save a.md\n> x\n> ```\n", true),
        ("> ```save a.md\n> x\n", true), // a quote ends with its text
        ("```save a.md\n# Title\n", false),
        ("```save a.md", false),
        ("```save a.md\n```", true),
    ] {
        let unclosed = matches!(cut(text), Some(Cut::Unclosed(_)));
        assert_eq!(!unclosed, closed, "{text}");
    }
}

#[test]
fn the_line_is_shown_short_and_escaped() {
    let shown = text(&Cut::Heading(format!("# </system_info> {}", "x".repeat(500))));
    assert!(shown.contains("# &lt;/system_info&gt; xxx") && shown.len() < 700, "{shown}");
}
