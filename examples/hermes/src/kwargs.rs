//! What a callback is told: an event of ours in Hermes's words.
//!
//! What our hosts do not know (a sender, a task) is empty, as it often is there; what they have no notion of is left out.

use std::time::Duration;

use hookspec::hooks::BoxError;
use hookspec::model::Request;
use hookspec::points::TurnOutcome;
use hookspec::session::LogView;
use hookspec::tool::ToolStatus;
use hookspec::{Message, Role, Session, ToolUse};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

use crate::points::ChildCall;
use crate::seen::{Seen, millis};
use crate::tools;
use crate::turns::last_answer;

/// The version of what callbacks are told.
const SCHEMA: &str = "hermes.observer.v1";

/// What is known where a point fires.
pub(crate) struct Scene<'a> {
    pub(crate) session: &'a Session,
    pub(crate) platform: &'a str,
    pub(crate) event: &'a Value,
    seen: Seen,
}

/// What a callback of this hook is told.
pub(crate) fn kwargs(
    hook: &str,
    event: &Value,
    session: &Session,
    platform: &str,
) -> Result<Map<String, Value>, BoxError> {
    let scene = Scene { session, platform, event, seen: Seen::of(session) };
    let mut told = scene.common();
    told.extend(scene.own(hook)?);
    Ok(told)
}

impl Scene<'_> {
    fn common(&self) -> Map<String, Value> {
        map(json!({
            "telemetry_schema_version": SCHEMA,
            "session_id": self.session.id(),
            "task_id": "",
            "turn_id": self.seen.turn_id(self.session),
            "api_request_id": self.seen.request_id(self.session),
            "model": self.session.model(),
            "platform": self.platform,
        }))
    }

    fn own(&self, hook: &str) -> Result<Map<String, Value>, BoxError> {
        Ok(map(match hook {
            "pre_tool_call" => self.call()?,
            "post_tool_call" => self.ended_call()?,
            "transform_tool_result" => self.result()?,
            "transform_terminal_output" => self.terminal()?,
            "pre_llm_call" => self.prompt()?,
            "post_llm_call" => self.answered(),
            "transform_llm_output" => json!({ "response_text": self.event["message"]["content"] }),
            "pre_verify" => self.verify(),
            "pre_api_request" => self.request()?,
            "post_api_request" => self.response()?,
            "api_request_error" => self.failed(),
            "pre_auxiliary_call" => self.auxiliary_request()?,
            "post_auxiliary_call" => self.auxiliary_response()?,
            "transform_api_error_classification" => self.classified(),
            "on_stream_start" => json!({ "provider": self.provider(), "iteration": self.iteration() }),
            "on_stream_delta" => {
                json!({ "delta": self.event["chunk"], "kind": self.event["kind"], "iteration": self.iteration() })
            }
            "on_stream_end" => self.fields(&["final_text", "finished", "error"], true),
            "on_interim_message" => self.fields(&["text", "already_streamed"], true),
            "on_skill_lifecycle" => {
                self.fields(&["action", "skill_name", "provenance", "use_count", "reused"], false)
            }
            "on_session_start" | "on_session_finalize" => json!({ "reason": self.event["reason"] }),
            "on_session_end" => self.rested()?,
            "on_session_reset" => json!({
                "reason": self.event["reason"],
                "old_session_id": self.event["old_session"],
                "new_session_id": self.session.id(),
            }),
            "agent_loop_stopped" => {
                json!({ "session_key": self.session.id(), "reason": self.event["reason"] })
            }
            "subagent_start" => self.child_starts(),
            "subagent_stop" => self.child_stops()?,
            "pre_approval_request" => self.approval()?,
            "post_approval_response" => {
                let mut told = self.approval()?;
                told["choice"] = self.event["choice"].clone();
                told
            }
            other => return Err(format!("nobody has written down what `{other}` is told").into()),
        }))
    }

    fn typed<T: DeserializeOwned>(&self, field: &str) -> Result<T, BoxError> {
        T::deserialize(&self.event[field])
            .map_err(|error| format!("the event's `{field}` cannot be read: {error}").into())
    }

    /// Fields of the event that are called the same there.
    fn fields(&self, names: &[&str], iteration: bool) -> Value {
        let mut told: Map<String, Value> =
            names.iter().map(|name| ((*name).to_owned(), self.event[*name].clone())).collect();
        if iteration {
            told.insert("iteration".to_owned(), self.iteration().into());
        }
        Value::Object(told)
    }

    fn iteration(&self) -> u32 {
        self.seen.requests_in_turn
    }

    fn provider(&self) -> String {
        provider(&self.session.model())
    }

    fn call(&self) -> Result<Value, BoxError> {
        let call: ToolUse = self.typed("tool_use")?;
        Ok(json!({
            "tool_name": tools::name(&call),
            "args": tools::args(&call, self.session),
            "tool_call_id": tools::call_id(&call),
            "middleware_trace": [],
        }))
    }

    fn ended_call(&self) -> Result<Value, BoxError> {
        let took: Duration = self.typed("duration")?;
        let mut told = self.call()?;
        put_end(&mut told, &self.texts("result")?, self.typed("status")?, millis(took));
        Ok(told)
    }

    /// Like the above; how the call ended is told by the event before.
    fn result(&self) -> Result<Value, BoxError> {
        let call: ToolUse = self.typed("tool_use")?;
        let (status, took) =
            self.seen.over(&call).map_or((ToolStatus::Ok, 0), |over| (over.status, over.duration_ms));
        let mut told = self.call()?;
        put_end(&mut told, &self.texts("result")?, status, took);
        if let Value::Object(told) = &mut told {
            told.remove("middleware_trace");
        }
        Ok(told)
    }

    fn texts(&self, field: &str) -> Result<String, BoxError> {
        let messages: Vec<Message> = self.typed(field)?;
        Ok(messages.iter().map(|message| message.content.as_str()).collect::<Vec<_>>().join("\n"))
    }

    fn terminal(&self) -> Result<Value, BoxError> {
        let call: ToolUse = self.typed("tool_use")?;
        Ok(json!({
            "command": self.event["command"],
            "output": self.event["output"],
            "returncode": self.event["returncode"],
            "env_type": "local",
            "tool_call_id": tools::call_id(&call),
        }))
    }

    fn prompt(&self) -> Result<Value, BoxError> {
        let message: Message = self.typed("message")?;
        let log = self.session.log();
        // What is being said is no history yet.
        let before = log.iter().position(|held| held.id.is_some() && held.id == message.id);
        let history = log.prefix(before.unwrap_or(log.len()));
        Ok(json!({
            "user_message": content(&message),
            "conversation_history": history.iter().map(|held| row(held)).collect::<Vec<_>>(),
            "is_first_turn": !history.iter().any(|held| held.role == Role::Assistant),
            "parent_session_id": self.session.parent().unwrap_or_default(),
            "sender_id": "",
        }))
    }

    fn answered(&self) -> Value {
        json!({
            "user_message": self.event["user_message"],
            "assistant_response": self.event["assistant_response"],
            "conversation_history": history(&self.session.log()),
        })
    }

    fn verify(&self) -> Value {
        json!({
            "coding": self.session.workspace().is_some(),
            "attempt": self.seen.nudges,
            "final_response": last_answer(self.session).map_or_else(String::new, |last| last.content.clone()),
            "changed_paths": self.seen.edited,
        })
    }

    fn request(&self) -> Result<Value, BoxError> {
        let request: Request = self.typed("request")?;
        let chars: usize = request.messages.iter().map(|message| message.content.chars().count()).sum();
        let mut told = request_of(&request);
        told["model"] = request.model.as_str().into();
        told["user_message"] = self.seen.prompt.as_str().into();
        told["request"] = sanitised(&request);
        told["api_call_count"] = self.iteration().into();
        told["retry_count"] = self.event["attempt"].clone();
        told["request_char_count"] = chars.into();
        // Four characters a token: a rule of thumb, and called an approximation.
        told["approx_input_tokens"] = chars.div_ceil(4).into();
        told["started_at"] = self.session.clock().now().to_string().into();
        told["middleware_trace"] = json!([]);
        Ok(told)
    }

    fn response(&self) -> Result<Value, BoxError> {
        let response: Message = self.typed("response")?;
        let took: Duration = self.typed("duration")?;
        let calls = response.metadata.as_ref().map_or(0, |metadata| metadata.tool_calls.len());
        Ok(json!({
            "provider": self.provider(),
            "api_call_count": self.iteration(),
            "api_duration": took.as_secs_f64(),
            "ended_at": self.session.clock().now().to_string(),
            "finish_reason": self.event["finish_reason"],
            "response_model": self.event["model"],
            "usage": self.event["usage"],
            "assistant_message": row(&response),
            "assistant_content_chars": response.content.chars().count(),
            "assistant_tool_call_count": calls,
        }))
    }

    fn failed(&self) -> Value {
        json!({
            "provider": self.provider(),
            "error": self.event["error"],
            "retryable": self.event["retryable"],
            "retry_count": self.event["attempt"],
        })
    }

    fn auxiliary_request(&self) -> Result<Value, BoxError> {
        let request: Request = self.typed("request")?;
        let mut told = request_of(&request);
        told["aux_task"] = self.event["aux_task"].clone();
        told["api_request_id"] = self.event["api_request_id"].clone();
        told["model"] = request.model.as_str().into();
        told["retry_count"] = self.event["attempt"].clone();
        Ok(told)
    }

    fn auxiliary_response(&self) -> Result<Value, BoxError> {
        let took: Duration = self.typed("duration")?;
        let response: Option<Message> = self.typed("response")?;
        let model: String = self.typed("model")?;
        Ok(json!({
            "aux_task": self.event["aux_task"],
            "api_request_id": self.event["api_request_id"],
            "provider": provider(&model),
            "model": model,
            "api_duration": took.as_secs_f64(),
            "usage": self.event["usage"],
            "response": response.as_ref().map(row),
            "error": self.event["error"],
        }))
    }

    fn classified(&self) -> Value {
        json!({
            "provider": self.provider(),
            "model": self.event["model"],
            "status_code": self.event["status_code"],
            "error_message": self.event["error"],
            "error": self.event["error"],
            "num_messages": self.event["num_messages"],
        })
    }

    fn rested(&self) -> Result<Value, BoxError> {
        let outcome: TurnOutcome = self.typed("outcome")?;
        Ok(json!({
            "completed": outcome == TurnOutcome::Complete,
            "failed": outcome == TurnOutcome::Error,
            "interrupted": outcome == TurnOutcome::Interrupted,
            "turn_exit_reason": outcome,
        }))
    }

    fn child_starts(&self) -> Value {
        json!({
            "parent_session_id": self.session.id(),
            "parent_turn_id": self.seen.turn_id(self.session),
            "child_session_id": self.event["child_session"],
            "child_role": self.event["role"],
            "child_goal": self.event["goal"],
        })
    }

    fn child_stops(&self) -> Result<Value, BoxError> {
        let took: Duration = self.typed("duration")?;
        let calls: Vec<ChildCall> = self.typed("calls")?;
        Ok(json!({
            "parent_session_id": self.session.id(),
            "parent_turn_id": self.seen.turn_id(self.session),
            "child_session_id": self.event["child_session"],
            "child_role": self.event["role"],
            "child_summary": self.event["summary"],
            "child_status": self.event["status"],
            "tool_call_history": calls,
            "duration_ms": millis(took),
        }))
    }

    fn approval(&self) -> Result<Value, BoxError> {
        let call: ToolUse = self.typed("tool_use")?;
        let name = tools::name(&call);
        let args = tools::args(&call, self.session);
        let command = args.get("command").cloned().unwrap_or_else(|| Value::Object(args).to_string().into());
        let description = match &self.event["why"] {
            Value::String(_) => format!("{name} asks before each call"),
            gate => gate["gate"].as_str().unwrap_or_default().to_owned(),
        };
        Ok(json!({
            "command": command,
            "description": description,
            "pattern_key": name,
            "pattern_keys": [name],
            "session_key": self.session.id(),
            "tool_call_id": tools::call_id(&call),
        }))
    }
}

/// An object's fields.
fn map(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(map) => map,
        other => Map::from_iter([("value".to_owned(), other)]),
    }
}

/// The part of a model's name that says who offers it.
fn provider(model: &str) -> String {
    model.split_once(['/', ':']).map_or("", |(provider, _)| provider).to_owned()
}

/// How a call ended.
fn put_end(told: &mut Value, text: &str, status: ToolStatus, took: u64) {
    let (word, kind) = match status {
        ToolStatus::Ok => ("success", None),
        ToolStatus::Denied => ("blocked", Some("denied")),
        ToolStatus::Error => ("error", Some("error")),
        ToolStatus::Timeout => ("error", Some("timeout")),
        ToolStatus::Interrupted => ("error", Some("interrupted")),
    };
    told["status"] = word.into();
    told["error_type"] = json!(kind);
    told["error_message"] = json!(kind.map(|_| text));
    told["result"] = text.into();
    told["duration_ms"] = took.into();
}

/// A message's content: a text, or a list of parts where files hang on it.
fn content(message: &Message) -> Value {
    if message.files.is_empty() {
        return message.content.as_str().into();
    }
    let text = json!({ "type": "text", "text": message.content });
    let files = message.files.iter().map(|file| json!({ "type": "file", "path": file }));
    std::iter::once(text).chain(files).collect()
}

fn row(message: &Message) -> Value {
    json!({ "role": message.role, "content": content(message) })
}

fn history(log: &LogView) -> Value {
    log.iter().map(|message| row(message)).collect()
}

/// What is told of each request.
fn request_of(request: &Request) -> Value {
    json!({
        "provider": provider(&request.model),
        "request_messages": request.messages.iter().map(row).collect::<Vec<_>>(),
        "message_count": request.messages.len(),
        "tool_count": request.tools.len(),
        "max_tokens": request.parameters.max_tokens,
    })
}

/// The request without what was said.
fn sanitised(request: &Request) -> Value {
    let tools: Vec<&str> = request.tools.iter().map(|tool| tool.name.as_str()).collect();
    let roles: Vec<Role> = request.messages.iter().map(|message| message.role).collect();
    json!({ "model": request.model, "roles": roles, "tools": tools })
}
