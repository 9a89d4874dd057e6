//! Hooks whose point is known only at run time: they get the event as JSON and answer as JSON.
//!
//! A configuration file names a point; a program somewhere else answers. What comes back is checked against
//! the point's verdict when the hook has run, where the compiler would have checked it for `#[hook]`: a
//! refusal at a point that has no gate, or a value of the wrong shape, is a failure of that hook.

use std::any::{TypeId, type_name};
use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::entry::{Call, Hook, Options};
use crate::flow::Flow;
use crate::message::Message;
use crate::outcome::{BoxError, Outcome};
use crate::point::{AnyPoint, Point};
use crate::session::Session;
use crate::verdict::{Gate, Never, Verdict};

/// What a [`JsonHook`] says.
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

/// The function behind a [`JsonHook`]: the event's JSON and the session come in.
pub type JsonCall = dyn Fn(Value, &Session) -> Result<JsonOutcome, BoxError> + Send + Sync;

/// A hook at a point that is chosen at run time.
///
/// ```
/// use std::sync::Arc;
/// use hookspec::{find_point, JsonHook, JsonOutcome, Message, Registry};
///
/// let Some(point) = find_point("file.save.post") else { return Ok(()) };
/// let hook = JsonHook::new(point, "audit.saved", Arc::new(|event, _session| {
///     let text = format!("saved {}", event["path"]);
///     Ok(JsonOutcome { messages: vec![Message::system(text)], ..JsonOutcome::default() })
/// }));
/// let registry = Registry::builder().register_json(hook).build()?;
/// assert!(registry.hook("audit.saved").is_some());
/// # Ok::<(), hookspec::BuildError>(())
/// ```
#[derive(Clone)]
pub struct JsonHook {
    pub(crate) point: &'static dyn AnyPoint,
    name: String,
    docs: Cow<'static, str>,
    options: Options,
    barred: Option<String>,
    call: Arc<JsonCall>,
    at: &'static std::panic::Location<'static>,
    place: Option<(String, u32)>,
}

impl JsonHook {
    /// A hook of that name at that point.
    #[track_caller]
    pub fn new(point: &'static dyn AnyPoint, name: impl Into<String>, call: Arc<JsonCall>) -> Self {
        let at = std::panic::Location::caller();
        Self {
            point,
            name: name.into(),
            docs: Cow::Borrowed(""),
            options: Options::DEFAULT,
            barred: None,
            call,
            at,
            place: None,
        }
    }

    /// Its options. A hook that waits for something outside wants [`Placement::Blocking`](crate::Placement)
    /// and a timeout.
    #[must_use]
    pub fn options(mut self, options: Options) -> Self {
        self.options = options;
        self
    }

    /// Keeps it from running, for this reason, whatever any list says: it is listed as off. For hooks that the
    /// user has yet to agree to.
    #[must_use]
    pub fn barred(mut self, why: impl Into<String>) -> Self {
        self.barred = Some(why.into());
        self
    }

    /// Where it was written: a configuration file and a line of it. Lists and complaints show this instead of
    /// the place in the host's source.
    #[must_use]
    pub fn written_at(mut self, file: impl Into<String>, line: u32) -> Self {
        self.place = Some((file.into(), line));
        self
    }

    /// What `list` shows of it.
    #[must_use]
    pub fn docs(mut self, docs: impl Into<Cow<'static, str>>) -> Self {
        self.docs = docs.into();
        self
    }

    /// The same hook with the point's types. Called by the point, which knows them.
    pub(crate) fn typed<P: Point>(self) -> Hook<P> {
        let call = self.call;
        Hook {
            name: self.name,
            package: "",
            docs: self.docs,
            options: self.options,
            barred: self.barred,
            call: Call::Closure(Arc::new(move |event, session, out| {
                let said = serde_json::to_value(event)
                    .map_err(BoxError::from)
                    .and_then(|event| call(event, session))
                    .and_then(|outcome| tell::<P>(outcome, out));
                if let Err(error) = said {
                    out.fail(error);
                }
            })),
            on_error: None,
            at: self.at,
            place: self.place,
        }
    }
}

impl fmt::Debug for JsonHook {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("JsonHook")
            .field("point", &self.point.info().name)
            .field("name", &self.name)
            .field("options", &self.options)
            .finish_non_exhaustive()
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

fn tell<P: Point>(outcome: JsonOutcome, out: &mut Outcome<P::Verdict>) -> Result<(), BoxError> {
    let JsonOutcome { messages, gate, fold, first, flow } = outcome;
    // Messages stand whatever becomes of the rest: nothing that a hook said is lost.
    for message in messages {
        out.message(message);
    }
    out.flow(flow);
    if let Some(gate) = gate {
        if !<P::Verdict as Verdict>::GATE {
            return Err(not_taken::<P>("gate verdict").into());
        }
        out.gate(gate);
    }
    if let Some(value) = fold {
        out.fold(read::<P, _>("replacement", value)?);
    }
    if let Some(value) = first {
        out.first(read::<P, _>("first answer", value)?);
    }
    Ok(())
}

fn read<P: Point, T: DeserializeOwned + 'static>(what: &'static str, value: Value) -> Result<T, Misfit> {
    if TypeId::of::<T>() == TypeId::of::<Never>() {
        return Err(not_taken::<P>(what));
    }
    serde_json::from_value(value).map_err(|source| Misfit::Shape { what, wanted: type_name::<T>(), source })
}

fn not_taken<P: Point>(what: &'static str) -> Misfit {
    Misfit::NotTaken { what, point: P::INFO.name, verdict: P::INFO.verdict }
}
