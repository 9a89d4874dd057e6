//! Attacks tried, each a test.

use std::time::{Duration, Instant};

use hookspec::ask::Elicitation;
use hookspec::points::TURN_PRE;
use hookspec::{Message, Session, hook};
use hookspec_agent::engine::ask_user;
use hookspec_server::Bounds;
use reqwest::Method;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::stage::{OTHER, Setting, Stage, TOKEN, allowing, call, problem, say};

/// Sends bytes as they are and gives what comes back until the server closes.
async fn send(stage: &Stage, text: &str) -> String {
    let mut stream = TcpStream::connect(("127.0.0.1", stage.port)).await.unwrap();
    stream.write_all(text.as_bytes()).await.unwrap();
    let mut answer = Vec::new();
    let _ = tokio::time::timeout(Duration::from_secs(10), stream.read_to_end(&mut answer)).await;
    String::from_utf8_lossy(&answer).into_owned()
}

fn request(stage: &Stage, line: &str, headers: &str) -> String {
    format!(
        "{line} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nAuthorization: Bearer {TOKEN}\r\nConnection: close\r\n{headers}\r\n",
        stage.port
    )
}

#[tokio::test(flavor = "multi_thread")]
async fn without_the_right_token_nobody_gets_in() {
    let bounds = Bounds { failures_per_minute: 1000, ..Bounds::default() };
    let stage = Stage::with(&[say("x")], bounds).await;
    stage.create("a").await;
    let every = [
        (Method::GET, "/conversations"),
        (Method::PUT, "/conversations/b"),
        (Method::GET, "/conversations/a"),
        (Method::POST, "/conversations/a"),
        (Method::DELETE, "/conversations/a"),
        (Method::GET, "/conversations/a/events"),
        (Method::POST, "/conversations/a/step"),
        (Method::POST, "/conversations/a/interrupt"),
        (Method::POST, "/conversations/a/tool/confirm"),
        (Method::POST, "/conversations/a/elicit/respond"),
        (Method::POST, "/conversations/a/fork"),
        (Method::POST, "/conversations/a/rerun"),
        (Method::POST, "/conversations/b/import"),
        (Method::GET, "/conversations/a/export"),
        (Method::GET, "/conversations/a/timeline"),
        (Method::GET, "/conversations/a/hooks"),
        (Method::PUT, "/conversations/a/hooks/x"),
        (Method::PATCH, "/conversations/a/config"),
        (Method::PATCH, "/conversations/a/messages/0"),
        (Method::DELETE, "/conversations/a/messages/0"),
        (Method::GET, "/sessions"),
        (Method::DELETE, "/sessions/x"),
        (Method::GET, "/hooks"),
        (Method::GET, "/tools"),
        (Method::GET, "/points"),
        (Method::GET, "/models"),
        (Method::GET, "/config"),
        (Method::GET, "/version"),
        (Method::GET, "/commands"),
        (Method::GET, "/openapi.json"),
    ];
    for (method, path) in &every {
        let path = format!("/api/v2{path}");
        let bare = stage.raw(method.clone(), &path).send().await.unwrap();
        assert_eq!(bare.headers()["www-authenticate"], "Bearer");
        problem(bare, 401).await;
        for token in [
            "",
            "x",
            &TOKEN[1..],
            &TOKEN.to_uppercase(),
            &format!("{TOKEN} ")[..],
            &format!("{TOKEN}{TOKEN}"),
        ] {
            if token.trim() != TOKEN {
                stage.refused(stage.raw(method.clone(), &path).bearer_auth(token), 401).await;
            }
        }
        stage.refused(stage.raw(method.clone(), &format!("{path}?token={TOKEN}")), 401).await;
    }
    // What the document knows is all there is, and all of it was tried.
    let document = stage.get("/openapi.json").await;
    let operations: usize =
        document["paths"].as_object().unwrap().values().map(|path| path.as_object().unwrap().len()).sum();
    assert_eq!(operations + 1, every.len(), "the document itself is not in it");
}

#[tokio::test(flavor = "multi_thread")]
async fn guessing_tokens_becomes_slow_and_locks_out_nobody() {
    let bounds = Bounds { failures_per_minute: 5, ..Bounds::default() };
    let stage = Stage::with(&[say("x")], bounds).await;
    let wrong = || stage.raw(Method::GET, "/api/v2/conversations").bearer_auth("wrong-wrong-wrong");
    for _ in 0..5 {
        stage.refused(wrong(), 401).await;
    }
    let answer = wrong().send().await.unwrap();
    assert!(answer.headers()["retry-after"].to_str().unwrap().parse::<u64>().unwrap() >= 1);
    problem(answer, 429).await;
    stage.get("/conversations").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody_sees_or_touches_what_belongs_to_another() {
    let stage = Stage::new(&[say("x")]).await;
    let session = stage.create("a").await;
    stage.prompt("a", "mine").await;
    let as_ben = |method, path: &str| stage.raw(method, &format!("/api/v2{path}")).bearer_auth(OTHER);
    for (method, path) in [
        (Method::GET, "/conversations/a"),
        (Method::DELETE, "/conversations/a"),
        (Method::GET, "/conversations/a/events"),
        (Method::GET, "/conversations/a/export"),
        (Method::GET, "/conversations/a/timeline"),
        (Method::GET, "/conversations/a/hooks"),
    ] {
        stage.refused(as_ben(method, path), 404).await;
    }
    for (path, body) in [
        ("/conversations/a", json!({ "role": "user", "content": "x" })),
        ("/conversations/a/step", json!({})),
        ("/conversations/a/interrupt", json!({})),
        ("/conversations/a/fork", json!({})),
        ("/conversations/a/rerun", json!({})),
        ("/conversations/a/tool/confirm", json!({ "tool_id": "x", "action": "confirm" })),
    ] {
        stage.refused(as_ben(Method::POST, path).json(&body), 404).await;
    }
    stage.refused(as_ben(Method::DELETE, &format!("/sessions/{session}")), 404).await;
    let all: Value = as_ben(Method::GET, "/conversations").send().await.unwrap().json().await.unwrap();
    assert_eq!(all, json!([]));
    let all: Value = as_ben(Method::GET, "/sessions").send().await.unwrap().json().await.unwrap();
    assert_eq!(all, json!([]));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_forged_session_id_is_no_session() {
    let stage = Stage::new(&[say("x")]).await;
    let session = stage.create("a").await;
    let other = stage.create("b").await;
    for forged in [&*other, "", "../a", &session[1..], &session.to_uppercase()] {
        if forged == session {
            continue; // one without letters
        }
        let body = json!({ "session_id": forged });
        for path in ["step", "interrupt", "rerun"] {
            stage
                .refused(stage.request(Method::POST, &format!("/conversations/a/{path}")).json(&body), 404)
                .await;
        }
        let query = stage.request(Method::GET, "/conversations/a/events").query(&[("session_id", forged)]);
        stage.refused(query, 404).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_of_another_place_gets_nothing() {
    let stage = Stage::new(&[say("x")]).await;
    for origin in
        ["http://evil.example", "null", &format!("http://localhost:{}", stage.port), "http://127.0.0.1"]
    {
        let from = |method| stage.request(method, "/conversations").header("Origin", origin);
        let answer = from(Method::GET).send().await.unwrap();
        assert!(!answer.headers().contains_key("access-control-allow-origin"));
        problem(answer, 403).await;
        problem(from(Method::OPTIONS).send().await.unwrap(), 403).await;
    }
    let own = stage.base.clone();
    let answer = stage.request(Method::GET, "/conversations").header("Origin", own).send().await.unwrap();
    assert_eq!(answer.status(), 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_that_was_let_in_may_use_the_api() {
    let setting = Setting { origins: vec!["https://chat.example".into()], ..Setting::default() };
    let stage = Stage::with(&[say("x")], setting).await;
    let from = |method| stage.raw(method, "/api/v2/conversations").header("Origin", "https://chat.example");
    let preflight = from(Method::OPTIONS).send().await.unwrap();
    assert_eq!(preflight.status(), 204);
    assert_eq!(preflight.headers()["access-control-allow-origin"], "https://chat.example");
    assert!(!preflight.headers().contains_key("access-control-allow-credentials"), "tokens, not cookies");
    let answer = from(Method::GET).bearer_auth(TOKEN).send().await.unwrap();
    assert_eq!(answer.headers()["access-control-allow-origin"], "https://chat.example");
    assert_eq!(answer.status(), 200);
    problem(from(Method::GET).send().await.unwrap(), 401).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_name_that_was_pointed_here_is_not_ours() {
    let stage = Stage::new(&[say("x")]).await;
    for host in ["evil.example", "evil.example:80", "127.0.0.1.evil.example", "127.0.0.1:1", "localhost.", ""]
    {
        let text = format!(
            "GET /api/v2/version HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {TOKEN}\r\nConnection: close\r\n\r\n"
        );
        let answer = send(&stage, &text).await;
        assert!(answer.starts_with("HTTP/1.1 403"), "{host}: {answer}");
    }
    let two = format!(
        "GET /api/v2/version HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nHost: evil.example\r\nConnection: close\r\n\r\n",
        stage.port
    );
    assert!(send(&stage, &two).await.starts_with("HTTP/1.1 400"));
    let none = "GET /api/v2/version HTTP/1.1\r\nConnection: close\r\n\r\n";
    assert!(send(&stage, none).await.starts_with("HTTP/1.1 400"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cookie_alone_changes_nothing_for_other_pages() {
    let stage = Stage::new(&[say("x")]).await;
    let login = |token: &str| stage.raw(Method::POST, "/api/v2/login").json(&json!({ "token": token }));
    stage.refused(login(TOKEN), 403).await; // not from a page
    stage.refused(login(TOKEN).header("Origin", "http://evil.example"), 403).await;
    stage.refused(login("wrong-wrong-wrong").header("Origin", &stage.base), 401).await;
    let answer = login(TOKEN).header("Origin", &stage.base).send().await.unwrap();
    let cookie = answer.headers()["set-cookie"].to_str().unwrap().to_owned();
    assert!(cookie.contains("HttpOnly") && cookie.contains("SameSite=Strict"), "{cookie}");
    let cookie = cookie.split(';').next().unwrap().to_owned();
    let with = |method, path: &str| stage.raw(method, &format!("/api/v2{path}")).header("Cookie", &cookie);
    assert_eq!(with(Method::GET, "/conversations").send().await.unwrap().status(), 200);
    stage.refused(with(Method::PUT, "/conversations/a").json(&json!({})), 403).await;
    let own = with(Method::PUT, "/conversations/a").header("Origin", &stage.base).json(&json!({}));
    assert_eq!(own.send().await.unwrap().status(), 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn no_path_leads_out() {
    let stage = Stage::new(&[say("x")]).await;
    std::fs::write(stage.folder.path().join("outside.txt"), "outside").unwrap();
    std::os::unix::fs::symlink(stage.folder.path(), stage.root().join("link")).unwrap();
    for workspace in ["..", "/", "/etc", "link", "link/..", "a/../..", "missing", "\u{0}", "../root/../.."] {
        let body = json!({ "config": { "chat": { "workspace": workspace } } });
        stage.refused(stage.request(Method::PUT, "/conversations/a").json(&body), 422).await;
    }
    stage.create("a").await;
    for file in ["../outside.txt", "/etc/passwd", "link/outside.txt", "missing"] {
        let body = json!({ "role": "user", "content": "x", "files": [file] });
        stage.refused(stage.request(Method::POST, "/conversations/a").json(&body), 422).await;
    }
    for path in [
        "/../../etc/passwd",
        "/page/../../../etc/passwd",
        "/page/..%2f..%2fetc%2fpasswd",
        "/page/%2e%2e",
        "/page//etc/passwd",
        "/api/v2/conversations/..%2f..%2fx",
        "/api/v2/conversations/%2e%2e/export",
        "/api/v2/conversations/a%00b",
    ] {
        let answer = send(&stage, &request(&stage, &format!("GET {path}"), "")).await;
        assert!(answer.starts_with("HTTP/1.1 404"), "{path}: {answer}");
        assert!(!answer.contains("root:"), "{answer}");
    }
    for id in ["..%2fx", "%2e%2e", ".hidden", "a%20b", "a%00b"] {
        let head = "Content-Type: application/json\r\nContent-Length: 2\r\n";
        let text = request(&stage, &format!("PUT /api/v2/conversations/{id}"), head) + "{}";
        assert!(send(&stage, &text).await.starts_with("HTTP/1.1 422"), "{id}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tool_does_not_leave_the_workspace_without_a_yes() {
    let script = [call("read", json!({ "path": "../outside.txt" })), say("Hm.")];
    let stage = Stage::new(&script).await;
    std::fs::write(stage.folder.path().join("outside.txt"), "a secret outside").unwrap();
    stage.create("a").await;
    let mut events = stage.listen("a").await;
    stage.prompt("a", "look").await;
    let question = events.expect("elicit_pending").await;
    assert_eq!(question["elicit_type"], "confirmation");
    let body = json!({ "elicit_id": question["elicit_id"], "action": "accept", "value": "no" });
    stage.post("/conversations/a/elicit/respond", body).await;
    events.until("rested").await;
    assert!(!stage.get("/conversations/a").await.to_string().contains("a secret outside"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_huge_body_is_not_taken() {
    let bounds = Bounds { body: 10_000, import: 20_000, ..Bounds::default() };
    let stage = Stage::with(&[say("x")], bounds).await;
    stage.create("a").await;
    let body = json!({ "role": "user", "content": "x".repeat(20_000) });
    stage.refused(stage.request(Method::POST, "/conversations/a").json(&body), 413).await;
    let lines = format!("{}\n", json!({ "role": "user", "content": "x".repeat(15_000) }));
    let import = |id: &str, text: String| {
        stage.request(Method::POST, &format!("/conversations/{id}/import")).body(text)
    };
    assert_eq!(import("b", lines.clone()).send().await.unwrap().status(), 200);
    stage.refused(import("c", lines.repeat(2)), 413).await;
    // One that lies about its length, and one that never ends.
    let huge = request(
        &stage,
        "POST /api/v2/conversations/a",
        "Content-Type: application/json\r\nContent-Length: 99999999999\r\n",
    );
    assert!(send(&stage, &huge).await.starts_with("HTTP/1.1 413"));
    let chunk = format!("4000\r\n{}\r\n", "x".repeat(0x4000));
    let endless = request(
        &stage,
        "POST /api/v2/conversations/a",
        "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n",
    ) + &chunk;
    assert!(send(&stage, &endless).await.starts_with("HTTP/1.1 413"));
    let long = request(&stage, &format!("GET /{}", "x".repeat(200_000)), "");
    let answer = send(&stage, &long).await;
    assert!(answer.is_empty() || answer.starts_with("HTTP/1.1 4"), "{answer}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_slow_request_is_given_up() {
    let bounds = Bounds {
        head_time: Duration::from_millis(300),
        request_time: Duration::from_millis(300),
        ..Bounds::default()
    };
    let stage = Stage::with(&[say("x")], bounds).await;
    let began = Instant::now();
    let head = "Content-Type: application/json\r\nContent-Length: 1000\r\n";
    let slow_body = request(&stage, "PUT /api/v2/conversations/a", head) + "{";
    assert!(send(&stage, &slow_body).await.starts_with("HTTP/1.1 408"));
    let answer = send(&stage, "GET / HTTP/1.1\r\nHost: ").await;
    assert!(answer.is_empty() || answer.starts_with("HTTP/1.1 408"), "{answer}");
    // One byte at a time does not help.
    let mut stream = TcpStream::connect(("127.0.0.1", stage.port)).await.unwrap();
    let mut closed = false;
    for byte in "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx".bytes() {
        closed = stream.write_all(&[byte]).await.is_err();
        if closed || began.elapsed() > Duration::from_secs(20) {
            break;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    assert!(closed, "the connection was still open");
    assert_eq!(stage.get("/version").await["name"], "hookspec");
}

#[tokio::test(flavor = "multi_thread")]
async fn too_many_requests_are_told_to_wait() {
    let bounds = Bounds { requests_per_second: 2, ..Bounds::default() };
    let stage = Stage::with(&[say("x")], bounds).await;
    let mut limited = None;
    for _ in 0..50 {
        let answer = stage.request(Method::GET, "/version").send().await.unwrap();
        if answer.status() == 429 {
            limited = Some(answer);
            break;
        }
    }
    let limited = limited.expect("50 requests went through");
    assert!(limited.headers().contains_key("retry-after"));
    problem(limited, 429).await;
    let other = stage.raw(Method::GET, "/api/v2/version").bearer_auth(OTHER);
    assert_eq!(other.send().await.unwrap().status(), 200, "others are not touched");
}

#[tokio::test(flavor = "multi_thread")]
async fn streams_are_counted_and_given_back() {
    let bounds = Bounds { streams: 3, ..Bounds::default() };
    let stage = Stage::with(&[say("x")], bounds).await;
    stage.create("a").await;
    let mut open = Vec::new();
    for _ in 0..3 {
        open.push(stage.listen("a").await);
    }
    for _ in 0..20 {
        stage.refused(stage.request(Method::GET, "/conversations/a/events"), 429).await;
    }
    // A refused or unknown one does not use a place up.
    open.pop();
    crate::stage::eventually("a place is free again", async || {
        let answer = stage.request(Method::GET, "/conversations/none/events").send().await.unwrap();
        answer.status() == 404
    })
    .await;
    open.push(stage.listen("a").await);
    let other = stage.raw(Method::GET, "/api/v2/conversations/a/events").bearer_auth(OTHER);
    stage.refused(other, 404).await;
}

/// Asks ten thousand things at once.
#[hook(TURN_PRE, name = "floods.ask", enabled = false)]
async fn flood(session: &Session) -> Message {
    let request = Elicitation { prompt: "And this?".into(), ..Elicitation::default() };
    let asked = (0..10_000).map(|_| ask_user(session, &request));
    let answers = futures_util::future::join_all(asked).await;
    Message::system(format!("{} answers", answers.len()))
}

#[tokio::test(flavor = "multi_thread")]
async fn ten_thousand_questions_are_not_kept() {
    let stage = Stage::with(&[say("x"), say("y")], allowing(["trial", "floods", "tool.*"])).await;
    stage.create("a").await;
    stage.create("b").await;
    let mut events = stage.listen("a").await;
    stage.prompt("a", "go").await;
    events.expect("elicit_pending").await;
    let sessions = stage.get("/sessions").await;
    let a = sessions.as_array().unwrap().iter().find(|row| row["conversation_id"] == "a").unwrap();
    assert!(a["pending"].as_u64().unwrap() <= 64, "{a}");
    // Others are served meanwhile.
    stage.get("/conversations/b").await;
    stage.post("/conversations/a/interrupt", json!({})).await;
    events.until("rested").await;
    assert!(stage.texts("a").await.contains(&"10000 answers".to_owned()));
    let sessions = stage.get("/sessions").await;
    assert!(sessions.as_array().unwrap().iter().all(|row| row["pending"] == 0), "{sessions}");
}

#[tokio::test(flavor = "multi_thread")]
async fn markup_stays_text() {
    let evil = "<script>alert(1)</script><img src=x onerror=alert(1)>\u{202e}";
    let stage = Stage::new(&[say(evil)]).await;
    let body =
        json!({ "config": { "chat": { "name": evil } }, "messages": [{ "role": "user", "content": evil }] });
    stage.put("/conversations/a", body).await;
    for path in ["/conversations/a", "/conversations", "/conversations/a/export", "/conversations/<b>"] {
        let answer = stage.request(Method::GET, path).send().await.unwrap();
        let headers = answer.headers().clone();
        assert!(!headers["content-type"].to_str().unwrap().contains("html"), "{path}");
        assert_eq!(headers["x-content-type-options"], "nosniff");
        let policy = headers["content-security-policy"].to_str().unwrap();
        assert!(
            policy.contains("default-src 'self'") && policy.contains("frame-ancestors 'none'"),
            "{policy}"
        );
    }
    assert_eq!(stage.texts("a").await, [evil]);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_no_request_is_a_problem_and_not_a_fault() {
    let stage = Stage::new(&[say("x")]).await;
    stage.create("a").await;
    let post = |path: &str| stage.request(Method::POST, path).header("Content-Type", "application/json");
    stage.refused(post("/conversations/a").body("{"), 400).await;
    stage.refused(post("/conversations/a").body("[]"), 422).await;
    stage.refused(post("/conversations/a").body(r#"{"role":"king","content":"x"}"#), 422).await;
    stage.refused(post("/conversations/a").body("{".repeat(5000)), 400).await;
    stage.refused(stage.request(Method::POST, "/conversations/a").body("role=user"), 415).await;
    stage.refused(stage.request(Method::GET, "/conversations?limit=many"), 400).await;
    stage
        .refused(
            stage.request(Method::PATCH, "/conversations/a/messages/x").json(&json!({ "content": "" })),
            404,
        )
        .await;
    stage.refused(stage.request(Method::TRACE, "/conversations"), 405).await;
    stage.refused(stage.raw(Method::GET, "/nothing"), 404).await;
    stage
        .refused(post("/conversations/a").body(r#"{"role":"user","content":"x","branch":"other"}"#), 422)
        .await;
    for garbage in
        ["GET / HTTP/9.9\r\n\r\n", "\0\0\0\0\r\n\r\n", "GET  HTTP/1.1\r\n\r\n", "\r\n\r\n\r\n\r\nx\r\n\r\n"]
    {
        let answer = send(&stage, garbage).await;
        assert!(answer.is_empty() || answer.starts_with("HTTP/1.1 400"), "{garbage:?}: {answer}");
    }
    assert_eq!(stage.get("/version").await["name"], "hookspec");
}

#[tokio::test(flavor = "multi_thread")]
async fn open_sessions_are_bounded() {
    let bounds = Bounds { open_sessions: 2, ..Bounds::default() };
    let stage = Stage::with(&[say("x")], bounds).await;
    for id in ["a", "b", "c"] {
        stage.create(id).await;
    }
    let post = |id: &str| {
        stage
            .request(Method::POST, &format!("/conversations/{id}"))
            .json(&json!({ "role": "user", "content": "x" }))
    };
    for id in ["a", "b"] {
        assert_eq!(post(id).send().await.unwrap().status(), 200);
    }
    stage.refused(post("c"), 503).await;
    stage.delete("/conversations/a").await;
    assert_eq!(post("c").send().await.unwrap().status(), 200);
}
