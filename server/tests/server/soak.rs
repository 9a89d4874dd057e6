//! Mixed load: clients that vanish, readers that do not read, interrupts, deletions, a hook that panics, one that
//! hangs. No acknowledged message is lost, no session is stuck, memory does not grow after the warm-up.

use std::time::{Duration, Instant};

use hookspec::points::{TURN_POST, TURN_PRE};
use hookspec::{Hook, hook};
use hookspec_server::Bounds;
use reqwest::Method;
use serde_json::{Value, json};
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;

use crate::stage::{Setting, Stage, TOKEN, allowing, eventually};

/// Never comes back by itself.
#[hook(TURN_POST, name = "soaks.hangs", enabled = false, timeout = "30ms")]
async fn hang() {
    std::future::pending::<()>().await;
}

/// A source of numbers that differ from client to client and are the same in each run.
struct Dice(u64);

impl Dice {
    fn below(&mut self, most: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % most
    }
}

/// Memory of this process that is in use, in KiB.
fn memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    line.and_then(|line| line.split_whitespace().next()?.parse().ok()).unwrap_or(0)
}

/// One client: conversations one after the other, each looked through at its end. Gives how many messages were
/// acknowledged.
async fn client(stage: &Stage, number: u64, until: Instant) -> u64 {
    let mut dice = Dice(number);
    let mut acknowledged = 0;
    let mut round = 0;
    while Instant::now() < until {
        round += 1;
        let id = format!("c{number}-{round}");
        stage.create(&id).await;
        let mut mine = Vec::new();
        let mut silent = Vec::new();
        for turn in 0..4 + dice.below(8) {
            let text = format!("message {number}-{round}-{turn}.");
            let body = json!({ "role": "user", "content": text });
            let posted = stage
                .request(Method::POST, &format!("/conversations/{id}"))
                .json(&body)
                .send()
                .await
                .unwrap();
            match posted.status().as_u16() {
                200 => mine.push(text),
                409 | 429 | 503 => {}
                other => panic!("{other}"),
            }
            let _ = stage
                .request(Method::POST, &format!("/conversations/{id}/step"))
                .json(&json!({}))
                .send()
                .await
                .unwrap();
            match dice.below(6) {
                // A client that listens for a while and vanishes.
                0 | 1 => {
                    let mut events = stage.listen(&id).await;
                    for _ in 0..dice.below(5) {
                        if tokio::time::timeout(Duration::from_millis(20), events.next()).await.is_err() {
                            break;
                        }
                    }
                }
                // One that never reads.
                2 => {
                    let mut stream = TcpStream::connect(("127.0.0.1", stage.port)).await.unwrap();
                    let head = format!(
                        "GET /api/v2/conversations/{id}/events HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nAuthorization: Bearer {TOKEN}\r\n\r\n",
                        stage.port
                    );
                    stream.write_all(head.as_bytes()).await.unwrap();
                    silent.push(stream);
                }
                3 => drop(stage.post(&format!("/conversations/{id}/interrupt"), json!({})).await),
                // One whose request is cut off.
                4 => {
                    let request = stage.request(Method::GET, &format!("/conversations/{id}")).send();
                    let _ = tokio::time::timeout(Duration::from_micros(500), request).await;
                }
                _ => tokio::time::sleep(Duration::from_millis(dice.below(30))).await,
            }
        }
        eventually("the session rests", async || {
            stage.get(&format!("/conversations/{id}")).await["generating"] == false
        })
        .await;
        let log = stage.log(&id).await;
        for text in &mine {
            let there = log.iter().filter(|message| message["content"] == *text.as_str()).count();
            assert_eq!(there, 1, "{text} is there {there} times: {log:#?}");
        }
        acknowledged += mine.len() as u64;
        stage.delete(&format!("/conversations/{id}")).await;
    }
    acknowledged
}

async fn soak(duration: Duration, clients: u64) {
    let panics = Hook::new(TURN_PRE, "trial.panics", |event, _| {
        if event.message.content.ends_with("3.") {
            panic!("on purpose");
        }
    });
    let answer = json!({ "text": "an answer of some length, ".repeat(20), "chunk_size": 24, "delay_ms": 1, "repeat": true });
    let bounds =
        Bounds { requests_per_second: 1_000_000, idle: Duration::from_millis(500), ..Bounds::default() };
    let builder = allowing(["trial", "soaks", "time_awareness", "tool.*"]).register(panics);
    let stage = Stage::with(&[answer], Setting { bounds, ..Setting::from(builder) }).await;
    let began = Instant::now();
    let warm = duration.mul_f64(0.3);
    let work =
        futures_util::future::join_all((1..=clients).map(|number| client(&stage, number, began + duration)));
    let watch = async {
        tokio::time::sleep(warm).await;
        memory()
    };
    let (acknowledged, before) = tokio::join!(work, watch);
    let after = memory();
    let acknowledged = acknowledged.iter().sum::<u64>();
    eprintln!(
        "{acknowledged} messages acknowledged, none lost; memory {before} KiB after the warm-up, {after} KiB at the end"
    );
    assert!(after < before + before / 2 + 32 * 1024, "memory grew from {before} KiB to {after} KiB");
    eventually("all sessions are gone", async || {
        stage.get("/sessions").await.as_array().is_some_and(Vec::is_empty)
    })
    .await;
    assert_eq!(stage.get("/conversations").await, Value::Array(Vec::new()));
    stage.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_few_seconds() {
    soak(Duration::from_secs(3), 4).await;
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "takes ten minutes: tests/soak/run.sh"]
async fn ten_minutes() {
    let seconds = std::env::var("SOAK_SECONDS").ok().and_then(|seconds| seconds.parse().ok()).unwrap_or(600);
    soak(Duration::from_secs(seconds), 16).await;
}
