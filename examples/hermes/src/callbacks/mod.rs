//! Callbacks: functions from JSON to JSON, registered by Hermes's names.
//!
//! Those that decide or change something are one hook a name, so that what they say is put together by Hermes's
//! rules, whoever was registered first. Observers are a hook each, in the order of their registration. All are
//! registered explicitly, as any program could register them. What they are told rests on the hooks that this crate links
//! (`hermes_points.…`), so leave those on.

mod answer;
mod calls;
mod observe;
mod set;

use std::sync::Arc;
use std::time::Duration;

use hookspec::hooks::{BoxError, JsonCall, JsonHook, JsonOutcome, Placement, Timeout};
use hookspec::point::AnyPoint;
use hookspec::registry::RegistryBuilder;
use hookspec::{Options, Session};
use serde_json::{Map, Value};

use crate::directive::{UnknownHook, known};
use crate::spill::Spill;
use crate::table::{Category, Row, Run};

use set::Set;

/// The function behind a callback: what Hermes tells comes in, what Hermes would be told goes out.
pub type Callback = dyn Fn(&Map<String, Value>, &Session) -> Result<Value, BoxError> + Send + Sync;

/// The group of their hooks' names.
const GROUP: &str = "hermes_plugins";
/// How long callbacks may take; Hermes's own figure.
const TIMEOUT: Duration = Duration::from_secs(30);
/// How often in a row callbacks may send the agent back; Hermes's own figure.
const NUDGES: u32 = 3;

/// A callback and its name.
#[derive(Clone)]
pub(crate) struct Named {
    pub(crate) name: String,
    pub(crate) call: Arc<Callback>,
}

/// What holds for all callbacks.
#[derive(Clone, Debug)]
pub(crate) struct About {
    pub(crate) platform: String,
    pub(crate) spill: Spill,
    pub(crate) nudges: u32,
    pub(crate) reasoning: bool,
}

/// Callbacks by Hermes's names.
#[derive(Clone)]
pub struct Callbacks {
    named: Vec<(&'static Row, &'static dyn AnyPoint, Named)>,
    about: About,
    timeout: Duration,
}

impl std::fmt::Debug for Callbacks {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let names = self.named.iter().map(|(row, _, named)| (row.name, &named.name));
        f.debug_list().entries(names).finish()
    }
}

impl Default for Callbacks {
    fn default() -> Self {
        let about =
            About { platform: String::new(), spill: Spill::default(), nudges: NUDGES, reasoning: false };
        Self { named: Vec::new(), about, timeout: TIMEOUT }
    }
}

impl Callbacks {
    /// None yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a callback, behind those that are there.
    ///
    /// # Errors
    /// If Hermes has no such hook, or it does not happen here: a callback that is never called helps nobody.
    pub fn on<F>(mut self, hook: &str, name: impl Into<String>, callback: F) -> Result<Self, UnknownHook>
    where
        F: Fn(&Map<String, Value>, &Session) -> Result<Value, BoxError> + Send + Sync + 'static,
    {
        let row = known(hook)?;
        let point = hookspec::point::find_point(row.point).ok_or(UnknownHook::NotLinked(row.point))?;
        self.named.push((row, point, Named { name: name.into(), call: Arc::new(callback) }));
        Ok(self)
    }

    /// What callbacks are told of where this runs: `cli`, for example.
    #[must_use]
    pub fn platform(mut self, platform: impl Into<String>) -> Self {
        self.about.platform = platform.into();
        self
    }

    /// Where long texts for the user's message go.
    #[must_use]
    pub fn spill(mut self, spill: Spill) -> Self {
        self.about.spill = spill;
        self
    }

    /// How long the callbacks of one hook may take together, those of an observer each; 30 s unless said, for ever
    /// where it is zero. A gate that takes longer refuses.
    #[must_use]
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// How often in a row `pre_verify` may send the agent back; 3 unless said.
    #[must_use]
    pub fn nudges(mut self, nudges: u32) -> Self {
        self.about.nudges = nudges;
        self
    }

    /// Whether `on_stream_delta` is told thoughts too.
    #[must_use]
    pub fn reasoning(mut self, wanted: bool) -> Self {
        self.about.reasoning = wanted;
        self
    }

    /// Registers them all.
    #[must_use]
    pub fn register(self, builder: RegistryBuilder) -> RegistryBuilder {
        self.hooks().into_iter().fold(builder, RegistryBuilder::register_json)
    }

    /// The hooks that they are here.
    #[must_use]
    pub fn hooks(self) -> Vec<JsonHook> {
        let mut sets: Vec<(&'static dyn AnyPoint, Set)> = Vec::new();
        let mut hooks = Vec::new();
        for (index, (row, point, named)) in self.named.into_iter().enumerate() {
            let options = options(row, self.timeout);
            if row.category == Category::Observer {
                let name = format!("{GROUP}.{}.{index:05}-{}", row.name, named.name);
                let (priority, call) = observe::hook(row, named, self.about.clone());
                hooks.push(JsonHook::new(point, name, call).options(Options { priority, ..options }));
                continue;
            }
            match sets.iter_mut().find(|(_, set)| set.row.name == row.name) {
                Some((_, set)) => set.callbacks.push(named),
                None => sets.push((point, Set::new(row, named, self.about.clone()))),
            }
        }
        for (point, set) in sets {
            hooks.extend(decide(point, set, self.timeout));
        }
        hooks
    }
}

fn options(row: &Row, timeout: Duration) -> Options {
    let (placement, limit) = match row.run {
        Run::Bounded if !timeout.is_zero() => (Placement::Blocking, Some(timeout)),
        Run::Bounded | Run::InPlace => (Placement::Inline, None),
        Run::Queued => (Placement::Background, None),
    };
    let timeout = limit.map_or(Timeout::Never, Timeout::After);
    Options { placement, timeout, budget: limit, ..Options::DEFAULT }
}

/// A hook at one moment.
type Answer = fn(&Set, &Value, &Session) -> Result<JsonOutcome, BoxError>;

/// The hooks of a set: two for what stands before a tool call, since a call is changed at one moment here and
/// refused at another.
fn decide(point: &'static dyn AnyPoint, set: Set, timeout: Duration) -> Vec<JsonHook> {
    // A rewrite is the last word on what it rewrites.
    const LAST: i32 = -1000;
    let row = set.row;
    let set = Arc::new(set);
    let name = format!("{GROUP}.{}", row.name);
    let hook = |point, priority, answer: Answer| {
        let set = Arc::clone(&set);
        let call: Arc<JsonCall> = Arc::new(move |event, session| answer(&set, event, session));
        JsonHook::new(point, name.clone(), call).options(Options { priority, ..options(row, timeout) })
    };
    match row.name {
        "pre_tool_call" => {
            let transform = hookspec::point::find_point("TOOL_TRANSFORM");
            let before = transform.map(|point| hook(point, LAST, calls::before));
            before.into_iter().chain([hook(point, 0, calls::gate)]).collect()
        }
        "pre_llm_call" => vec![hook(point, 0, answer::prompt)],
        "pre_verify" => vec![hook(point, 0, answer::verify)],
        "transform_llm_output" => vec![hook(point, LAST, answer::output)],
        "transform_tool_result" => vec![hook(point, LAST, answer::result)],
        "transform_terminal_output" => vec![hook(point, 0, answer::terminal)],
        _ => vec![hook(point, 0, answer::classify)],
    }
}
