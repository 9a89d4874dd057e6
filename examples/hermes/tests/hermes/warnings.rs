//! What a callback does wrong is told once.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use hookspec::points::TOOL_PRE_EXECUTE;
use hookspec::{Hooks, Registry, Session, ToolUse, fire_now};
use hookspec_hermes::Callbacks;
use serde_json::json;
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Level, Metadata};

/// Keeps the texts of warnings.
#[derive(Clone, Default)]
struct Warnings(Arc<Mutex<Vec<String>>>);

impl tracing::Subscriber for Warnings {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        *metadata.level() <= Level::WARN && metadata.target().starts_with("hookspec_hermes")
    }
    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }
    fn record(&self, _: &Id, _: &Record<'_>) {}
    fn record_follows_from(&self, _: &Id, _: &Id) {}
    fn event(&self, event: &Event<'_>) {
        struct Text(String);
        impl Visit for Text {
            fn record_debug(&mut self, field: &Field, value: &dyn std::fmt::Debug) {
                self.0.push_str(&format!("{}={value:?} ", field.name()));
            }
        }
        let mut text = Text(String::new());
        event.record(&mut text);
        self.0.lock().unwrap().push(text.0);
    }
    fn enter(&self, _: &Id) {}
    fn exit(&self, _: &Id) {}
}

#[test]
fn a_wrong_shape_and_a_failure_are_warned_of_once_each() {
    let warnings = Warnings::default();
    let callbacks = Callbacks::new()
        .timeout(Duration::ZERO) // in place, so that the warnings are this thread's
        .on("pre_tool_call", "odd", |_, _| Ok(json!(7)))
        .unwrap()
        .on("pre_tool_call", "broken", |_, _| Err("no table".into()))
        .unwrap();
    let builder = Registry::builder().plugins(hookspec::plugins![hookspec_hermes]);
    let hooks = Hooks::new(callbacks.register(builder).build().unwrap());
    let session = Session::builder(&hooks, "s").build();
    let call = ToolUse::fenced("shell", [""; 0], "ls");
    tracing::subscriber::with_default(warnings.clone(), || {
        for _ in 0..3 {
            assert!(fire_now!(session, TOOL_PRE_EXECUTE { tool_use: &call }).denied().is_some());
        }
    });
    let told = warnings.0.lock().unwrap();
    assert_eq!(told.len(), 2, "{told:?}");
    assert!(told[0].contains("callback=\"odd\"") && told[0].contains("a number"), "{told:?}");
    // Whoever wrote the callback sees what it could have asked for.
    assert!(told[1].contains("no table") && told[1].contains("tool_name"), "{told:?}");
}
