//! Answers: to "may this tool run?", and to what tools and hooks ask.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Extension, State};
use axum::http::StatusCode;
use hookspec_builtins::desk::{ElicitReply, ReplyError, ToolReply};
use serde::Deserialize;
use serde_json::{Value, json};
use utoipa::ToSchema;

use crate::host::Host;
use crate::store::Owner;

use super::extract::{Body, Path};
use super::problem::Problem;
use super::steps::live_of;

/// What to do with a tool call.
#[derive(Clone, Copy, Debug, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
enum ToolAction {
    /// Run it.
    Confirm,
    /// Run it with this content.
    Edit,
    /// Do not run it.
    Skip,
    /// Run it, and `count` further ones.
    #[serde(alias = "auto_confirm")]
    Auto,
}

/// The answer to a tool call's question.
#[derive(Debug, Deserialize, ToSchema)]
pub(crate) struct ConfirmBody {
    /// The question, from `tool_pending`.
    tool_id: String,
    action: ToolAction,
    /// For `edit`: what runs instead. The whole content, not the preview.
    content: Option<String>,
    /// For `auto`: how many further calls; 1 unless said.
    count: Option<u32>,
    /// For `skip`: why, for the model.
    reason: Option<String>,
    /// The session, as `connected` or the creation gave it.
    session_id: Option<String>,
}

impl From<ReplyError> for Problem {
    fn from(error: ReplyError) -> Self {
        let status = match error {
            ReplyError::Unknown(_) => StatusCode::NOT_FOUND,
            ReplyError::Over(_) => StatusCode::CONFLICT,
            _ => StatusCode::UNPROCESSABLE_ENTITY,
        };
        let text = error.to_string();
        let mut letters = text.chars();
        let first = letters.next().map(|first| first.to_uppercase().to_string()).unwrap_or_default();
        Self::new(status, format!("{first}{}.", letters.as_str()))
    }
}

/// Answers a tool call's question. The first answer counts; a later one is a conflict.
#[utoipa::path(post, path = "/conversations/{id}/tool/confirm", request_body = ConfirmBody, responses(
    (status = 200), (status = 404, body = Problem), (status = 409, body = Problem), (status = 422, body = Problem)))]
pub(crate) async fn confirm(
    State(host): State<Arc<Host>>,
    Extension(owner): Extension<Owner>,
    Path(id): Path<String>,
    Body(body): Body<ConfirmBody>,
) -> Result<Json<Value>, Problem> {
    let live = live_of(&host, &owner, &id, body.session_id.as_deref()).await?;
    let (reply, message) = match body.action {
        ToolAction::Confirm => (ToolReply::Confirm, "Tool confirmed"),
        ToolAction::Edit => (ToolReply::Edit { content: body.content.unwrap_or_default() }, "Tool edited"),
        ToolAction::Skip => (ToolReply::Skip { reason: body.reason }, "Tool skipped"),
        ToolAction::Auto => (ToolReply::Auto { count: body.count.unwrap_or(1) }, "Tools confirmed"),
    };
    live.desk.confirm(&live.id, &body.tool_id, reply)?;
    Ok(Json(json!({ "status": "ok", "message": message })))
}

/// What to do with a question.
#[derive(Clone, Copy, Debug, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
enum ElicitAction {
    /// Answer it.
    Accept,
    /// Say that one will not.
    Decline,
    /// Break off.
    Cancel,
}

/// The answer to a question.
#[derive(Deserialize, ToSchema)]
pub(crate) struct RespondBody {
    /// The question, from `elicit_pending`.
    elicit_id: String,
    action: ElicitAction,
    /// A text, a yes or no, or an object of a form's fields.
    value: Option<Value>,
    /// Several choices.
    values: Option<Vec<String>>,
    /// The session, as `connected` or the creation gave it.
    session_id: Option<String>,
}

/// Answers a question. The first answer counts; one that does not fit may be given again.
#[utoipa::path(post, path = "/conversations/{id}/elicit/respond", request_body = RespondBody, responses(
    (status = 200), (status = 404, body = Problem), (status = 409, body = Problem), (status = 422, body = Problem)))]
pub(crate) async fn respond(
    State(host): State<Arc<Host>>,
    Extension(owner): Extension<Owner>,
    Path(id): Path<String>,
    Body(body): Body<RespondBody>,
) -> Result<Json<Value>, Problem> {
    let live = live_of(&host, &owner, &id, body.session_id.as_deref()).await?;
    let reply = match body.action {
        ElicitAction::Accept => ElicitReply::Accept { value: body.value, values: body.values },
        ElicitAction::Decline => ElicitReply::Decline,
        ElicitAction::Cancel => ElicitReply::Cancel,
    };
    live.desk.respond(&live.id, &body.elicit_id, reply)?;
    Ok(Json(json!({ "status": "ok" })))
}
