//! Goose. Two of its events listen to an answer, and the only answer is "block".

use serde_json::{Map, Value};

use super::{Body, Can};
use crate::moment::Incoming;
use crate::outcome::Outcome;

pub(super) fn can(incoming: &Incoming) -> Can {
    let none = Can::default();
    match incoming.name.as_str() {
        "PreToolUse" => Can { deny: true, ..none },
        "Stop" => Can { go_on: true, ..none },
        _ => none,
    }
}

pub(super) fn write(_: &Incoming, outcome: Outcome) -> Map<String, Value> {
    let mut body = Body::default();
    if let Some(reason) = outcome.denied().or(outcome.go_on.as_ref()) {
        body.block(reason);
    }
    body.0
}
