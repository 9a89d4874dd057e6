//! A credential that a client, a file or a model brings is in no event that a client gets and in no row of the database.

use reqwest::Method;
use serde_json::json;

use crate::stage::{Stage, call, say};

/// Made when the test runs, so that none stands here.
fn token() -> String {
    format!("ghp_{}", &"k3Jq9ZtB7x".repeat(4)[..36])
}

#[tokio::test(flavor = "multi_thread")]
async fn neither_events_nor_the_database_hold_a_credential() {
    let token = token();
    let named = format!("I read it: {token}.");
    let script = [call("read", json!({ "path": "notes.txt", "why": token })), say(&named), say(&named)];
    let stage = Stage::new(&script).await;
    std::fs::write(stage.root().join("notes.txt"), format!("first\n{token}\nlast\n")).unwrap();
    stage.create("a").await;
    let mut events = stage.listen("a").await;
    stage.prompt("a", &format!("use {token} there")).await;
    let told = format!("{:?}", events.until("rested").await);
    assert!(told.contains("[redacted: a GitHub token") && !told.contains(&token), "{told}");
    // What comes without a session.
    let line = json!({ "role": "user", "content": format!("it is {token}") }).to_string();
    let import = stage.request(Method::POST, "/conversations/b/import").body(line);
    assert_eq!(import.send().await.unwrap().status(), 200);
    assert!(stage.texts("b").await[0].starts_with("it is [redacted: a GitHub token"));
    let fork = stage.request(Method::POST, "/conversations/b/fork").json(&json!({ "id": "c" }));
    assert_eq!(fork.send().await.unwrap().status(), 200);
    for file in std::fs::read_dir(stage.folder.path()).unwrap() {
        let path = file.unwrap().path();
        if path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("server.sqlite")) {
            let bytes = std::fs::read(&path).unwrap();
            assert!(!bytes.windows(token.len()).any(|part| part == token.as_bytes()), "{}", path.display());
        }
    }
}
