//! Error → attempts → fix.
//!
//! **Watches** errors, edits and tool calls. An error of a tool opens an event in the session's memory; each edit and each
//! other command that succeeds afterwards is an attempt at it; the first time that the call that failed succeeds (a command: the
//! same program on the same targets, [`crate::checks`]), the last attempt that can have mended it ([`related`]) was the fix and the
//! chain is closed. Where nothing was changed in between, that is said; where only other things were, there is no fix. The same text again (paths, numbers, addresses, hashes and times
//! aside) is the same event and only counts. **Speaks** when an error comes that is like one which was fixed in this project, or
//! in one that the user linked to it: what fixed it, once for each event, as a quotation in the result of the call that failed.
//! **Keeps** errors, attempts and chains in the database, what is open in the session's state, so that a resumed session closes
//! what another process opened.
//!
//! Limits: an error that is no tool's (a model's, a hook's) has no call that could be run again, so it is recorded and
//! stays open. What a model does in another way than with tools is not seen.

mod chains;
mod fingerprint;
mod related;
mod similar;

use std::borrow::Cow;

use hookspec::hooks::Failure;
use hookspec::points::{ERROR, ErrorSource, TOOL_PRE_EXECUTE, TOOL_RESULT_TRANSFORM};
use hookspec::{Fold, Message, Session, ToolUse, hook};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::checks;
use crate::ordering::rank;
use crate::quote::quoted;
use crate::settings::Settings;
use crate::store::{self, Scope, Store, StoreError, short};

use related::{Complaint, Standing};

pub use chains::{Attempt, Chain, ErrorRow, KindRow, Seen};
pub use fingerprint::{fingerprint, kind, mask, own_words};
pub(crate) use similar::count_words;
pub use similar::{Embed, Embedder, Similar};

/// Open errors of a session that are followed; the oldest is given up for a further one.
const MOST_OPEN: usize = 20;
/// Characters of a difference that are kept.
const CHANGES: usize = 4000;

/// What a session has open.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Memory {
    open: Vec<Open>,
    /// The call that runs.
    call: Option<String>,
    /// What it checks.
    check: Option<String>,
    /// Whether it has changed a file.
    pub(crate) edited: bool,
    /// What is to be told with its result.
    remedy: Option<String>,
}

/// An error that nothing has fixed yet.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Open {
    error: i64,
    /// The call that failed.
    call: String,
    /// What tells the check that failed from others, however it is written; the call, where that cannot be told.
    #[serde(default)]
    check: String,
    /// The attempts at it since then.
    #[serde(default)]
    tried: Vec<i64>,
}

/// Attempts at one error that are followed; the oldest is given up for a further one.
const MOST_TRIED: usize = 100;

/// What tells one call from another: the tool and its texts, however it was written.
pub(crate) fn call_key(call: &ToolUse) -> String {
    format!("{} {}", call.tool, call_text(call))
}

/// A call's texts in one line: its words and its block, or its named arguments that are strings.
pub(crate) fn call_text(call: &ToolUse) -> String {
    let named = call.kwargs.values().filter_map(Value::as_str);
    let all = call.args.iter().map(String::as_str).chain(named).chain([call.content.as_str()]);
    all.flat_map(str::split_whitespace).collect::<Vec<_>>().join(" ")
}

/// What tells a call's check from others: of a command its program and targets, else the call itself.
fn check_key(call: &ToolUse, session: &Session) -> String {
    let settings = session.settings::<Settings>();
    let is_command = settings.command_tools.contains(&call.tool);
    let script = if is_command { command_of(call) } else { None };
    let identity = script.and_then(|script| checks::identity(&script, &session.cwd()));
    identity.unwrap_or_else(|| call_key(call))
}

/// A command's text, as it was written.
pub(crate) fn command_of(call: &ToolUse) -> Option<String> {
    let text = call.text("command").map(Cow::into_owned);
    text.or_else(|| (!call.content.is_empty()).then(|| call.content.clone()))
}

/// Notes which call runs.
#[hook(TOOL_PRE_EXECUTE, name = "buddy.note_call", priority = rank(10, 0), fail_open)]
fn note_call(tool_use: &ToolUse, session: &Session, state: &mut Memory) {
    // As they are kept, so that a resumed session knows them again.
    state.call = Some(store::kept(session, &call_key(tool_use)));
    state.check = Some(store::kept(session, &check_key(tool_use, session)));
    state.edited = false;
    state.remedy = None;
}

/// Records the error, and looks up how one like it was fixed.
#[hook(ERROR, name = "buddy.track_error", priority = rank(10, 0), on_error = not_recorded)]
fn track_error(
    source: ErrorSource,
    error: &str,
    retryable: bool,
    attempt: u32,
    session: &Session,
    state: &mut Memory,
) -> Result<(), StoreError> {
    if error.trim().is_empty() || (retryable && attempt > 0) {
        return Ok(());
    }
    let call = (source == ErrorSource::Tool).then(|| state.call.clone()).flatten();
    let project = &store::project(session);
    let context = json!({ "source": source, "call": call.as_deref().map(|call| short(call, 500)) });
    let error = &store::kept(session, &described(error, call.as_deref()));
    let embedding = session.extension::<Embedder>().and_then(|embedder| embedder.embed(error));
    let at = session.clock().now();
    store::keep(session, |store| {
        let seen = Seen {
            session: session.id(),
            project,
            message: error,
            context: &context,
            at,
            embedding: embedding.as_deref(),
        };
        let Some((id, times)) = store.record_error(seen)? else { return Ok(()) };
        if state.open.iter().any(|open| open.error == id) {
            return Ok(());
        }
        if times > 1 {
            store.reopen(id, at)?;
        }
        // What is no call's has no result with which it could be told.
        let Some(call) = call else { return Ok(()) };
        let check = state.check.clone().unwrap_or_else(|| call.clone());
        state.open.push(Open { error: id, call, check, tried: Vec::new() });
        if state.open.len() > MOST_OPEN {
            state.open.remove(0);
        }
        let found = store.similar(&Scope::of(session), error, embedding.as_deref(), 1)?;
        state.remedy = found.first().map(|found| remedy(found, project));
        Ok(())
    })
}

/// Adds how an error like this one was fixed to the result of the call that failed: before the result is screened.
#[hook(TOOL_RESULT_TRANSFORM, name = "buddy.tell_remedy", priority = 200)]
fn tell_remedy(result: &[Message], state: &mut Memory) -> Option<Fold<Vec<Message>>> {
    let remedy = state.remedy.take()?;
    let mut result = result.to_vec();
    match result.first_mut() {
        Some(first) => first.content.push_str(&format!("\n\n{remedy}")),
        None => result.push(Message::system(remedy)),
    }
    Some(Fold(result))
}

/// The error's text; where a tool failed without a word, the call is what tells it from others.
fn described<'e>(error: &'e str, call: Option<&str>) -> Cow<'e, str> {
    match call {
        Some(call) if own_words(error).trim().is_empty() => {
            Cow::Owned(format!("{error}\n{}", short(call, 500)))
        }
        _ => Cow::Borrowed(error),
    }
}

/// What the model is told of an error like its own, in a session of `project`.
fn remedy(found: &Similar, project: &str) -> String {
    let whose = store::whose(&found.project, project);
    let source = format!("how an error like this was fixed before (chain {} of {whose})", found.chain);
    let mut text = format!(
        "similarity {:.2}, fixed after {}\nthe fix: {}",
        found.similarity,
        crate::metrics::minutes(found.minutes),
        found.action
    );
    if !found.changes.is_empty() {
        text.push_str(&format!("\n{}", short(found.changes.trim_end(), 1500)));
    }
    quoted(&source, &text) + "\n[It may not fit here: check before you repeat it.]"
}

/// A failure of this hook must not fire `ERROR` on and on; it is logged, and that is all.
fn not_recorded(failure: &Failure, session: &Session) {
    tracing::warn!(session = session.id(), %failure, "an error was not recorded");
}

/// Something was tried, successfully as far as it goes: an attempt at every open error.
pub(crate) fn tried(
    session: &Session,
    state: &mut Memory,
    action: &str,
    changes: &str,
) -> Result<(), StoreError> {
    if state.open.is_empty() {
        return Ok(());
    }
    let at = session.clock().now();
    let (action, changes) = (store::kept(session, action), store::kept(session, changes));
    store::keep(session, |store| {
        for open in &mut state.open {
            open.tried.extend(store.record_attempt(open.error, &action, &short(&changes, CHANGES), at)?);
            if open.tried.len() > MOST_TRIED {
                open.tried.remove(0);
            }
        }
        Ok(())
    })
}

/// A call succeeded: what failed as this call is fixed, and anything else has been tried. Gives the chains that were
/// closed, for the timeline and the model.
pub(crate) fn succeeded(
    session: &Session,
    state: &mut Memory,
    call: &ToolUse,
    is_command: bool,
) -> Result<Option<Message>, StoreError> {
    let key = store::kept(session, &call_key(call));
    let check = store::kept(session, &check_key(call, session));
    let at = session.clock().now();
    let is_fixed = |open: &Open| open.call == key || open.check == check;
    let (fixed, open): (Vec<Open>, Vec<Open>) = state.open.drain(..).partition(is_fixed);
    state.open = open;
    let closed = if fixed.is_empty() {
        Vec::new()
    } else {
        store::keep(session, |store| close(store, session, &fixed, at))?
    };
    if is_command && !state.edited {
        // Redacted whole: half a secret is known to nobody.
        let command = short(&store::kept(session, &call_text(call)), 500);
        tried(session, state, &format!("ran `{command}`"), "")?;
    }
    // Numbers and nothing else: what was done is in the conversation already, in words that are not ours.
    let told = closed.iter().map(|chain| {
        let Chain { id, error, fix, minutes, .. } = chain;
        let after = crate::metrics::minutes(*minutes);
        format!("chain {id}: error {} is fixed after {after} by attempt {}", error.id, fix.id)
    });
    let told: Vec<String> = told.collect();
    Ok((!told.is_empty())
        .then(|| Message::system(format!("<session_buddy>{}</session_buddy>", told.join("\n"))).hidden()))
}

/// Makes chains of what was fixed: the last attempt that can have mended it was the fix.
fn close(
    store: &mut Store,
    session: &Session,
    fixed: &[Open],
    at: Timestamp,
) -> Result<Vec<Chain>, StoreError> {
    let mut closed = Vec::new();
    for open in fixed {
        if let Some(fix) = fix(store, session, open, at)?
            && let Some(chain) = store.resolve(open.error, fix)?
        {
            closed.extend(store.chain(chain)?);
        }
    }
    Ok(closed)
}

/// The attempt that was the fix, if any was.
fn fix(store: &mut Store, session: &Session, open: &Open, at: Timestamp) -> Result<Option<i64>, StoreError> {
    let Some(error) = store.error(open.error)? else { return Ok(None) };
    let complaint = Complaint { text: &error.message, call: &open.call, workspace: session.workspace() };
    let attempts = store.attempts(open.error)?;
    let tried: Vec<(i64, Standing)> = attempts
        .iter()
        .filter(|attempt| open.tried.contains(&attempt.id))
        .map(|attempt| (attempt.id, related::standing(attempt, &complaint)))
        .collect();
    if let Some((related, _)) = tried.iter().rfind(|(_, standing)| *standing == Standing::Related) {
        return Ok(Some(*related));
    }
    if tried.iter().any(|(_, standing)| *standing == Standing::Elsewhere) {
        // It went by itself, or by what nobody can tell: no reason to repeat the edit elsewhere.
        return Ok(None);
    }
    // Nothing was changed in between: that it ran again is all there is to tell.
    store.record_attempt(open.error, "ran it again, unchanged", "", at)
}

/// The text of the last error that this session has open.
pub(crate) fn last_open(session: &Session) -> Option<String> {
    let error = session.state_now::<Memory>().ok()?.open.last()?.error;
    store::with(session, |store| store.error(error)).ok()?.map(|row| row.message)
}
