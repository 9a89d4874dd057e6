//! Claude Code's events as moments.

use std::path::PathBuf;

use hookspec::ask::{ElicitKind, Elicitation};
use hookspec::points::{ErrorSource, InvalidationReason, TurnOutcome};
use hookspec::tool::ToolStatus;
use serde_json::{Map, Value};

use super::{
    Ended, Incoming, Moment, absolute, call, confirm, elicitation, end_reason, millis, post, pre,
    result_text, start_reason, status_of, string, value,
};
use crate::client::Client;
use crate::events::claude::Event;

pub(super) fn read(map: Map<String, Value>, name: Option<&str>) -> Incoming {
    let event = Event::read(map, name);
    let common = event.common();
    Incoming {
        client: Client::Claude,
        name: event.name().to_owned(),
        session: string(&common.session_id),
        cwd: absolute(&common.cwd),
        workspace: None,
        model: model(&event),
        moment: moment(&event),
    }
}

fn model(event: &Event) -> Option<String> {
    match event {
        Event::SessionStart(_, start, _) => start.model.text(),
        Event::PostModelSwitch(_, switch, _) => switch.to_model.text(),
        _ => None,
    }
    .map(str::to_owned)
}

fn moment(event: &Event) -> Moment {
    match event {
        Event::SessionStart(_, e, _) => Moment::SessionStart(start_reason(e.source.text())),
        Event::SessionEnd(_, e, _) => Moment::SessionEnd(end_reason(e.reason.text())),
        Event::UserPromptSubmit(_, e, _) => Moment::prompt(&e.prompt),
        Event::MessageDisplay(_, e, _) => Moment::Shown {
            text: string(&e.delta),
            index: e.index.get().and_then(|index| u32::try_from(*index).ok()).unwrap_or_default(),
            last: e.is_final.get().copied().unwrap_or_default(),
        },
        Event::PreToolUse(_, e, _) => pre(call(&e.tool_name, value(&e.tool_input), e.tool_use_id.text())),
        Event::PermissionRequest(_, e, _) => confirm(call(&e.tool_name, value(&e.tool_input), None)),
        Event::PostToolUse(_, e, _) => {
            let call = call(&e.tool_name, value(&e.tool_input), e.tool_use_id.text());
            post(call, |call| Ended {
                call,
                result: result_text(e.tool_response.get()),
                raw: value(&e.tool_response),
                status: status_of(e.tool_response.get()),
                duration: millis(e.duration_ms.get().copied()),
                files_apart: false,
            })
        }
        Event::PostToolUseFailure(_, e, _) => {
            let call = call(&e.tool_name, value(&e.tool_input), e.tool_use_id.text());
            let interrupted = e.is_interrupt.get().copied().unwrap_or_default();
            post(call, |call| Ended {
                call,
                result: string(&e.error),
                raw: None,
                status: if interrupted { ToolStatus::Interrupted } else { ToolStatus::Error },
                duration: millis(e.duration_ms.get().copied()),
                files_apart: false,
            })
        }
        Event::PostToolBatch(_, e, _) => {
            let calls = e.tool_calls.get().map_or(0, Vec::len);
            Moment::StepOver(u32::try_from(calls).unwrap_or(u32::MAX))
        }
        Event::CwdChanged(_, e, _) => match (absolute(&e.old_cwd), absolute(&e.new_cwd)) {
            (Some(old), Some(new)) => Moment::CwdChanged { old, new },
            (None, Some(new)) => Moment::CwdChanged { old: PathBuf::from("/"), new },
            _ => Moment::Other,
        },
        Event::PostCompact(..) => {
            Moment::CacheInvalidated { reason: InvalidationReason::Compact, before: None }
        }
        Event::PostModelSwitch(_, e, _) => Moment::CacheInvalidated {
            reason: InvalidationReason::Model,
            before: e.context_tokens.get().copied(),
        },
        Event::Elicitation(_, e, _) => Moment::Elicit(Box::new(if e.mode.text() == Some("url") {
            Elicitation {
                kind: ElicitKind::Confirmation,
                prompt: format!("{}\n{}", string(&e.message), string(&e.url)),
                ..Elicitation::default()
            }
        } else {
            elicitation(&string(&e.message), e.requested_schema.get())
        })),
        Event::StopFailure(_, e, _) => Moment::Failed {
            source: ErrorSource::Model,
            error: e.error_details.text().map_or_else(|| string(&e.error), str::to_owned),
            retryable: matches!(e.error.text(), Some("rate_limit" | "overloaded" | "server_error")),
        },
        Event::Stop(_, e, _) => Moment::Rest {
            outcome: TurnOutcome::Complete,
            last: e.last_assistant_message.text().map(str::to_owned),
            active: e.stop_hook_active.get().copied(),
            count: 0,
            asked: true,
            over: true,
        },
        _ => Moment::Other,
    }
}
