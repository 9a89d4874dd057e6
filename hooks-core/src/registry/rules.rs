//! The rules of a host: what decides about a hook, when the registry is built and when one comes while the host runs.

use std::any::TypeId;
use std::marker::PhantomData;
use std::sync::Arc;
use std::time::Duration;

use crate::base::nearest::is_slip;
use crate::declared::entry::Call;
use crate::declared::failure::Failure;
use crate::declared::point::Point;
use crate::plain::filter::{Filter, Misfit, check_paths, check_tools};
use crate::plain::hook_info::HookInfo;
use crate::plain::options::{Options, Placement};
use crate::plain::point_info::PointInfo;
use crate::plain::report::{Problem, place};
use crate::plain::switch::Switch;
use crate::plain::verdict::Verdict;
use crate::session::Session;

use super::HookSlot;
use super::aliases::Aliases;
use super::operator;
use super::pattern::Called;
use super::select::Selection;

/// A hook before it is decided whether it runs.
pub(crate) struct Candidate<P: Point> {
    pub(crate) info: HookInfo,
    pub(crate) options: Options,
    /// Why it may not run, whatever the lists say.
    pub(crate) barred: Option<String>,
    pub(crate) call: Call<P>,
    /// The type of its settings.
    pub(crate) settings: Option<TypeId>,
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
    /// What else is odd.
    pub(crate) odd: Option<Problem>,
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
        operator::apply(&self.selection.rules, &mut candidate.info, &mut candidate.options);
        let is_async = candidate.call.is_async();
        candidate.info.timeout = candidate.options.timeout.limit(&candidate.options, is_async, self.timeout);
        let called = Called::of(&candidate.info);
        let decided = self.selection.decide(called, &candidate.options);
        let decided = decided.and_then(|why| switched.unwrap_or(Ok(why)));
        let decided = decided.and_then(|why| candidate.barred.take().map_or(Ok(why), Err));
        let info = &candidate.info;
        let no_shadow = (info.shadow && decided.is_ok() && <P::Verdict as Verdict>::AROUND).then(|| {
            let said = info.ruled("shadow").unwrap_or_default().to_owned();
            Problem::ShadowOfWrapper { hook: info.name.clone(), place: said, point: P::INFO.wire }
        });
        let decided = match &no_shadow {
            Some(_) => Err("in shadow, which a wrapper cannot be".to_owned()),
            None => decided,
        };
        let why = match decided {
            Ok(why) => why,
            Err(why) => {
                let (why, problem) = self.tool_fault(&candidate.info, why);
                let hook = Err((Arc::new(candidate.info), why));
                return Judged { hook, problem, dead: None, odd: no_shadow };
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
        let limit = candidate.options.timeout.of_its_own().filter(|_| info.timeout.is_none());
        let odd = limit.map(|limit| Problem::NeverCutOff {
            hook: hook.clone(),
            point,
            place: place.clone(),
            limit: format!("{limit:?}"),
        });
        let problem = if P::INFO.local && info.placement != Placement::Inline {
            Some(Problem::CopyAtLocalPoint { hook, point, place })
        } else if self.sync && is_async {
            Some(Problem::AsyncInSyncHost { hook, point, place })
        } else if info.shadow && info.confirmation {
            let said = info.ruled("shadow").unwrap_or_default().to_owned();
            Some(Problem::ShadowOfConfirmation { hook, place: said })
        } else {
            filter_fault(info)
        };
        let hook = HookSlot {
            filter: Filter::new(&info.tools, &info.paths).map(Arc::new),
            info: Arc::new(candidate.info),
            call: candidate.call,
            on_error: candidate.on_error,
            switch: Arc::new(Switch::default()),
            why: why.into(),
            point: PhantomData,
        };
        Judged { hook: Ok(hook), problem, dead, odd }
    }

    /// A hook that is off, of a tool that this program does not have. A plugin may serve a tool that is not in every
    /// program: then its hook is off, and says why. A name that is nearly one of ours is a mistake, unless somebody left
    /// the hook out.
    fn tool_fault(&self, info: &HookInfo, why: String) -> (String, Option<Problem>) {
        let missing = info.tool.filter(|tool| !self.tools.iter().any(|known| known == tool));
        let Some(tool) = missing.filter(|_| !self.selection.disables(Called::of(info))) else {
            return (why, None);
        };
        let slips = |known: &&String| is_slip(tool, known);
        let problem = self.tools.iter().find(slips).map(|meant| Problem::UnknownTool {
            hook: info.name.clone(),
            place: place(&info.file, info.line),
            tool: tool.to_owned(),
            meant: meant.clone(),
        });
        (format!("its tool `{tool}` is not in this program"), problem)
    }
}

/// A filter that cannot be: written so that it fits nothing, or at a point where there is nothing that it could fit.
fn filter_fault(info: &HookInfo) -> Option<Problem> {
    let of = |key: &'static str, list: &[String], check: fn(&[String]) -> Result<(), Misfit>, lacks: &str| {
        if list.is_empty() {
            return None;
        }
        let why = match info.point.filters.contains(&key) {
            true => check(list).err()?.to_string(),
            false => {
                format!("`{}` {lacks}, so nothing can be told apart by it; leave it out", info.point.name)
            }
        };
        let place = info.ruled(key).map_or_else(|| place(&info.file, info.line), str::to_owned);
        Some(Problem::BadFilter { hook: info.name.clone(), place, key, why })
    };
    of("tools", &info.tools, check_tools, "is about no call of a tool")
        .or_else(|| of("paths", &info.paths, check_paths, "is about no file"))
}
