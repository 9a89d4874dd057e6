//! Gemini CLI's events as moments.

use hookspec::model::{FinishReason, Request};
use hookspec::points::{InvalidationReason, TurnOutcome};
use hookspec::{Message, Role};
use serde_json::{Map, Value};

use super::{
    Ended, Incoming, Moment, absolute, call, end_reason, millis, post, pre, result_text, start_reason,
    status_of, string, value,
};
use crate::client::Client;
use crate::events::gemini::Event;

pub(super) fn read(map: Map<String, Value>, name: Option<&str>) -> Incoming {
    let event = Event::read(map, name);
    let common = event.common();
    Incoming {
        client: Client::Gemini,
        name: event.name().to_owned(),
        session: string(&common.session_id),
        cwd: absolute(&common.cwd),
        workspace: None,
        model: request_of(&event).and_then(|request| Some(request.get("model")?.as_str()?.to_owned())),
        moment: moment(&event),
    }
}

fn request_of(event: &Event) -> Option<&Map<String, Value>> {
    match event {
        Event::BeforeModel(_, e, _) => e.llm_request.get(),
        Event::AfterModel(_, e, _) => e.llm_request.get(),
        _ => None,
    }
}

fn moment(event: &Event) -> Moment {
    match event {
        Event::SessionStart(_, e, _) => Moment::SessionStart(start_reason(e.source.text())),
        Event::SessionEnd(_, e, _) => Moment::SessionEnd(end_reason(e.reason.text())),
        Event::BeforeAgent(_, e, _) => Moment::prompt(&e.prompt),
        Event::BeforeModel(_, e, _) => {
            e.llm_request.get().map_or(Moment::StepBegin, |held| Moment::ModelPre(Box::new(request(held))))
        }
        Event::AfterModel(_, e, _) => {
            let (text, finish) = e.llm_response.get().map(answer).unwrap_or_default();
            Moment::ModelPost { text, finish }
        }
        Event::BeforeTool(_, e, _) => pre(call(&e.tool_name, value(&e.tool_input), None)),
        Event::AfterTool(_, e, _) => post(call(&e.tool_name, value(&e.tool_input), None), |call| Ended {
            call,
            result: result_text(e.tool_response.get()),
            raw: value(&e.tool_response),
            status: status_of(e.tool_response.get()),
            duration: millis(None),
            files_apart: false,
        }),
        Event::PreCompress(..) => {
            Moment::CacheInvalidated { reason: InvalidationReason::Compact, before: None }
        }
        Event::AfterAgent(_, e, _) => Moment::Rest {
            outcome: TurnOutcome::Complete,
            last: e.prompt_response.text().map(str::to_owned),
            active: e.stop_hook_active.get().copied(),
            count: 0,
            asked: true,
            over: true,
        },
        _ => Moment::Other,
    }
}

/// The request as one of ours; what we have no field for stays with the client.
fn request(held: &Map<String, Value>) -> Request {
    let messages = held.get("messages").and_then(Value::as_array).into_iter().flatten();
    Request {
        messages: messages.map(message).collect(),
        model: held.get("model").and_then(Value::as_str).unwrap_or_default().to_owned(),
        ..Request::default()
    }
}

fn message(held: &Value) -> Message {
    let role = match held.get("role").and_then(Value::as_str) {
        Some("model" | "assistant") => Role::Assistant,
        Some("system") => Role::System,
        _ => Role::User,
    };
    Message::new(role, result_text(held.get("content").or_else(|| held.get("parts"))))
}

/// The text of an answer or of a piece of one, and why it ended, where it did.
fn answer(held: &Map<String, Value>) -> (String, Option<FinishReason>) {
    let candidate = held.get("candidates").and_then(|candidates| candidates.get(0));
    let content = candidate.and_then(|candidate| candidate.get("content"));
    let text = match content.and_then(|content| content.get("parts")).or(content) {
        Some(Value::Array(parts)) => parts.iter().map(|part| result_text(Some(part))).collect(),
        other => result_text(other),
    };
    let text = if candidate.is_some() { text } else { result_text(held.get("text")) };
    let finish = candidate.and_then(|candidate| candidate.get("finishReason")).and_then(Value::as_str);
    let finish = finish.map(|finish| match finish {
        "STOP" => FinishReason::Stop,
        "MAX_TOKENS" => FinishReason::Length,
        "SAFETY" | "RECITATION" | "BLOCKLIST" | "PROHIBITED_CONTENT" => FinishReason::ContentFilter,
        _ => FinishReason::Other,
    });
    (text, finish)
}
