//! Tower: a stack of layers, each of which looks at the request and passes it on. A stack whose height is known only when
//! the program runs is made of boxed services.

use std::convert::Infallible;
use std::task::{Context, Poll};

use hookspec::points::FilePostSave;
use tower::util::BoxService;
use tower::{Service, ServiceExt, service_fn};

use crate::measure::{Contestant, keep, ready};
use crate::work::{event, work};

type Stack = BoxService<FilePostSave<'static>, (), Infallible>;

struct Look(Stack);

impl Service<FilePostSave<'static>> for Look {
    type Response = ();
    type Error = Infallible;
    type Future = <Stack as Service<FilePostSave<'static>>>::Future;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        self.0.poll_ready(cx)
    }

    fn call(&mut self, event: FilePostSave<'static>) -> Self::Future {
        keep(work(event.path, event.created));
        self.0.call(event)
    }
}

pub(super) fn row(hooks: usize) -> Contestant<'static> {
    let nothing = service_fn(|_: FilePostSave<'static>| std::future::ready(Ok::<(), Infallible>(())));
    let mut stack = BoxService::new(nothing);
    for _ in 0..hooks {
        stack = BoxService::new(Look(stack));
    }
    Contestant::new("tower: boxed layers", hooks, move || {
        keep(ready(async { stack.ready().await.unwrap().call(event()).await }));
    })
}
