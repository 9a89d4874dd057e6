//! Calling hooks that know their point only at run time: the event goes in as JSON, what comes back is checked against the point.
//!
//! The event of one firing is made JSON once, when the first such hook is called, whichever thread that one runs on; a hook that
//! changed the event makes the next one see it afresh.

use std::any::{TypeId, type_name};
use std::fmt;
use std::ops::Deref;
use std::sync::{Arc, OnceLock};

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::base::boxed::{BoxError, BoxFuture};
use crate::declared::outcome::Outcome;
use crate::plain::flow::Flow;
#[cfg(feature = "config")]
use crate::plain::json_settings::JsonSettings;
use crate::plain::message::Message;
use crate::plain::point_info::PointInfo;
use crate::plain::verdict::{Gate, Never, Verdict};
use crate::session::Session;

/// What a JSON hook is called with: the event, as JSON, and the hook's settings.
///
/// It is the JSON value wherever one is wanted: `event["path"]`, `event.pointer("/tool_use/tool")`. A copy shares it.
#[derive(Clone, Debug)]
pub struct JsonEvent {
    value: Arc<Value>,
    settings: Arc<Map<String, Value>>,
}

impl JsonEvent {
    /// The settings in force of the hook's group: every key that was [declared](crate::hooks::JsonHook::settings), with its default
    /// where the configuration says nothing. Empty for a hook that declared none.
    #[must_use]
    pub fn settings(&self) -> &Map<String, Value> {
        &self.settings
    }

    /// The event by value: copied where another hook has it too.
    #[must_use]
    pub fn into_value(self) -> Value {
        Arc::unwrap_or_clone(self.value)
    }
}

impl Deref for JsonEvent {
    type Target = Value;
    fn deref(&self) -> &Value {
        &self.value
    }
}

/// What a [`JsonHook`](crate::hooks::JsonHook) says.
#[derive(Clone, Debug, Default)]
pub struct JsonOutcome {
    /// Messages, in order.
    pub messages: Vec<Message>,
    /// Its word at a gate.
    pub gate: Option<Gate>,
    /// The value that replaces the point's folded field.
    pub fold: Option<Value>,
    /// The answer at a point that takes the first.
    pub first: Option<Value>,
    /// Whether the chain goes on.
    pub flow: Flow,
}

/// What a JSON hook gives back. An error that is a [`Cause`](crate::hooks::Cause) keeps its kind.
pub type JsonResult = Result<JsonOutcome, BoxError>;

/// The function behind a [`JsonHook`](crate::hooks::JsonHook): the event's JSON and the session come in.
pub type JsonCall = dyn Fn(&JsonEvent, &Session) -> JsonResult + Send + Sync;

/// The same for one that waits: it gives a future, which is dropped where its time is over.
pub type JsonAsyncCall = dyn Fn(JsonEvent, Session) -> BoxFuture<'static, JsonResult> + Send + Sync;

/// The event of one firing as JSON, once somebody asked for it. Copies that are made after [`shared`](Self::shared) are one.
#[derive(Clone, Default)]
pub(crate) struct JsonOnce(Option<Arc<OnceLock<Made>>>);

/// The event, or why it cannot be told.
type Made = Result<Arc<Value>, Arc<str>>;

impl JsonOnce {
    pub(crate) const NONE: Self = Self(None);

    /// The event that was kept is no longer what hooks see.
    pub(crate) fn forget(&mut self) {
        self.0 = None;
    }

    /// For a hook that is called elsewhere, or later, on the same event.
    pub(crate) fn shared(&mut self) -> Self {
        self.0.get_or_insert_default();
        self.clone()
    }

    fn of(&mut self, event: &impl Serialize) -> Result<Arc<Value>, BoxError> {
        let made = self.0.get_or_insert_default().get_or_init(|| {
            serde_json::to_value(event).map(Arc::new).map_err(|error| Arc::from(error.to_string()))
        });
        made.clone().map_err(|why| BoxError::from(format!("its event cannot be told as JSON: {why}")))
    }
}

/// How a JSON hook is called.
#[derive(Clone)]
pub(crate) enum JsonForm {
    Now(Arc<JsonCall>),
    Later(Arc<JsonAsyncCall>),
}

/// A JSON hook as the dispatcher calls it.
pub struct JsonWork {
    pub(crate) form: JsonForm,
    pub(crate) point: &'static PointInfo,
    #[cfg(feature = "config")]
    pub(crate) group: String,
    #[cfg(feature = "config")]
    pub(crate) settings: Option<Arc<JsonSettings>>,
}

impl fmt::Debug for JsonWork {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.is_async() { "JsonWork(async)" } else { "JsonWork(sync)" })
    }
}

impl JsonWork {
    pub(crate) fn is_async(&self) -> bool {
        matches!(self.form, JsonForm::Later(_))
    }

    fn event(
        &self,
        event: &impl Serialize,
        json: &mut JsonOnce,
        session: &Session,
    ) -> Result<JsonEvent, BoxError> {
        let value = json.of(event)?;
        Ok(JsonEvent { value, settings: self.settings(session) })
    }

    /// What the session's registry read for the hook's group; the defaults where it read nothing.
    #[cfg(feature = "config")]
    fn settings(&self, session: &Session) -> Arc<Map<String, Value>> {
        let Some(declared) = &self.settings else { return Arc::default() };
        let registry = session.hooks().borrow();
        let read = registry.settings().of_group::<JsonSettings>(&self.group);
        Arc::clone(read.as_deref().map_or(&declared.values, |read| &read.values))
    }

    #[cfg(not(feature = "config"))]
    fn settings(&self, _: &Session) -> Arc<Map<String, Value>> {
        Arc::default()
    }

    /// Calls one that is not async.
    pub(crate) fn call<V: Verdict>(
        &self,
        event: &impl Serialize,
        json: &mut JsonOnce,
        session: &Session,
        out: &mut Outcome<V>,
    ) {
        let JsonForm::Now(call) = &self.form else { return };
        let said = self.event(event, json, session).and_then(|event| call(&event, session));
        tell(said, self.point, out);
    }

    /// Begins one that is async; `None` for one that is not, and where its event cannot be had, which the outcome says.
    pub(crate) fn begin<'a, V: Verdict>(
        &self,
        event: &impl Serialize,
        json: &mut JsonOnce,
        session: &Session,
        out: &'a mut Outcome<V>,
    ) -> Option<BoxFuture<'a, ()>> {
        let JsonForm::Later(call) = &self.form else { return None };
        match self.event(event, json, session) {
            Ok(event) => {
                let (said, point) = (call(event, session.clone()), self.point);
                Some(Box::pin(async move { tell(said.await, point, out) }))
            }
            Err(error) => {
                out.fail(error);
                None
            }
        }
    }
}

/// An answer that does not fit the point.
#[derive(Debug, thiserror::Error)]
enum Misfit {
    #[error("the hook answered with a {what}, which {point} ({verdict}) does not take")]
    NotTaken { what: &'static str, point: &'static str, verdict: &'static str },
    #[error("the hook's {what} is not a {wanted}: {source}")]
    Shape { what: &'static str, wanted: &'static str, source: serde_json::Error },
}

fn tell<V: Verdict>(said: JsonResult, point: &'static PointInfo, out: &mut Outcome<V>) {
    if let Err(error) = said.and_then(|outcome| fit(outcome, point, out)) {
        out.fail(error);
    }
}

fn fit<V: Verdict>(
    outcome: JsonOutcome,
    point: &'static PointInfo,
    out: &mut Outcome<V>,
) -> Result<(), BoxError> {
    let JsonOutcome { messages, gate, fold, first, flow } = outcome;
    // Messages stand whatever becomes of the rest: nothing that a hook said is lost.
    for message in messages {
        out.message(message);
    }
    out.flow(flow);
    if let Some(gate) = gate {
        if !V::GATE {
            return Err(not_taken("gate verdict", point).into());
        }
        out.gate(gate);
    }
    if let Some(value) = fold {
        out.fold(read("replacement", value, point)?);
    }
    if let Some(value) = first {
        let what = "first answer";
        let answer = V::read_first(value).ok_or_else(|| not_taken(what, point))?;
        out.first(answer.map_err(|source| Misfit::Shape {
            what,
            wanted: type_name::<V::First>(),
            source,
        })?);
    }
    Ok(())
}

fn read<T: DeserializeOwned + 'static>(
    what: &'static str,
    value: Value,
    point: &'static PointInfo,
) -> Result<T, Misfit> {
    if TypeId::of::<T>() == TypeId::of::<Never>() {
        return Err(not_taken(what, point));
    }
    serde_json::from_value(value).map_err(|source| Misfit::Shape { what, wanted: type_name::<T>(), source })
}

fn not_taken(what: &'static str, point: &'static PointInfo) -> Misfit {
    Misfit::NotTaken { what, point: point.name, verdict: point.verdict }
}
