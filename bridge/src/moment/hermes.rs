//! The events of Hermes's shell hooks as moments; what belongs to one event is in its `extra`.

use hookspec::points::{EndReason, StartReason, TurnOutcome};
use hookspec::tool::ToolStatus;
use serde_json::{Map, Value};

use super::{Call, Ended, Incoming, Moment, absolute, call, millis, post, pre, result_text, string, value};
use crate::client::Client;
use crate::events::hermes::{Common, Event};

pub(super) fn read(map: Map<String, Value>, name: Option<&str>) -> Incoming {
    let event = Event::read(map, name);
    let common = event.common();
    Incoming {
        client: Client::Hermes,
        name: event.name().to_owned(),
        session: string(&common.session_id),
        cwd: absolute(&common.cwd),
        workspace: None,
        model: text(common, "model"),
        moment: moment(&event),
    }
}

fn moment(event: &Event) -> Moment {
    match event {
        Event::SessionStart(..) => Moment::SessionStart(StartReason::New),
        Event::SessionFinalize(..) => Moment::SessionEnd(EndReason::Exit),
        Event::PreLlmCall(common, ..) => Moment::Prompt(result_text(extra(common, "user_message"))),
        Event::PreToolCall(common, ..) => pre(tool(common)),
        Event::PostToolCall(common, ..) => post(tool(common), |call| Ended {
            call,
            result: result_text(extra(common, "result")),
            raw: None,
            status: match extra(common, "status").and_then(Value::as_str) {
                Some("blocked") => ToolStatus::Denied,
                Some("error") => ToolStatus::Error,
                _ => ToolStatus::Ok,
            },
            duration: millis(extra(common, "duration_ms").and_then(Value::as_u64)),
            files_apart: false,
        }),
        Event::PostLlmCall(common, ..) => {
            Moment::Answered(text(common, "assistant_response").unwrap_or_default())
        }
        Event::PreVerify(common, ..) => {
            let count = extra(common, "attempt").and_then(Value::as_u64).unwrap_or_default();
            let count = u32::try_from(count).unwrap_or(u32::MAX);
            let last = text(common, "final_response");
            Moment::Rest {
                outcome: TurnOutcome::Complete,
                last,
                active: Some(count > 0),
                count,
                asked: true,
                over: false,
            }
        }
        Event::SessionEnd(common, ..) => {
            let is = |key: &str| extra(common, key).and_then(Value::as_bool).unwrap_or_default();
            let outcome = if is("interrupted") {
                TurnOutcome::Interrupted
            } else if is("failed") {
                TurnOutcome::Error
            } else {
                TurnOutcome::Complete
            };
            Moment::Rest { outcome, last: None, active: None, count: 0, asked: false, over: true }
        }
        _ => Moment::Other,
    }
}

fn extra<'a>(common: &'a Common, key: &str) -> Option<&'a Value> {
    common.extra.get()?.get(key)
}

fn text(common: &Common, key: &str) -> Option<String> {
    Some(extra(common, key)?.as_str()?.to_owned())
}

fn tool(common: &Common) -> Result<Call, &'static str> {
    let id = extra(common, "tool_call_id").and_then(Value::as_str);
    call(&common.tool_name, value(&common.tool_input), id)
}
