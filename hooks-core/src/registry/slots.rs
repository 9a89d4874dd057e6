//! Slots: the selected hooks of one point with their types, in the order in which they run.

use std::any::{Any, TypeId};
use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use crate::declared::entry::{Call, SyncCall};
use crate::declared::failure::Failure;
use crate::declared::point::Point;
use crate::plain::filter::Filter;
use crate::plain::hook_info::{HookInfo, HookRow};
use crate::plain::options::Placement;
use crate::plain::report::Problem;
use crate::plain::switch::{Switch, changes};
use crate::session::Session;
use crate::set::{AnySlots, Registry};

use super::order::order;
use super::seen::Seen;

/// The hooks of one point, ready to be fired: a host gets it once and keeps it.
pub struct Handle<P: Point>(pub(crate) Arc<Slots<P>>);

impl<P: Point> Clone for Handle<P> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<P: Point> fmt::Debug for Handle<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Handle({}, {} hooks)", P::INFO.name, self.0.hooks.len())
    }
}

impl<P: Point> Handle<P> {
    pub(crate) fn empty() -> Self {
        Self(Arc::new(Slots::new(Vec::new())))
    }

    /// Whether nobody listens.
    #[inline]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.hooks.is_empty()
    }

    /// How many hooks listen.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.hooks.len()
    }

    /// The names of the hooks, in the order in which they run.
    #[must_use]
    pub fn names(&self) -> Vec<&str> {
        self.0.hooks.iter().map(|hook| hook.info.name.as_str()).collect()
    }
}

/// The selected hooks of one point, in order.
pub(crate) struct Slots<P: Point> {
    /// The functions alone, side by side, where all hooks are plain; else empty.
    pub(crate) calls: Box<[SyncCall<P>]>,
    pub(crate) hooks: Box<[HookSlot<P>]>,
    /// Whether one of them has a budget, for which it must be timed.
    pub(crate) budgets: bool,
    /// What was seen when the switches were last looked at: which [change](changes) it was after, and whether all were on.
    seen: Seen,
}

/// One selected hook.
pub(crate) struct HookSlot<P: Point> {
    pub(crate) info: Arc<HookInfo>,
    pub(crate) call: Call<P>,
    pub(crate) on_error: Option<fn(&Failure, &Session)>,
    /// What it is called for; `None` for all.
    pub(crate) filter: Option<Arc<Filter>>,
    pub(crate) switch: Arc<Switch>,
    /// What selected it.
    pub(crate) why: Arc<str>,
    pub(crate) point: PhantomData<P>,
}

impl<P: Point> Clone for HookSlot<P> {
    fn clone(&self) -> Self {
        Self {
            info: Arc::clone(&self.info),
            call: self.call.clone(),
            on_error: self.on_error,
            filter: self.filter.clone(),
            switch: Arc::clone(&self.switch),
            why: Arc::clone(&self.why),
            point: PhantomData,
        }
    }
}

impl<P: Point> HookSlot<P> {
    /// Tells hooks apart within the program.
    pub(crate) fn number(&self) -> usize {
        Arc::as_ptr(&self.switch) as usize
    }

    /// Whether it is called for such an event.
    #[inline]
    pub(crate) fn wants(&self, event: &P::Event<'_>, session: &Session) -> bool {
        self.filter.as_ref().is_none_or(|filter| Self::fits(filter, event, session))
    }

    #[inline(never)]
    fn fits(filter: &Filter, event: &P::Event<'_>, session: &Session) -> bool {
        let root = || session.workspace().map_or_else(|| Cow::Owned(session.cwd()), Cow::Borrowed);
        filter.fits(P::subject(event), root)
    }

    fn plain_call(&self) -> Option<SyncCall<P>> {
        let info = &self.info;
        let always = info.placement == Placement::Inline && !info.once && self.filter.is_none();
        match self.call {
            Call::Sync(call) if always && info.budget.is_none() => Some(call),
            _ => None,
        }
    }
}

impl<P: Point> Slots<P> {
    /// Sorts the hooks into the order in which they run. Where they have none, with what is wrong, in the order in which they
    /// came.
    pub(crate) fn ordered(hooks: Vec<HookSlot<P>>) -> (Self, Option<Problem>) {
        let infos: Vec<Arc<HookInfo>> = hooks.iter().map(|hook| Arc::clone(&hook.info)).collect();
        let order = match order(&infos) {
            Ok(order) => order,
            Err(problem) => return (Self::new(hooks), Some(problem)),
        };
        let mut hooks: Vec<_> = hooks.into_iter().map(Some).collect();
        (Self::new(order.into_iter().filter_map(|at| hooks[at].take()).collect()), None)
    }

    /// Hooks that are in order.
    fn new(hooks: Vec<HookSlot<P>>) -> Self {
        let calls: Option<Box<[_]>> = hooks.iter().map(HookSlot::plain_call).collect();
        let budgets = hooks.iter().any(|hook| hook.info.budget.is_some());
        Self { calls: calls.unwrap_or_default(), hooks: hooks.into(), budgets, seen: Seen::new() }
    }

    /// Whether the fast loop may run these hooks.
    #[inline]
    pub(crate) fn is_plain(&self) -> bool {
        self.calls.len() == self.hooks.len()
            && self.all_on()
            && tracing::level_filters::LevelFilter::current() < tracing::Level::TRACE
    }

    /// Whether none of them is switched off. Looked up once after each change of any switch, wherever these hooks are kept.
    #[inline]
    pub(crate) fn all_on(&self) -> bool {
        self.seen.is(changes(), || self.hooks.iter().all(|hook| hook.switch.is_on()))
    }
}

impl<P: Point> AnySlots for Slots<P> {
    fn len(&self) -> usize {
        self.hooks.len()
    }

    fn rows(&self) -> Vec<(Arc<HookInfo>, Arc<Switch>)> {
        self.hooks.iter().map(|hook| (Arc::clone(&hook.info), Arc::clone(&hook.switch))).collect()
    }

    fn shown(&self) -> Vec<HookRow> {
        let hooks = self.hooks.iter();
        hooks.map(|hook| HookRow::selected(Arc::clone(&hook.info), &hook.switch, &hook.why)).collect()
    }

    fn without(&self, name: &str) -> Option<Arc<dyn AnySlots>> {
        let left: Vec<_> = self.hooks.iter().filter(|hook| !hook.info.is_called(name)).cloned().collect();
        // What had an order has one with less in it.
        (left.len() < self.hooks.len()).then(|| Arc::new(Slots::ordered(left).0) as Arc<dyn AnySlots>)
    }

    fn with_switches(&self, of: &HashMap<String, Arc<Switch>>) -> Option<Arc<dyn AnySlots>> {
        if !self.hooks.iter().any(|hook| of.contains_key(&hook.info.name)) {
            return None;
        }
        let mut hooks = self.hooks.to_vec();
        for hook in &mut hooks {
            if let Some(switch) = of.get(&hook.info.name) {
                hook.switch = Arc::clone(switch);
            }
        }
        Some(Arc::new(Slots::new(hooks)))
    }
}

impl Session {
    /// Whether any hook listens to a point: a host asks before it computes a costly event.
    #[must_use]
    pub fn listens<P: Point>(&self, point: P) -> bool {
        self.is_observed() || !self.hooks().load().handle(point).is_empty()
    }
}

impl Registry {
    /// The hooks of one point. Cheap to keep; it does not see later changes made through [`Hooks`](crate::Hooks).
    #[must_use]
    pub fn handle<P: Point>(&self, _point: P) -> Handle<P> {
        self.find::<P>().unwrap_or_else(Handle::empty)
    }

    pub(crate) fn find<P: Point>(&self) -> Option<Handle<P>> {
        let slots: Arc<dyn Any + Send + Sync> = Arc::clone(self.points.get(&TypeId::of::<P>())?) as _;
        slots.downcast::<Slots<P>>().ok().map(Handle)
    }

    #[inline]
    pub(crate) fn slots<P: Point>(&self) -> Option<&Slots<P>> {
        let slots: &dyn Any = &**self.points.get(&TypeId::of::<P>())?;
        slots.downcast_ref()
    }
}
