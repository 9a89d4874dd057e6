//! What one run says, step by step, as the model has it.

use hookspec::Gate;

use crate::case::{At, Broken, Desc, Payload, State, Step};

/// What one run said.
#[derive(Default)]
pub struct Said {
    pub messages: Vec<String>,
    pub gate: Option<Gate>,
    pub fold: Option<String>,
    pub first: Option<String>,
    pub flow: Option<String>,
    pub error: Option<String>,
}

/// What a step adds to what a hook says.
pub fn say(desc: &Desc, step: Step, text: &str, said: &mut Said) {
    match step {
        Step::Say => said.messages.push(format!("{text}: said")),
        Step::Count if desc.kind.state() == State::Settings => said.messages.push(format!("{text}: hello")),
        Step::Answer(number) => match desc.at {
            At::Gate | At::Both if number % 4 < 3 || desc.at == At::Gate => {
                let gate = answer(number);
                if said.gate.as_ref().is_none_or(|old| rank(&gate) > rank(old)) {
                    said.gate = Some(gate);
                }
            }
            At::Fold | At::Both => said.fold = Some(format!("{text}+{number}")),
            At::First => said.first = Some(format!("{text}={number}")),
            _ => {}
        },
        Step::Stop => said.flow = Some("stop".into()),
        Step::End => said.flow = Some("end".into()),
        Step::Err(broken) => said.error = Some(error(broken)),
        _ => {}
    }
}

pub fn answer(number: u8) -> Gate {
    match number % 3 {
        0 => Gate::Allow,
        1 => Gate::ask("sure?"),
        _ => Gate::deny("no"),
    }
}

pub fn rank(gate: &Gate) -> u8 {
    match gate {
        Gate::Allow => 0,
        Gate::Ask(_) => 1,
        Gate::Deny(_) => 2,
    }
}

pub fn panic(payload: Payload) -> String {
    match payload {
        Payload::Text => "panic: model: text".into(),
        Payload::Owned => "panic: model: owned".into(),
        Payload::Bomb => "panic: a payload that is not text".into(),
    }
}

pub fn error(broken: Broken) -> String {
    match broken {
        Broken::Display => "error that cannot be shown".into(),
        Broken::Elsewhere => "panic: model: elsewhere".into(),
        Broken::Not | Broken::Drop => "error: model: error".into(),
    }
}
