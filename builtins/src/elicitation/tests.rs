//! The rows of the table of questions: first through the hook, against a person with prepared replies, then the
//! rules that the terminal and the server share.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex};

use hookspec::registry::RegistryBuilder;
use hookspec::{Hook, Hooks, Mode, Registry, fire};
use serde_json::{Value, json};

use super::*;
use crate::cli_confirm::Ask;

/// A person with prepared replies. A reply of `None` is a broken-off question.
#[derive(Clone, Default)]
struct Person(Arc<Mutex<Memory>>);

#[derive(Default)]
struct Memory {
    replies: VecDeque<Option<String>>,
    shown: String,
    /// What a menu gives; no menu where there is nothing.
    picks: Option<Vec<usize>>,
}

impl Person {
    fn says(replies: &[&str]) -> Self {
        let person = Self::default();
        person.0.lock().unwrap().replies = replies.iter().map(|reply| Some((*reply).to_owned())).collect();
        person
    }
    fn shown(&self) -> String {
        self.0.lock().unwrap().shown.clone()
    }
    fn next(&self, prompt: &str) -> Result<String, AskError> {
        let mut memory = self.0.lock().unwrap();
        memory.shown.push_str(prompt);
        memory.replies.pop_front().ok_or(AskError::End)?.ok_or(AskError::BrokenOff)
    }
}

impl Ask for Person {
    fn write(&mut self, text: &str) -> Result<(), AskError> {
        self.0.lock().unwrap().shown.push_str(text);
        Ok(())
    }
    fn line(&mut self, prompt: &str) -> Result<String, AskError> {
        self.next(prompt).map(|reply| format!("{reply}\n"))
    }
    fn secret(&mut self, prompt: &str) -> Result<String, AskError> {
        self.next(&format!("hidden:{prompt}"))
    }
    fn menu(&mut self, _: &str, _: &[String], _: usize) -> Result<Option<usize>, AskError> {
        Ok(self.0.lock().unwrap().picks.as_ref().map(|picks| picks[0]))
    }
    fn menu_of_many(&mut self, _: &str, _: &[String], _: &[usize]) -> Result<Option<Vec<usize>>, AskError> {
        Ok(self.0.lock().unwrap().picks.clone())
    }
    fn edit(&mut self, _: &str, _: &str) -> Result<String, AskError> {
        Err(AskError::NoEditor)
    }
    fn copy(&mut self, _: &str) -> Result<(), AskError> {
        Err(AskError::NoClipboard)
    }
}

fn registry() -> RegistryBuilder {
    Registry::builder().mode(Mode::Cli).interactive(true).allow(["elicitation"])
}

async fn asked_of(registry: RegistryBuilder, person: &Person, request: &Elicitation) -> Option<Answer> {
    let session = Session::builder(&Hooks::new(registry.build().unwrap()), "s")
        .extension(Arc::new(Terminal::new(person.clone())))
        .build();
    let mut fired = fire!(session, ELICIT { request }).await;
    fired.take_answer().map(|(answer, _)| answer)
}

async fn ask_person(replies: &[&str], request: &Elicitation) -> (Answer, Person) {
    let person = Person::says(replies);
    (asked_of(registry(), &person, request).await.unwrap(), person)
}

fn request(kind: ElicitKind, options: &[&str], default: Option<&str>) -> Elicitation {
    Elicitation {
        kind,
        prompt: "Which?".into(),
        options: options.iter().map(|option| (*option).to_owned()).collect(),
        default: default.map(str::to_owned),
        ..Elicitation::default()
    }
}

fn field(name: &str, kind: FieldKind) -> FormField {
    FormField {
        name: name.into(),
        prompt: format!("{name}?"),
        kind,
        options: Vec::new(),
        required: true,
        default: None,
    }
}

fn form(fields: Vec<FormField>) -> Elicitation {
    Elicitation { fields, ..request(ElicitKind::Form, &[], None) }
}

fn text(text: &str) -> Answer {
    Answer::Text(text.into())
}

#[tokio::test]
async fn row_1_a_secret_stays_secret() {
    let (answer, person) = ask_person(&["  hunter2 "], &request(ElicitKind::Secret, &[], None)).await;
    assert_eq!(answer, Answer::Secret(Secret::new("  hunter2 ")), "to the letter");
    assert!(person.shown().contains("hidden:Which?") && !person.shown().contains("hunter2"));
    assert!(!format!("{answer:?}{}", serde_json::to_string(&answer).unwrap()).contains("hunter2"));
}

#[tokio::test]
async fn rows_2_3_and_12_another_hook_may_answer_pass_or_fail() {
    let question = request(ElicitKind::Text, &[], None);
    let person = Person::says(&["mine"]);
    let first = Hook::new(ELICIT, "other.answers", |_, _| First(Answer::Text("theirs".into()))).priority(9);
    let with = || Registry::builder().mode(Mode::Cli).interactive(true).allow(["other"]);
    assert_eq!(asked_of(with().register(first), &person, &question).await, Some(text("theirs")));
    assert_eq!(person.shown(), "", "row 2: the person was not asked");

    let passes = Hook::new(ELICIT, "other.passes", |_, _| None::<First<Answer>>).priority(9);
    assert_eq!(asked_of(with().register(passes), &person, &question).await, Some(text("mine")), "row 3");

    let fails = Hook::new(ELICIT, "other.fails", |_, _| -> Option<First<Answer>> { panic!("broken") });
    let fails = with().register(fails.priority(9));
    let person = Person::says(&["mine"]);
    assert_eq!(asked_of(fails, &person, &question).await, Some(text("mine")), "row 12");
}

#[tokio::test]
async fn row_4_without_a_terminal_nobody_is_asked() {
    let question = request(ElicitKind::Text, &[], None);
    let person = Person::says(&["never"]);
    let piped = Registry::builder().mode(Mode::Cli);
    assert_eq!(asked_of(piped, &person, &question).await, None, "which the engine takes as cancelled");
    let session = Session::builder(&Hooks::new(registry().build().unwrap()), "s").build();
    assert!(fire!(session, ELICIT { request: &question }).await.answer().is_none());
}

#[tokio::test]
async fn row_5_an_allowlist_does_not_take_the_question_away() {
    let elsewhere = Registry::builder().mode(Mode::Cli).interactive(true).allow(["time_awareness"]);
    let question = request(ElicitKind::Text, &[], None);
    let said = asked_of(elsewhere, &Person::says(&[" me "]), &question).await;
    assert_eq!(said, Some(text("me")), "trimmed");
}

#[tokio::test]
async fn row_6_an_empty_line_takes_the_default() {
    let (answer, person) = ask_person(&[""], &request(ElicitKind::Text, &[], Some("main"))).await;
    assert_eq!(answer, text("main"));
    assert!(person.shown().contains("Which? [main] "));
    assert_eq!(ask_person(&[""], &request(ElicitKind::Text, &[], None)).await.0, text(""));
}

#[tokio::test]
async fn row_7_the_end_of_the_input_and_a_break_cancel() {
    for kind in [ElicitKind::Text, ElicitKind::Secret, ElicitKind::Confirmation] {
        let (answer, person) = ask_person(&[], &request(kind, &[], None)).await;
        assert_eq!(answer, Answer::Cancelled);
        assert!(person.shown().contains("not answered: the input is at its end"), "{}", person.shown());
    }
    let person = Person::default();
    person.0.lock().unwrap().replies.push_back(None);
    let answer = asked_of(registry(), &person, &request(ElicitKind::Text, &[], None)).await;
    assert_eq!(answer, Some(Answer::Cancelled));
    assert!(person.shown().contains("broken off"));
}

#[tokio::test]
async fn row_8_a_choice_by_number_or_text_is_asked_until_it_fits() {
    let question = request(ElicitKind::Choice, &["red", "Blue"], None);
    let (answer, person) = ask_person(&["9", "x", "2"], &question).await;
    assert_eq!(answer, text("Blue"));
    assert!(person.shown().contains("  1. red\n  2. Blue\n"));
    assert_eq!(person.shown().matches("`Which?` takes one of: red, Blue").count(), 2);
    for reply in ["Blue", " blue ", "2"] {
        assert_eq!(ask_person(&[reply], &question).await.0, text("Blue"), "{reply}");
    }
    assert_eq!(ask_person(&["", "0", "red"], &question).await.0, text("red"), "nothing is not a choice");
    assert_eq!(ask_person(&["x"; 5], &question).await.0, Answer::Cancelled, "not for ever");
    let free = request(ElicitKind::Choice, &[], None);
    assert_eq!(ask_person(&["what I like"], &free).await.0, text("what I like"));
}

#[tokio::test]
async fn row_9_many_choices_fit_all_or_are_asked_again() {
    let question = request(ElicitKind::MultiChoice, &["a", "b"], None);
    let (answer, person) = ask_person(&["1,9, x,2", "2, 1,1"], &question).await;
    assert_eq!(answer, Answer::Many(vec!["a".into(), "b".into()]), "each once, in the order of the options");
    assert!(person.shown().contains("takes one of: a, b"));
    assert_eq!(ask_person(&[""], &question).await.0, Answer::Many(vec![]), "none is an answer");
    let defaulted = request(ElicitKind::MultiChoice, &["a", "b"], Some("b"));
    assert_eq!(ask_person(&[""], &defaulted).await.0, Answer::Many(vec!["b".into()]));
}

#[tokio::test]
async fn row_10_yes_or_no_and_nothing_else() {
    let question = request(ElicitKind::Confirmation, &[], None);
    for (replies, answer) in [
        (["NO", ""], "no"),
        (["n", ""], "no"),
        (["maybe", "n"], "no"),
        (["", ""], "yes"),
        (["Yes", ""], "yes"),
    ] {
        assert_eq!(ask_person(&replies, &question).await.0, text(answer), "{replies:?}");
    }
    let careful = request(ElicitKind::Confirmation, &[], Some("no"));
    let (answer, person) = ask_person(&[""], &careful).await;
    assert_eq!(answer, text("no"));
    assert!(person.shown().contains("Which? [y/N] "));
}

#[tokio::test]
async fn rows_11_and_14_a_form_is_asked_field_by_field() {
    let question = form(vec![
        field("whole", FieldKind::Number),
        field("part", FieldKind::Number),
        field("big", FieldKind::Number),
        field("token", FieldKind::Secret),
        field("sure", FieldKind::Boolean),
    ]);
    let (answer, person) = ask_person(&["four", "4", "4.5", "1e3", "", "t0p", "n"], &question).await;
    let Answer::Form(fields) = &answer else { panic!("{answer:?}") };
    assert_eq!(
        serde_json::to_value(fields).unwrap(),
        json!({"whole": 4, "part": 4.5, "big": 1000.0, "token": "<secret provided>", "sure": false})
    );
    assert_eq!(fields["token"], FieldAnswer::Secret(Secret::new("t0p")), "there for who asked");
    let shown = person.shown();
    assert!(
        shown.contains("`whole` takes a number") && shown.contains("`token` must be answered"),
        "{shown}"
    );
    assert!(shown.contains("hidden:token?") && !shown.contains("t0p"));
}

#[tokio::test]
async fn required_is_enforced_and_optional_is_left_out() {
    let mut optional = field("note", FieldKind::Text);
    optional.required = false;
    let mut chosen = field("colour", FieldKind::Choice);
    chosen.options = vec!["red".into(), "blue".into()];
    let mut defaulted = field("branch", FieldKind::Text);
    defaulted.default = Some("main".into());
    let mut question = form(vec![field("name", FieldKind::Text), optional, chosen, defaulted]);
    question.description = Some("For the release.".into());
    let (answer, person) = ask_person(&["", " ", "Ada", "", "", "2", ""], &question).await;
    let Answer::Form(fields) = answer else { panic!("{answer:?}") };
    assert_eq!(
        serde_json::to_value(fields).unwrap(),
        json!({"name": "Ada", "colour": "blue", "branch": "main"})
    );
    let shown = person.shown();
    assert!(shown.starts_with("For the release.\nWhich?\n"), "{shown}");
    assert!(shown.contains("note? (optional) ") && shown.contains("branch? [main] "));
    assert_eq!(shown.matches("`name` must be answered").count(), 2);
}

#[tokio::test]
async fn row_13_a_cancelled_field_cancels_the_form() {
    let question = form(vec![field("a", FieldKind::Text), field("b", FieldKind::Text)]);
    assert_eq!(ask_person(&["one"], &question).await.0, Answer::Cancelled);
    let no_fields = form(Vec::new());
    assert_eq!(ask_person(&["a line"], &no_fields).await.0, text("a line"));
}

#[tokio::test]
async fn menus_are_used_where_there_are_some() {
    let person = Person::default();
    person.0.lock().unwrap().picks = Some(vec![1]);
    let choice = request(ElicitKind::Choice, &["a", "b"], None);
    assert_eq!(asked_of(registry(), &person, &choice).await, Some(text("b")));
    let many = request(ElicitKind::MultiChoice, &["a", "b"], None);
    assert_eq!(asked_of(registry(), &person, &many).await, Some(Answer::Many(vec!["b".into()])));
    let mut colour = field("colour", FieldKind::Choice);
    colour.options = vec!["red".into(), "blue".into()];
    let answers = BTreeMap::from([("colour".to_owned(), FieldAnswer::Text("blue".into()))]);
    assert_eq!(asked_of(registry(), &person, &form(vec![colour])).await, Some(Answer::Form(answers)));
}

#[test]
fn a_clients_reply_is_held_to_the_same_rules() {
    let choice = request(ElicitKind::Choice, &["a", "b"], None);
    let many = request(ElicitKind::MultiChoice, &["a", "b"], None);
    let yes = request(ElicitKind::Confirmation, &[], None);
    let line = request(ElicitKind::Text, &[], Some("main"));
    let question = form(vec![field("n", FieldKind::Number), field("s", FieldKind::Secret)]);
    let good: [(&Elicitation, Value, Value); 9] = [
        (&choice, json!("b"), json!({"answer": "text", "value": "b"})),
        (&many, json!(["b", "a"]), json!({"answer": "many", "value": ["a", "b"]})),
        (&many, json!([]), json!({"answer": "many", "value": []})),
        (&yes, json!(false), json!({"answer": "text", "value": "no"})),
        (&yes, json!("yes"), json!({"answer": "text", "value": "yes"})),
        (&line, json!("x"), json!({"answer": "text", "value": "x"})),
        (&line, Value::Null, json!({"answer": "text", "value": "main"})),
        (
            &question,
            json!({"n": 1.5, "s": "x"}),
            json!({"answer": "form", "value": {"n": 1.5, "s": "<secret provided>"}}),
        ),
        (
            &question,
            json!(r#"{"n": "7", "s": "x"}"#),
            json!({"answer": "form", "value": {"n": 7, "s": "<secret provided>"}}),
        ),
    ];
    for (question, reply, answer) in good {
        assert_eq!(serde_json::to_value(accept(question, &reply).unwrap()).unwrap(), answer, "{reply}");
    }
    let bad: [(&Elicitation, Value, &str); 10] = [
        (&choice, json!("c"), "takes one of: a, b"),
        (&choice, json!(3), "takes a text"),
        (&choice, Value::Null, "must be answered"),
        (&many, json!([1]), "a list of texts"),
        (&many, json!(["a", "z"]), "takes one of"),
        (&yes, json!("maybe"), "yes or no"),
        (&question, json!({"n": 1}), "`s` must be answered"),
        (&question, json!({"n": true, "s": "x"}), "`n` takes a number"),
        (&question, json!({"n": "NaN", "s": "x"}), "`n` takes a number"),
        (&question, json!({"n": 1, "s": "x", "extra": 1}), "no field `extra`"),
    ];
    for (question, reply, why) in bad {
        let error = accept(question, &reply).unwrap_err().to_string();
        assert!(error.contains(why), "{reply}: {error}");
        assert!(!error.contains("\"x\""));
    }
}
