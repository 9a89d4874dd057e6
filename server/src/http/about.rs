//! What this server is and has: version, models, tools, points, hooks, timelines, sessions.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Extension, State};
use hookspec::hooks::HookRow;
use hookspec::points::EndReason;
use hookspec::tool::ToolSpec;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use utoipa::{IntoParams, ToSchema};

use crate::brought::Brought;
use crate::host::Host;
use crate::live::Command;
use crate::store::Owner;

use super::extract::{Body, Path, Query};
use super::problem::Problem;

/// The server's version.
#[utoipa::path(get, path = "/version", responses((status = 200)))]
pub(crate) async fn version() -> Json<Value> {
    Json(json!({ "name": "hookspec", "version": env!("CARGO_PKG_VERSION") }))
}

/// The server's settings, as far as clients need them.
#[utoipa::path(get, path = "/config", responses((status = 200)))]
pub(crate) async fn config(State(host): State<Arc<Host>>, Extension(owner): Extension<Owner>) -> Json<Value> {
    let idle = host.bounds.idle.as_secs();
    Json(json!({ "owner": owner.0, "model": host.model, "workspace": host.root, "idle_seconds": idle }))
}

/// The models that can be named in full.
#[utoipa::path(get, path = "/models", responses((status = 200)))]
pub(crate) async fn models(State(host): State<Arc<Host>>) -> Json<Value> {
    let all: Vec<&String> = host.model.iter().chain(&host.models).collect();
    let rows: Vec<Value> = all.iter().map(|id| json!({ "id": id })).collect();
    Json(json!({ "models": rows, "default": host.model, "recommended": [] }))
}

/// The commands that messages may begin with: none here.
#[utoipa::path(get, path = "/commands", responses((status = 200)))]
pub(crate) async fn commands() -> Json<Value> {
    Json(json!({ "commands": [] }))
}

/// The tools.
#[utoipa::path(get, path = "/tools", responses((status = 200)))]
pub(crate) async fn tools(State(host): State<Arc<Host>>) -> Json<Vec<ToolSpec>> {
    Json(host.hooks.load().tools().specs())
}

/// The hook points.
#[utoipa::path(get, path = "/points", responses((status = 200)))]
pub(crate) async fn points() -> Json<Vec<Value>> {
    let all = hookspec::point::all_points();
    let row = |point: &dyn hookspec::point::AnyPoint| {
        let info = point.info();
        json!({ "name": info.name, "wire": info.wire, "verdict": info.verdict, "docs": info.docs })
    };
    Json(all.iter().map(|point| row(*point)).collect())
}

/// Every hook that was found, and whether it runs.
#[utoipa::path(get, path = "/hooks", responses((status = 200)))]
pub(crate) async fn hooks(State(host): State<Arc<Host>>) -> Json<Vec<HookRow>> {
    Json(host.hooks.list())
}

/// A hook's switch.
#[derive(Debug, Deserialize, ToSchema)]
pub(crate) struct HookSwitch {
    /// Whether it runs in this conversation.
    enabled: bool,
}

/// Switches a hook on or off for one conversation; kept with it.
#[utoipa::path(put, path = "/conversations/{id}/hooks/{hook}", request_body = HookSwitch, responses(
    (status = 200), (status = 404, body = Problem)))]
pub(crate) async fn switch_hook(
    State(host): State<Arc<Host>>,
    Extension(owner): Extension<Owner>,
    Path((id, hook)): Path<(String, String)>,
    Body(body): Body<HookSwitch>,
) -> Result<Json<Value>, Problem> {
    let on = body.enabled;
    host.ask(&owner, &id, |reply| Command::Hook { hook: hook.clone(), on, reply }).await?;
    Ok(Json(json!({ "status": "ok", "hook": hook, "enabled": on })))
}

/// A conversation's hooks: those of the program and those that its workspace brings, in force or not and why; the names
/// of those that are switched off in it; and what its workspace brings that is not in force, in sentences.
///
/// While its session is open these are the session's own; otherwise, those that it would have if it were opened now.
#[utoipa::path(get, path = "/conversations/{id}/hooks", responses(
    (status = 200), (status = 404, body = Problem), (status = 422, body = Problem)))]
pub(crate) async fn hooks_of(
    State(host): State<Arc<Host>>,
    Extension(owner): Extension<Owner>,
    Path(id): Path<String>,
) -> Result<Json<Value>, Problem> {
    let live = host.live.get(&owner, &id)?;
    let (off, workspace) = host
        .store(move |store| Ok((store.hooks_off(&owner, &id)?, store.row(&owner, &id)?.workspace)))
        .await?;
    let (hooks, warnings) = match live.and_then(|live| live.hooks()) {
        Some(open) => open,
        None => {
            let Brought { hooks, warnings, .. } = host.brought(&host.inside(workspace.as_ref())?).await?;
            (hooks, warnings.into())
        }
    };
    Ok(Json(json!({ "off": off, "hooks": hooks.list(), "warnings": *warnings })))
}

/// Which part of a timeline.
#[derive(Debug, Deserialize, IntoParams)]
pub(crate) struct TimelineQuery {
    /// After the entry of this number.
    after: Option<i64>,
    /// How many, at most 5000.
    limit: Option<usize>,
}

/// What fired and ran when, oldest first; each entry has its number as `seq`.
#[utoipa::path(get, path = "/conversations/{id}/timeline", params(TimelineQuery), responses(
    (status = 200), (status = 404, body = Problem)))]
pub(crate) async fn timeline(
    State(host): State<Arc<Host>>,
    Extension(owner): Extension<Owner>,
    Path(id): Path<String>,
    Query(query): Query<TimelineQuery>,
) -> Result<Json<Value>, Problem> {
    let (after, limit) = (query.after.unwrap_or(0), query.limit.unwrap_or(1000).clamp(1, 5000));
    let entries = host.store(move |store| store.timeline(&owner, &id, after, limit)).await?;
    let rows: Vec<Value> = entries
        .into_iter()
        .map(|(seq, entry)| {
            let mut row = json!(entry);
            row["seq"] = seq.into();
            row
        })
        .collect();
    Ok(Json(json!({ "entries": rows })))
}

/// A conversation that is watched or worked in.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct SessionRow {
    session_id: String,
    conversation_id: String,
    /// Whether its session is open.
    open: bool,
    /// Whether a turn runs.
    generating: bool,
    /// How many clients listen.
    clients: usize,
    /// How many questions wait for an answer.
    pending: usize,
}

/// The live sessions.
#[utoipa::path(get, path = "/sessions", responses((status = 200, body = Vec<SessionRow>)))]
pub(crate) async fn sessions(
    State(host): State<Arc<Host>>,
    Extension(owner): Extension<Owner>,
) -> Json<Vec<SessionRow>> {
    let row = |live: Arc<crate::live::Live>| {
        let (tools, elicitations) = live.pending();
        SessionRow {
            session_id: live.session_id.clone(),
            conversation_id: live.id.clone(),
            open: live.is_open(),
            generating: live.is_running(),
            clients: live.feed.readers(),
            pending: tools.len() + elicitations.len(),
        }
    };
    Json(host.live.of(&owner).into_iter().map(row).collect())
}

/// Ends a session; its conversation stays and can be gone on with.
#[utoipa::path(delete, path = "/sessions/{id}", responses((status = 200), (status = 404, body = Problem)))]
pub(crate) async fn end_session(
    State(host): State<Arc<Host>>,
    Extension(owner): Extension<Owner>,
    Path(session): Path<String>,
) -> Result<Json<Value>, Problem> {
    let whose = owner.clone();
    let id = host.store(move |store| store.by_session(&whose, &session)).await?;
    if host.live.get(&owner, &id)?.is_some() {
        let reason = EndReason::Exit;
        host.ask(&owner, &id, |reply| Command::End { reason, stop: false, reply }).await?;
    }
    Ok(Json(json!({ "status": "ok" })))
}
