//! Outcomes: what one hook said, and the conversions from return types.

use std::fmt;

use crate::base::boxed::BoxError;
use crate::plain::flow::Flow;
use crate::plain::message::Message;
use crate::plain::options::Origin;
use crate::plain::verdict::{Around, First, Fold, Gate, Messages, Verdict};
use crate::session::{HookState, Session, StateError, StateGuard, Taken, Ticket};

/// What one run of one hook said. One pointer wide, and null while the hook has said nothing, so that a
/// silent hook costs the dispatcher one test.
pub struct Outcome<V: Verdict>(Option<Box<Said<V>>>);

/// The contents of an [`Outcome`] that is not silent.
pub(crate) struct Said<V: Verdict> {
    pub(crate) messages: Vec<Message>,
    pub(crate) gate: Option<Gate>,
    pub(crate) fold: Option<V::Fold>,
    pub(crate) first: Option<V::First>,
    pub(crate) error: Option<BoxError>,
    pub(crate) flow: Flow,
    /// Its turn for the state that it waited for.
    turn: Option<Ticket>,
    /// Why it did not run, where it did not get its state.
    unrun: Option<Unrun>,
}

/// A hook that did not get its state.
pub(crate) enum Unrun {
    /// It has to wait.
    Wait(Ticket),
    /// It never will.
    Never(StateError),
}

impl<V: Verdict> Said<V> {
    pub(crate) fn is_silent(&self) -> bool {
        let Self { messages, gate, fold, first, error, flow, .. } = self;
        messages.is_empty()
            && gate.is_none()
            && fold.is_none()
            && first.is_none()
            && error.is_none()
            && *flow == Flow::Continue
    }
}

impl<V: Verdict> Default for Said<V> {
    fn default() -> Self {
        Self {
            messages: Vec::new(),
            gate: None,
            fold: None,
            first: None,
            error: None,
            flow: Flow::Continue,
            turn: None,
            unrun: None,
        }
    }
}

impl<V: Verdict> Outcome<V> {
    /// Nothing said yet.
    #[must_use]
    pub const fn silent() -> Self {
        Self(None)
    }

    #[inline]
    pub(crate) fn spoke(&self) -> bool {
        self.0.is_some()
    }

    pub(crate) fn take(&mut self) -> Option<Box<Said<V>>> {
        self.0.take()
    }

    fn said(&mut self) -> &mut Said<V> {
        self.0.get_or_insert_default()
    }

    /// Whether the hook did not run, for it did not get its state.
    pub(crate) fn is_unrun(&self) -> bool {
        self.0.as_ref().is_some_and(|said| said.unrun.is_some())
    }

    /// Why the hook did not run, if it did not get its state.
    pub(crate) fn take_unrun(&mut self) -> Option<Unrun> {
        self.0.as_mut()?.unrun.take()
    }

    /// For a hook whose turn it is to have its state.
    pub(crate) fn turn(ticket: Ticket) -> Self {
        Self(Some(Box::new(Said { turn: Some(ticket), ..Said::default() })))
    }

    /// The state of a hook, which runs only if it gets it. Where it does not, because somebody else has it, the dispatcher waits
    /// for it and calls again.
    #[doc(hidden)]
    pub fn state<'s, T: HookState>(
        &mut self,
        session: &'s Session,
        hook: &'static Origin,
    ) -> Option<StateGuard<'s, T>> {
        let ticket = self.0.as_mut().and_then(|said| said.turn.take());
        let unrun = match session.take_state(hook, ticket) {
            Taken::Now(guard) => return Some(guard),
            Taken::Later(number) => Unrun::Wait(Ticket::new::<T>(session, number)),
            Taken::Never(error) => Unrun::Never(error),
        };
        self.said().unrun = Some(unrun);
        None
    }

    /// Adds a message.
    pub fn message(&mut self, message: Message) {
        let messages = &mut self.said().messages;
        if messages.is_empty() {
            // Room for the four that a `Vec` begins with is more than an allocator has at hand.
            messages.reserve_exact(1);
        }
        messages.push(message);
    }

    /// Records a failure; the hook counts as failed.
    pub fn fail(&mut self, error: impl Into<BoxError>) {
        self.said().error = Some(error.into());
    }

    /// Ends the chain, or the session.
    pub fn flow(&mut self, flow: Flow) {
        if flow != Flow::Continue {
            self.said().flow = flow;
        }
    }

    pub(crate) fn gate(&mut self, gate: Gate) {
        let held = &mut self.said().gate;
        if held.as_ref().is_none_or(|old| gate.strictness() > old.strictness()) {
            *held = Some(gate);
        }
    }

    pub(crate) fn fold(&mut self, value: V::Fold) {
        self.said().fold = Some(value);
    }

    pub(crate) fn first(&mut self, answer: V::First) {
        self.said().first = Some(answer);
    }
}

impl<V: Verdict> fmt::Debug for Outcome<V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            None => f.write_str("Outcome(silent)"),
            Some(said) => f
                .debug_struct("Outcome")
                .field("messages", &said.messages)
                .field("gate", &said.gate)
                .field("flow", &said.flow)
                .finish_non_exhaustive(),
        }
    }
}

/// A type that a hook may return at a point with verdict `V`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be returned from a hook at a point whose verdict is `{V}`",
    label = "not a return type for this hook point",
    note = "every point takes `()`, `Message`, `Flow`, and `Option<_>`, `Vec<_>`, `Each(iterator)`, `Result<_, E>` and pairs of what it takes",
    note = "a `Gate` point also takes `Gate`, a `First<T>` point `First<T>`, a `Fold<T>` point `Fold<T>`, a `Gate + Fold<T>` point both, an `Around<T>` point `Around<T>`"
)]
pub trait IntoOutcome<V: Verdict> {
    /// Adds what was returned to `out`.
    fn into_outcome(self, out: &mut Outcome<V>);
}

impl<V: Verdict> IntoOutcome<V> for () {
    #[inline]
    fn into_outcome(self, _: &mut Outcome<V>) {}
}

impl<V: Verdict> IntoOutcome<V> for Message {
    fn into_outcome(self, out: &mut Outcome<V>) {
        out.message(self);
    }
}

impl<V: Verdict> IntoOutcome<V> for Flow {
    fn into_outcome(self, out: &mut Outcome<V>) {
        out.flow(self);
    }
}

impl<V: Verdict, R: IntoOutcome<V>> IntoOutcome<V> for Option<R> {
    #[inline]
    fn into_outcome(self, out: &mut Outcome<V>) {
        if let Some(result) = self {
            result.into_outcome(out);
        }
    }
}

impl<V: Verdict, R: IntoOutcome<V>> IntoOutcome<V> for Vec<R> {
    #[inline]
    fn into_outcome(self, out: &mut Outcome<V>) {
        for result in self {
            result.into_outcome(out);
        }
    }
}

/// Wraps an iterator as a hook's return value; it is run to its end before the next hook.
#[derive(Clone, Debug)]
pub struct Each<I>(pub I);

impl<V: Verdict, I: IntoIterator<Item: IntoOutcome<V>>> IntoOutcome<V> for Each<I> {
    fn into_outcome(self, out: &mut Outcome<V>) {
        for result in self.0 {
            result.into_outcome(out);
        }
    }
}

impl<V: Verdict, R: IntoOutcome<V>, E: Into<BoxError>> IntoOutcome<V> for Result<R, E> {
    #[inline]
    fn into_outcome(self, out: &mut Outcome<V>) {
        match self {
            Ok(result) => result.into_outcome(out),
            Err(error) => out.fail(error),
        }
    }
}

impl<V: Verdict, A: IntoOutcome<V>, B: IntoOutcome<V>> IntoOutcome<V> for (A, B) {
    fn into_outcome(self, out: &mut Outcome<V>) {
        self.0.into_outcome(out);
        self.1.into_outcome(out);
    }
}

impl IntoOutcome<Gate> for Gate {
    fn into_outcome(self, out: &mut Outcome<Gate>) {
        out.gate(self);
    }
}

impl<T> IntoOutcome<(Gate, Fold<T>)> for Gate
where
    (Gate, Fold<T>): Verdict,
{
    fn into_outcome(self, out: &mut Outcome<(Gate, Fold<T>)>) {
        out.gate(self);
    }
}

impl<T> IntoOutcome<Fold<T>> for Fold<T>
where
    Fold<T>: Verdict<Fold = T>,
{
    fn into_outcome(self, out: &mut Outcome<Fold<T>>) {
        out.fold(self.0);
    }
}

impl<T> IntoOutcome<(Gate, Fold<T>)> for Fold<T>
where
    (Gate, Fold<T>): Verdict<Fold = T>,
{
    fn into_outcome(self, out: &mut Outcome<(Gate, Fold<T>)>) {
        out.fold(self.0);
    }
}

impl<T> IntoOutcome<Around<T>> for Around<T>
where
    Around<T>: Verdict<First = T>,
{
    fn into_outcome(self, out: &mut Outcome<Around<T>>) {
        out.first(self.0);
    }
}

impl<T, I> IntoOutcome<(Around<T>, Fold<I>)> for Around<T>
where
    (Around<T>, Fold<I>): Verdict<First = T>,
{
    fn into_outcome(self, out: &mut Outcome<(Around<T>, Fold<I>)>) {
        out.first(self.0);
    }
}

impl<T> IntoOutcome<First<T>> for First<T>
where
    First<T>: Verdict<First = T>,
{
    fn into_outcome(self, out: &mut Outcome<First<T>>) {
        out.first(self.0);
    }
}

/// What may be returned where hooks put a [`Message`] in place of another, as at
/// [`MESSAGE_TRANSFORM`](const@crate::points::MESSAGE_TRANSFORM): everything that is not a bare `Message`, which would be added
/// beside the one that it was meant to replace. A `Vec` of messages adds them, and says so.
///
/// A type of your own that implements [`IntoOutcome`] may be returned there when it implements this too.
pub trait InPlace {}

impl InPlace for () {}
impl InPlace for Flow {}
impl InPlace for Gate {}
impl<T> InPlace for Fold<T> {}
impl<T> InPlace for Around<T> {}
impl<R> InPlace for Vec<R> {}
impl<I> InPlace for Each<I> {}
impl<R: InPlace> InPlace for Option<R> {}
impl<R: InPlace, E> InPlace for Result<R, E> {}
impl<A: InPlace, B: InPlace> InPlace for (A, B) {}

/// What a `background` hook may return: observations only, whatever its point's verdict.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be returned from a `background` hook",
    label = "nobody waits for this",
    note = "what a `background` hook returns goes into the timeline: it may be `()`, `Message`, `Flow`, and of these `Option<_>`, `Vec<_>`, pairs, `Each(iterator)` and `Result<_, E>`",
    note = "a hook that decides or changes something runs in the chain: leave `background` out"
)]
pub trait BackgroundReturn {
    /// Adds what was returned to `out`.
    fn observe<V: Verdict>(self, out: &mut Outcome<V>);
}

#[diagnostic::do_not_recommend]
impl<R: IntoOutcome<Messages>> BackgroundReturn for R {
    fn observe<V: Verdict>(self, out: &mut Outcome<V>) {
        let mut observed = Outcome::<Messages>::silent();
        self.into_outcome(&mut observed);
        if let Some(said) = observed.take() {
            said.messages.into_iter().for_each(|message| out.message(message));
            out.flow(said.flow);
            if let Some(error) = said.error {
                out.fail(error);
            }
        }
    }
}
