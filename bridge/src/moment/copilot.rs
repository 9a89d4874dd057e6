//! Copilot's events as moments.

use hookspec::points::{ErrorSource, InvalidationReason, TurnOutcome};
use hookspec::tool::ToolStatus;
use serde_json::{Map, Value};

use super::{
    Call, Ended, Incoming, Moment, absolute, call, confirm, end_reason, millis, post, pre, result_text,
    start_reason, status_of, string, unfolded,
};
use crate::client::Client;
use crate::events::Field;
use crate::events::copilot::Event;

pub(super) fn read(map: Map<String, Value>, name: Option<&str>) -> Incoming {
    let event = Event::read(map, name);
    let common = event.common();
    Incoming {
        client: Client::Copilot,
        name: event.name().to_owned(),
        session: string(&common.session_id),
        cwd: absolute(&common.cwd),
        workspace: None,
        model: None,
        moment: moment(&event),
    }
}

fn moment(event: &Event) -> Moment {
    match event {
        Event::SessionStart(_, e, _) => Moment::SessionStart(start_reason(e.source.text())),
        Event::SessionEnd(_, e, _) => Moment::SessionEnd(end_reason(e.reason.text())),
        Event::UserPromptSubmitted(_, e, _) => Moment::prompt(&e.prompt),
        Event::PreToolUse(_, e, _) => {
            pre(tool(&e.tool_name, &e.tool_args, &e.tool_input, e.tool_use_id.text()))
        }
        Event::PermissionRequest(_, e, _) => confirm(tool(&e.tool_name, &e.tool_args, &e.tool_input, None)),
        Event::PostToolUse(_, e, _) => {
            let raw = unfolded(&e.tool_result).or_else(|| unfolded(&e.tool_response));
            post(tool(&e.tool_name, &e.tool_args, &e.tool_input, e.tool_use_id.text()), |call| Ended {
                call,
                result: result_text(raw.as_ref()),
                status: status_of(raw.as_ref()),
                raw,
                duration: millis(None),
                files_apart: false,
            })
        }
        Event::PostToolUseFailure(_, e, _) => {
            post(tool(&e.tool_name, &e.tool_args, &e.tool_input, e.tool_use_id.text()), |call| Ended {
                call,
                result: error_text(e.error.get()),
                raw: None,
                status: ToolStatus::Error,
                duration: millis(None),
                files_apart: false,
            })
        }
        Event::PreCompact(..) => {
            Moment::CacheInvalidated { reason: InvalidationReason::Compact, before: None }
        }
        Event::ErrorOccurred(_, e, _) => Moment::Failed {
            source: match e.error_context.text() {
                Some("model_call") => ErrorSource::Model,
                Some("tool_execution") => ErrorSource::Tool,
                _ => ErrorSource::Host,
            },
            error: error_text(e.error.get()),
            retryable: e.recoverable.get().copied().unwrap_or_default(),
        },
        Event::AgentStop(_, e, _) => Moment::Rest {
            outcome: TurnOutcome::Complete,
            last: None,
            active: e.stop_hook_active.get().copied(),
            count: 0,
            asked: true,
            over: true,
        },
        _ => Moment::Other,
    }
}

/// The arguments stand in one of two fields, by the spelling of the event's key.
fn tool(
    name: &Field<String>,
    args: &Field<Value>,
    input: &Field<Value>,
    id: Option<&str>,
) -> Result<Call, &'static str> {
    call(name, unfolded(args).or_else(|| unfolded(input)), id)
}

fn error_text(error: Option<&Value>) -> String {
    error
        .and_then(|error| error.get("message"))
        .or(error)
        .map(|error| result_text(Some(error)))
        .unwrap_or_default()
}
