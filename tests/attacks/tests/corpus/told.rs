//! What was asked and told.

use std::path::Path;

use hookspec::tool::ToolStatus;
use hookspec_attacks::probe::Event;
use regex::Regex;
use serde_json::{Value, json};

use super::program::Seen;
use super::row::Row;
use super::stage::Stage;

/// What somebody was asked, the tool's own question aside.
pub fn asked(row: &Row, events: &[Event]) -> Option<String> {
    events.iter().find_map(|event| match event {
        Event::Gate(reason) | Event::Question(reason) => Some(reason.clone()),
        Event::Policy(tool) if row.policy == Some(true) => Some(format!("`{tool}` asks before each call")),
        _ => None,
    })
}

/// The lines of the messages of the last request, each behind its role.
pub fn told(requests: &[Vec<u8>]) -> Vec<String> {
    let Some(request) = requests.last() else { return Vec::new() };
    let request: Value = serde_json::from_slice(request).unwrap_or_default();
    let messages = request["messages"].as_array().cloned().unwrap_or_default();
    messages
        .iter()
        .map(|message| {
            let content = match &message["content"] {
                Value::String(text) => text.clone(),
                other => other.to_string(),
            };
            let role = message["role"].as_str().unwrap_or("?");
            content.lines().map(|line| format!("{role}| {line}\n")).collect()
        })
        .collect()
}

/// What another agent is answered.
pub fn bridged(output: &[u8]) -> Option<Event> {
    let output = String::from_utf8_lossy(output);
    let answer = output.lines().find_map(|line| serde_json::from_str::<Value>(line).ok())?;
    let answer = &answer["hookSpecificOutput"];
    let reason = answer["permissionDecisionReason"].as_str().unwrap_or_default().to_owned();
    match answer["permissionDecision"].as_str()? {
        "ask" => Some(Event::Gate(reason)),
        "deny" => Some(Event::Over { tool: reason, status: ToolStatus::Denied }),
        _ => None,
    }
}

/// The last result of a tool.
pub fn last(told: &[String]) -> String {
    let result = told.iter().rev().find(|text| text.starts_with("tool| ")).or(told.last());
    result.map(|text| text.chars().take(300).collect()).unwrap_or_default()
}

/// The first of the patterns that is, or is not, in there.
pub fn fitting(patterns: &[String], stage: &Stage, told: &[String], wanted: bool) -> Option<String> {
    let told = told.concat();
    let is_there = |pattern: &String| Regex::new(&stage.filled(pattern)).unwrap().is_match(&told);
    patterns.iter().find(|pattern| is_there(pattern) == wanted).cloned()
}

pub fn show(path: &Path, seen: &Seen) {
    let requests: Vec<Value> =
        seen.requests.iter().map(|request| serde_json::from_slice(request).unwrap_or_default()).collect();
    let events: Vec<_> = seen.events.iter().map(|event| json!(event)).collect();
    let text =
        json!({ "events": events, "output": String::from_utf8_lossy(&seen.output), "requests": requests });
    std::fs::write(path, format!("{text:#}")).unwrap();
}
