//! Nothing that a redactor knows gets into the database, by whichever way it comes.

use hookspec::points::{ERROR, EndReason, ErrorSource};
use hookspec::{Message, fire};
use hookspec_session_buddy::errors::Seen;
use hookspec_session_buddy::store::Store;
use hookspec_session_buddy::timeline::Moment;
use rusqlite::Connection;
use serde_json::json;

use crate::stage::{Stage, builder, call, run, say, scored, shell};

/// A token as GitHub gives them, which nobody was given.
fn token() -> String {
    ["ghp", "_Zk3vQ9xT1mB7rL5nW2pY8sD4", "fG6hJ0aCeUiO"].concat()
}

/// Everything that the database's files hold, in small letters.
fn bytes(stage: &Stage) -> String {
    let files = std::fs::read_dir(stage.path().join("state")).unwrap();
    let read = |file: std::io::Result<std::fs::DirEntry>| std::fs::read(file.unwrap().path()).unwrap();
    files.map(|file| String::from_utf8_lossy(&read(file)).to_lowercase()).collect()
}

fn assert_clean(stage: &Stage) {
    let (bytes, token) = (bytes(stage), token().to_lowercase());
    assert!(!bytes.contains(&token[4..]) && !bytes.contains(&token[20..]), "the token is in the database");
    assert!(bytes.len() > 10_000, "there is a database");
}

#[tokio::test(flavor = "multi_thread")]
async fn case_5_a_token_reaches_the_database_by_no_way() {
    let stage = Stage::new();
    let token = token();
    let failing = format!("test -e good || {{ echo 'KeyError: {token}'; exit 1; }}");
    let padded = format!("{}{token}", "x ".repeat(240));
    let script = [
        shell(&failing),
        call("save", json!({ "path": "good", "content": format!("key = '{token}'\n") })),
        call("save", json!({ "path": format!("{token}.txt"), "content": "x\n" })),
        shell(&format!("true '{padded}'")),
        shell(&failing),
        call("store_reflection", json!({ "text": format!("the key is {token}") })),
        call("checkpoint", json!({ "label": format!("with {token}") })),
        call("search_reflections", json!({ "query": format!("KeyError {token}") })),
        say(&format!("I used {token}.")),
    ];
    let (mut agent, _) = stage.agent(builder().register(scored(90)), "a", &script).await;
    agent.prompt(Message::user(format!("use {token}, search past reflections"))).await;
    agent.end(EndReason::Exit).await;
    assert!(stage.store().chain(1).unwrap().is_some(), "the same command is known again without its token");
    assert_clean(&stage);

    let session = stage.session(builder(), "b");
    let error = &format!("401: {token} is not valid");
    let fired =
        fire!(session, ERROR { source: ErrorSource::Model, error, retryable: false, attempt: 0 }).await;
    assert!(fired.failures().is_empty());
    assert_clean(&stage);
}

#[tokio::test]
async fn case_5_a_token_that_an_older_program_kept_is_taken_out() {
    let stage = Stage::new();
    let token = token();
    let path = stage.path().join("state/session-buddy.sqlite");
    let mut store = Store::open(&path).unwrap();
    let now = stage.clock.now();
    let message = format!("KeyError: {token}");
    let context = json!({ "call": message });
    let seen =
        Seen { session: "s", project: "p", message: &message, context: &context, at: now, embedding: None };
    let id = store.record_error(seen).unwrap().unwrap().0;
    let fix = store.record_attempt(id, &message, &message, now).unwrap().unwrap();
    store.resolve(id, fix).unwrap();
    let moment = Moment::Edit { path: "a".into(), added: message.clone(), created: true };
    store.record_moment("s", &moment, now).unwrap();
    drop(store);
    let database = Connection::open(&path).unwrap();
    database
        .execute_batch(&format!(
            "INSERT INTO reflections (session, project, at, text) VALUES ('s', 'p', 0, '{token}');
             INSERT INTO chores VALUES ('redact');"
        ))
        .unwrap();
    drop(database);
    assert!(bytes(&stage).contains(&token.to_lowercase()[4..]));

    let session = stage.session(builder(), "a");
    let found = run(&session, "search_reflections", json!({ "query": "KeyError" })).await.unwrap();
    assert!(found.starts_with("Nothing like"), "it is another project's: {found}");
    drop(session);
    assert_clean(&stage);
    let store = stage.store();
    assert!(store.error(id).unwrap().unwrap().message.starts_with("KeyError: "), "the rest is there still");
    assert_eq!(store.history("s").unwrap().len(), 1);
    let chores: i64 = Connection::open(&path)
        .unwrap()
        .query_row("SELECT count(*) FROM chores", [], |row| row.get(0))
        .unwrap();
    assert_eq!(chores, 0, "once is enough");
}
