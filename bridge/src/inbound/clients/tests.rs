#![allow(clippy::unwrap_used)] // a test that cannot go on has failed

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use serde_json::{Value, json};

use super::*;
use crate::command::Command;

/// A handler of the corpus, as a process.
fn run(folder: &std::path::Path, hook: &Value, input: &[u8]) -> Result<Reply, CommandError> {
    let text = |key: &str| hook[key].as_str().unwrap_or_default().to_owned();
    let sleep = hook["sleep_s"].as_f64().map_or_else(String::new, |s| format!("sleep {s}; "));
    // One that drains nothing ends, or sleeps, with its input unread.
    let drain = if hook["drains_stdin"] == json!(false) { "" } else { "cat >/dev/null; " };
    let line = format!("{drain}{sleep}printf %s \"$OUT\"; printf %s \"$ERR\" >&2; exit {}", hook["exit"]);
    let timeout = hook["timeout"].as_u64().unwrap_or(60);
    let variables = [("OUT", text("stdout")), ("ERR", text("stderr"))];
    Command::shell(line, Duration::from_secs(timeout)).run(folder, &variables, input)
}

fn status(said: &Said) -> &'static str {
    match said.status {
        Status::Completed => "Completed",
        Status::Blocked => "Blocked",
        Status::Stopped => "Stopped",
        Status::Failed => "Failed",
    }
}

/// What we make of a case, in the words of the corpus.
fn aggregate(event: Event, all: Vec<Said>) -> BTreeMap<String, Value> {
    let mut told = BTreeMap::new();
    let statuses: Vec<_> = all.iter().map(status).collect();
    told.insert("runs".to_owned(), json!(statuses));
    let together = Together::of(all.into_iter().map(|said| ("a hook", said)));
    let mut put = |key: &str, value: Value| told.insert(key.to_owned(), value);
    let denial = together.denials.first().cloned();
    match event {
        Event::PreToolUse => {
            if let Some(reason) = denial {
                put("block", json!(true));
                put("reason", json!(reason));
            } else if let Some(input) = together.rewrite {
                put("updated_input", input);
            }
        }
        Event::PermissionRequest => {
            let word = match together.word {
                Some(Word::Deny(message)) => format!("Some(Deny {{ message: {message:?} }})"),
                Some(Word::Allow) => "Some(Allow)".to_owned(),
                _ => "None".to_owned(),
            };
            put("decision", json!(word));
        }
        Event::PostToolUse => {
            if let Some(reason) = denial {
                put("block", json!(true));
                put("feedback", json!(reason));
            } else if let Some(Some(text)) = together.stop {
                put("feedback", json!(text));
            }
        }
        Event::UserPromptSubmit => {
            let stopped = together.stop.is_some();
            if stopped || denial.is_some() {
                put("stop", json!(true));
            }
            if let Some(reason) = together.stop.flatten().or(denial) {
                put("reason", json!(reason));
            }
        }
        Event::Stop | Event::SubagentStop if together.stop.is_some() => {
            put("stop", json!(true));
            if let Some(reason) = together.stop.flatten() {
                put("stop_reason", json!(reason));
            }
        }
        _ => {
            if !together.denials.is_empty() {
                put("block", json!(true));
                put("reason", json!(together.denials.join("\n\n")));
            }
        }
    }
    if !together.contexts.is_empty() {
        put("context", json!(together.contexts));
    }
    told
}

fn observed(case: &Value) -> BTreeMap<String, Value> {
    let keys = ["block", "reason", "context", "updated_input", "decision", "feedback", "stop", "stop_reason"];
    let mut told: BTreeMap<String, Value> = keys
        .iter()
        .filter_map(|key| Some(((*key).to_owned(), case["observed"].get(*key)?.clone())))
        .collect();
    let runs = case["observed"]["runs"].as_array().unwrap();
    told.insert("runs".to_owned(), runs.iter().map(|run| run["status"].clone()).collect());
    told
}

#[test]
fn the_216_outcomes_of_codex() {
    let folder = tempfile::tempdir().unwrap();
    let (mut seen, mut differences) = (0, BTreeMap::new());
    for line in include_str!("../../../tests/data/codex_outcomes.jsonl").lines() {
        let case: Value = serde_json::from_str(line).unwrap();
        let event = Event::named(case["event"].as_str().unwrap()).unwrap();
        let id = case["id"].as_str().unwrap();
        let input = if id == "pre.nodrain_big_sleep" { vec![b'x'; 300_000] } else { b"{}".to_vec() };
        let handlers = case["hooks"].as_array().unwrap();
        // A group whose matcher cannot be read is left out, as one that does not match.
        let tool = case["tool"].as_str().unwrap_or("Bash");
        let aliases = case["aliases"].as_array().into_iter().flatten().filter_map(Value::as_str);
        let names: Vec<_> = std::iter::once(tool).chain(aliases).collect();
        let matcher = Matcher::new(Dialect::Codex, case["matcher"].as_str().unwrap_or_default());
        let handlers: &[Value] =
            if matcher.is_ok_and(|matcher| matcher.takes(&names)) { handlers } else { &[] };
        let handlers: Vec<_> = std::thread::scope(|scope| {
            let (folder, input) = (folder.path(), &input);
            let runs: Vec<_> = handlers
                .iter()
                .map(|hook| scope.spawn(move || Dialect::Codex.read(event, &run(folder, hook, input))))
                .collect();
            runs.into_iter().map(|run| run.join().unwrap()).collect()
        });
        let ours = aggregate(event, handlers);
        if ours != observed(&case) {
            differences.insert(id.to_owned(), format!("ours {ours:?}, Codex {:?}", observed(&case)));
        }
        seen += 1;
    }
    assert_eq!(seen, 216);
    // Each difference has its row on the page, and each row is a difference.
    let page = include_str!("../../../../docs/clients/codex.md");
    let told: BTreeSet<&str> = page
        .lines()
        .filter_map(|line| line.strip_prefix("| "))
        .flat_map(|row| row.split(" | ").next().unwrap_or_default().split(", "))
        .filter_map(|id| id.strip_prefix('`')?.strip_suffix('`'))
        .collect();
    let found: BTreeSet<&str> = differences.keys().map(String::as_str).collect();
    assert_eq!(found, told, "{differences:#?}");
}
