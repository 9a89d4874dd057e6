//! Conversations: create, list, read, post to, edit, fork, move in and out, delete.

use std::path::PathBuf;
use std::sync::Arc;

use axum::Json;
use axum::extract::{Extension, State};
use axum::http::{HeaderName, StatusCode, header};
use axum::response::{IntoResponse, Response};
use hookspec::{Message, Role};
use hookspec_agent::log::new_id;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use utoipa::{IntoParams, ToSchema};

use crate::host::Host;
use crate::live::{Change, Command, Posted, Refusal};
use crate::store::{Branch, NewConversation, Owner, Row, Store};

use super::extract::{Body, Path, Query, Text};
use super::problem::Problem;
use super::steps::{AutoConfirm, check_model};

/// Conversations in one answer, unless asked for fewer.
const MOST_ROWS: usize = 100;

/// A message as clients send it.
#[derive(Clone, Debug, Deserialize, Serialize, ToSchema)]
pub(crate) struct NewMessage {
    /// `user`, `system` or `assistant`.
    #[schema(value_type = String, pattern = "^(user|system|assistant)$")]
    role: Role,
    /// The text.
    content: String,
    /// Attached files, inside the workspace.
    #[serde(default)]
    #[schema(value_type = Vec<String>)]
    files: Vec<PathBuf>,
    /// Only `main` can be added to.
    #[serde(default)]
    branch: Option<String>,
}

impl NewMessage {
    fn message(self, host: &Host) -> Result<Message, Problem> {
        if self.branch.is_some_and(|branch| branch != "main") {
            return Err(Problem::new(
                StatusCode::UNPROCESSABLE_ENTITY,
                "Only the branch `main` can be added to: fork the conversation to go on from an older one.",
            ));
        }
        let mut message = Message::new(self.role, self.content);
        for file in self.files {
            let outside = || Refusal::Outside(file.clone());
            let path = host.root.join(&file).canonicalize().map_err(|_| outside())?;
            if !path.starts_with(&host.root) {
                return Err(outside().into());
            }
            message.files.push(path);
        }
        Ok(message)
    }
}

/// A new conversation.
#[derive(Debug, Default, Deserialize, Serialize, ToSchema)]
#[serde(default)]
pub(crate) struct NewBody {
    /// What it begins with.
    messages: Vec<NewMessage>,
    /// Its settings.
    config: ConfigBody,
    /// How many tool calls are confirmed beforehand.
    auto_confirm: Option<AutoConfirm>,
}

/// Settings of a conversation.
#[derive(Debug, Default, Deserialize, Serialize, ToSchema)]
#[serde(default)]
pub(crate) struct ConfigBody {
    chat: ChatBody,
}

/// Settings of the chat.
#[derive(Debug, Default, Deserialize, Serialize, ToSchema)]
#[serde(default)]
pub(crate) struct ChatBody {
    /// A title for people.
    name: Option<String>,
    /// `provider/name`.
    model: Option<String>,
    /// A directory inside the server's workspace root.
    #[schema(value_type = Option<String>)]
    workspace: Option<PathBuf>,
}

/// A conversation was made.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Created {
    status: &'static str,
    conversation_id: String,
    session_id: String,
}

/// One conversation of a list.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Listed {
    id: String,
    name: String,
    /// Seconds since 1970.
    created: f64,
    /// Seconds since 1970.
    modified: f64,
    model: String,
    workspace: String,
    parent: Option<String>,
    messages: u64,
    preview: String,
}

fn seconds(time: &str) -> f64 {
    time.parse::<jiff::Timestamp>().map_or(0.0, |time| time.as_duration().as_secs_f64())
}

impl From<Row> for Listed {
    fn from(row: Row) -> Self {
        Self {
            name: row.name.unwrap_or_else(|| row.id.clone()),
            id: row.id,
            created: seconds(&row.created),
            modified: seconds(&row.modified),
            model: row.model,
            workspace: row.workspace,
            parent: row.parent,
            messages: row.messages,
            preview: row.preview,
        }
    }
}

/// Which conversations.
#[derive(Debug, Deserialize, IntoParams)]
pub(crate) struct ListQuery {
    /// How many, at most 100.
    limit: Option<usize>,
    /// A part of the id, the title or the last words.
    q: Option<String>,
    /// The same.
    search: Option<String>,
    /// From the `X-Next-Cursor` of the part before.
    cursor: Option<String>,
}

/// Lists conversations, newest first.
#[utoipa::path(get, path = "/conversations", params(ListQuery), responses((status = 200, body = Vec<Listed>)))]
pub(crate) async fn list(
    State(host): State<Arc<Host>>,
    Extension(owner): Extension<Owner>,
    Query(query): Query<ListQuery>,
) -> Result<Response, Problem> {
    let limit = query.limit.unwrap_or(MOST_ROWS).clamp(1, MOST_ROWS);
    let search = query.q.or(query.search).unwrap_or_default();
    let page = host.store(move |store| store.list(&owner, &search, limit, query.cursor.as_deref())).await?;
    let next = page.next.map(|next| [(HeaderName::from_static("x-next-cursor"), next)]);
    let rows: Vec<Listed> = page.rows.into_iter().map(Listed::from).collect();
    Ok(match next {
        Some(next) => (next, Json(rows)).into_response(),
        None => Json(rows).into_response(),
    })
}

/// Creates a conversation.
#[utoipa::path(put, path = "/conversations/{id}", request_body = NewBody, responses(
    (status = 200, body = Created), (status = 409, body = Problem), (status = 422, body = Problem)))]
pub(crate) async fn create(
    State(host): State<Arc<Host>>,
    Extension(owner): Extension<Owner>,
    Path(id): Path<String>,
    Body(body): Body<NewBody>,
) -> Result<Json<Created>, Problem> {
    let NewBody { messages, config: ConfigBody { chat }, auto_confirm } = body;
    let messages =
        messages.into_iter().map(|message| message.message(&host)).collect::<Result<Vec<_>, _>>()?;
    let workspace = host.inside(chat.workspace.as_deref().unwrap_or(&host.root))?;
    let model = match chat.model {
        Some(model) => check_model(&host, model)?,
        None => host.model.clone().ok_or_else(|| {
            Problem::new(
                StatusCode::UNPROCESSABLE_ENTITY,
                "No model was named, and the server has no default: name one in config.chat.model, or start the server with --model.",
            )
        })?,
    };
    let new = NewConversation { id: id.clone(), name: chat.name, model, workspace, parent: None };
    let whose = owner.clone();
    host.store(move |store| store.create(&whose, &new)).await?;
    let live = host.live(&owner, &id).await?;
    if let Some(auto_confirm) = auto_confirm {
        let count = auto_confirm.count();
        host.ask(&owner, &id, |reply| Command::Beforehand { count, reply }).await?;
    }
    for message in messages {
        let message = Box::new(message);
        let posted = host.ask(&owner, &id, |reply| Command::Post { message: message.clone(), reply }).await;
        if let Err(refusal) = posted {
            // All of it or nothing: a conversation that lacks what it was to begin with is not what was asked for.
            host.delete(&owner, &id).await?;
            return Err(refusal.into());
        }
    }
    Ok(Json(Created { status: "ok", conversation_id: id, session_id: live.session_id.clone() }))
}

/// A conversation's earlier versions, by name.
pub(crate) fn branches_json(branches: Vec<Branch>) -> Value {
    branches
        .into_iter()
        .map(|branch| (branch.name, json!(branch.messages)))
        .collect::<serde_json::Map<_, _>>()
        .into()
}

/// A conversation.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Whole {
    #[serde(flatten)]
    about: Listed,
    session_id: String,
    /// Its messages, oldest first; hidden ones have `hide`.
    #[schema(value_type = Vec<Object>)]
    log: Vec<Message>,
    /// What it was before each edit.
    #[schema(value_type = Object)]
    branches: Value,
    /// Whether a turn runs.
    generating: bool,
}

/// Reads a conversation.
#[utoipa::path(get, path = "/conversations/{id}", responses((status = 200, body = Whole), (status = 404, body = Problem)))]
pub(crate) async fn read(
    State(host): State<Arc<Host>>,
    Extension(owner): Extension<Owner>,
    Path(id): Path<String>,
) -> Result<Json<Whole>, Problem> {
    let generating = host.live.get(&owner, &id).ok().flatten().is_some_and(|live| live.is_running());
    let whole = host.store(move |store| {
        Ok(Whole {
            about: store.row(&owner, &id)?.into(),
            session_id: store.session(&owner, &id)?,
            log: store.read(&owner, &id)?,
            branches: branches_json(store.branches(&owner, &id)?),
            generating,
        })
    });
    Ok(Json(whole.await?))
}

/// A message was taken.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Taken {
    status: &'static str,
    /// Its id in the conversation.
    message_id: Option<String>,
    /// Whether it waits for the running turn to rest.
    queued: bool,
}

/// Adds a message; what the user says is shown to the hooks first, and one of them may refuse it.
#[utoipa::path(post, path = "/conversations/{id}", request_body = NewMessage, responses(
    (status = 200, body = Taken), (status = 404, body = Problem), (status = 422, body = Problem)))]
pub(crate) async fn post(
    State(host): State<Arc<Host>>,
    Extension(owner): Extension<Owner>,
    Path(id): Path<String>,
    Body(body): Body<NewMessage>,
) -> Result<Json<Taken>, Problem> {
    let message = Box::new(body.message(&host)?);
    Ok(Json(take(&host, &owner, &id, message).await?))
}

/// Hands a message to the session.
pub(crate) async fn take(
    host: &Arc<Host>,
    owner: &Owner,
    id: &str,
    message: Box<Message>,
) -> Result<Taken, Problem> {
    let posted = host.ask(owner, id, |reply| Command::Post { message: message.clone(), reply }).await?;
    let (message_id, queued) = match posted {
        Posted::Stored(message) => (message.id.clone(), false),
        Posted::Waits(message) => (message.id, true),
    };
    Ok(Taken { status: "ok", message_id, queued })
}

/// Deletes a conversation; an open session ends first.
#[utoipa::path(delete, path = "/conversations/{id}", responses((status = 200), (status = 404, body = Problem)))]
pub(crate) async fn delete(
    State(host): State<Arc<Host>>,
    Extension(owner): Extension<Owner>,
    Path(id): Path<String>,
) -> Result<Json<Value>, Problem> {
    host.delete(&owner, &id).await?;
    Ok(Json(json!({ "status": "ok" })))
}

/// A changed message.
#[derive(Debug, Deserialize, ToSchema)]
pub(crate) struct EditBody {
    /// Its new text.
    content: String,
}

/// How to edit.
#[derive(Debug, Deserialize, IntoParams)]
pub(crate) struct EditQuery {
    /// `1`: what follows the message is taken away.
    truncate: Option<u8>,
}

async fn change(
    host: &Arc<Host>,
    owner: &Owner,
    (id, index): (String, usize),
    change: Change,
    truncate: Option<u8>,
) -> Result<Json<Value>, Problem> {
    let truncate = truncate == Some(1);
    host.ask(owner, &id, |reply| Command::Edit { index, change: change.clone(), truncate, reply }).await?;
    let whose = owner.clone();
    let (log, branches) =
        host.store(move |store| Ok((store.read(&whose, &id)?, store.branches(&whose, &id)?))).await?;
    Ok(Json(json!({ "status": "ok", "log": log, "branches": branches_json(branches) })))
}

/// Changes a message; the old conversation stays as a branch.
#[utoipa::path(patch, path = "/conversations/{id}/messages/{index}", params(EditQuery), request_body = EditBody,
    responses((status = 200), (status = 404, body = Problem), (status = 409, body = Problem)))]
pub(crate) async fn edit(
    State(host): State<Arc<Host>>,
    Extension(owner): Extension<Owner>,
    Path(which): Path<(String, usize)>,
    Query(query): Query<EditQuery>,
    Body(body): Body<EditBody>,
) -> Result<Json<Value>, Problem> {
    change(&host, &owner, which, Change::Content(body.content), query.truncate).await
}

/// Takes a message away; the old conversation stays as a branch.
#[utoipa::path(delete, path = "/conversations/{id}/messages/{index}", params(EditQuery),
    responses((status = 200), (status = 404, body = Problem), (status = 409, body = Problem)))]
pub(crate) async fn remove(
    State(host): State<Arc<Host>>,
    Extension(owner): Extension<Owner>,
    Path(which): Path<(String, usize)>,
    Query(query): Query<EditQuery>,
) -> Result<Json<Value>, Problem> {
    change(&host, &owner, which, Change::Remove, query.truncate).await
}

/// Where to fork.
#[derive(Debug, Default, Deserialize, Serialize, ToSchema)]
#[serde(default)]
pub(crate) struct ForkBody {
    /// The index of the last message that the copy has; all of them without it.
    after_message: Option<usize>,
    /// An older version, by its name; `main` is the present one.
    branch: Option<String>,
    /// The copy's id; a fresh one without it.
    id: Option<String>,
}

/// Copies a conversation.
#[utoipa::path(post, path = "/conversations/{id}/fork", request_body = ForkBody, responses(
    (status = 200, body = Created), (status = 404, body = Problem)))]
pub(crate) async fn fork(
    State(host): State<Arc<Host>>,
    Extension(owner): Extension<Owner>,
    Path(id): Path<String>,
    Body(body): Body<ForkBody>,
) -> Result<Json<Created>, Problem> {
    let copy = body.id.unwrap_or_else(|| new_id(host.clock.now()));
    let (whose, which) = (owner.clone(), id.clone());
    let branch = body.branch.filter(|branch| branch != "main");
    let (row, messages) = host
        .store(move |store| {
            let messages = match branch {
                None => Some(store.read(&whose, &which)?),
                Some(name) => {
                    let mut branches = store.branches(&whose, &which)?.into_iter();
                    branches.find(|branch| branch.name == name).map(|branch| branch.messages)
                }
            };
            Ok((store.row(&whose, &which)?, messages))
        })
        .await?;
    let mut messages = messages.ok_or_else(|| Problem::not_found("The conversation has no such branch."))?;
    if let Some(last) = body.after_message {
        if last >= messages.len() {
            return Err(Refusal::NoMessage(messages.len()).into());
        }
        messages.truncate(last + 1);
    }
    let new = NewConversation {
        id: copy.clone(),
        name: row.name,
        model: row.model,
        workspace: row.workspace.into(),
        parent: Some(id),
    };
    let session_id = host
        .store(move |store| {
            store.create_with(&owner, &new, &messages)?;
            store.session(&owner, &new.id)
        })
        .await?;
    Ok(Json(Created { status: "ok", conversation_id: copy, session_id }))
}

/// The conversation as JSONL, one message a line.
#[utoipa::path(get, path = "/conversations/{id}/export", responses(
    (status = 200, body = String, content_type = "application/jsonl"), (status = 404, body = Problem)))]
pub(crate) async fn export(
    State(host): State<Arc<Host>>,
    Extension(owner): Extension<Owner>,
    Path(id): Path<String>,
) -> Result<Response, Problem> {
    let text = host.store(move |store| store.export(&owner, &id)).await?;
    Ok(([(header::CONTENT_TYPE, "application/jsonl")], text).into_response())
}

/// Creates a conversation from JSONL, as the export or gptme writes it.
#[utoipa::path(post, path = "/conversations/{id}/import", request_body(content = String, content_type = "text/plain"),
    responses((status = 200, body = Created), (status = 409, body = Problem), (status = 422, body = Problem)))]
pub(crate) async fn import(
    State(host): State<Arc<Host>>,
    Extension(owner): Extension<Owner>,
    Path(id): Path<String>,
    Text(text): Text,
) -> Result<Json<Created>, Problem> {
    let unfit = |error: crate::store::StoreError| {
        Problem::new(StatusCode::UNPROCESSABLE_ENTITY, format!("This is no conversation in JSONL: {error}"))
    };
    let messages = Store::import(&text).map_err(unfit)?;
    if messages.is_empty() {
        return Err(Problem::new(StatusCode::UNPROCESSABLE_ENTITY, "The text has no messages."));
    }
    let model = host.model.clone().unwrap_or_default();
    let workspace = host.root.clone();
    let new = NewConversation { id: id.clone(), name: None, model, workspace, parent: None };
    let session_id = host
        .store(move |store| {
            store.create_with(&owner, &new, &messages)?;
            store.session(&owner, &new.id)
        })
        .await?;
    Ok(Json(Created { status: "ok", conversation_id: id, session_id }))
}
