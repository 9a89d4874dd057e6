//! Steps: let the agent go on, stop it, ask it again; and a conversation's settings.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Extension, State};
use axum::http::StatusCode;
use hookspec::Message;
use hookspec::session::InterruptReason;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use utoipa::ToSchema;

use crate::host::Host;
use crate::live::{Command, Live};
use crate::store::Owner;

use super::conversations::take;
use super::extract::{Body, Path};
use super::problem::Problem;

/// How many tool calls are confirmed beforehand: `true` is one, `false` none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, ToSchema)]
#[serde(untagged)]
pub(crate) enum AutoConfirm {
    /// One, or none.
    Flag(bool),
    /// So many.
    Count(u32),
}

impl AutoConfirm {
    pub(crate) fn count(self) -> u32 {
        match self {
            Self::Flag(on) => u32::from(on),
            Self::Count(count) => count,
        }
    }
}

/// A step.
#[derive(Debug, Default, Deserialize, Serialize, ToSchema)]
#[serde(default)]
pub(crate) struct StepBody {
    /// The session, as `connected` or the creation gave it.
    session_id: Option<String>,
    /// Another model from now on.
    model: Option<String>,
    /// Only `main` can go on.
    branch: Option<String>,
    /// How many tool calls are confirmed beforehand; as before without it.
    auto_confirm: Option<AutoConfirm>,
    /// What the user says, posted first.
    message: Option<String>,
}

/// A step has begun.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Stepping {
    status: &'static str,
    message: &'static str,
    session_id: String,
}

/// A session, where a request may name it.
#[derive(Debug, Default, Deserialize, Serialize, ToSchema)]
#[serde(default)]
pub(crate) struct SessionBody {
    /// The session, as `connected` or the creation gave it.
    session_id: Option<String>,
}

/// The live conversation, if the session that was named is its own.
pub(crate) async fn live_of(
    host: &Arc<Host>,
    owner: &Owner,
    id: &str,
    session: Option<&str>,
) -> Result<Arc<Live>, Problem> {
    let live = host.live(owner, id).await?;
    match session {
        Some(session) if session != live.session_id => {
            Err(Problem::not_found("This conversation has no such session: its events name the one it has."))
        }
        _ => Ok(live),
    }
}

/// A model that clients may use. A replay reads a file of this machine, so only those that the server was given count.
pub(crate) fn check_model(host: &Host, model: String) -> Result<String, Problem> {
    let given = host.model.as_ref() == Some(&model) || host.models.contains(&model);
    let provider = ["openai/", "anthropic/", "ollama/"].iter().any(|prefix| model.starts_with(prefix));
    if given || provider {
        return Ok(model);
    }
    Err(Problem::new(
        StatusCode::UNPROCESSABLE_ENTITY,
        "That model is not one of this server's: give provider/name, or one that GET /models lists.",
    ))
}

/// Lets the agent go on until it rests. What happens is told in the events.
#[utoipa::path(post, path = "/conversations/{id}/step", request_body = StepBody, responses(
    (status = 200, body = Stepping), (status = 404, body = Problem), (status = 409, body = Problem)))]
pub(crate) async fn step(
    State(host): State<Arc<Host>>,
    Extension(owner): Extension<Owner>,
    Path(id): Path<String>,
    Body(body): Body<StepBody>,
) -> Result<Json<Stepping>, Problem> {
    let live = live_of(&host, &owner, &id, body.session_id.as_deref()).await?;
    if body.branch.is_some_and(|branch| branch != "main") {
        return Err(Problem::new(StatusCode::UNPROCESSABLE_ENTITY, "Only the branch `main` can go on."));
    }
    let model = body.model.map(|model| check_model(&host, model)).transpose()?;
    live.rests_within(host.bounds.settle).await;
    if let Some(text) = body.message {
        if live.is_running() {
            return Err(crate::live::Refusal::Running.into());
        }
        take(&host, &owner, &id, Box::new(Message::user(text))).await?;
    }
    let beforehand = body.auto_confirm.map(AutoConfirm::count);
    host.ask(&owner, &id, |reply| Command::Step { model: model.clone(), beforehand, reply }).await?;
    Ok(Json(Stepping { status: "ok", message: "Step started", session_id: live.session_id.clone() }))
}

/// Cuts short what the session is doing; what waits for an answer is refused.
#[utoipa::path(post, path = "/conversations/{id}/interrupt", request_body = SessionBody, responses(
    (status = 200), (status = 404, body = Problem)))]
pub(crate) async fn interrupt(
    State(host): State<Arc<Host>>,
    Extension(owner): Extension<Owner>,
    Path(id): Path<String>,
    Body(body): Body<SessionBody>,
) -> Result<Json<Value>, Problem> {
    let live = live_of(&host, &owner, &id, body.session_id.as_deref()).await?;
    let running = live.is_running();
    live.interrupt(InterruptReason::User);
    let message = if running { "Interrupted" } else { "Nothing was running" };
    Ok(Json(json!({ "status": "ok", "message": message })))
}

/// Runs the tool calls of the last answer again; each is asked about anew.
#[utoipa::path(post, path = "/conversations/{id}/rerun", request_body = SessionBody, responses(
    (status = 200), (status = 404, body = Problem), (status = 409, body = Problem)))]
pub(crate) async fn rerun(
    State(host): State<Arc<Host>>,
    Extension(owner): Extension<Owner>,
    Path(id): Path<String>,
    Body(body): Body<SessionBody>,
) -> Result<Json<Value>, Problem> {
    live_of(&host, &owner, &id, body.session_id.as_deref()).await?;
    host.ask(&owner, &id, |reply| Command::Rerun { reply }).await?;
    Ok(Json(json!({ "status": "ok", "message": "Tools run again" })))
}

/// Settings to change.
#[derive(Debug, Deserialize, ToSchema)]
pub(crate) struct ConfigPatch {
    chat: ChatPatch,
}

/// Settings of the chat to change.
#[derive(Debug, Deserialize, ToSchema)]
pub(crate) struct ChatPatch {
    /// The model from now on.
    model: String,
}

/// Changes a conversation's settings.
#[utoipa::path(patch, path = "/conversations/{id}/config", request_body = ConfigPatch, responses(
    (status = 200), (status = 404, body = Problem), (status = 409, body = Problem), (status = 422, body = Problem)))]
pub(crate) async fn configure(
    State(host): State<Arc<Host>>,
    Extension(owner): Extension<Owner>,
    Path(id): Path<String>,
    Body(body): Body<ConfigPatch>,
) -> Result<Json<Value>, Problem> {
    let model = check_model(&host, body.chat.model)?;
    host.ask(&owner, &id, |reply| Command::Model { model: model.clone(), reply }).await?;
    Ok(Json(json!({ "status": "ok", "config": { "chat": { "model": model } } })))
}
