//! What a hook said, for people to read and for a page to show: no ids, no times.

use hookspec::timeline::HookRun;
use hookspec::{Flow, Message};
use serde_json::{Value, json};

use crate::foreign;
use crate::screen::columns;

/// The hook's name, and below it what it said.
pub(super) fn text(run: &HookRun, messages: &[Message]) -> String {
    let mut lines = Vec::new();
    for message in messages {
        let hidden = if message.hide { ", hidden" } else { "" };
        let role = json!(message.role).as_str().unwrap_or_default().to_owned();
        lines.push(format!("message ({role}{hidden}): {}", message.content.replace('\n', "\n    ")));
    }
    if let Some(gate) = &run.gate {
        let word = json!(gate)["gate"].as_str().unwrap_or_default().to_owned();
        let reason = gate.reason().map(|reason| format!(", {reason}"));
        lines.push(format!("gate: {word}{}", reason.unwrap_or_default()));
    }
    let value = |name: &str, value: &Option<Value>| value.as_ref().map(|value| format!("{name}: {value}"));
    lines.extend(value("fold", &run.fold));
    lines.extend(value("answer", &run.first));
    match &run.flow {
        Some(Flow::Stop) => lines.push("flow: stop".to_owned()),
        Some(Flow::EndSession(reason)) => lines.push(format!("flow: end the session, {reason}")),
        Some(Flow::Continue) | None => {}
    }
    let asked = run.around.is_some_and(|around| around.runs > 0);
    lines.extend(asked.then(|| "asked for the work, and here is none".to_owned()));
    lines.extend(run.error.as_ref().map(|error| format!("error: {error}")));
    if lines.is_empty() {
        lines.push("said nothing".to_owned());
    }
    let shadow = if run.shadow { " (in shadow: nothing of this is done)" } else { "" };
    let said = lines.iter().fold(format!("{}{shadow}", run.hook), |text, line| format!("{text}\n  {line}"));
    // A pipe gets it as it was said.
    if columns().is_some() { foreign::text(&said) } else { said }
}

#[cfg(test)]
mod tests {
    use hookspec::Gate;

    use super::*;

    #[test]
    fn everything_that_was_said_has_a_line() {
        let run: HookRun = serde_json::from_value(json!({
            "hook": "a.b", "point": "file.save.pre", "at": "2026-01-01T12:00:00Z",
            "offset_us": 1, "duration_us": 1,
        }))
        .unwrap();
        assert_eq!(text(&run, &[]), "a.b\n  said nothing");
        let run = HookRun { gate: Some(Gate::deny("no")), fold: Some(json!("x")), ..run };
        let said = text(&run, &[Message::system("one\ntwo").hidden()]);
        assert_eq!(said, "a.b\n  message (system, hidden): one\n    two\n  gate: deny, no\n  fold: \"x\"");
        let tried = HookRun { shadow: true, fold: None, ..run };
        assert_eq!(text(&tried, &[]), "a.b (in shadow: nothing of this is done)\n  gate: deny, no");
        let around = |runs: u32| -> HookRun {
            serde_json::from_value(json!({
                "hook": "a.b", "point": "tool.execute", "at": "2026-01-01T12:00:00Z", "offset_us": 1,
                "duration_us": 1, "around": { "runs": runs, "answered": false, "next_us": 0 },
            }))
            .unwrap()
        };
        assert_eq!(text(&around(0), &[]), "a.b\n  said nothing");
        assert_eq!(text(&around(1), &[]), "a.b\n  asked for the work, and here is none");
    }
}
