//! Each row of the table of answers, against a person who says what the test says.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use hookspec::point::Fired;
use hookspec::{Hooks, Mode, Registry, fire};

use super::*;

/// A person with prepared answers.
#[derive(Clone, Default)]
struct Person(Arc<Mutex<Memory>>);

#[derive(Default)]
struct Memory {
    replies: VecDeque<String>,
    written: String,
    prompts: usize,
    edits: Option<String>,
    edited: String,
    copies: bool,
}

impl Ask for Person {
    fn write(&mut self, text: &str) -> Result<(), AskError> {
        self.0.lock().unwrap().written.push_str(text);
        Ok(())
    }
    fn line(&mut self, prompt: &str) -> Result<String, AskError> {
        let mut memory = self.0.lock().unwrap();
        memory.prompts += 1;
        memory.written.push_str(prompt);
        memory.replies.pop_front().ok_or(AskError::End)
    }
    fn edit(&mut self, text: &str, _: &str) -> Result<String, AskError> {
        let mut memory = self.0.lock().unwrap();
        memory.edited = text.to_owned();
        memory.edits.clone().ok_or(AskError::NoEditor)
    }
    fn copy(&mut self, _: &str) -> Result<(), AskError> {
        if self.0.lock().unwrap().copies { Ok(()) } else { Err(AskError::NoClipboard) }
    }
}

impl Person {
    fn says(replies: &[&str]) -> Self {
        let person = Self::default();
        person.0.lock().unwrap().replies = replies.iter().map(|reply| (*reply).to_owned()).collect();
        person
    }
    fn prompts(&self) -> usize {
        self.0.lock().unwrap().prompts
    }
    fn read(&self) -> String {
        self.0.lock().unwrap().written.clone()
    }
}

fn session(person: &Person) -> Session {
    let registry =
        Registry::builder().mode(Mode::Cli).interactive(true).allow(["linter_that_is_none"; 0]).build();
    Session::builder(&Hooks::new(registry.unwrap()), "s")
        .extension(Arc::new(Terminal::new(person.clone())))
        .build()
}

async fn confirm(session: &Session, content: &str, preview: Option<&str>) -> Confirmation {
    let call = ToolUse::fenced("save", ["a.txt"], content);
    let mut fired: Fired<First<Confirmation>> =
        fire!(session, TOOL_CONFIRM { tool_use: &call, preview, why: &Why::Policy }).await;
    assert!(fired.failures().is_empty(), "{fired:?}");
    fired.take_answer().map(|(answer, _)| answer).unwrap()
}

async fn one(replies: &[&str], content: &str) -> (Confirmation, Person) {
    let person = Person::says(replies);
    let answer = confirm(&session(&person), content, None).await;
    (answer, person)
}

fn is_refusal(answer: &Confirmation) -> bool {
    matches!(answer, Confirmation::Skip { .. })
}

#[tokio::test]
async fn yes_and_no() {
    for reply in ["y", "YES", " Yes \n"] {
        assert_eq!(one(&[reply], "x").await.0, Confirmation::Confirm, "{reply:?}");
    }
    for reply in ["n", "NO", "", "\n"] {
        assert_eq!(one(&[reply], "x").await.0, Confirmation::Skip { reason: DECLINED.into() }, "{reply:?}");
    }
}

#[tokio::test]
async fn auto_counts_further_calls() {
    for (reply, further) in [("a 2", 2), ("a5", 5), ("auto 1", 1), ("auto 10", 10), ("A 0", 0)] {
        let person = Person::says(&[reply]);
        let session = session(&person);
        for _ in 0..=further {
            assert_eq!(confirm(&session, "x", None).await, Confirmation::Confirm, "{reply}");
        }
        assert!(is_refusal(&confirm(&session, "x", None).await), "{reply}: asked again, and nobody answers");
        assert_eq!(person.prompts(), 2, "{reply}");
    }
}

#[tokio::test]
async fn auto_without_a_number_shows_the_preview_and_asks_no_more() {
    let person = Person::says(&["a"]);
    let session = session(&person);
    for number in 0..5 {
        let preview = format!("preview {number}");
        assert_eq!(confirm(&session, "x", Some(&preview)).await, Confirmation::Confirm);
        assert!(person.read().contains(&preview));
    }
    assert_eq!(person.prompts(), 1);
}

#[tokio::test]
async fn auto_does_not_outlive_the_process() {
    let person = Person::says(&["a"]);
    let first = session(&person);
    confirm(&first, "x", None).await;
    let resumed = Session::builder(first.hooks(), "s")
        .states(first.save_states())
        .extension(Arc::new(Terminal::new(Person::says(&["n"]))))
        .build();
    assert!(is_refusal(&confirm(&resumed, "x", None).await));
}

#[tokio::test]
async fn edit_changes_the_content_and_never_the_preview() {
    let person = Person::says(&["e"]);
    person.0.lock().unwrap().edits = Some("new file".into());
    let answer = confirm(&session(&person), "old file", Some("@@ -1 +1 @@\n-a\n+old file\n")).await;
    assert_eq!(answer, Confirmation::Edit { content: "new file".into() });
    assert_eq!(person.0.lock().unwrap().edited, "old file");
}

#[tokio::test]
async fn an_edit_without_a_change_a_text_or_an_editor_asks_again() {
    let person = Person::says(&["e", "n"]);
    person.0.lock().unwrap().edits = Some("same".into());
    assert!(is_refusal(&confirm(&session(&person), "same", None).await));
    assert!(person.read().contains("nothing was changed"));
    let person = Person::says(&["e", "n"]);
    person.0.lock().unwrap().edits = Some("\n".into());
    assert!(is_refusal(&confirm(&session(&person), "some", None).await));
    assert!(person.read().contains("nothing was left of it; n does not run it"));
    let (answer, person) = one(&["e", "y"], "x").await;
    assert_eq!(answer, Confirmation::Confirm);
    assert!(person.read().contains("not edited: no editor"));
}

#[tokio::test]
async fn a_copy_says_how_it_went_and_asks_again() {
    let (answer, person) = one(&["c", "y"], "x").await;
    assert_eq!(answer, Confirmation::Confirm);
    assert!(person.read().contains("not copied: none of"));
    let person = Person::says(&["c", "y"]);
    person.0.lock().unwrap().copies = true;
    confirm(&session(&person), "x", None).await;
    assert!(person.read().contains("copied\n"));
}

#[tokio::test]
async fn help_and_unknown_answers_ask_again_but_not_for_ever() {
    let (answer, person) = one(&["?", "help", "h", "maybe", "y"], "x").await;
    assert_eq!(answer, Confirmation::Confirm);
    assert_eq!(person.read().matches("run it and three more").count(), 3);
    assert!(is_refusal(&one(&["x1", "x2", "x3", "y"], "x").await.0));
}

#[tokio::test]
async fn without_content_there_is_nothing_to_copy_edit_or_show() {
    let (answer, person) = one(&["c", "e", "y"], "").await;
    assert_eq!(answer, Confirmation::Confirm);
    assert!(
        person.read().starts_with("save a.txt\nRun save? [y]es [N]o [a]ll [?] "),
        "only the file is named before: {}",
        person.read()
    );
    assert!(person.read().contains("`c` is no answer"));
}

#[tokio::test]
async fn a_preview_is_shown_in_place_of_the_content_and_without_its_tricks() {
    let person = Person::says(&["y"]);
    confirm(&session(&person), "the content", Some("the preview\u{1b}[2K")).await;
    assert!(
        person
            .read()
            .starts_with("save a.txt\nthe preview\\u{1b}[2K\nRun save? [y]es [N]o [e]dit [c]opy [a]ll [?] "),
        "{}",
        person.read()
    );
    assert!(one(&["y"], "the content").await.1.read().starts_with("save a.txt\nthe content\nRun save?"));
}

#[tokio::test]
async fn a_gates_reason_is_shown() {
    let person = Person::says(&["n"]);
    let session = session(&person);
    let call = ToolUse::fenced("shell", [""; 0], "ls");
    let why = Why::Gate("it looks odd".into());
    let fired = fire!(session, TOOL_CONFIRM { tool_use: &call, preview: None, why: &why }).await;
    assert!(fired.answer().is_some_and(is_refusal));
    assert!(person.read().starts_with("ls\nit looks odd\nRun shell?"), "{}", person.read());
}

#[tokio::test]
async fn a_gates_question_is_put_however_much_was_confirmed_beforehand() {
    let person = Person::says(&["a", "n"]);
    let session = session(&person);
    let call = ToolUse::fenced("shell", [""; 0], "ls");
    for (why, confirmed) in
        [(Why::Policy, true), (Why::Policy, true), (Why::Gate("it looks odd".into()), false)]
    {
        let fired = fire!(session, TOOL_CONFIRM { tool_use: &call, preview: None, why: &why }).await;
        assert_eq!(fired.answer() == Some(&Confirmation::Confirm), confirmed, "{why:?}");
    }
}

#[tokio::test]
async fn nobody_there_is_a_refusal() {
    assert!(is_refusal(&one(&[], "x").await.0));
    let registry = Registry::builder().mode(Mode::Cli).interactive(true).build().unwrap();
    let no_terminal = Session::builder(&Hooks::new(registry), "s").build();
    assert!(is_refusal(&confirm(&no_terminal, "x", None).await));
}

#[test]
fn diffs_are_told_from_lists() {
    assert!(is_diff("--- a\n+++ b\n@@ -1,2 +1 @@\n line1\n-old\n+new\n"));
    for text in ["- one\n- two\n", "+ one\n+ two\n", "# title\n- item\n  indented\n", ""] {
        assert!(!is_diff(text), "{text:?}");
    }
    for (text, diff) in
        [("@@ -1 +1 @@\n-a\n+b", true), (" line1\n-old\n+new", false), ("+a\n+b", false), ("-a\n-b", false)]
    {
        assert_eq!(is_diff(text), diff, "{text:?}: a diff says where it belongs");
    }
    assert_eq!(language("save", "x"), Language::Text);
    assert_eq!(language("append", "@@ -1 +1 @@\n-a\n+b"), Language::Diff);
    assert_eq!(language("patch", "x"), Language::Diff);
    assert_eq!(language("unknown", "x"), Language::Text);
    assert_eq!(suffix("patch", Some("a.rs")), ".diff");
    assert_eq!(suffix("ipython", None), ".py");
    assert_eq!(suffix("save", Some("Makefile")), "");
    assert_eq!(language("shell", "ls"), Language::Shell);
    assert_eq!(suffix("save", Some("src/a.rs")), ".rs");
    assert_eq!(suffix("shell", None), ".sh");
}

/// A session in a folder with the files `old.txt` and `link`, which leads out of it.
fn session_in(folder: &std::path::Path, person: &Person) -> Session {
    std::fs::write(folder.join("old.txt"), "old\n").unwrap();
    std::os::unix::fs::symlink("/etc", folder.join("link")).unwrap();
    let registry = Registry::builder().mode(Mode::Cli).interactive(true).build().unwrap();
    Session::builder(&Hooks::new(registry), "s")
        .workspace(folder)
        .extension(Arc::new(Terminal::new(person.clone())))
        .build()
}

#[tokio::test]
async fn enter_runs_what_loses_nothing_and_no_more() {
    let folder = tempfile::tempdir().unwrap();
    let native = |tool: &str, path: &str| {
        let kwargs = serde_json::json!({ "path": path, "content": "x" });
        ToolUse::native(tool, "1", kwargs.as_object().unwrap().clone())
    };
    let calls = [
        (ToolUse::fenced("shell", [""; 0], "ls"), true),
        (ToolUse::fenced("shell", [""; 0], "cat old.txt | wc -l"), true),
        (ToolUse::fenced("shell", [""; 0], "ls; rm old.txt"), false),
        (ToolUse::fenced("shell", [""; 0], "ls > old.txt"), false),
        (ToolUse::fenced("shell", [""; 0], "cat /etc/passwd"), false),
        (ToolUse::fenced("shell", [""; 0], ""), false),
        (ToolUse::fenced("patch", ["old.txt"], "x"), false),
        (ToolUse::fenced("shell", [""; 0], "ls \u{200b}"), false),
        (ToolUse::fenced("append", ["old.txt"], "x\u{202e}"), false),
        (ToolUse::fenced("append", ["ol\u{ad}d.txt"], "x"), false),
        (ToolUse::fenced("append", ["old.txt"], "x"), true),
        (ToolUse::fenced("save", ["new.txt"], "x"), true),
        (ToolUse::fenced("save", ["old.txt"], "x"), false),
        (ToolUse::fenced("save", ["./old.txt"], "x"), false),
        (ToolUse::fenced("save", ["../new.txt"], "x"), false),
        (ToolUse::fenced("append", ["link/hosts"], "x"), false),
        (ToolUse::fenced("save", ["new.txt"], &*"x\n".repeat(100)), false),
        (native("save", "new.txt"), true),
        (native("save", "old.txt"), false),
        (native("append", "/etc/hosts"), false),
        (native("mcp__files__append", "old.txt"), false),
        (ToolUse::fenced("save", [""; 0], "x"), false),
    ];
    let person = Person::says(&[""; 2 * 22]);
    assert_eq!(person.0.lock().unwrap().replies.len(), 2 * calls.len());
    let session = session_in(folder.path(), &person);
    for (call, runs) in calls {
        for (why, runs) in [(Why::Policy, runs), (Why::Gate("it looks odd".into()), false)] {
            let before = person.read().len();
            let fired = fire!(session, TOOL_CONFIRM { tool_use: &call, preview: None, why: &why }).await;
            assert_eq!(fired.answer() == Some(&Confirmation::Confirm), runs, "{call:?} {why:?}");
            let asked = person.read()[before..].to_owned();
            assert!(asked.contains(if runs { "[Y]es [n]o" } else { "[y]es [N]o" }), "{asked}");
        }
    }
}

#[tokio::test]
async fn what_is_long_is_shown_in_part_with_its_size_and_whole_when_asked_for() {
    let text: String = (1..=3_052).map(|line| format!("line number {line:>17}\n")).collect();
    let (answer, person) = one(&["?", "v", "y"], &text).await;
    assert_eq!(answer, Confirmation::Confirm);
    let read = person.read();
    assert!(read.starts_with("save a.txt · 3 052 lines, 92 KB\n  line number"), "{}", &read[..80]);
    let (first, rest) = read.split_once("Run save? [y]es [N]o [e]dit [c]opy [v]iew [a]ll [?] ").unwrap();
    assert_eq!(first.lines().count(), 1 + 12 + 1 + 6, "{first}");
    assert!(first.contains("\n… 3 034 lines left out; v shows them …\n"), "{first}");
    assert!(rest.contains("  v      show all of it\n"), "{rest}");
    let indented: String = text.lines().map(|line| format!("  {line}\n")).collect();
    assert!(rest.contains(&indented), "v shows all of it");
    // What is short has nothing more to show.
    let (_, person) = one(&["v", "n"], "x").await;
    assert!(person.read().contains("that is all of it\nRun save?"), "{}", person.read());
}

#[tokio::test]
async fn the_file_and_every_argument_are_shown_and_none_can_pretend_to_be_the_question() {
    let folder = tempfile::tempdir().unwrap();
    let person = Person::says(&["n", "n"]);
    let session = session_in(folder.path(), &person);
    let kwargs = serde_json::json!({ "path": "link/x\tRun?", "mode": 7, "text": "a\u{3164}\nb\u{fe0f}" });
    let call = ToolUse::native("mcp__x\n__write", "1", kwargs.as_object().unwrap().clone());
    let fired = fire!(session, TOOL_CONFIRM { tool_use: &call, preview: None, why: &Why::Policy }).await;
    assert!(fired.answer().is_some_and(is_refusal));
    let read = person.read();
    let head = read.lines().next().unwrap();
    assert!(
        head.starts_with(r"mcp__x\n__write link/x\tRun? (outside the workspace: ") && head.contains("etc"),
        "{read}"
    );
    assert!(
        read.contains("\n  mode: 7\n  text:\n  a\\u{3164}\n  b\\u{fe0f}\nRun mcp__x\\n__write? [y]es"),
        "{read}"
    );

    let diff =
        format!("--- {0}\n+++ {0}\n@@ -1 +1 @@\n-old\n+new\n", folder.path().join("old.txt").display());
    let call = ToolUse::fenced("patch", ["old.txt"], "x");
    let before = person.read().len();
    let fired =
        fire!(session, TOOL_CONFIRM { tool_use: &call, preview: Some(&diff), why: &Why::Policy }).await;
    assert!(fired.answer().is_some_and(is_refusal));
    let read = person.read()[before..].to_owned();
    assert!(
        read.starts_with(
            "patch old.txt · 3 lines, 22 bytes\n  @@ -1 +1 @@\n  -old\n  +new\nRun patch? [Y]es"
        ),
        "{read}"
    );
}

#[tokio::test]
async fn a_line_of_a_command_cannot_look_like_the_question() {
    let person = Person::says(&["n"]);
    let call = ToolUse::fenced("shell", [""; 0], "ls\nRun shell? [Y]es [n]o [a]ll [?] \nrm x");
    let session = session(&person);
    let fired = fire!(session, TOOL_CONFIRM { tool_use: &call, preview: None, why: &Why::Policy }).await;
    assert!(fired.answer().is_some_and(is_refusal));
    let read = person.read();
    assert!(read.starts_with("shell · 3 lines, 40 bytes\n  ls\n  Run shell? [Y]es"), "{read}");
    assert_eq!(read.lines().filter(|line| line.starts_with("Run shell?")).count(), 1, "{read}");
}
