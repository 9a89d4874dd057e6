//! The ways to call a hook that is given the rest of its chain.

use std::fmt;
use std::sync::Arc;

use crate::base::boxed::BoxFuture;
use crate::declared::outcome::Outcome;
use crate::declared::point::Point;
use crate::session::Session;

use super::Next;

/// A plain function around work, as the dispatcher calls it.
pub type AroundSync<P> = for<'a, 'e> fn(
    &'a <P as Point>::Event<'e>,
    &'a Session,
    Next<'a, <P as Point>::Verdict>,
    &'a mut Outcome<<P as Point>::Verdict>,
);
/// An `async fn` around work, as the dispatcher calls it. `None`: the outcome says why it does not run.
pub type AroundAsync<P> = for<'a> fn(
    <P as Point>::Event<'a>,
    &'a Session,
    Next<'a, <P as Point>::Verdict>,
    &'a mut Outcome<<P as Point>::Verdict>,
) -> Option<BoxFuture<'a, ()>>;
/// A closure around work.
pub type AroundClosure<P> = dyn for<'a, 'e> Fn(
        &'a <P as Point>::Event<'e>,
        &'a Session,
        Next<'a, <P as Point>::Verdict>,
        &'a mut Outcome<<P as Point>::Verdict>,
    ) + Send
    + Sync;
/// A closure around work that gives a future.
pub type AroundAsyncClosure<P> = dyn for<'a> Fn(
        <P as Point>::Event<'a>,
        &'a Session,
        Next<'a, <P as Point>::Verdict>,
        &'a mut Outcome<<P as Point>::Verdict>,
    ) -> BoxFuture<'a, ()>
    + Send
    + Sync;

/// A hook that is given the rest of its chain: at a point around work.
pub enum AroundCall<P: Point> {
    /// A plain function.
    Sync(AroundSync<P>),
    /// An `async fn`.
    Async(AroundAsync<P>),
    /// A closure, registered at run time.
    Closure(Arc<AroundClosure<P>>),
    /// A closure that gives a future.
    AsyncClosure(Arc<AroundAsyncClosure<P>>),
}

impl<P: Point> Clone for AroundCall<P> {
    fn clone(&self) -> Self {
        match self {
            Self::Sync(call) => Self::Sync(*call),
            Self::Async(call) => Self::Async(*call),
            Self::Closure(call) => Self::Closure(Arc::clone(call)),
            Self::AsyncClosure(call) => Self::AsyncClosure(Arc::clone(call)),
        }
    }
}

impl<P: Point> fmt::Debug for AroundCall<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Sync(_) => "Sync",
            Self::Async(_) => "Async",
            Self::Closure(_) => "Closure",
            Self::AsyncClosure(_) => "AsyncClosure",
        })
    }
}
