//! Verdicts: how what the hooks of one point say is combined.
//!
//! What stands behind the arrow in [`hook_point!`](crate::hook_point) is also what a hook there may return:
//!
//! | point says | a hook returns (beside messages) | combined |
//! |---|---|---|
//! | [`Messages`] | – | appended in order |
//! | [`Gate`] | `Gate` | the strictest wins: deny, then ask, then allow |
//! | [`First<T>`] | `First<T>` | the first answer ends the chain |
//! | [`Fold<T>`] | `Fold<T>` | each hook sees what the one before made of it |
//! | `Gate + Fold<T>` | either, or both as a tuple | both rules |
//! | [`Around<T>`] | `Around<T>` | the hooks wrap work of the host's, the first one outermost |
//!
//! The set is closed: a dispatcher that knows every rule can be a plain loop.

use std::fmt::Debug;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer, Serialize};

/// How the results of a point's hooks combine. Implemented by the types above only.
pub trait Verdict: sealed::Sealed + Debug + Send + Sync + 'static {
    /// What the hooks hand on from one to the next; [`Never`] where nothing is.
    type Fold: Serialize + DeserializeOwned + Send + Sync + 'static;
    /// What the first answer is; [`Never`] where there is none.
    type First: Serialize + Send + Sync + 'static;
    /// Whether a hook may refuse. A hook that fails at such a point denies.
    const GATE: bool;
    /// Whether hooks wrap work.
    #[doc(hidden)]
    const AROUND: bool = false;

    /// Reads an answer that a hook gave as data; `None` where hooks that answer so cannot.
    #[doc(hidden)]
    fn read_first<'de, D: Deserializer<'de>>(answer: D) -> Option<Result<Self::First, D::Error>>;
}

/// Verdicts of points that fire: all but [`Around`].
pub trait FiredVerdict: Verdict {}
/// Verdicts of points around work.
pub trait AroundVerdict: Verdict<First: Clone> {}

/// Verdicts of points around work where an `I` may be put in for what goes in.
#[diagnostic::on_unimplemented(
    message = "this cannot be put in for what goes into the work",
    label = "not what the hook's point marks with `#[fold]`",
    note = "what may be changed is the field that the point marks with `#[fold]`, as a value that is owned: `String` for `&str`; where none is marked, nothing"
)]
pub trait ChangedInput<I>: AroundVerdict + Verdict<Fold = I> {}

mod sealed {
    pub trait Sealed {}
}

/// A type without values: the part of a verdict that a point does not have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum Never {}

/// Verdict: hooks only add messages.
#[derive(Clone, Copy, Debug)]
pub enum Messages {}

/// Verdict: hooks may refuse what is about to happen.
///
/// The strictest answer wins whatever the order. `Allow` means "no objection": it does not answer the
/// confirmation that a tool's own policy asks for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "gate", content = "reason", rename_all = "snake_case")]
pub enum Gate {
    /// No objection.
    Allow,
    /// The user decides; the reason is shown.
    Ask(String),
    /// Refused; whoever asked reads the reason.
    Deny(String),
}

impl Gate {
    /// Refuses with a reason.
    pub fn deny(reason: impl Into<String>) -> Self {
        Self::Deny(reason.into())
    }

    /// Leaves it to the user, with a reason.
    pub fn ask(reason: impl Into<String>) -> Self {
        Self::Ask(reason.into())
    }

    /// The reason, where there is one.
    #[must_use]
    pub fn reason(&self) -> Option<&str> {
        match self {
            Self::Allow => None,
            Self::Ask(reason) | Self::Deny(reason) => Some(reason),
        }
    }

    pub(crate) fn strictness(&self) -> u8 {
        match self {
            Self::Allow => 0,
            Self::Ask(_) => 1,
            Self::Deny(_) => 2,
        }
    }

    /// The same answer, with a reason that names the hook where it gave a blank one.
    pub(crate) fn reasoned(mut self, hook: &str) -> Self {
        if let Self::Ask(reason) | Self::Deny(reason) = &mut self
            && reason.trim().is_empty()
        {
            *reason = format!("the hook `{hook}` gave no reason");
        }
        self
    }
}

/// Verdict and answer: the first hook that answers ends the chain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct First<T>(pub T);

/// Verdict and answer: a value that hooks may replace, each seeing what the one before made of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fold<T>(pub T);

/// Verdict and answer: hooks wrap work of the host's, and what this holds is given in place of what the work gave.
///
/// Written `Around<T>` in `hook_point!`, where `T` is what the work gives. See [`Next`](crate::hooks::Next).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Around<T>(pub T);

impl sealed::Sealed for Messages {}
impl Verdict for Messages {
    type Fold = Never;
    type First = Never;
    const GATE: bool = false;

    fn read_first<'de, D: Deserializer<'de>>(_: D) -> Option<Result<Never, D::Error>> {
        None
    }
}

impl sealed::Sealed for Gate {}
impl Verdict for Gate {
    type Fold = Never;
    type First = Never;
    const GATE: bool = true;

    fn read_first<'de, D: Deserializer<'de>>(_: D) -> Option<Result<Never, D::Error>> {
        None
    }
}

impl<T> sealed::Sealed for First<T> {}
impl<T: Serialize + DeserializeOwned + Debug + Send + Sync + 'static> Verdict for First<T> {
    type Fold = Never;
    type First = T;
    const GATE: bool = false;

    fn read_first<'de, D: Deserializer<'de>>(answer: D) -> Option<Result<T, D::Error>> {
        Some(T::deserialize(answer))
    }
}

impl<T> sealed::Sealed for Fold<T> {}
impl<T: Serialize + DeserializeOwned + Debug + Send + Sync + 'static> Verdict for Fold<T> {
    type Fold = T;
    type First = Never;
    const GATE: bool = false;

    fn read_first<'de, D: Deserializer<'de>>(_: D) -> Option<Result<Never, D::Error>> {
        None
    }
}

impl<T> sealed::Sealed for (Gate, Fold<T>) {}
/// Written `Gate + Fold<T>` in `hook_point!`.
impl<T: Serialize + DeserializeOwned + Debug + Send + Sync + 'static> Verdict for (Gate, Fold<T>) {
    type Fold = T;
    type First = Never;
    const GATE: bool = true;

    fn read_first<'de, D: Deserializer<'de>>(_: D) -> Option<Result<Never, D::Error>> {
        None
    }
}

impl<T> sealed::Sealed for Around<T> {}
impl<T: Clone + Serialize + Debug + Send + Sync + 'static> Verdict for Around<T> {
    type Fold = Never;
    type First = T;
    const GATE: bool = false;
    const AROUND: bool = true;

    fn read_first<'de, D: Deserializer<'de>>(_: D) -> Option<Result<T, D::Error>> {
        None
    }
}

impl<T, I> sealed::Sealed for (Around<T>, Fold<I>) {}
/// Written `Around<T>` in `hook_point!`, where a field is marked `#[fold]`: what hooks may change on the way in.
impl<T, I> Verdict for (Around<T>, Fold<I>)
where
    T: Clone + Serialize + Debug + Send + Sync + 'static,
    I: Serialize + DeserializeOwned + Debug + Send + Sync + 'static,
{
    type Fold = I;
    type First = T;
    const GATE: bool = false;
    const AROUND: bool = true;

    fn read_first<'de, D: Deserializer<'de>>(_: D) -> Option<Result<T, D::Error>> {
        None
    }
}

impl FiredVerdict for Messages {}
impl FiredVerdict for Gate {}
impl<T> FiredVerdict for First<T> where Self: Verdict {}
impl<T> FiredVerdict for Fold<T> where Self: Verdict {}
impl<T> FiredVerdict for (Gate, Fold<T>) where Self: Verdict {}
impl<T: Clone> AroundVerdict for Around<T> where Self: Verdict<First = T> {}
impl<T: Clone, I> AroundVerdict for (Around<T>, Fold<I>) where Self: Verdict<First = T> {}
impl<T: Clone, I> ChangedInput<I> for (Around<T>, Fold<I>) where Self: AroundVerdict + Verdict<Fold = I> {}
