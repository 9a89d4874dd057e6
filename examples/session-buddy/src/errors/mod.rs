//! Error → attempts → fix.
//!
//! **Watches** errors, edits and tool calls. An error of a tool opens an event in the session's memory; each edit and each
//! other command that succeeds afterwards is an attempt at it; the first time that the very call that failed succeeds, the
//! last attempt was the fix and the chain is closed. The same text again (paths, numbers, addresses, hashes and times
//! aside) is the same event and only counts. **Speaks** when an error comes that is like one which was fixed: what
//! fixed it, to the model, once for each event. **Keeps** errors, attempts and chains in the database, what is open in
//! the session's state, so that a resumed session closes what another process opened.
//!
//! Limits: an error that is no tool's (a model's, a hook's) has no call that could be run again, so it is recorded and
//! stays open. What a model does in another way than with tools is not seen.

mod chains;
mod fingerprint;
mod similar;

use std::borrow::Cow;

use hookspec::hooks::Failure;
use hookspec::points::{ERROR, ErrorSource, TOOL_PRE_EXECUTE};
use hookspec::{Message, Session, ToolUse, hook};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::ordering::rank;
use crate::store::{self, Store, StoreError, short};

pub use chains::{Attempt, Chain, ErrorRow, KindRow, Seen};
pub use fingerprint::{fingerprint, kind, mask, own_words};
pub use similar::{Embed, Embedder, Similar};

/// Open errors of a session that are followed; the oldest is given up for a further one.
const MOST_OPEN: usize = 20;
/// Characters of a difference that are kept.
const CHANGES: usize = 4000;

/// What a session has open.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Memory {
    open: Vec<Open>,
    /// The call that runs.
    call: Option<String>,
    /// Whether it has changed a file.
    pub(crate) edited: bool,
}

/// An error that nothing has fixed yet.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Open {
    error: i64,
    /// The call that failed.
    call: String,
    /// The last attempt at it.
    last: Option<i64>,
}

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

/// Notes which call runs.
#[hook(TOOL_PRE_EXECUTE, name = "buddy.note_call", priority = rank(10, 0), fail_open)]
fn note_call(tool_use: &ToolUse, state: &mut Memory) {
    state.call = Some(call_key(tool_use));
    state.edited = false;
}

/// Records the error; where a similar one was fixed before, tells the model how.
#[hook(ERROR, name = "buddy.track_error", priority = rank(10, 0), on_error = not_recorded)]
fn track_error(
    source: ErrorSource,
    error: &str,
    retryable: bool,
    attempt: u32,
    session: &Session,
    state: &mut Memory,
) -> Result<Option<Message>, StoreError> {
    if error.trim().is_empty() || (retryable && attempt > 0) {
        return Ok(None);
    }
    let call = (source == ErrorSource::Tool).then(|| state.call.clone()).flatten();
    let context = json!({ "source": source, "call": call.as_deref().map(|call| short(call, 500)), "project": store::project(session) });
    let error = &described(error, call.as_deref());
    let embedding = session.extension::<Embedder>().and_then(|embedder| embedder.embed(error));
    let at = session.clock().now();
    store::with(session, |store| {
        let seen = Seen {
            session: session.id(),
            message: error,
            context: &context,
            at,
            embedding: embedding.as_deref(),
        };
        let Some((id, times)) = store.record_error(seen)? else { return Ok(None) };
        if state.open.iter().any(|open| open.error == id) {
            return Ok(None);
        }
        if times > 1 {
            store.reopen(id, at)?;
        }
        if let Some(call) = call {
            state.open.push(Open { error: id, call, last: None });
            if state.open.len() > MOST_OPEN {
                state.open.remove(0);
            }
        }
        Ok(store.similar(error, embedding.as_deref(), 1)?.first().map(|found| Message::system(remedy(found))))
    })
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

/// What the model is told.
fn remedy(found: &Similar) -> String {
    let mut text = format!(
        "<session_buddy>An error like this was fixed before (chain {}, similarity {:.2}, after {}). The fix: {}",
        found.chain,
        found.similarity,
        crate::metrics::minutes(found.minutes),
        found.action
    );
    if !found.changes.is_empty() {
        text.push_str(&format!("\n{}", short(found.changes.trim_end(), 1500)));
    }
    text.push_str("\nIt may not fit here: check before you repeat it.</session_buddy>");
    text
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
    store::with(session, |store| {
        for open in &mut state.open {
            open.last = store.record_attempt(open.error, action, &short(changes, CHANGES), at)?.or(open.last);
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
    let key = call_key(call);
    let at = session.clock().now();
    let (fixed, open): (Vec<Open>, Vec<Open>) = state.open.drain(..).partition(|open| open.call == key);
    state.open = open;
    let closed =
        if fixed.is_empty() { Vec::new() } else { store::with(session, |store| close(store, &fixed, at))? };
    if is_command && !state.edited {
        tried(session, state, &format!("ran `{}`", short(&call_text(call), 500)), "")?;
    }
    let told = closed.iter().map(|chain| {
        let Chain { id, error, fix, minutes, .. } = chain;
        format!(
            "chain {id}: error {} ({}) is fixed after {}: {}",
            error.id,
            error.kind,
            crate::metrics::minutes(*minutes),
            fix.action
        )
    });
    let told: Vec<String> = told.collect();
    Ok((!told.is_empty())
        .then(|| Message::system(format!("<session_buddy>{}</session_buddy>", told.join("\n"))).hidden()))
}

/// Makes chains of what was fixed: the last attempt was the fix.
fn close(store: &mut Store, fixed: &[Open], at: Timestamp) -> Result<Vec<Chain>, StoreError> {
    let mut closed = Vec::new();
    for open in fixed {
        let fix = match open.last {
            Some(last) => Some(last),
            // Nothing was done in between: that it ran again is all there is to tell.
            None => store.record_attempt(open.error, "ran it again, unchanged", "", at)?,
        };
        if let Some(fix) = fix
            && let Some(chain) = store.resolve(open.error, fix)?
        {
            closed.extend(store.chain(chain)?);
        }
    }
    Ok(closed)
}

/// The text of the last error that this session has open.
pub(crate) fn last_open(session: &Session) -> Option<String> {
    let error = session.state_now::<Memory>().ok()?.open.last()?.error;
    store::with(session, |store| store.error(error)).ok()?.map(|row| row.message)
}
