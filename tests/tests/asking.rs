//! Questions on the engine that every host runs: asked by a tool, answered at a terminal or by a client.

#![allow(clippy::unwrap_used)] // a test that cannot go on has failed

mod common;

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use hookspec::points::{EndReason, TurnOutcome};
use hookspec::{Message, Mode, Registry, RegistryBuilder, Timeline};
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
    let save = call("save", json!({ "path": "a.txt", "content": "from the model" }));
    let stage = Stage::new(&[save, say("Done.")]);
    let (sender, mut questions) = unbounded_channel();
    let desk = Arc::new(Desk::new(Clients(sender)));
    let opening = stage.opening(host(Mode::Server), Begin::New("test".into()));
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
