use hookspec::model::Metadata;
use proptest::prelude::*;
use serde_json::Map;

use super::*;

fn is_tool(name: &str) -> bool {
    matches!(name, "save" | "shell" | "patch")
}

fn find(text: &str) -> FoundCalls {
    find_calls(text, Some("m7"), is_tool)
}

fn only(text: &str) -> ToolUse {
    let found = find(text);
    assert_eq!(found.problems, []);
    assert_eq!(found.calls.len(), 1, "{found:?}");
    found.calls.into_iter().next().unwrap()
}

#[test]
fn tag_words_are_tool_and_args_and_the_block_is_the_content() {
    let text = "Let me.\n\n```save \"my notes.md\" --force\none\n\ntwo\n```\nDone.";
    let call = only(text);
    assert_eq!(call.tool, "save");
    assert_eq!(call.args, ["my notes.md", "--force"]);
    assert_eq!(call.content, "one\n\ntwo\n");
    assert_eq!(call.start, text.find("```"));
    assert_eq!(call.call_id.as_deref(), Some("m7-1"));
    assert_eq!(call.format, CallFormat::Markdown);
}

#[test]
fn calls_come_in_order_and_other_blocks_only_count_for_the_ids() {
    let found = find("```shell\na\n```\n```python\nx\n```\ntext\n~~~shell\nb\n~~~\n");
    let seen: Vec<_> =
        found.calls.iter().map(|c| (c.content.as_str(), c.call_id.as_deref().unwrap())).collect();
    assert_eq!(seen, [("a\n", "m7-1"), ("b\n", "m7-3")]);
}

#[test]
fn a_longer_fence_holds_shorter_ones_and_tildes_hold_backticks() {
    let inner = "# Title\n```sh\nls\n```\nrest\n";
    assert_eq!(only(&format!("````save a.md\n{inner}````\n")).content, inner);
    assert_eq!(only(&format!("~~~save a.md\n{inner}~~~\n")).content, inner);
}

#[test]
fn a_block_that_holds_a_fence_of_its_own_length_is_not_run_nor_what_follows() {
    // A parser of CommonMark sees a save of one line, and then a shell call that is really file content.
    let text = "```shell\ntrue\n```\n```save a.md\n```sh\nls\n```\n\n```shell\nrm -r x\n```\n```\n";
    let found = find(text);
    assert_eq!(found.calls.len(), 1);
    assert_eq!(found.calls[0].content, "true\n");
    let start = text.find("```save").unwrap();
    let nested = CallProblem::Nested { tool: "save".into(), start, fence: "```".into() };
    assert_eq!(found.problems, [nested]);
}

#[test]
fn an_example_that_holds_a_fence_of_its_own_length_makes_what_follows_doubtful() {
    let example = "```markdown\n```sh\nls\n```\ntext\n";
    let found = find(&format!("{example}```shell\nrm -r x\n```\n```\n"));
    assert_eq!(found.calls, []);
    let [problem] = &found.problems[..] else { panic!("{found:?}") };
    assert!(problem.to_string().contains("`markdown` block holds another"), "{problem}");
    assert_eq!(find(example), FoundCalls::default(), "no call is left out, so there is nothing to say");
}

#[test]
fn an_unclosed_block_is_reported_and_not_a_call() {
    for text in [
        "```shell\nls",
        "```shell\nls\n",
        "```shell",
        "```shell\n",
        "````shell\nls\n```\n",
        "```shell\n\n\n",
        "```shell\nls\n> ```\n",
        "```shell\nls\n    ```\n",
        "~~~shell\nls\n```\n",
    ] {
        let found = find(text);
        assert_eq!(found.calls, [], "{text:?}");
        assert_eq!(found.problems, [CallProblem::Unclosed { tool: "shell".into(), start: 0 }], "{text:?}");
    }
}

#[test]
fn a_list_item_that_ends_before_its_fence_does_leaves_nothing_to_trust() {
    let found = find("- ```save x\nfoo\n```\n\n```shell\nrm x\n```\n");
    assert_eq!(found.calls, []);
    assert!(matches!(found.problems[..], [CallProblem::Unclosed { start: 2, .. }]), "{found:?}");
}

#[test]
fn an_end_without_a_last_newline_is_an_end() {
    assert_eq!(only("```shell\nls\n```").content, "ls\n");
    assert_eq!(only("```shell\nls\n`````  ").content, "ls\n");
}

#[test]
fn empty_content_is_a_call() {
    assert_eq!(only("```shell\n```\n").content, "");
    assert_eq!(only("```shell\n\n```\n").content, "\n");
}

#[test]
fn crlf_is_understood() {
    let call = only("Hi\r\n\r\n```save a.txt\r\none\r\ntwo\r\n```\r\nbye\r\n");
    assert_eq!((call.args[0].as_str(), call.content.as_str()), ("a.txt", "one\ntwo\n"));
    assert_eq!(only("```shell\r\n```\r\n").content, "");
}

#[test]
fn indentation_of_the_fence_and_of_a_list_item_is_taken_off() {
    let call = only("  ```shell\n  ls\n    -l\n  ```\n");
    assert_eq!((call.content.as_str(), call.start), ("ls\n  -l\n", Some(2)));
    assert_eq!(only("1. first\n\n   ```shell\n   ls\n   ```\n").content, "ls\n");
    assert_eq!(find("    ```shell\n    ls\n    ```\n"), FoundCalls::default());
}

#[test]
fn a_quoted_block_is_not_a_call() {
    assert_eq!(find("> ```shell\n> rm -r x\n> ```\n"), FoundCalls::default());
    assert_eq!(only("> ```shell\n> a\n> ```\n\n```shell\nb\n```\n").content, "b\n");
}

#[test]
fn unknown_and_inline_tags_are_no_calls() {
    for text in
        ["```\nls\n```", "```bash\nls\n```", "```saved x\ny\n```", "``` \nls\n```", "a ```shell ls``` b"]
    {
        assert_eq!(find(text), FoundCalls::default(), "{text:?}");
    }
}

#[test]
fn words_of_a_tag_survive_quotes_hashes_entities_and_underscores() {
    assert_eq!(only("```save it's here.md\n```").args, ["it's", "here.md"]);
    assert_eq!(only("```save #1.md 'a #2'\n```").args, ["#1.md", "a #2"]);
    assert_eq!(only("```save a&amp;b_c.md\n```").args, ["a&amp;b_c.md"]);
    assert_eq!(only("```  save \t x\n```").args, ["x"]);
}

#[test]
fn native_calls_win_over_the_text_and_only_assistants_call() {
    let mut message = Message::assistant("```shell\nls\n```");
    assert_eq!(calls_of(&message, is_tool).calls.len(), 1);
    assert_eq!(calls_of(&message, is_tool).calls[0].call_id, None);
    message.id = Some("m3".into());
    let mut nameless = ToolUse::native("save", "", Map::new());
    nameless.call_id = None;
    let metadata = Metadata {
        tool_calls: vec![ToolUse::native("save", "call_a", Map::new()), nameless],
        ..Metadata::default()
    };
    message.metadata = Some(Box::new(metadata));
    let ids: Vec<_> =
        calls_of(&message, is_tool).calls.into_iter().map(|call| call.call_id.unwrap()).collect();
    assert_eq!(ids, ["call_a", "m3-2"]);
    message.role = Role::User;
    assert_eq!(calls_of(&message, is_tool), FoundCalls::default());
}

proptest! {
    #[test]
    fn no_text_makes_the_search_panic(text in "\\PC*") {
        find(&text);
    }

    #[test]
    fn text_made_of_fences_never_panics_and_offsets_point_at_fences(
        parts in prop::collection::vec(
            prop::sample::select(vec![
                "```", "````", "~~~", "shell", "save", " a.md", "\n", "\r\n", "\r", "> ", "- ", "1. ",
                "  ", "\t", "    ", "é", "\0", "'", "#", "\\", "<b>", "</b>", "`", "x",
            ]),
            0..40,
        )
    ) {
        let text = parts.concat();
        for call in find(&text).calls {
            let at = &text[call.start.unwrap()..];
            prop_assert!(at.starts_with("```") || at.starts_with("~~~"), "{at:?}");
        }
    }

    #[test]
    fn any_content_comes_back_through_a_fence_that_is_long_enough(
        lines in prop::collection::vec("[ -~é]{0,12}", 0..8)
    ) {
        let content: String = lines.iter().map(|line| format!("{line}\n")).collect();
        let longest = content.split(|c| c != '`').map(str::len).max().unwrap_or(0);
        let fence = "`".repeat(longest.max(2) + 1);
        let call = only(&format!("before\n\n{fence}save a.md\n{content}{fence}\nafter\n"));
        prop_assert_eq!(call.content, content);
    }
}
