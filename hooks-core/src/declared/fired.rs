//! Fired: what all hooks of a point said together.

use std::fmt;
use std::sync::Arc;

use serde::Serialize;

use crate::base::json::{Value, or_null};
use crate::declared::failure::Failure;
use crate::plain::flow::Flow;
use crate::plain::message::Message;
use crate::plain::verdict::{First, Fold, Gate, Verdict};

/// What firing a point came to. One pointer wide, and null when every hook was silent.
///
/// Messages are already in the session's log (but for points that are `transient`), so a host usually
/// looks only at the verdict, the flow and the failures.
#[must_use = "a gate's verdict, a fold's value or the end of the session may be in it"]
pub struct Fired<V: Verdict>(pub(crate) Option<Box<Told<V>>>);

pub(crate) struct Told<V: Verdict> {
    pub(crate) messages: Vec<Arc<Message>>,
    pub(crate) gate: Option<(Gate, String)>,
    pub(crate) fold: Option<V::Fold>,
    pub(crate) first: Option<(V::First, String)>,
    pub(crate) flow: Flow,
    pub(crate) failures: Vec<Failure>,
}

impl<V: Verdict> Default for Told<V> {
    fn default() -> Self {
        Self {
            messages: Vec::new(),
            gate: None,
            fold: None,
            first: None,
            flow: Flow::Continue,
            failures: Vec::new(),
        }
    }
}

impl<V: Verdict> Fired<V> {
    pub(crate) const SILENT: Self = Self(None);

    pub(crate) fn told(&mut self) -> &mut Told<V> {
        self.0.get_or_insert_default()
    }

    /// What the hooks emitted, in order.
    pub fn messages(&self) -> &[Arc<Message>] {
        self.0.as_ref().map_or(&[], |told| &told.messages)
    }

    /// The same, by value.
    pub fn into_messages(self) -> Vec<Message> {
        let messages = self.0.map_or_else(Vec::new, |told| told.messages);
        messages.into_iter().map(Arc::unwrap_or_clone).collect()
    }

    /// Whether a hook ended the chain or the session.
    pub fn flow(&self) -> &Flow {
        self.0.as_ref().map_or(&Flow::Continue, |told| &told.flow)
    }

    /// The hooks that failed.
    pub fn failures(&self) -> &[Failure] {
        self.0.as_ref().map_or(&[], |told| &told.failures)
    }

    /// The reason for which the session shall end, if a hook said so.
    pub fn session_end(&self) -> Option<&str> {
        match self.flow() {
            Flow::EndSession(reason) => Some(reason),
            Flow::Continue | Flow::Stop => None,
        }
    }

    pub(crate) fn into_json(self) -> FiredJson {
        let told = self.0.map_or_else(Told::default, |told| *told);
        FiredJson {
            messages: told.messages.into_iter().map(Arc::unwrap_or_clone).collect(),
            gate: told.gate.map(|(gate, _)| gate),
            fold: told.fold.and_then(or_null),
            first: told.first.and_then(|(first, _)| or_null(first)),
            flow: told.flow,
            failures: told.failures,
        }
    }
}

/// The verdict of a point with a gate.
impl<V: Gated> Fired<V> {
    /// The strictest answer; `None` when no hook had an opinion.
    pub fn gate(&self) -> Option<&Gate> {
        self.0.as_ref()?.gate.as_ref().map(|(gate, _)| gate)
    }

    /// The hook whose answer that is.
    pub fn gate_hook(&self) -> Option<&str> {
        self.0.as_ref()?.gate.as_ref().map(|(_, hook)| hook.as_str())
    }

    /// The reason of a refusal, and the hook that refused.
    pub fn denied(&self) -> Option<(&str, &str)> {
        match &self.0.as_ref()?.gate {
            Some((Gate::Deny(reason), hook)) => Some((reason, hook)),
            _ => None,
        }
    }
}

/// The value of a point with a fold.
impl<V: Folded> Fired<V> {
    /// The changed value; `None` when no hook changed it.
    pub fn value(&self) -> Option<&V::Fold> {
        self.0.as_ref()?.fold.as_ref()
    }

    /// Takes the changed value out.
    pub fn take_value(&mut self) -> Option<V::Fold> {
        self.0.as_mut()?.fold.take()
    }
}

/// The answer at a point that takes the first one.
impl<T> Fired<First<T>>
where
    First<T>: Verdict<First = T>,
{
    /// The answer, if any hook had one.
    pub fn answer(&self) -> Option<&T> {
        self.0.as_ref()?.first.as_ref().map(|(answer, _)| answer)
    }

    /// Takes the answer out, with the name of the hook that gave it.
    pub fn take_answer(&mut self) -> Option<(T, String)> {
        self.0.as_mut()?.first.take()
    }
}

/// Verdicts with a gate.
pub trait Gated: Verdict {}
impl Gated for Gate {}
impl<T> Gated for (Gate, Fold<T>) where (Gate, Fold<T>): Verdict {}

/// Verdicts with a fold.
pub trait Folded: Verdict {}
impl<T> Folded for Fold<T> where Fold<T>: Verdict {}
impl<T> Folded for (Gate, Fold<T>) where (Gate, Fold<T>): Verdict {}

impl<V: Verdict> fmt::Debug for Fired<V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Fired")
            .field("messages", &self.messages())
            .field("gate", &self.0.as_ref().and_then(|told| told.gate.as_ref()))
            .field("flow", self.flow())
            .field("failures", &self.failures())
            .finish_non_exhaustive()
    }
}

/// What firing a point came to, with the types taken off.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct FiredJson {
    /// What the hooks emitted, in order.
    pub messages: Vec<Message>,
    /// The strictest answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gate: Option<Gate>,
    /// The changed value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fold: Option<Value>,
    /// The first answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first: Option<Value>,
    /// Whether a hook ended the chain or the session.
    pub flow: Flow,
    /// The hooks that failed.
    pub failures: Vec<Failure>,
}
