//! Goose's events as moments. Which fields an event has depends on the event, so all are common ones.

use hookspec::points::{EndReason, StartReason, TurnOutcome};
use hookspec::tool::ToolStatus;
use serde_json::{Map, Value, json};

use super::{
    Call, Ended, Incoming, Moment, absolute, call, millis, post, pre, result_text, status_of, string, value,
};
use crate::client::Client;
use crate::events::goose::{Common, Event};

pub(super) fn read(map: Map<String, Value>, name: Option<&str>) -> Incoming {
    let event = Event::read(map, name);
    let common = event.common();
    Incoming {
        client: Client::Goose,
        name: event.name().to_owned(),
        session: string(&common.session_id),
        cwd: absolute(&common.working_dir),
        workspace: None,
        model: None,
        moment: moment(&event),
    }
}

fn moment(event: &Event) -> Moment {
    match event {
        Event::SessionStart(..) => Moment::SessionStart(StartReason::New),
        Event::SessionEnd(..) => Moment::SessionEnd(EndReason::Exit),
        Event::UserPromptSubmit(common, ..) => Moment::prompt(&common.message),
        Event::PreToolUse(common, ..) => pre(tool(common)),
        Event::BeforeShellExecution(common, ..) => pre(named_or(common, "shell")),
        Event::BeforeReadFile(common, ..) => pre(named_or(common, "read")),
        Event::PostToolUse(common, ..) | Event::AfterFileEdit(common, ..) => over(tool(common), common, None),
        Event::AfterShellExecution(common, ..) => over(named_or(common, "shell"), common, None),
        Event::PostToolUseFailure(common, e, _) => over(tool(common), common, e.error.get()),
        Event::Stop(common, ..) => Moment::Rest {
            outcome: TurnOutcome::Complete,
            last: common.last_assistant_message.text().map(str::to_owned),
            active: None,
            count: 0,
            asked: true,
            over: true,
        },
        _ => Moment::Other,
    }
}

fn tool(common: &Common) -> Result<Call, &'static str> {
    call(&common.tool_name, value(&common.tool_input), common.tool_call_id.text())
}

/// Events about one kind of tool may leave its name out, and tell in `matcher_context` what it is about.
fn named_or(common: &Common, name: &str) -> Result<Call, &'static str> {
    if common.tool_name.text().is_some() {
        return tool(common);
    }
    let input = value(&common.tool_input).or_else(|| {
        let about = common.matcher_context.text()?;
        Some(if name == "shell" { json!({ "command": about }) } else { json!({ "path": about }) })
    });
    let input = input.ok_or("it has neither `tool_input` nor `matcher_context`")?;
    Ok(Call::new(name, input, common.tool_call_id.text()))
}

fn over(call: Result<Call, &'static str>, common: &Common, error: Option<&Value>) -> Moment {
    let output = common.tool_output.get();
    post(call, |call| Ended {
        call,
        result: result_text(error.or(output)),
        raw: None,
        status: if error.is_some() { ToolStatus::Error } else { status_of(output) },
        duration: millis(None),
        files_apart: false,
    })
}
