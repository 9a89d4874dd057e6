//! Cursor's events as moments.

use std::path::PathBuf;
use std::time::Duration;

use hookspec::points::{InvalidationReason, StartReason, TurnOutcome};
use hookspec::tool::ToolStatus;
use serde_json::{Map, Number, Value, json};

use super::{
    Call, Ended, Incoming, Moment, absolute, call, end_reason, file_edits, post, pre, result_text, status_of,
    string, unfolded, value,
};
use crate::client::Client;
use crate::events::Field;
use crate::events::cursor::Event;

pub(super) fn read(map: Map<String, Value>, name: Option<&str>) -> Incoming {
    let event = Event::read(map, name);
    let common = event.common();
    let root = common.workspace_roots.get().and_then(|roots| roots.first()).map(PathBuf::from);
    let cwd = match &event {
        Event::PreToolUse(_, e, _) => absolute(&e.cwd),
        Event::PostToolUse(_, e, _) => absolute(&e.cwd),
        Event::BeforeShellExecution(_, e, _) => absolute(&e.cwd),
        _ => None,
    };
    Incoming {
        client: Client::Cursor,
        name: event.name().to_owned(),
        session: string(&common.conversation_id),
        cwd: cwd.or_else(|| root.clone()),
        workspace: root,
        model: common.model.text().map(str::to_owned),
        moment: moment(&event),
    }
}

fn moment(event: &Event) -> Moment {
    match event {
        Event::SessionStart(..) => Moment::SessionStart(StartReason::New),
        Event::SessionEnd(_, e, _) => Moment::SessionEnd(end_reason(e.reason.text())),
        Event::BeforeSubmitPrompt(_, e, _) => Moment::prompt(&e.prompt),
        Event::PreToolUse(_, e, _) => pre(call(&e.tool_name, value(&e.tool_input), e.tool_use_id.text())),
        Event::BeforeShellExecution(_, e, _) => match e.command.text() {
            Some(command) => Moment::ToolPre(shell(command)),
            None => Moment::Unreadable("it has no `command` that is a text"),
        },
        Event::BeforeMcpExecution(_, e, _) => pre(call(&e.tool_name, unfolded(&e.tool_input), None)),
        Event::BeforeReadFile(_, e, _) => match e.file_path.text() {
            Some(path) => Moment::ToolPre(Call::new("Read", json!({ "file_path": path }), None)),
            None => Moment::Unreadable("it has no `file_path` that is a text"),
        },
        Event::PostToolUse(_, e, _) => {
            let raw =
                e.tool_output.text().map(|text| serde_json::from_str(text).unwrap_or_else(|_| text.into()));
            post(call(&e.tool_name, value(&e.tool_input), e.tool_use_id.text()), |call| Ended {
                call,
                result: result_text(raw.as_ref()),
                status: status_of(raw.as_ref()),
                raw,
                duration: duration(&e.duration),
                files_apart: true,
            })
        }
        Event::PostToolUseFailure(_, e, _) => {
            post(call(&e.tool_name, value(&e.tool_input), e.tool_use_id.text()), |call| Ended {
                call,
                result: string(&e.error_message),
                raw: None,
                status: match e.failure_type.text() {
                    Some("timeout") => ToolStatus::Timeout,
                    Some("permission_denied") => ToolStatus::Denied,
                    _ if e.is_interrupt.get() == Some(&true) => ToolStatus::Interrupted,
                    _ => ToolStatus::Error,
                },
                duration: duration(&e.duration),
                files_apart: true,
            })
        }
        Event::AfterShellExecution(_, e, _) => Moment::ToolPost(Ended {
            call: shell(e.command.text().unwrap_or_default()),
            result: string(&e.output),
            raw: None,
            status: ToolStatus::Ok,
            duration: duration(&e.duration),
            files_apart: true,
        }),
        Event::AfterMcpExecution(_, e, _) => {
            let raw =
                e.result_json.text().map(|text| serde_json::from_str(text).unwrap_or_else(|_| text.into()));
            post(call(&e.tool_name, unfolded(&e.tool_input), None), |call| Ended {
                call,
                result: result_text(raw.as_ref()),
                status: status_of(raw.as_ref()),
                raw,
                duration: duration(&e.duration),
                files_apart: true,
            })
        }
        Event::AfterFileEdit(_, e, _) => match absolute(&e.file_path) {
            Some(path) => Moment::FileEdited { path, edits: file_edits(&e.edits) },
            None => Moment::Other,
        },
        Event::AfterAgentResponse(_, e, _) => Moment::Answered(string(&e.text)),
        Event::AfterAgentThought(_, e, _) => Moment::Thought(string(&e.text)),
        Event::PreCompact(_, e, _) => Moment::CacheInvalidated {
            reason: InvalidationReason::Compact,
            before: e.context_tokens.get().copied(),
        },
        Event::Stop(_, e, _) => {
            let count = e.loop_count.get().and_then(|count| u32::try_from(*count).ok()).unwrap_or_default();
            let outcome = match e.status.text() {
                Some("aborted") => TurnOutcome::Interrupted,
                Some("error") => TurnOutcome::Error,
                _ => TurnOutcome::Complete,
            };
            let asked = outcome == TurnOutcome::Complete;
            Moment::Rest { outcome, last: None, active: Some(count > 0), count, asked, over: true }
        }
        _ => Moment::Other,
    }
}

fn shell(command: &str) -> Call {
    Call::new("Shell", json!({ "command": command }), None)
}

fn duration(millis: &Field<Number>) -> Duration {
    let millis = millis.get().and_then(Number::as_f64).filter(|millis| millis.is_finite() && *millis > 0.0);
    millis.and_then(|millis| Duration::try_from_secs_f64(millis / 1000.0).ok()).unwrap_or_default()
}
