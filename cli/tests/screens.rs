//! What a person reads on the terminal.

#![allow(clippy::unwrap_used)] // a test that cannot go on has failed

mod common;

use common::Home;

#[test]
fn a_model_that_cannot_be_reached_is_told_once_with_the_remedy() {
    let home = Home::new();
    home.config("[agent]\nretries = 1\n");
    // A port at which nobody listens: it was free a moment ago.
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let output = home
        .command(&["chat", "--model", "ollama/llama3.2", "hi"])
        .env("OLLAMA_HOST", format!("127.0.0.1:{port}"))
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1));
    let (said, log) = (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap());
    assert_eq!(said.matches("can't be reached").count(), 1, "{said}");
    assert!(said.contains("Start it with `ollama serve`, or say where it runs with OLLAMA_HOST."), "{said}");
    assert!(
        said.contains("! trying again in 0.5 s\n") && said.ends_with("! gave up after 2 tries\n"),
        "{said}"
    );
    assert_eq!(log.lines().count(), 1, "the session's name, and no error beside: {log}");
}
