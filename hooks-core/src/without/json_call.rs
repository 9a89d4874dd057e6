//! What stands in for hooks that get their events as JSON without the feature `json`: there are none.

use crate::base::boxed::BoxFuture;
use crate::declared::outcome::Outcome;
use crate::plain::verdict::Verdict;
use crate::session::Session;

/// No event is JSON.
#[derive(Clone, Debug)]
pub(crate) struct JsonOnce;

impl JsonOnce {
    pub(crate) const NONE: Self = Self;

    pub(crate) fn forget(&mut self) {}

    pub(crate) fn shared(&mut self) -> Self {
        Self
    }
}

/// There is none.
#[derive(Debug)]
pub enum JsonWork {}

impl JsonWork {
    pub(crate) fn is_async(&self) -> bool {
        match *self {}
    }

    pub(crate) fn call<E, V: Verdict>(&self, _: &E, _: &mut JsonOnce, _: &Session, _: &mut Outcome<V>) {
        match *self {}
    }

    pub(crate) fn begin<'a, E, V: Verdict>(
        &self,
        _: &E,
        _: &mut JsonOnce,
        _: &Session,
        _: &'a mut Outcome<V>,
    ) -> Option<BoxFuture<'a, ()>> {
        match *self {}
    }
}
