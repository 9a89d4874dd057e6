//! The clients' own inputs: all are known, and nothing is lost on the way through.

use hookspec_bridge::events::{claude, codex};
use serde_json::{Map, Value};

fn lines(agent: &str) -> Vec<(String, Map<String, Value>)> {
    include_str!("../data/inputs.jsonl")
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap())
        .filter(|line| line["agent"] == agent)
        .map(|line| (line["id"].as_str().unwrap().to_owned(), line["stdin"].as_object().unwrap().clone()))
        .collect()
}

#[test]
fn every_input_of_claude_code_is_known_and_comes_back_unchanged() {
    let all = lines("claude-code");
    assert_eq!(all.len(), 44);
    for (id, stdin) in all {
        let event = claude::Event::read(stdin.clone(), None);
        assert!(!matches!(event, claude::Event::Unknown(_)), "{id}");
        assert!(event.extra().is_empty(), "{id}: {:?}", event.extra());
        assert_eq!(event.name(), stdin["hook_event_name"], "{id}");
        assert_eq!(event.write(), stdin, "{id}");
    }
}

#[test]
fn every_input_of_codex_is_known_and_comes_back_unchanged() {
    let all = lines("codex");
    assert_eq!(all.len(), 17);
    for (id, stdin) in all {
        let event = codex::Event::read(stdin.clone(), None);
        assert!(!matches!(event, codex::Event::Unknown(_)), "{id}");
        assert!(event.extra().is_empty(), "{id}: {:?}", event.extra());
        assert_eq!(event.write(), stdin, "{id}");
    }
}

#[test]
fn unknown_events_and_fields_of_any_shape_pass_through() {
    for (id, mut stdin) in lines("codex").into_iter().chain(lines("claude-code")) {
        stdin.insert("from_the_future".into(), serde_json::json!({"a": [null, {"b": 1.5}]}));
        for value in stdin.clone().keys() {
            let mut odd = stdin.clone();
            odd.insert(value.clone(), serde_json::json!([[1], null]));
            assert_eq!(codex::Event::read(odd.clone(), Some("Stop")).write(), odd, "{id} {value}");
            assert_eq!(claude::Event::read(odd.clone(), Some("Stop")).write(), odd, "{id} {value}");
        }
        stdin.insert("hook_event_name".into(), "PreDream".into());
        let event = claude::Event::read(stdin.clone(), None);
        assert!(matches!(&event, claude::Event::Unknown(unknown) if unknown.name == "PreDream"), "{id}");
        assert_eq!(event.write(), stdin, "{id}");
    }
}
