//! The rows of the heuristic table, what is made of real answers, and what the user gets to see of it.

use std::sync::{Arc, Mutex};

use hookspec::{Config, Hook, Hooks, Mode, Registry};

use super::*;

const QUESTION: &str = "I can store the sessions in three ways. Which would you prefer?\n\n\
                        1. SQLite, in one file\n2. JSONL [as now]\n3. Both\n";

/// A host whose user picks the option of this index, or says nothing where there is none.
fn session(log: Vec<Message>, enabled: bool, pick: Option<usize>) -> (Session, Arc<Mutex<Vec<Elicitation>>>) {
    let mut config = Config::new();
    config.add_toml("hookspec.toml", &format!("hooks.form_autodetect.enabled = {enabled}"), &[]).unwrap();
    let asked = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&asked);
    let user = Hook::new(ELICIT, "user.picks", move |event, _| {
        seen.lock().unwrap().push(event.request.clone());
        First(pick.map_or(Answer::Cancelled, |pick| Answer::Text(event.request.options[pick].clone())))
    });
    let registry = Registry::builder()
        .mode(Mode::Cli)
        .config(config)
        .allow(["form_autodetect", "user"])
        .register(user)
        .build()
        .unwrap();
    (Session::builder(&Hooks::new(registry), "s").log(log, None).build(), asked)
}

async fn offered(session: &Session, outcome: TurnOutcome, queue: &[Message]) -> Option<String> {
    let mut fired = fire!(session, LOOP_CONTINUE { outcome, queue, continued: 0 }).await;
    assert!(fired.failures().is_empty(), "{fired:?}");
    match fired.take_answer()?.0 {
        Continue::With(message) => {
            assert_eq!(message.role, Role::User);
            Some(message.content)
        }
        Continue::Rest => None,
    }
}

fn said(text: &str) -> Vec<Message> {
    vec![Message::user("How?"), Message::assistant(text), Message::system("a hook's word")]
}

#[tokio::test]
async fn rows_1_and_2_only_the_assistants_question_and_only_when_it_is_on() {
    let (user, asked) = session(vec![Message::user(QUESTION)], true, Some(0));
    assert_eq!(offered(&user, TurnOutcome::Complete, &[]).await, None);
    let (off, also) = session(said(QUESTION), false, Some(0));
    assert_eq!(offered(&off, TurnOutcome::Complete, &[]).await, None);
    assert!(asked.lock().unwrap().is_empty() && also.lock().unwrap().is_empty());
    let registry = Registry::builder().mode(Mode::Cli).allow(["form_autodetect"]).build().unwrap();
    let default = Session::builder(&Hooks::new(registry), "s").log(said(QUESTION), None).build();
    assert_eq!(offered(&default, TurnOutcome::Complete, &[]).await, None);
}

#[tokio::test]
async fn row_3_where_nobody_can_be_asked_the_agent_rests() {
    let mut config = Config::new();
    config.add_toml("hookspec.toml", "hooks.form_autodetect.enabled = true", &[]).unwrap();
    let registry =
        Registry::builder().mode(Mode::Cli).config(config).allow(["form_autodetect"]).build().unwrap();
    let alone = Session::builder(&Hooks::new(registry), "s").log(said(QUESTION), None).build();
    assert_eq!(offered(&alone, TurnOutcome::Complete, &[]).await, None);
}

#[test]
fn it_is_for_hosts_that_can_ask() {
    for (mode, on) in [(Mode::Cli, true), (Mode::Server, true), (Mode::Bridge, false)] {
        let mut config = Config::new();
        config.add_toml("t.toml", "[hooks.form_autodetect]\nenabled = true", &[]).unwrap();
        let rows = Registry::builder().mode(mode).config(config).build().unwrap().list();
        assert_eq!(rows.iter().any(|row| row.info.name == "form_autodetect.offer" && row.on), on, "{mode:?}");
    }
}

#[tokio::test]
async fn row_8_the_options_are_offered_and_the_pick_goes_on() {
    let (session, asked) = session(said(QUESTION), true, Some(1));
    assert_eq!(offered(&session, TurnOutcome::Complete, &[]).await.as_deref(), Some("JSONL [as now]"));
    let asked = asked.lock().unwrap();
    assert_eq!(asked[0].prompt, "Which would you prefer?");
    assert_eq!(asked[0].options, ["SQLite, in one file", "JSONL [as now]", "Both", SOMETHING_ELSE]);
    assert_eq!(asked[0].kind, ElicitKind::Choice);
}

#[tokio::test]
async fn nothing_picked_or_something_else_to_do_means_rest() {
    for pick in [None, Some(3)] {
        let (session, asked) = session(said(QUESTION), true, pick);
        assert_eq!(offered(&session, TurnOutcome::Complete, &[]).await, None);
        assert_eq!(asked.lock().unwrap().len(), 1);
    }
    let (session, asked) = session(said(QUESTION), true, Some(0));
    assert_eq!(offered(&session, TurnOutcome::Complete, &[Message::user("next")]).await, None);
    for outcome in [TurnOutcome::Declined, TurnOutcome::Interrupted, TurnOutcome::Error] {
        assert_eq!(offered(&session, outcome, &[]).await, None);
    }
    assert!(asked.lock().unwrap().is_empty());
}

#[test]
fn row_4_from_50_to_5000_characters() {
    let of_length = |length: usize| {
        let list = "Pick one:\n- ä\n- b\n";
        format!("{}\n{list}", "x".repeat(length - list.chars().count() - 1))
    };
    for (length, some) in [(49, false), (50, true), (5000, true), (5001, false)] {
        let text = of_length(length);
        assert_eq!(text.chars().count(), length);
        assert_eq!(detect(&text).is_some(), some, "{length} characters");
    }
}

#[test]
fn row_5_a_form_fence_is_a_form_already() {
    assert_eq!(detect(&format!("{QUESTION}\n```form\nselection: Which? [a, b]\n```\n")), None);
    assert!(detect(&format!("{QUESTION}\n```formal\nx\n```\n")).is_some());
}

#[test]
fn rows_6_and_10_the_table_of_shapes() {
    for some in [
        "1. a\n2. b",
        "1) a\n2) b",
        "  1. a\n  2. b",
        "a. x\nb. y",
        "A) x\nB) y",
        "- a\n- b",
        "* a\n* b",
        "• a\n• b",
        "please choose one",
        "Select an   option",
        "pick a option",
        "Which would you prefer",
        "which do\nyou want",
        "Which option is best",
        "Options:\nx",
        "Your choice:",
        "the alternatives :",
        "So?\n1. a\n- b",
        "So?\n\n- a\nb) b",
    ] {
        assert!(looks_like_options(some), "{some:?}");
    }
    for none in [
        "",
        "1. a",
        "1. a\n\n2. b",
        "select the option",
        "e.g. foo\ni.e. bar",
        "1.a\n2.b",
        "-a\n-b",
        "1. a\n- b",
        "So?\n- a\nb",
        "Why? - a",
        "options: none",
        "which one",
        "-\n-",
    ] {
        assert!(!looks_like_options(none), "{none:?}");
    }
}

#[test]
fn row_7_a_list_that_nobody_asks_about_is_just_a_list() {
    for text in [
        "I changed three files and all of the tests are green now:\n\n- src/a.rs\n- src/b.rs\n- src/c.rs\n",
        "Did it work? I believe so, and here is what I looked at.\n\nThen I did this, in this order:\n1. built\n2. ran\n",
        "Which option would you like? There is only one that I can think of, really:\n\n1. Wait for the release\n",
        "Choose one of these, which are in a fence and so are code:\n```\n- a\n- b\n```\nand nothing else.",
    ] {
        assert_eq!(detect(text), None, "{text}");
    }
}

#[test]
fn row_9_without_a_question_the_default_one_is_asked() {
    let form =
        detect("1. Keep the old format and its reader\n2. Write a new one\n\n(Reply with what you like?)")
            .unwrap();
    assert_eq!(form.options, ["Keep the old format and its reader", "Write a new one"]);
    assert_eq!(form.question, "Please select an option:");
}

#[test]
fn row_11_without_a_list_there_is_no_form() {
    assert_eq!(detect("Which option would you prefer? I could go either way here, honestly."), None);
    assert_eq!(
        detect("Please choose one of the options:\n\nand then tell me about it in a word or two."),
        None
    );
}

#[test]
fn the_question_and_the_options_are_read_as_they_were_meant() {
    let text = "Earlier I listed files:\n- x\n- y\n\nThat is done. **How shall I go on?**\n\n\
                a) **Rewrite** it\n   with a new parser\n\nb) Patch `old.rs`\n\nc) Stop\n\nTell me.";
    assert_eq!(
        detect(text),
        Some(Form {
            question: "How shall I go on?".into(),
            options: vec!["Rewrite it".into(), "Patch old.rs".into(), "Stop".into()],
        })
    );
    let header = "There are two ways that I can see from here.\n\nOptions:\n- one thing\n- another thing\n";
    assert_eq!(detect(header).unwrap().question, "Options:");
    let later = "I found two ways:\n1. the long way round\n2. the short way\n\nWhich option shall I take?";
    assert_eq!(detect(later).unwrap().question, "Which option shall I take?");
}
