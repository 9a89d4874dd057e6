//! Each row of the table of answers, against a person who says what the test says.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use hookspec::{Fired, Hooks, Mode, Registry, fire};

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
    for reply in ["", "y", "YES", " Yes \n"] {
        assert_eq!(one(&[reply], "x").await.0, Confirmation::Confirm, "{reply:?}");
    }
    for reply in ["n", "NO"] {
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
    assert!(person.read().starts_with("Run save? [Y/n/a/?]"), "nothing is shown before");
    assert!(person.read().contains("`c` is no answer"));
}

#[tokio::test]
async fn a_preview_is_shown_in_place_of_the_content_and_without_its_tricks() {
    let person = Person::says(&["y"]);
    confirm(&session(&person), "the content", Some("the preview\u{1b}[2K")).await;
    assert!(
        person.read().starts_with("the preview\\u{1b}[2K\nRun save? [Y/n/c/e/a/?] "),
        "{}",
        person.read()
    );
    assert!(one(&["y"], "the content").await.1.read().starts_with("the content\nRun save?"));
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
