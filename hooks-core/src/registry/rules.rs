//! The rules of a host: what decides about a hook, when the registry is built and when one comes while the host runs.

use std::marker::PhantomData;
use std::sync::Arc;
use std::time::Duration;

use crate::entry::{Call, Options};
use crate::failure::Failure;
use crate::point::{Point, PointInfo};
use crate::session::{Session, SettingsSpec};

use super::aliases::Aliases;
use super::report::{Problem, place};
use super::select::{Called, Selection};
use super::{HookInfo, HookSlot, Switch};

/// A hook before it is decided whether it runs.
pub(crate) struct Candidate<P: Point> {
    pub(crate) info: HookInfo,
    pub(crate) options: Options,
    /// Why it may not run, whatever the lists say.
    pub(crate) barred: Option<String>,
    pub(crate) call: Call<P>,
    pub(crate) settings: Option<SettingsSpec>,
    pub(crate) on_error: Option<fn(&Failure, &Session)>,
}

impl<P: Point> Clone for Candidate<P> {
    fn clone(&self) -> Self {
        Self {
            info: self.info.clone(),
            options: self.options,
            barred: self.barred.clone(),
            call: self.call.clone(),
            settings: self.settings,
            on_error: self.on_error,
        }
    }
}

/// What became of one, and what is wrong with it.
pub(crate) struct Judged<P: Point> {
    /// The hook ready to run, or why it does not.
    pub(crate) hook: Result<HookSlot<P>, (Arc<HookInfo>, String)>,
    pub(crate) problem: Option<Problem>,
    /// That it can never run here, which only a strict host minds.
    pub(crate) dead: Option<Problem>,
}

/// The lists, modes and limits of a host.
#[derive(Default)]
pub(crate) struct Rules {
    pub(crate) selection: Selection,
    pub(crate) aliases: Aliases,
    /// The names of all tools, selected or not.
    pub(crate) tools: Vec<String>,
    /// Whether the host fires without an async runtime.
    pub(crate) sync: bool,
    pub(crate) strict: bool,
    /// The points that the host fires, where it says so.
    pub(crate) fires: Option<Vec<&'static PointInfo>>,
    /// The time limit of hooks that set none.
    pub(crate) timeout: Option<Duration>,
}

impl Rules {
    /// Decides. `switched` is what the hook's own settings say, and why.
    pub(crate) fn judge<P: Point>(
        &self,
        mut candidate: Candidate<P>,
        switched: Option<Result<String, String>>,
    ) -> Judged<P> {
        let HookInfo { name, aliases, .. } = &mut candidate.info;
        self.aliases.keep_free(name, aliases);
        candidate.info.timeout =
            candidate.options.timeout.limit(&candidate.call, &candidate.options, self.timeout);
        let called = Called::of(&candidate.info);
        let decided = self.selection.decide(called, &candidate.options);
        if let Some(priority) = self.selection.priority(called) {
            candidate.info.priority = priority;
        }
        let decided = decided.and_then(|why| switched.unwrap_or(Ok(why)));
        let decided = decided.and_then(|why| candidate.barred.take().map_or(Ok(why), Err));
        let why = match decided {
            Ok(why) => why,
            Err(why) => {
                let (why, problem) = self.tool_fault(&candidate.info, why);
                return Judged { hook: Err((Arc::new(candidate.info), why)), problem, dead: None };
            }
        };
        let info = &candidate.info;
        let (hook, place) = (info.name.clone(), place(&info.file, info.line));
        let point = P::INFO.wire;
        let fired = |fires: &Vec<&PointInfo>| fires.iter().any(|fired| fired.wire == point);
        let dead = (!self.fires.as_ref().is_none_or(fired)).then(|| Problem::DeadHook {
            hook: hook.clone(),
            point,
            place: place.clone(),
        });
        let problem = (self.sync && matches!(candidate.call, Call::Async(_)))
            .then_some(Problem::AsyncInSyncHost { hook, point, place });
        let hook = HookSlot {
            info: Arc::new(candidate.info),
            call: candidate.call,
            on_error: candidate.on_error,
            switch: Arc::new(Switch::default()),
            why: why.into(),
            point: PhantomData,
        };
        Judged { hook: Ok(hook), problem, dead }
    }

    /// A hook that is off, of a tool that this program does not have. A plugin may serve a tool that is not in every
    /// program: then its hook is off, and says why. A name that is nearly one of ours is a mistake, unless somebody left
    /// the hook out.
    fn tool_fault(&self, info: &HookInfo, why: String) -> (String, Option<Problem>) {
        let missing = info.tool.filter(|tool| !self.tools.iter().any(|known| known == tool));
        let Some(tool) = missing.filter(|_| !self.selection.disables(Called::of(info))) else {
            return (why, None);
        };
        // A letter or two: `read` and `read_file` are two tools, `raed_file` is none.
        let slips = |known: &&String| strsim::damerau_levenshtein(tool, known) <= tool.len() / 4;
        let problem = self.tools.iter().find(slips).map(|meant| Problem::UnknownTool {
            hook: info.name.clone(),
            place: place(&info.file, info.line),
            tool: tool.to_owned(),
            meant: meant.clone(),
        });
        (format!("its tool `{tool}` is not in this program"), problem)
    }
}
