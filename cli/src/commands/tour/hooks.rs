//! The tour's own hooks. They are registered by hand and not gathered by the linker, so that no list of another command
//! shows or selects them.

use std::time::Duration;

use hookspec::hooks::Placement;
use hookspec::points::{FILE_PRE_PATCH, STEP_POST, TOOL_POST_EXECUTE, TURN_POST};
use hookspec::registry::RegistryBuilder;
use hookspec::{Gate, Hook, Message, Options};

use crate::output::count;

pub(super) fn register(builder: RegistryBuilder) -> RegistryBuilder {
    builder
        // A gate: nobody changes what runs in production.
        .register(Hook::new(FILE_PRE_PATCH, "tour.guard", |event, _| {
            let guarded = event.path.ends_with("production.toml");
            guarded.then(|| Gate::deny("production settings are changed by people only"))
        }))
        // A hook with a bug: it panics, and the session goes on.
        .register(Hook::new(TOOL_POST_EXECUTE, "tour.fragile", |event, _| {
            assert!(event.tool_use.tool != "shell", "this hook cannot stand shells");
        }))
        // Reports beside the chain; nobody waits for it.
        .register(
            Hook::new(TURN_POST, "tour.report", |event, _| {
                std::thread::sleep(Duration::from_millis(30));
                let (steps, changed) = (count(event.steps, "step"), count(event.changed.len(), "file"));
                Message::system(format!("{steps}, {changed} changed"))
            })
            .options(Options { placement: Placement::Background, ..Options::DEFAULT }),
        )
        // Seven minutes pass with each step, so that `time_awareness` has something to say.
        .register(Hook::new(STEP_POST, "tour.time_flies", |_, session| {
            session.clock().advance(Duration::from_secs(7 * 60));
        }))
}
