//! Questions on the engine that every host runs: asked by a tool, answered at a terminal or by a client.

#![allow(clippy::unwrap_used)] // a test that cannot go on has failed

mod common;

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use hookspec::points::{EndReason, TOOL_PRE_EXECUTE, TurnOutcome};
use hookspec::registry::RegistryBuilder;
use hookspec::timeline::Timeline;
use hookspec::{Gate, Hook, Message, Mode, Registry};
use hookspec_agent::Agent;
use hookspec_agent::engine::{Begin, Opening, TurnEnd};
use hookspec_builtins::cli_confirm::{Ask, AskError, Terminal};
use hookspec_builtins::desk::{Board, BoardError, Desk, Ended, Pending, ToolReply};
use serde_json::json;
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};

use common::{Stage, call, say, texts};

fn host(mode: Mode) -> RegistryBuilder {
    Registry::builder().plugins(hookspec::plugins![hookspec_builtins]).mode(mode)
}

/// A person who types these lines.
struct Person(VecDeque<&'static str>);

impl Ask for Person {
    fn write(&mut self, _: &str) -> Result<(), AskError> {
        Ok(())
    }
    fn line(&mut self, _: &str) -> Result<String, AskError> {
        self.0.pop_front().map(str::to_owned).ok_or(AskError::End)
    }
    fn secret(&mut self, prompt: &str) -> Result<String, AskError> {
        self.line(prompt)
    }
    fn edit(&mut self, _: &str, _: &str) -> Result<String, AskError> {
        Err(AskError::NoEditor)
    }
    fn copy(&mut self, _: &str) -> Result<(), AskError> {
        Err(AskError::NoClipboard)
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_forms_secret_is_in_no_log_and_no_timeline() {
    let fields = json!([
        { "name": "user", "prompt": "User" },
        { "name": "password", "prompt": "Password", "type": "secret" },
        { "name": "times", "prompt": "How often", "type": "number" },
    ]);
    let form = json!({ "prompt": "Sign in", "kind": "form", "fields": fields });
    let stage = Stage::new(&[call("elicit", form), say("Thanks.")]);
    let timeline = Arc::new(Timeline::new(1000));
    let builder = host(Mode::Cli).interactive(true).allow(["tool.elicit"]);
    let opening = Opening {
        observer: Some(Arc::<Timeline>::clone(&timeline)),
        ..stage.opening(builder, Begin::New("test".into()))
    };
    let person = Terminal::new(Person(VecDeque::from(["ada", "hunter2", "1e3"])));
    let mut agent = Agent::open(opening, |session| session.extension(Arc::new(person))).await.unwrap();
    agent.prompt(Message::user("sign me in")).await;
    let log = texts(&agent);
    assert_eq!(log[2], r#"{"password":"<secret provided>","times":1000.0,"user":"ada"}"#);
    agent.end(EndReason::Exit).await;
    let ran = format!("{:?}", timeline.runs());
    assert!(ran.contains("elicitation.ask") && !ran.contains("hunter2"));
    assert!(!stage.log_text().contains("hunter2"));
}

struct Clients(UnboundedSender<Pending>);

impl Board for Clients {
    fn up(&self, question: &Pending) -> Result<(), BoardError> {
        self.0.send(question.clone()).map_err(|_| BoardError("nobody".into()))
    }
    fn down(&self, _: &Pending, _: Ended) {}
}

/// One save on a server whose client gives these replies.
async fn saved_on_a_server(replies: &[ToolReply]) -> (TurnEnd, Option<String>, Vec<String>) {
    saved_past_gates(host(Mode::Server), replies).await
}

/// The same with more hooks.
async fn saved_past_gates(
    hooks: RegistryBuilder,
    replies: &[ToolReply],
) -> (TurnEnd, Option<String>, Vec<String>) {
    let save = call("save", json!({ "path": "a.txt", "content": "from the model" }));
    let stage = Stage::new(&[save, say("Done.")]);
    let (sender, mut questions) = unbounded_channel();
    let desk = Arc::new(Desk::new(Clients(sender)));
    let opening = stage.opening(hooks, Begin::New("test".into()));
    let lent = Arc::clone(&desk);
    let mut agent = Agent::open(opening, |session| session.extension(lent)).await.unwrap();
    let replies = Mutex::new(VecDeque::from(replies.to_vec()));
    let client = async {
        while let Some(question) = questions.recv().await {
            let Some(reply) = replies.lock().unwrap().pop_front() else { break };
            desk.confirm("test", &question.id, reply).unwrap();
        }
    };
    let prompt = Message::user("save it");
    let end = tokio::select! {
        end = agent.prompt(prompt) => end,
        () = client => panic!("more was asked than expected"),
    };
    let log = texts(&agent);
    agent.end(EndReason::Exit).await;
    (end, std::fs::read_to_string(stage.workspace().join("a.txt")).ok(), log)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_clients_edit_is_what_a_server_saves() {
    let edit = ToolReply::Edit { content: "from the client".into() };
    let (end, file, _) = saved_on_a_server(&[edit]).await;
    assert_eq!((end, file.as_deref()), (TurnEnd::Rested(TurnOutcome::Complete), Some("from the client")));
}

/// A gate that asks about each file that has a dot in it, with the reason given.
fn doubts(reason: fn(&str) -> String) -> RegistryBuilder {
    let doubts = Hook::new(TOOL_PRE_EXECUTE, "stage.doubts", move |event, _| {
        let content = event.tool_use.kwargs.get("content").and_then(|content| content.as_str());
        content.filter(|content| content.contains('.')).map(|content| Gate::ask(reason(content)))
    });
    host(Mode::Server).register(doubts)
}

fn edit(content: &str) -> ToolReply {
    ToolReply::Edit { content: content.into() }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_question_that_an_edit_raises_is_asked() {
    let refused = [edit("a.b"), ToolReply::Skip { reason: None }];
    let (end, file, _) = saved_past_gates(doubts(|_| "a dot".into()), &refused).await;
    assert_eq!((end, file), (TurnEnd::Rested(TurnOutcome::Declined), None));
    let agreed = [edit("a.b"), ToolReply::Confirm];
    let (_, file, _) = saved_past_gates(doubts(|_| "a dot".into()), &agreed).await;
    assert_eq!(file.as_deref(), Some("a.b"));
    // The question is the same as the one that was answered by the second edit: once is enough.
    let twice = [edit("a.b"), edit("c.d")];
    let (_, file, _) = saved_past_gates(doubts(|_| "a dot".into()), &twice).await;
    assert_eq!(file.as_deref(), Some("c.d"));
}

#[tokio::test(flavor = "multi_thread")]
async fn edits_that_always_raise_another_question_come_to_an_end() {
    let edits: Vec<_> = (0..8).map(|n| edit(&format!("{n}.{n}"))).collect();
    let (_, file, log) = saved_past_gates(doubts(|content| format!("{content} has a dot")), &edits).await;
    assert_eq!(file, None);
    assert!(log[2].contains("changed 8 times"), "{log:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_clients_skip_ends_the_turn_on_a_server() {
    let (end, file, log) = saved_on_a_server(&[ToolReply::Skip { reason: None }]).await;
    assert_eq!((end, file), (TurnEnd::Rested(TurnOutcome::Declined), None));
    assert!(log[2].contains("declined"), "{log:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_without_clients_to_ask_refuses() {
    let save = call("save", json!({ "path": "a.txt", "content": "x" }));
    let stage = Stage::new(&[save, say("Done.")]);
    let mut agent = stage.open(host(Mode::Server), None).await;
    agent.prompt(Message::user("save it")).await;
    assert!(texts(&agent)[2].contains("nowhere to ask"));
    assert!(!stage.workspace().join("a.txt").exists());
    agent.end(EndReason::Exit).await;
}
