//! The gather report: what was linked, what was selected, and what is odd about it.

use serde::Serialize;

use crate::plain::point_info::PointInfo;

/// A plugin crate that the host linked with `plugins![…]`.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct PluginRow {
    /// The package.
    pub package: &'static str,
    /// Its version.
    pub version: &'static str,
    /// How many hooks it brought.
    pub hooks: usize,
    /// How many tools it brought.
    pub tools: usize,
    /// How many points it declares.
    pub points: usize,
}

/// What [`Registry::builder`](crate::Registry::builder) found.
#[derive(Clone, Debug, Default, Serialize)]
#[non_exhaustive]
pub struct Report {
    /// The plugin crates.
    pub plugins: Vec<PluginRow>,
    /// How many points are declared in this program.
    pub points: usize,
    /// How many hooks were found.
    pub found: usize,
    /// How many of them were selected.
    pub selected: usize,
    /// What is odd, but not so that the host could not run.
    pub warnings: Vec<Problem>,
}

/// Something wrong with a set of hooks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, thiserror::Error)]
#[serde(tag = "problem", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Problem {
    /// A list names something that is not there.
    #[error(
        "{source_text} matches no hook or tool of this program{nearest}; if it lives in a plugin crate, check that the crate is in the host's `plugins![…]`"
    )]
    UnknownName {
        /// The entry and where it stands.
        source_text: String,
        /// Similar names.
        nearest: String,
    },
    /// A disable list names something that is not there: nothing runs that should not.
    #[error("{source_text} matches no hook or tool of this program{nearest}; it leaves nothing out")]
    NothingToDisable {
        /// The entry and where it stands.
        source_text: String,
        /// Similar names.
        nearest: String,
    },
    /// A list of another system names something that is not there.
    #[error("{source_text} is no hook or tool of this program{nearest}; it counts for nothing here")]
    ForeignName {
        /// The entry and the variable.
        source_text: String,
        /// Similar names.
        nearest: String,
    },
    /// An allowlist of another system names nothing that is there.
    #[error("{variable} ({names}): no name in it is known here: the list is not applied")]
    ForeignList {
        /// The variable.
        variable: String,
        /// The entries, each with similar names.
        names: String,
    },
    /// An allowlist of another system takes gates out.
    #[error(
        "{variable} takes gates out that would be on without it: {gates}; name them there too, or unset it"
    )]
    ForeignGates {
        /// The variable.
        variable: String,
        /// The groups of hooks.
        gates: String,
    },
    /// A variable of another system holds something that cannot be used here.
    #[error("{why}; it counts for nothing here")]
    ForeignValue {
        /// What is wrong.
        why: String,
    },
    /// Two hooks of one name at one point.
    #[error(
        "two hooks are called `{name}` at `{point}`: {first} and {second}; give one of them `name = \"…\"`, or disable one"
    )]
    DuplicateHook {
        /// The name.
        name: String,
        /// The point.
        point: &'static str,
        /// Where one is.
        first: String,
        /// Where the other is.
        second: String,
    },
    /// Two points of one wire name.
    #[error("two hook points are called `{name}`: {first} and {second}; rename one of them")]
    DuplicatePoint {
        /// The wire name.
        name: &'static str,
        /// Where one is.
        first: String,
        /// Where the other is.
        second: String,
    },
    /// Two states that would be saved under one key.
    #[error(
        "the states `{first}` and `{second}` would both be saved as `{key}`; give one of them a key of its own, as in `#[state(\"…\")] state: &mut T`"
    )]
    DuplicateState {
        /// The key.
        key: String,
        /// One type.
        first: String,
        /// The other.
        second: String,
    },
    /// Two tools of one name.
    #[error("two tools are called `{name}`: {first} and {second}; rename one, or disable one")]
    DuplicateTool {
        /// The name.
        name: String,
        /// Where one is.
        first: String,
        /// Where the other is.
        second: String,
    },
    /// A hook of a tool that this program does not have, where it has one of nearly that name.
    #[error(
        "the hook `{hook}` ({place}) says `tool = \"{tool}\"`, and this program has no such tool; did you mean `{meant}`?"
    )]
    UnknownTool {
        /// The hook.
        hook: String,
        /// Where the hook is.
        place: String,
        /// The tool as the hook writes it.
        tool: String,
        /// The tool that is there.
        meant: String,
    },
    /// An async hook in a host that cannot wait.
    #[error(
        "the hook `{hook}` ({place}) is an `async fn`, and this host fires `{point}` without an async runtime; disable the hook, or make it a plain `fn`"
    )]
    AsyncInSyncHost {
        /// The hook.
        hook: String,
        /// The point.
        point: &'static str,
        /// Where the hook is.
        place: String,
    },
    /// A hook with a time limit that it cannot be held to.
    #[error(
        "the hook `{hook}` at `{point}` ({place}) has a time limit of {limit}, and cannot be cut off where it is called in place; make it async, or give it `Placement::Blocking`"
    )]
    NeverCutOff {
        /// The hook.
        hook: String,
        /// The point.
        point: &'static str,
        /// Where the hook is.
        place: String,
        /// The limit.
        limit: String,
    },
    /// A hook that runs on a copy of the event, at a point whose events cannot be copied.
    #[error(
        "the hook `{hook}` ({place}) runs beside the chain, on a copy of the event, and that of `{point}` cannot be copied: the point is `local`; let the hook run in the chain"
    )]
    CopyAtLocalPoint {
        /// The hook.
        hook: String,
        /// The point.
        point: &'static str,
        /// Where the hook is.
        place: String,
    },
    /// A hook that takes events as JSON, at a point whose events have none.
    #[error(
        "the hook `{hook}` ({place}) takes events as JSON, and those of `{point}` have none: the point is `local`, for hooks in this program only"
    )]
    JsonAtLocalPoint {
        /// The hook.
        hook: String,
        /// The point.
        point: &'static str,
        /// Where the hook is.
        place: String,
    },
    /// A selected hook whose point this host never fires.
    #[error(
        "the hook `{hook}` ({place}) can never run: this host does not fire `{point}`; disable the hook, or use it in a host that does"
    )]
    DeadHook {
        /// The hook.
        hook: String,
        /// The point.
        point: &'static str,
        /// Where the hook is.
        place: String,
    },
    /// Hooks of which each is to run before the next, and the last before the first.
    #[error("the order of the hooks at `{point}` goes round, {circle}: {said}; take one of these out")]
    Circle {
        /// The point.
        point: &'static str,
        /// The hooks, each before the next.
        circle: String,
        /// Who says so, and where.
        said: String,
    },
    /// A hook whose order is said by a name that is nearly another hook's.
    #[error(
        "the hook `{hook}` ({place}) says `{key} = \"{name}\"`, and this program has no such hook{nearest}; it is in the order of its priority"
    )]
    NothingToOrder {
        /// The hook.
        hook: String,
        /// Where it says so.
        place: String,
        /// `before` or `after`.
        key: &'static str,
        /// The name as it is written.
        name: String,
        /// Similar names.
        nearest: String,
    },
    /// What the configuration says of hooks, and means nothing for any of them.
    #[error("{source_text}: `{key}` holds for no hook: {why}; leave it out")]
    RuleWithoutEffect {
        /// The name and where it stands.
        source_text: String,
        /// What is said of it.
        key: &'static str,
        /// Why it holds for none.
        why: &'static str,
    },
    /// A host's way to ask the user, put in shadow.
    #[error(
        "the hook `{hook}` is how the user is asked, and in shadow ({place}) nobody would be: take it out of the list, or disable it"
    )]
    ShadowOfConfirmation {
        /// The hook.
        hook: String,
        /// Where it says so.
        place: String,
    },
    /// A hook around the work itself, put in shadow.
    #[error(
        "the hook `{hook}` wraps what happens at `{point}`, which cannot be done for trial: in shadow ({place}) it is off"
    )]
    ShadowOfWrapper {
        /// The hook.
        hook: String,
        /// Where it says so.
        place: String,
        /// The point.
        point: &'static str,
    },
    /// A filter that cannot be.
    #[error("the hook `{hook}` ({place}) says `{key}`: {why}")]
    BadFilter {
        /// The hook.
        hook: String,
        /// Where it says so.
        place: String,
        /// `tools` or `paths`.
        key: &'static str,
        /// What is wrong.
        why: String,
    },
    /// Settings that cannot be read.
    #[error("`[hooks.{group}]` in {source_text}: {why}")]
    BadSettings {
        /// The group.
        group: String,
        /// The file.
        source_text: String,
        /// What is wrong.
        why: String,
    },
    /// Settings for hooks that are not there or take none.
    #[error("`[hooks.{group}]` in {source_text} is for no hook that takes settings{nearest}")]
    UnusedSettings {
        /// The group.
        group: String,
        /// The file.
        source_text: String,
        /// Similar names.
        nearest: String,
    },
    /// Panics cannot be caught in this program.
    #[error(
        "this program is built with `panic = \"abort\"`: a hook that panics ends it; build it with `panic = \"unwind\"`"
    )]
    PanicAborts,
}

impl Problem {
    /// Whether it is about a variable that was set for another system, and so is no mistake of this program's user.
    #[must_use]
    pub fn is_foreign(&self) -> bool {
        matches!(
            self,
            Self::ForeignName { .. }
                | Self::ForeignList { .. }
                | Self::ForeignGates { .. }
                | Self::ForeignValue { .. }
        )
    }
}

pub(crate) fn place(file: &str, line: u32) -> String {
    format!("{file}:{line}")
}

pub(crate) fn point_place(point: &PointInfo) -> String {
    format!("{} ({})", place(point.file, point.line), point.package)
}
