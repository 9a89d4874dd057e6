//! What is told and what is not, with fences as models write them.

use super::*;

fn told(text: &str) -> bool {
    let is_tool = |name: &str| ["save", "append", "patch", "shell", "ipython"].contains(&name);
    cut_off(&Message::assistant(text), is_tool).is_some()
}

/// Blocks that are whole.
const WHOLE: [&str; 34] = [
    "````save a.md\n# Title\n\n## Usage\n````",
    "`````save a.md\n# Title\n```python\nprint(1)\n```\n## Next\n`````\n",
    "````save a.md\n```\nx\n```\n# End\n````\n\nThat is it.",
    "````save a.md\n# End\n````\n\n```python\nx\n```\n",
    "````save a.md\n# End\n````\n\n```\na block of another kind\n```\n",
    "``````save a.md\n`````\n# x\n`````\n## End\n``````\n",
    "~~~save a.md\n# Title\n\n## Usage\n~~~",
    "~~~save a.md\n```\nx\n```\n## Usage\n~~~\n\nDone.",
    "~~~~save a.md\n~~~\nx\n~~~\n## Usage\n~~~~\n",
    "````append a.md\n## Later\n````\n",
    "````patch a.md\n<<<<<<< ORIGINAL\nx\n=======\n# y\n>>>>>>> UPDATED\n````\n",
    "- a list\n\n  ````save a.md\n  ## End\n  ````\n",
    "1. a list\n\n   ````save a.md\n   ## End\n   ````\n\n   and more\n",
    "````save a.md\r\n# Title\r\n\r\n## Usage\r\n````\r\n",
    "````save a.md\n## End\n````   \n",
    "````save a.md\n## End\n``````\n",
    "````save a.md\n## End\n````\n```\n",
    "````markdown\n```save a.md\n# T\n```\n````\n",
    "````\n```save a.md\n# T\n```\n````\n\nSo it looks.",
    "```save a.md\n# T\n\nText.\n```\n",
    "```save a.md\n# T\n\n## Part\n\nText.\n```\n\nNow it is there.",
    "```save a.py\nx = 1\n# End\n```\n",
    "```save a.sh\nls\n# End\n```\n",
    "```shell\nls # list\n# done\n```\n",
    "```save a.md\n#hashtag\n```\n",
    "```save a.md\ntext\n#\u{a0}no heading\n```\n",
    "```save a.md\n# T\n```ts\nx\n```\n",
    "```save a.md\ntext with ``` in it\n```\n",
    "```python\n# not a call\n```\n",
    "```\n# not a call\n```\n",
    "Text with a `# heading` in it.\n\n# Heading\n",
    "````save a.md\n# A\n````\n\n````save b.md\n# B\n````\n",
    "````save a.md\n# A\n````\n\n```shell\nls\n```\n",
    "> ````save a.md\n> # A\n> ````\n",
];

/// Blocks that were cut off, or are not closed.
const CUT: [&str; 31] = [
    "```save a.md\n# Title\n\n## Usage\n```",
    "```save a.md\n# Title\n\n## Usage\n```\ncargo run\n```\n",
    "```save a.md\n# Title\n\n## Usage\n```\ncargo run\n```\nmore\n```\n```\n",
    "```save a.md\n# T\n## U\n```\nx\n```\n\n## V\n```\ny\n```\n```\n",
    "````save a.md\n## Usage\n````\ncargo run\n````\n````\n",
    "````save a.md\n## Usage\n````\ncargo run\n````\n",
    "````save a.md\n## Usage\n`````\ncargo run\n`````\n",
    "~~~save a.md\n## Usage\n~~~\ncargo run\n~~~\n~~~\n",
    "~~~save a.md\n## Usage\n~~~\ncargo run\n~~~\n",
    "```append a.md\n### Later\n```\n",
    "```append notes\n# x\n```\n",
    "```save README\n# Install\n```\nmake\n```\n",
    "```save a.md\nText\n\n######  Six\n```\n",
    "```save a.md\nText\n#\n```\n",
    "```save a.md\nText\n   ## Indented\n```\n",
    "```save a.md\nText\n#\tTab\n```\n",
    "```save a.md\r\nText\r\n## Usage\r\n```\r\n",
    "- a list\n\n  ```save a.md\n  ## End\n  ```\n",
    "Before.\n\n```save a.md\n# One\n```\n\nBetween.\n\n```save b.md\n# Two\n```\n",
    "````save a.md\n# A\n````\n\n```save b.md\n# B\n```\n",
    "```save a.md\n# A\n```\n\n```python\nx\n```\n",
    "```save a.md\ntext",
    "````save a.md\n# T\n```\nx\n```\n",
    "````save a.md\n# T\n",
    "~~~save a.md\n# T\n```\n",
    "```save a.md\ntext\n~~~\n",
    "```python\nx = 1\n",
    "````markdown\n```save a.md\n# T\n```\n",
    "```save a.md\n# T\n\nText.\n```\n\nand then\n\n```\nleft over",
    "```save a.md\n## Usage\n```\n\n> ```\n> quoted\n> ```\n",
    "```save docs/guide.txt\nIntroduction\n# Usage\n```\n",
];

#[test]
fn a_whole_block_is_not_told() {
    for text in WHOLE {
        assert!(!told(text), "{text}");
    }
}

#[test]
fn a_block_that_was_cut_off_is_told() {
    for text in CUT {
        assert!(told(text), "{text}");
    }
}

#[test]
fn a_call_that_another_program_read_is_looked_at_with_its_fence() {
    use hookspec::model::Metadata;
    let told = |text: &str, format: CallFormat| {
        let mut message = Message::assistant(text);
        let call = ToolUse { format, ..ToolUse::fenced("save", ["a.md"], "# T\n\n## End\n") };
        message.metadata = Some(Box::new(Metadata { tool_calls: vec![call], ..Metadata::default() }));
        cut_off(&message, |_| true).is_some()
    };
    let markdown = CallFormat::Markdown;
    assert!(told("```save a.md\n# T\n\n## End\n```", markdown) && told("no block at all", markdown));
    assert!(!told("````save a.md\n# T\n\n## End\n````", markdown));
    assert!(told("````save a.md\n# T\n\n## End\n````\nx\n````\n", markdown));
    assert!(!told("<save>", CallFormat::Xml) && !told("", CallFormat::Tool));
}
