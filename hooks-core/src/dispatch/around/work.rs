//! The host's work, as it is handed to the levels.

use std::marker::PhantomData;

use crate::base::boxed::BoxFuture;
use crate::declared::around::Within;
use crate::declared::point::AroundPoint;

use super::env::{Given, Work};

/// Work that gives a future.
pub(super) struct Waits<'w, W>(pub(super) W, pub(super) PhantomData<&'w ()>);

impl<'w, P, W> Work<P> for Waits<'w, W>
where
    P: AroundPoint,
    W: for<'a> Fn(P::Event<'a>, Within<'a, 'w>) -> BoxFuture<'a, Given<P>> + Send + Sync,
{
    fn call<'a>(&'a self, event: P::Event<'a>) -> Option<BoxFuture<'a, Given<P>>> {
        Some((self.0)(event, PhantomData))
    }
}

/// Work that is done when it returns.
pub(super) struct Ready<W>(pub(super) W);

impl<P, W> Work<P> for Ready<W>
where
    P: AroundPoint,
    W: Fn(P::Event<'_>) -> Given<P> + Send + Sync,
{
    fn call<'a>(&'a self, event: P::Event<'a>) -> Option<BoxFuture<'a, Given<P>>> {
        Some(Box::pin(async move { (self.0)(event) }))
    }
}

/// No work.
pub(super) struct Nothing;

impl<P: AroundPoint> Work<P> for Nothing {
    fn call<'a>(&'a self, _: P::Event<'a>) -> Option<BoxFuture<'a, Given<P>>> {
        None
    }
}
