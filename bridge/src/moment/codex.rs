//! Codex's events as moments.

use hookspec::points::{InvalidationReason, TurnOutcome};
use serde_json::{Map, Value};

use super::{
    Ended, Incoming, Moment, absolute, call, confirm, end_reason, millis, post, pre, result_text,
    start_reason, status_of, string, value,
};
use crate::client::Client;
use crate::events::codex::Event;

pub(super) fn read(map: Map<String, Value>, name: Option<&str>) -> Incoming {
    let event = Event::read(map, name);
    let common = event.common();
    Incoming {
        client: Client::Codex,
        name: event.name().to_owned(),
        session: string(&common.session_id),
        cwd: absolute(&common.cwd),
        workspace: None,
        model: common.model.text().map(str::to_owned),
        moment: moment(&event),
    }
}

fn moment(event: &Event) -> Moment {
    match event {
        Event::SessionStart(_, e, _) => Moment::SessionStart(start_reason(e.source.text())),
        Event::SessionEnd(_, e, _) => Moment::SessionEnd(end_reason(e.reason.text())),
        Event::UserPromptSubmit(_, e, _) => Moment::prompt(&e.prompt),
        Event::PreToolUse(_, e, _) => pre(call(&e.tool_name, value(&e.tool_input), e.tool_use_id.text())),
        Event::PermissionRequest(_, e, _) => confirm(call(&e.tool_name, value(&e.tool_input), None)),
        Event::PostToolUse(_, e, _) => {
            let call = call(&e.tool_name, value(&e.tool_input), e.tool_use_id.text());
            post(call, |call| Ended {
                call,
                result: result_text(e.tool_response.get()),
                raw: value(&e.tool_response),
                status: status_of(e.tool_response.get()),
                duration: millis(None),
                files_apart: false,
            })
        }
        Event::PostCompact(..) => {
            Moment::CacheInvalidated { reason: InvalidationReason::Compact, before: None }
        }
        Event::Stop(_, e, _) => Moment::Rest {
            outcome: TurnOutcome::Complete,
            last: e.last_assistant_message.text().map(str::to_owned),
            active: e.stop_hook_active.get().copied(),
            count: 0,
            asked: true,
            over: true,
        },
        Event::Interrupt(..) => Moment::Interrupted,
        Event::PreModelRequest(..) => Moment::StepBegin,
        Event::PostModelRequest(..) => Moment::StepOver(0),
        _ => Moment::Other,
    }
}
