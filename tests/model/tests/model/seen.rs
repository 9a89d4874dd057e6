//! What can be seen from outside when a case has run: what the model foretells, and what a path gives.

use std::collections::{BTreeMap, BTreeSet};

use hookspec::Gate;
use hookspec::hooks::Cause;

use crate::case::{At, State};

/// What one fire came to.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Out {
    pub at: &'static str,
    /// Hook and text.
    pub messages: Vec<(String, String)>,
    /// The answer, and whose it is. The reason of a failure's refusal is left out.
    pub gate: Option<(Gate, String)>,
    pub fold: Option<String>,
    pub first: Option<(String, String)>,
    /// `Stop`, or a reason for the session's end.
    pub flow: Option<String>,
    /// Hook, point and cause.
    pub failures: Vec<(String, &'static str, String)>,
}

/// One entry of a timeline.
#[derive(Clone, Debug, PartialEq)]
pub enum Entry {
    Fired(&'static str),
    Ran {
        hook: String,
        at: &'static str,
        messages: Vec<String>,
        gate: Option<Gate>,
        fold: Option<String>,
        first: Option<String>,
        flow: Option<String>,
        failed: bool,
        shadow: bool,
    },
}

/// A hook's failure as its handler was told of it.
pub type Told = (String, String);

/// All of it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Seen {
    /// Every fire, nested ones too, in the order of their ends.
    pub fires: Vec<Out>,
    /// The conversation: hook and text.
    pub log: Vec<(String, String)>,
    /// The timeline without the runs beside the chain.
    pub timeline: Vec<Entry>,
    /// Those, by hook.
    pub beside: BTreeMap<String, Vec<Entry>>,
    /// What the handlers were told, in order; those of runs beside the chain by hook.
    pub told: Vec<Told>,
    pub told_beside: BTreeMap<String, Vec<Told>>,
    /// The counts as saved.
    pub states: BTreeMap<State, u64>,
    /// The live hooks at the end: name and point, whether they are on, and how often they failed.
    pub rows: BTreeSet<(String, &'static str, bool, u32)>,
    /// What those in shadow said so far, as a sentence.
    pub shadowed: BTreeMap<(String, &'static str), String>,
    /// The live hooks of each point, in their order.
    pub order: BTreeMap<&'static str, Vec<String>>,
}

/// A failure's cause as both sides write it.
pub fn cause(cause: &Cause) -> String {
    match cause {
        Cause::Panic(text) => format!("panic: {text}"),
        Cause::Error(text) if text.starts_with("an error whose text cannot be had") => {
            "error that cannot be shown".into()
        }
        Cause::Error(text) => format!("error: {text}"),
        Cause::Timeout { .. } => "timeout".to_owned(),
        Cause::Depth(_) => "depth".to_owned(),
        Cause::NextWaits => "next waits".to_owned(),
        Cause::CannotWait => "cannot wait".to_owned(),
        Cause::State(_) => "state".to_owned(),
        Cause::Cancelled => "cancelled".to_owned(),
        other => other.to_string(),
    }
}

/// The reason of a refusal that a failure brought says which hook and is not compared further.
pub fn gate(gate: &Gate) -> Gate {
    match gate {
        Gate::Deny(reason) if reason.starts_with("the hook `") => Gate::deny("a failure"),
        other => other.clone(),
    }
}

/// Where two differ first, for a person.
pub fn difference(model: &Seen, path: &Seen) -> Option<String> {
    macro_rules! differs {
        ($($part:ident),*) => {$(
            if model.$part != path.$part {
                let (wanted, given) = (shown(&model.$part), shown(&path.$part));
                return Some(format!("{}:\n model says\n{wanted} path gives\n{given}", stringify!($part)));
            }
        )*};
    }
    differs!(order, fires, log, told, told_beside, states, rows, shadowed, timeline, beside);
    None
}

/// One line for each.
fn shown<T: std::fmt::Debug>(all: impl IntoIterator<Item = T>) -> String {
    all.into_iter().map(|one| format!("   {one:?}\n")).collect()
}

pub fn wires() -> BTreeMap<&'static str, At> {
    At::ALL.into_iter().map(|at| (at.wire(), at)).collect()
}
