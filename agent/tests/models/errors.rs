//! What goes wrong on the way, and that it is told apart.

use std::ops::ControlFlow;
use std::time::Duration;

use futures_util::future::BoxFuture;
use hookspec::model::ChunkKind;
use hookspec::session::Clock;
use hookspec_agent::models::{ChunkSink, ModelError, ModelOptions};
use serde_json::json;
use tokio::net::TcpSocket;

use crate::openai::{chunk, done};
use crate::server::{Answer, Server};
use crate::{KEY, ask, hello, model, model_with, sse, text};

/// The error that `answer` leads to. The key is in no message and no debug text of it.
async fn error(spec: &str, answer: Answer) -> ModelError {
    let server = Server::start([answer]).await;
    let options = ModelOptions {
        clock: Clock::manual("2026-01-01T00:00:00Z".parse().unwrap()),
        ..ModelOptions::default()
    };
    let model = model_with(spec, &server, options);
    let error = ask(&*model, &hello()).await.0.unwrap_err();
    assert!(!format!("{error} {error:?} {model:?}").contains(KEY), "{error:?}");
    error
}

#[tokio::test]
async fn a_refused_key_is_told_without_telling_the_key() {
    for (spec, status) in [("openai/m", 401), ("anthropic/m", 401), ("openai/m", 403)] {
        let body = json!({"error": {"type": "invalid", "message": format!("Wrong key {KEY} given.")}});
        let error = error(spec, Answer::status(status, body.to_string())).await;
        assert_eq!(
            error,
            ModelError::Authentication {
                model: spec.into(),
                status,
                body: "Wrong key [API key] given.".into(),
            }
        );
        assert!(!error.retryable());
    }
}

#[tokio::test]
async fn a_rate_limit_says_when_to_come_back() {
    let waits = [
        (Some("3"), Some(Duration::from_secs(3))),
        (Some("Thu, 01 Jan 2026 00:00:42 GMT"), Some(Duration::from_secs(42))),
        (None, None),
    ];
    for spec in ["openai/m", "anthropic/m"] {
        for (header, wait) in waits {
            let mut answer = Answer::status(429, r#"{"error": {"message": "Slow down."}}"#);
            if let Some(header) = header {
                answer = answer.header("Retry-After", header);
            }
            let error = error(spec, answer).await;
            assert!(
                matches!(&error, ModelError::RateLimited { body, .. } if body == "Slow down."),
                "{error}"
            );
            assert_eq!(error.retry_after(), wait);
            assert!(error.retryable());
        }
    }
}

#[tokio::test]
async fn a_failing_server_may_be_asked_again() {
    let error = error("openai/m", Answer::status(503, "<h1>down</h1>").header("retry-after", "9")).await;
    assert!(
        matches!(&error, ModelError::Server { status: Some(503), body, .. } if body == "<h1>down</h1>"),
        "{error}"
    );
    assert!(error.retryable());
    assert_eq!(error.retry_after(), Some(Duration::from_secs(9)));
}

#[tokio::test]
async fn a_wrong_request_may_not() {
    let error = error("openai/m", Answer::status(404, r#"{"error": "no such model"}"#)).await;
    assert!(
        matches!(&error, ModelError::Request { status: Some(404), body, .. } if body == "no such model"),
        "{error}"
    );
    assert!(!error.retryable());
}

#[tokio::test]
async fn a_redirect_is_not_followed() {
    let mut elsewhere = Server::start([Answer::status(200, "{}")]).await;
    let answer = Answer::status(307, "").header("location", format!("http://{}/", elsewhere.address));
    let error = error("anthropic/m", answer).await;
    assert!(error.to_string().contains("redirects"), "{error}");
    assert!(!elsewhere.was_asked());
}

#[tokio::test]
async fn a_stream_that_ends_early_is_cut_and_keeps_what_came() {
    let begun = || sse(&[chunk(json!({"content": "one two"}), None)]);
    let torn = begun().piece("data: {\"choices\": [{\"del");
    for answer in [begun(), begun().cut(), torn] {
        let error = error("openai/m", answer).await;
        assert_eq!(error, ModelError::Cut { model: "openai/m".into(), partial: "one two".into() });
        assert!(error.retryable());
    }
}

#[tokio::test]
async fn bad_json_and_bad_text_are_malformed() {
    let json = sse(&[chunk(json!({"content": "one"}), None), json!("{oops}"), done()]);
    let bytes = Answer::stream("text/event-stream").piece([b'd', 0xff, b'\n', b'\n']);
    for answer in [json, bytes] {
        let error = error("openai/m", answer).await;
        assert!(matches!(error, ModelError::Malformed { .. }), "{error}");
    }
}

#[tokio::test]
async fn nobody_at_the_port_is_a_connection_error() {
    let mut server = Server::start([]).await;
    // Bound, so that nobody else takes the port, but not listening.
    let socket = TcpSocket::new_v4().unwrap();
    socket.bind("127.0.0.1:0".parse().unwrap()).unwrap();
    server.address = socket.local_addr().unwrap();
    let error = ask(&*model("openai/m", &server), &hello()).await.0.unwrap_err();
    let address = server.address.to_string();
    assert!(matches!(&error, ModelError::Connect { url, .. } if url.contains(&address)), "{error:?}");
    assert!(error.retryable());
}

#[tokio::test]
async fn silence_is_a_timeout() {
    let quiet = || sse(&[chunk(json!({"content": "one"}), None)]).hold();
    let server = Server::start([quiet()]).await;
    let options = ModelOptions { read_timeout: Duration::from_millis(50), ..ModelOptions::default() };
    let model = model_with("openai/m", &server, options);
    let error = ask(&*model, &hello()).await.0.unwrap_err();
    assert!(matches!(error, ModelError::Timeout { .. }), "{error}");
    assert!(error.retryable());
}

#[tokio::test]
async fn an_answer_that_is_no_stream_points_at_the_base_url() {
    for body in ["<html>Sign in</html>", r#"{"status": "ok"}"#, ""] {
        let error = error("openai/m", Answer::status(200, body)).await;
        assert!(matches!(&error, ModelError::Malformed { what, .. } if what.contains("base URL")), "{error}");
    }
}

/// Stops after as many chunks.
struct StopAfter(usize, Vec<String>);

impl ChunkSink for StopAfter {
    fn chunk<'a>(&'a mut self, text: &'a str, _: ChunkKind) -> BoxFuture<'a, ControlFlow<()>> {
        Box::pin(async move {
            self.1.push(text.to_owned());
            if self.1.len() < self.0 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        })
    }
}

#[tokio::test]
async fn an_interruption_ends_the_stream_and_closes_the_connection() {
    let frames = ["one ", "two ", "three"].map(|word| chunk(json!({"content": word}), None));
    let mut server = Server::start([sse(&frames).hold()]).await;
    let model = model("openai/m", &server);
    let mut sink = StopAfter(2, Vec::new());
    let error = model.generate(&hello(), &mut sink).await.unwrap_err();
    assert_eq!(error, ModelError::Interrupted { partial: "one two ".into() });
    assert_eq!(sink.1, ["one ", "two "]);
    assert!(!error.retryable());
    server.left().await;
}

#[tokio::test]
async fn a_dropped_generation_closes_the_connection_and_the_model_goes_on() {
    let mut server = Server::start([
        sse(&[chunk(json!({"content": "one"}), None)]).hold(),
        sse(&[chunk(json!({"content": "again"}), Some("stop")), done()]),
    ])
    .await;
    let model = model("openai/m", &server);
    let request = hello();
    let mut events = Vec::new();
    {
        let mut generation = model.generate(&request, &mut events);
        tokio::select! {
            answer = &mut generation => panic!("{answer:?}"),
            _ = server.seen() => {}
        }
    }
    server.left().await;
    let (answer, chunks) = ask(&*model, &request).await;
    assert_eq!(answer.unwrap().text, "again");
    assert_eq!(chunks, [text("again")]);
}
