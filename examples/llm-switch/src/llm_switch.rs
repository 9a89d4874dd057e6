//! The hooks and the tool.
//!
//! `GENERATION_PRE` is the moment at which the model of a call is known for good, whoever chose it, retries included; a hook there
//! holds the call back for as long as it takes. `TURN_POST` and `SESSION_END` say when a session rests and when it is really over.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

use hookspec::model::Request;
use hookspec::points::{GENERATION_PRE, SESSION_END, TURN_POST};
use hookspec::session::InterruptReason;
use hookspec::tool::ToolError;
use hookspec::{Message, Session, hook, tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::config::{Config, ConfigError};
use crate::error::StartError;
use crate::keeper::{Phase, Serving};
use crate::shared::switch_of;
use crate::source::in_workspace;
use crate::switch::Switch;
use crate::wait;

/// `[hooks.llm_switch]` in `hookspec.toml`.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Settings {
    /// The file of local models.
    pub file: Option<PathBuf>,
}

/// What a session was told, and where it came from.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
struct Memory {
    /// The last fault of the file.
    fault: Option<String>,
    /// The last model whose context was found too small.
    too_small: Option<String>,
    /// The model before the tool switched to a local one.
    before: Option<String>,
    /// The models whose addresses are servers of ours.
    pointed: BTreeSet<String>,
}

/// Holds a call to a local model until its server is up.
#[hook(GENERATION_PRE, priority = -1000, timeout = "never", budget = "60m")]
async fn hold(request: &Request, session: &Session, settings: &Settings) -> Result<(), StartError> {
    let Some(switch) = switch_of(session, settings) else { return Ok(()) };
    let config = in_force(&switch, session).unwrap_or_default();
    let Some(key) = config.key_of(&request.model) else {
        switch.leave(session);
        point_away(session, &request.model);
        return Ok(());
    };
    // An interrupt is seen by the engine too, and the call does not go out.
    let Some(ensured) = wait::ensure(&switch, session, &config, key).await else { return Ok(()) };
    match ensured {
        Ok(serving) => {
            point_at(session, &request.model, &serving);
            warn_of_size(session, &serving, size(&request.messages));
            Ok(())
        }
        Err(error) => {
            // Whoever answers there, if anybody does, must not read the conversation.
            tell(session, sentence(format!("The call to the model was held back: {error}")));
            session.interrupt(InterruptReason::Hook);
            Err(error)
        }
    }
}

/// A session rests: others may switch to another model.
#[hook(TURN_POST, priority = -1000)]
fn rest(session: &Session, settings: &Settings) {
    if let Some(switch) = switch_of(session, settings) {
        switch.rest(session);
    }
}

/// The last session that ends takes the server with it.
#[hook(SESSION_END, priority = -1000, timeout = "20s", budget = "10s")]
async fn end(session: &Session, settings: &Settings) {
    if let Some(switch) = switch_of(session, settings) {
        switch.end(session).await;
    }
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct SwitchTo {
    /// The key of a local model, or `status`, `stop` or `list`.
    model: String,
}

/// Switches this session to a local model and starts its server: give the model's key. `list` says which keys there are, `status` what
/// runs, and `stop` stops the server and goes back to the model before.
#[tool(args = [model])]
async fn switch_local_llm(args: SwitchTo, session: &Session) -> Result<String, ToolError> {
    let settings = session.settings::<Settings>();
    let no_models =
        || ToolError::Failed("There are no local models, since there is no file that names them.".into());
    let switch = switch_of(session, &settings).ok_or_else(no_models)?;
    let reading = look(&switch, session);
    let config = match (reading.0, reading.1) {
        (Some(config), _) => config,
        (None, Some(fault)) => return Err(ToolError::Failed(format!("There are no local models: {fault}."))),
        (None, None) => return Err(no_models()),
    };
    let said = match args.model.trim() {
        "status" => status(&switch, session),
        "list" => list(&config),
        "stop" => stop(&switch, session, &config).await?,
        key => switch_to(&switch, session, &config, key).await?,
    };
    Ok(said.to_string())
}

fn status(switch: &Switch, session: &Session) -> Value {
    let status = switch.status();
    let mut said = json!(status);
    said["running"] = json!(status.phase == Phase::Ready);
    said["session_model"] = json!(session.model());
    said
}

fn list(config: &Config) -> Value {
    config.models.iter().map(|(key, entry)| (key.clone(), json!(entry.words(key)))).collect()
}

async fn stop(switch: &Switch, session: &Session, config: &Config) -> Result<Value, ToolError> {
    if session.parent().is_some() {
        return Err(ToolError::Failed("A sub-agent does not stop the local model of others.".into()));
    }
    switch.stop(session).await.map_err(failed)?;
    let mut said = json!({ "status": "stopped" });
    if config.key_of(&session.model()).is_some() {
        match memory(session, |memory| memory.before.take()) {
            Some(before) => session.set_model(before),
            None => {
                let note = "this session's model is a local one: its next call starts the server again";
                said["note"] = json!(note);
            }
        }
    }
    said["session_model"] = json!(session.model());
    Ok(said)
}

async fn switch_to(
    switch: &Switch,
    session: &Session,
    config: &Config,
    key: &str,
) -> Result<Value, ToolError> {
    let Some(entry) = config.models.get(key) else {
        let known: Vec<_> = config.models.keys().map(|key| format!("`{key}`")).collect();
        return Err(ToolError::Failed(format!(
            "There is no local model `{key}`; the models are {}.",
            if known.is_empty() { "none".to_owned() } else { known.join(", ") }
        )));
    };
    let Some(ensured) = wait::ensure(switch, session, config, key).await else {
        return Err(ToolError::Interrupted(format!("The switch to `{key}` was interrupted.")));
    };
    let serving = ensured.map_err(failed)?;
    let now = session.model();
    let model = if config.key_of(&now) == Some(key) { now.clone() } else { entry.spec(key) };
    if config.key_of(&now).is_none() {
        memory(session, |memory| memory.before = Some(now));
    }
    session.set_model(&model);
    point_at(session, &model, &serving);
    let log = session.log();
    let tokens = size(log.iter().map(|message| &**message));
    let mut said = json!({
        "status": "ready",
        "model": key,
        "description": entry.words(key),
        "endpoint": serving.endpoint,
        "context": serving.context,
        "session_model": model,
    });
    if let Some(warning) = too_small(&serving, tokens) {
        said["warning"] = json!(warning);
        memory(session, |memory| memory.too_small = Some(key.to_owned()));
    }
    Ok(said)
}

/// With its full stop, unless it ends with lines of a log.
fn sentence(text: String) -> String {
    if text.contains('\n') { text } else { text + "." }
}

fn failed(error: StartError) -> ToolError {
    ToolError::Failed(sentence(format!("The local model was not switched: {error}")))
}

/// The file as far as it may be used, and what is wrong with it.
fn look(switch: &Switch, session: &Session) -> (Option<Arc<Config>>, Option<ConfigError>) {
    let reading = switch.read();
    if reading.config.is_some() && in_workspace(switch.path(), session.workspace()) {
        return (None, Some(ConfigError::InWorkspace(switch.path().to_owned())));
    }
    (reading.config, reading.fault)
}

/// The file as far as it may be used. The session is told once what is wrong with it.
fn in_force(switch: &Switch, session: &Session) -> Option<Arc<Config>> {
    let (config, fault) = look(switch, session);
    let fault = fault.map(|fault| fault.to_string());
    let news = memory(session, |memory| {
        let news = fault.is_some() && memory.fault != fault;
        memory.fault.clone_from(&fault);
        news
    });
    if news && let Some(fault) = fault {
        let until = if config.is_some() { "; what it said before stays in force until then" } else { "" };
        tell(session, format!("There is something wrong with the local models: {fault}{until}."));
    }
    config
}

fn tell(session: &Session, text: String) {
    // Where it cannot be stored, the host learns that before it calls the model.
    let _ = session.append(Message::system(text).said_by("llm_switch.hold"));
}

/// Says where the calls to a model go. A script has no address, and must not be opened again for one.
fn point_at(session: &Session, model: &str, serving: &Serving) {
    if !model.starts_with("replay") {
        session.set_model_address(model, Some(serving.endpoint.clone()));
        memory(session, |memory| memory.pointed.insert(model.to_owned()));
    }
}

/// Takes that back of a model that is not a local one any more: somebody else may be at that address by now.
fn point_away(session: &Session, model: &str) {
    if memory(session, |memory| memory.pointed.remove(model)) {
        session.set_model_address(model, None);
    }
}

fn memory<T: Default>(session: &Session, with: impl FnOnce(&mut Memory) -> T) -> T {
    match session.state_now::<Memory>() {
        Ok(mut memory) => with(&mut memory),
        Err(error) => {
            tracing::warn!(%error, "what this session was told of local models is not known");
            T::default()
        }
    }
}

/// About how many tokens a conversation has: a quarter of its bytes, as is usual for English, or what the last model counted.
fn size<'a>(messages: impl IntoIterator<Item = &'a Message>) -> u64 {
    let (mut bytes, mut counted) = (0, 0);
    for message in messages {
        bytes += message.content.len() as u64;
        counted =
            message.metadata.as_ref().and_then(|data| data.usage).map_or(counted, |usage| usage.total());
    }
    counted.max(bytes / 4)
}

fn too_small(serving: &Serving, tokens: u64) -> Option<String> {
    (tokens > u64::from(serving.context)).then(|| {
        format!(
            "the conversation has about {tokens} tokens and the local model `{}` takes {}; raise `models.{}.context`, or begin a new session",
            serving.key, serving.context, serving.key
        )
    })
}

/// Warns once of each model whose context is smaller than the conversation.
fn warn_of_size(session: &Session, serving: &Serving, tokens: u64) {
    let Some(warning) = too_small(serving, tokens) else { return };
    let key = Some(serving.key.clone());
    if memory(session, |memory| std::mem::replace(&mut memory.too_small, key.clone()) != key) {
        tell(session, format!("This may not fit: {warning}."));
    }
}
