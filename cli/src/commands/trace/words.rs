//! What a run came to, in a few words and a colour.

use hookspec::timeline::HookRun;
use hookspec::{Flow, Gate};

use crate::foreign;
use crate::show::untagged;

/// What a run came to, the gravest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Failed,
    Denied,
    Asked,
    Changed,
    Spoke,
    Silent,
}

impl Kind {
    pub(super) const ALL: [Self; 6] =
        [Self::Silent, Self::Spoke, Self::Changed, Self::Asked, Self::Denied, Self::Failed];

    pub(super) fn of(run: &HookRun) -> Self {
        let changes = run.fold.is_some() || run.first.is_some() || run.flow.is_some();
        match &run.gate {
            _ if run.error.is_some() => Self::Failed,
            Some(Gate::Deny(_)) => Self::Denied,
            Some(Gate::Ask(_)) => Self::Asked,
            _ if changes => Self::Changed,
            _ if run.messages.is_empty() => Self::Silent,
            _ => Self::Spoke,
        }
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Failed => "failed",
            Self::Denied => "denied",
            Self::Asked => "asked",
            Self::Changed => "rewrote, answered or stopped",
            Self::Spoke => "spoke",
            Self::Silent => "silent",
        }
    }
}

/// What a run came to, in a few words on one line.
pub(super) fn words(run: &HookRun) -> String {
    let mut parts = Vec::new();
    parts.extend(run.error.as_deref().map(first_line));
    parts.extend(run.gate.as_ref().map(|gate| match gate {
        Gate::Allow => "allow".to_owned(),
        Gate::Ask(reason) => format!("ask: {}", first_line(reason)),
        Gate::Deny(reason) => format!("deny: {}", first_line(reason)),
    }));
    parts.extend(run.fold.is_some().then(|| "rewrote".to_owned()));
    let swallowed = run.around.is_some_and(|around| around.runs == 0);
    let answered = if swallowed { "answered in place of what it wraps" } else { "answered" };
    parts.extend(run.first.is_some().then(|| answered.to_owned()));
    let again = run.around.filter(|around| around.runs > 1);
    parts.extend(again.map(|around| format!("ran it {} times", around.runs)));
    parts.extend(match &run.flow {
        Some(Flow::Stop) => Some("stopped the chain".to_owned()),
        Some(Flow::EndSession(reason)) => Some(format!("ended the session: {}", first_line(reason))),
        Some(Flow::Continue) | None => None,
    });
    parts.extend(run.messages.iter().map(|text| format!("“{}”", first_line(untagged(text).trim_start()))));
    parts.extend(run.background.then(|| "(background)".to_owned()));
    let tried = run.shadow && !parts.is_empty();
    parts.extend(tried.then(|| "(in shadow: not done)".to_owned()));
    parts.join(" ")
}

/// The first line, cut to length.
fn first_line(text: &str) -> String {
    let mut line: String = text.lines().next().unwrap_or_default().chars().take(73).collect();
    if line.chars().count() == 73 {
        line.pop();
        line.push('…');
    }
    foreign::line(line)
}

pub(super) fn took(micros: u64) -> String {
    match micros {
        0..1_000 => format!("{micros} µs"),
        1_000..1_000_000 => format!("{:.1} ms", micros as f64 / 1e3),
        1_000_000..60_000_000 => format!("{:.2} s", micros as f64 / 1e6),
        _ => format!("{} min {} s", micros / 60_000_000, micros / 1_000_000 % 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_is_told_in_one_line_without_escapes() {
        let run: HookRun = serde_json::from_value(serde_json::json!({
            "hook": "h", "point": "p", "at": "2026-01-01T00:00:00Z", "offset_us": 0, "duration_us": 1,
            "messages": ["\u{1b}[31mred\nsecond"], "gate": { "gate": "deny", "reason": "no\nreally" },
            "flow": { "flow": "end_session", "reason": "enough" }, "background": true,
        }))
        .unwrap();
        assert_eq!(words(&run), "deny: no ended the session: enough “\\u{1b}[31mred” (background)");
        assert_eq!(Kind::of(&run), Kind::Denied);
        let tried = HookRun { shadow: true, background: false, flow: None, messages: Vec::new(), ..run };
        assert_eq!(words(&tried), "deny: no (in shadow: not done)");
        let silent = HookRun { gate: None, ..tried };
        assert_eq!(words(&silent), "", "one that said nothing has nothing that was not done");
        assert_eq!(first_line(&"x".repeat(80)).chars().count(), 73);
    }

    #[test]
    fn a_hook_around_something_says_how_often_it_ran_it() {
        let told = |first: Option<&str>, runs: u32| {
            let run = serde_json::json!({
                "hook": "h", "point": "p", "at": "2026-01-01T00:00:00Z", "offset_us": 0, "duration_us": 1,
                "first": first, "around": { "runs": runs, "answered": first.is_some(), "next_us": 0 },
            });
            words(&serde_json::from_value(run).unwrap())
        };
        assert_eq!(told(Some("x"), 0), "answered in place of what it wraps");
        assert_eq!(told(Some("x"), 2), "answered ran it 2 times");
        assert_eq!(
            (told(None, 3), told(None, 1), told(None, 0)),
            ("ran it 3 times".into(), String::new(), String::new())
        );
    }

    #[test]
    fn durations_have_their_unit() {
        let texts = [999, 1_500, 2_340_000, 61_000_000].map(took);
        assert_eq!(texts, ["999 µs", "1.5 ms", "2.34 s", "1 min 1 s"]);
    }
}
