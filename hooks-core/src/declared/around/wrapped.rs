//! Wrapped: what came of work with hooks around it.

use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use crate::base::json::Value;
use crate::declared::failure::Failure;
use crate::declared::fired::FiredJson;
use crate::plain::flow::Flow;
use crate::plain::message::Message;

/// What came of work with hooks around it, and what the hooks said.
///
/// Messages are already in the session's log (but for points that are `transient`), as with [`Fired`](crate::point::Fired).
#[must_use = "what the work gave is in it"]
pub struct Wrapped<T> {
    pub(crate) result: Result<T, Lost>,
    pub(crate) heard: Option<Box<Heard>>,
}

/// Says that what is lent to work for `'a` is lent within what the work borrows by itself, for `'w`: the second argument of work at
/// a [`Handle`](crate::registry::Handle). There is nothing in it.
pub type Within<'a, 'w> = PhantomData<&'a &'w ()>;

/// What the hooks said beside answers.
#[derive(Default)]
pub(crate) struct Heard {
    pub(crate) messages: Vec<Arc<Message>>,
    pub(crate) flow: Flow,
    pub(crate) failures: Vec<Failure>,
    /// The hook whose answer stands.
    pub(crate) by: Option<String>,
}

/// There is no result: a hook dropped the work while it ran, and gave no answer of its own. Nothing is run a second time unless
/// a hook asks for it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the hook `{hook}` cancelled the work and gave no answer in its place")]
#[non_exhaustive]
pub struct Lost {
    /// The hook.
    pub hook: String,
}

impl<T> Wrapped<T> {
    pub(crate) fn bare(result: T) -> Self {
        Self { result: Ok(result), heard: None }
    }

    /// What the work gave, or a hook in its place.
    ///
    /// # Errors
    /// If a hook cancelled the work and gave no answer.
    pub fn result(&self) -> Result<&T, &Lost> {
        self.result.as_ref()
    }

    /// The same, by value.
    ///
    /// # Errors
    /// As with [`Self::result`].
    pub fn into_result(self) -> Result<T, Lost> {
        self.result
    }

    /// The hook whose answer stands; `None` where the result is what the work gave.
    pub fn answered_by(&self) -> Option<&str> {
        self.heard.as_ref()?.by.as_deref()
    }

    /// What the hooks emitted, in the order of their ends.
    pub fn messages(&self) -> &[Arc<Message>] {
        self.heard.as_ref().map_or(&[], |heard| &heard.messages)
    }

    /// Whether a hook ended the chain or the session.
    pub fn flow(&self) -> &Flow {
        self.heard.as_ref().map_or(&Flow::Continue, |heard| &heard.flow)
    }

    /// The hooks that failed.
    pub fn failures(&self) -> &[Failure] {
        self.heard.as_ref().map_or(&[], |heard| &heard.failures)
    }

    /// The reason for which the session shall end, if a hook said so.
    pub fn session_end(&self) -> Option<&str> {
        match self.flow() {
            Flow::EndSession(reason) => Some(reason),
            Flow::Continue | Flow::Stop => None,
        }
    }
}

impl Heard {
    /// The same with the types taken off; `first` is the answer of a hook.
    pub(crate) fn into_json(self, first: Option<Value>) -> FiredJson {
        let Self { messages, flow, failures, .. } = self;
        FiredJson {
            messages: messages.into_iter().map(Arc::unwrap_or_clone).collect(),
            gate: None,
            fold: None,
            first,
            flow,
            failures,
        }
    }
}

impl<T: fmt::Debug> fmt::Debug for Wrapped<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Wrapped")
            .field("result", &self.result)
            .field("answered_by", &self.answered_by())
            .field("messages", &self.messages())
            .field("flow", self.flow())
            .field("failures", &self.failures())
            .finish()
    }
}
