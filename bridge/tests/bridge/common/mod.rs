//! What the tests of the bridge share.
#![allow(clippy::unwrap_used, dead_code, unreachable_pub)] // each test file uses a part of it

use std::sync::Arc;
use std::time::Duration;

use hookspec::Hooks;
use hookspec::registry::RegistryBuilder;
use hookspec::session::Clock;
use hookspec_bridge::bridge::{Bridge, Event};
use hookspec_bridge::client::Client;
use hookspec_bridge::lower::Answer;
use hookspec_bridge::store::Store;
use serde_json::Value;

/// A registry without what is linked.
pub fn bare() -> RegistryBuilder {
    hookspec::Registry::builder().linked(false)
}

/// A bridge with these hooks and a store of its own.
pub struct Setup {
    pub bridge: Bridge,
    pub folder: tempfile::TempDir,
}

impl Setup {
    pub fn new(builder: RegistryBuilder) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let bridge = Bridge {
            hooks: Hooks::new(builder.build().unwrap()),
            store: Some(Store::new(folder.path().join("sessions"))),
            clock: Clock::system(),
            deadline: Duration::from_secs(60),
            prepare: Arc::new(|session| session),
        };
        Self { bridge, folder }
    }

    /// The answer to one event, in memory.
    pub fn send(&self, client: Client, stdin: &Value) -> (Event, Answer) {
        let event = Event::read(client, stdin.as_object().unwrap().clone(), None);
        let answer = self.bridge.answer(&event);
        (event, answer)
    }
}

/// The 61 recorded inputs: client, id, event.
pub fn inputs() -> Vec<(Client, String, Value)> {
    let lines = include_str!("../../data/inputs.jsonl").lines();
    lines
        .map(|line| serde_json::from_str::<Value>(line).unwrap())
        .map(|line| {
            let client = if line["agent"] == "codex" { Client::Codex } else { Client::Claude };
            (client, line["id"].as_str().unwrap().to_owned(), line["stdin"].clone())
        })
        .collect()
}

/// Codex's schema of an event's input or output.
pub fn codex_schema(event: &str, side: &str) -> jsonschema::Validator {
    let mut name = String::new();
    for (index, letter) in event.char_indices() {
        if letter.is_ascii_uppercase() && index > 0 {
            name.push('-');
        }
        name.push(letter.to_ascii_lowercase());
    }
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/codex_schemas");
    let path = folder.join(format!("{name}.command.{side}.schema.json"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    jsonschema::validator_for(&serde_json::from_str(&text).unwrap()).unwrap()
}
