//! rig: hooks of an agent's run. Its context is made by a run alone, so the contest is held within the first hook of one.

use std::path::Path;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

use rig_agent::AgentBuilder;
use rig_agent::agent::{
    AgentHook, HookContext, HookStack, ObservationAction, RunStart, RunStartAction, TextDelta,
};
use rig_core::test_utils::MockCompletionModel;

use crate::measure::{Contestant, keep, ready};
use crate::work::{event, work};

/// Looks at a piece of text, which is the event that carries two strings.
struct Look;

impl AgentHook for Look {
    async fn on_text_delta(&self, _: &HookContext, text: TextDelta<'_>) -> ObservationAction {
        keep(work(Path::new(text.aggregated), true));
        ObservationAction::continue_run()
    }
}

struct Contest {
    sizes: Vec<usize>,
    run: fn(Vec<Contestant<'_>>),
}

impl AgentHook for Contest {
    async fn on_run_start(&self, context: &HookContext, _: RunStart<'_>) -> RunStartAction {
        let mut rows = super::rows(&self.sizes);
        rows.extend(self.sizes.iter().map(|&hooks| row(hooks, context)));
        (self.run)(rows);
        RunStartAction::stop("measured")
    }
}

fn row(hooks: usize, context: &HookContext) -> Contestant<'_> {
    let mut stack = HookStack::new();
    (0..hooks).for_each(|_| stack.push(Look));
    Contestant::new("rig-agent: hooks", hooks, move || {
        let event = event();
        let text = TextDelta { delta: event.content, aggregated: event.path.to_str().unwrap_or("") };
        keep(ready(stack.on_text_delta(context, text)));
    })
}

pub(super) fn during_a_run(sizes: &[usize], run: fn(Vec<Contestant<'_>>)) {
    let agent = AgentBuilder::new(MockCompletionModel::text(""))
        .add_hook(Contest { sizes: sizes.into(), run })
        .build();
    // Not within a tokio task, whose budget would let what is ready look as if it waited.
    let mut prompt = pin!(async { agent.prompt("").await });
    let mut context = Context::from_waker(Waker::noop());
    while let Poll::Pending = prompt.as_mut().poll(&mut context) {
        std::thread::yield_now();
    }
}
