//! A process that is killed while it writes loses nothing that it was told is stored.
//!
//! The test starts its own binary again as the writer. The writer prints the number of each message once the log
//! has acknowledged it; the test kills it after a few of those, at whatever point it has then reached, and
//! several times over in the same conversation.

#![allow(clippy::unwrap_used, clippy::print_stdout)]

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use hookspec::Message;
use hookspec_agent::log::{Conversation, ConversationConfig, LogError};

const LOGS: &str = "HOOKSPEC_TEST_KILL_LOGS";
const ACK: &str = "stored ";
const ROUNDS: usize = 8;
/// More than any round waits for; the writer ends by itself if nobody kills it.
const MOST: usize = 3_000;

/// The writer; does nothing unless the test below starts it.
#[test]
fn writer() {
    let Some(logs) = std::env::var_os(LOGS) else {
        return;
    };
    let (conversation, loaded) = Conversation::open(Path::new(&logs), "c").unwrap();
    let first = loaded.messages.len();
    println!();
    for n in first..first + MOST {
        // Of many sizes, so that lines end at any place within a page.
        let mut message = Message::assistant(format!("{n} {}", "é".repeat((n * 977) % 9_000)));
        conversation.append(&mut message).unwrap();
        println!("{ACK}{}", message.id.unwrap());
        std::io::stdout().flush().unwrap();
    }
}

fn start(logs: &Path) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "writer", "--nocapture"])
        .env(LOGS, logs)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap()
}

#[test]
fn every_acknowledged_message_survives_a_kill() {
    if std::env::var_os(LOGS).is_some() {
        return;
    }
    let logs = tempfile::tempdir().unwrap();
    drop(Conversation::create(logs.path(), "c", &ConversationConfig::default()).unwrap());
    let mut acknowledged = Vec::new();
    for round in 0..ROUNDS {
        let mut child = start(logs.path());
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok);
        let acks = lines.by_ref().filter_map(|line| line.strip_prefix(ACK).map(str::to_owned));
        acknowledged.extend(acks.take(5 + round * 7));
        if round == 0 {
            let error = Conversation::open(logs.path(), "c").unwrap_err();
            assert!(matches!(error, LogError::Locked { pid: Some(pid), .. } if pid == child.id()), "{error}");
        }
        child.kill().unwrap();
        child.wait().unwrap();
        // What it still managed to say before the kill counts too, but for a line that the kill cut off.
        let rest: Vec<_> = lines.filter(|line| line.starts_with(ACK)).collect();
        let whole = rest.len().saturating_sub(1);
        acknowledged.extend(rest[..whole].iter().map(|line| line[ACK.len()..].to_owned()));

        let (conversation, loaded) = Conversation::open(logs.path(), "c").unwrap();
        let stored: Vec<_> = loaded.messages.iter().map(|message| message.id.clone().unwrap()).collect();
        for id in &acknowledged {
            assert!(stored.contains(id), "round {round}: {id} was acknowledged and is gone");
        }
        assert!(loaded.warnings.len() <= 1, "at most the torn line: {:?}", loaded.warnings);
        for (n, message) in loaded.messages.iter().enumerate() {
            assert!(
                message.content.starts_with(&format!("{n} ")),
                "round {round}: message {n} is out of order"
            );
        }
        drop(conversation);
        assert_eq!(Conversation::read(logs.path(), "c").unwrap().warnings, []);
    }
    assert!(acknowledged.len() >= (0..ROUNDS).map(|round| 5 + round * 7).sum());
}
