//! What callbacks add goes into the user's message as the model gets it, and nowhere else.

use hookspec::model::Request;
use hookspec::points::{EndReason, TURN_PRE};
use hookspec::{Hooks, Message, Registry, Role, Session, fire_now};
use hookspec_hermes::{Callbacks, Spill};
use serde_json::{Value, json};

use crate::common::{Stage, said, say};

/// Callbacks of `pre_llm_call` that return these.
fn adding(returns: Vec<Value>) -> Callbacks {
    returns.into_iter().enumerate().fold(Callbacks::new(), |callbacks, (index, returned)| {
        let name = format!("{:02}", 99 - index);
        callbacks.on("pre_llm_call", name, move |_, _| Ok(returned.clone())).unwrap()
    })
}

fn contents(request: &Request, role: Role) -> Vec<String> {
    let messages = request.messages.iter().filter(|message| message.role == role);
    messages.map(|message| message.content.clone()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn pieces_are_added_to_the_users_message_in_order_and_the_log_keeps_what_the_user_wrote() {
    let stage = Stage::new(&[say("One.")]);
    let returns = vec![
        json!("it is Monday"),
        json!("  "),
        json!({ "context": "tests are red" }),
        json!(7),
        json!({ "context": 12 }),
    ];
    let told = crate::common::Told::default();
    let callbacks = crate::common::listening(adding(returns), &["pre_api_request"], &told);
    let mut agent = stage.open(callbacks.register(stage.builder())).await;
    agent.prompt(Message::user("what now?")).await;
    let observed = told.lock().unwrap()[0].1["request_messages"][1]["content"].clone();
    assert_eq!(observed, "what now?\n\nit is Monday\n\ntests are red\n\n12", "observers see what is sent");
    let sent = contents(&stage.requests.lock().unwrap()[0], Role::User);
    assert_eq!(sent, ["what now?\n\nit is Monday\n\ntests are red\n\n12"]);
    assert_eq!(said(&agent, Role::User), ["what now?"]);
    agent.end(EndReason::Exit).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_sent_stays_byte_for_byte_over_turns_and_over_a_restart() {
    let stage = Stage::new(&[say("One."), say("Two."), say("Three.")]);
    let callbacks = || {
        Callbacks::new()
            .on("pre_llm_call", "turn", |told, _| {
                Ok(json!(format!("<{}>", told["turn_id"].as_str().unwrap())))
            })
            .unwrap()
    };
    let mut agent = stage.open(callbacks().register(stage.builder())).await;
    agent.prompt(Message::user("a")).await;
    agent.prompt(Message::user("b")).await;
    agent.end(EndReason::Exit).await;
    let mut agent = stage.resume(callbacks().register(stage.builder())).await;
    agent.prompt(Message::user("c")).await;
    agent.end(EndReason::Exit).await;
    let requests = stage.requests.lock().unwrap();
    assert_eq!(requests.len(), 3);
    for pair in requests.windows(2) {
        let texts = |request: &Request| -> Vec<(Role, String)> {
            request.messages.iter().map(|message| (message.role, message.content.clone())).collect()
        };
        let (before, after) = (texts(&pair[0]), texts(&pair[1]));
        assert_eq!(before[0].0, Role::System);
        assert_eq!(before[..], after[..before.len()], "what a provider has cached is sent again as it was");
    }
    assert_eq!(
        contents(&requests[2], Role::User),
        ["a\n\n<test:turn:1>", "b\n\n<test:turn:2>", "c\n\n<test:turn:3>"]
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_long_piece_goes_into_a_file_and_its_ends_into_the_message() {
    let stage = Stage::new(&[say("One.")]);
    let long = format!("{}{}{}", "h".repeat(500), "m".repeat(9_001), "t".repeat(500));
    let callbacks = adding(vec![json!("short"), json!(long)]).spill(Spill::in_folder(stage.path("spill")));
    let mut agent = stage.open(callbacks.register(stage.builder())).await;
    agent.prompt(Message::user("what now?")).await;
    let sent = contents(&stage.requests.lock().unwrap()[0], Role::User).remove(0);
    assert!(sent.starts_with("what now?\n\nshort\n\n[10001 characters; "), "{sent}");
    assert!(sent.contains(&"h".repeat(500)) && sent.ends_with(&"t".repeat(500)));
    assert!(
        !sent.contains(&"m".repeat(20)),
        "the middle is in the file; its name may hold a few of any letter"
    );
    let files: Vec<_> = std::fs::read_dir(stage.path("spill").join("test")).unwrap().flatten().collect();
    assert_eq!(files.len(), 1);
    assert_eq!(std::fs::read_to_string(files[0].path()).unwrap(), long);
    agent.end(EndReason::Exit).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_message_with_files_keeps_them_and_gets_one_more_text() {
    let stage = Stage::new(&[say("One.")]);
    let picture = stage.workspace().join("picture.png");
    std::fs::write(&picture, "").unwrap();
    let mut agent = stage.open(adding(vec![json!("it is small")]).register(stage.builder())).await;
    agent.prompt(Message::user("what is this?").with_file(&picture)).await;
    let request = stage.requests.lock().unwrap()[0].clone();
    let sent = request.messages.iter().rfind(|message| message.role == Role::User).unwrap();
    assert_eq!((sent.content.as_str(), sent.files.len()), ("what is this?\n\nit is small", 1));
    assert_eq!(said(&agent, Role::User), ["what is this?"]);
    agent.end(EndReason::Exit).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_taken_back_takes_with_it_what_was_added() {
    let stage = Stage::new(&[say("One."), say("Two.")]);
    let mut agent = stage.open(adding(vec![json!("more")]).register(stage.builder())).await;
    agent.prompt(Message::user("a")).await;
    assert_eq!(agent.undo().await.unwrap(), 2, "the user's message and the answer, and nothing else");
    agent.prompt(Message::user("b")).await;
    assert_eq!(contents(&stage.requests.lock().unwrap()[1], Role::User), ["b\n\nmore"]);
    let kept = serde_json::to_string(&agent.session().save_states()).unwrap();
    assert_eq!(kept.matches("\"more\"").count(), 1, "{kept}");
    agent.end(EndReason::Exit).await;
}

#[test]
fn where_messages_have_no_id_it_is_a_message_of_the_users_own() {
    let builder = Registry::builder().plugins(hookspec::plugins![hookspec_hermes]);
    let hooks = Hooks::new(adding(vec![json!("more")]).register(builder).build().unwrap());
    let session = Session::builder(&hooks, "s").build();
    let message = session.append(Message::user("a")).unwrap();
    let fired = fire_now!(session, TURN_PRE { message: &message });
    let said = &fired.messages()[0];
    assert_eq!((said.role, said.content.as_str(), said.hide), (Role::User, "more", true));
}

#[tokio::test(flavor = "multi_thread")]
async fn where_nothing_puts_it_into_requests_it_is_a_message_too() {
    let stage = Stage::new(&[say("One.")]);
    let builder = adding(vec![json!("more")]).register(stage.builder()).disable(["hermes_points.inject"]);
    let mut agent = stage.open(builder).await;
    agent.prompt(Message::user("a")).await;
    assert_eq!(contents(&stage.requests.lock().unwrap()[0], Role::User), ["a", "more"]);
    agent.end(EndReason::Exit).await;
}
