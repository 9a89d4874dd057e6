//! halter-hooks: callbacks for an event, prepared, called in order and merged, as its runtime does it.

use std::collections::BTreeSet;
use std::path::Path;

use halter_hooks::{
    ConfiguredHandlerConfig, Hook, HookDispatchRequest, HookEventName, HookInput, HookResponse, MergeInput,
    RegisteredHookPriority, RegisteredHooks, merge_outputs,
};
use serde_json::json;

use crate::measure::{Contestant, keep, ready};
use crate::work::{event, work};

pub(super) fn row(hooks: usize) -> Contestant<'static> {
    let mut registered = RegisteredHooks::default();
    for _ in 0..hooks {
        let look = Hook::callback(HookEventName::FileChanged, |input: HookInput| async move {
            let created = input.field("created").and_then(serde_json::Value::as_bool).unwrap_or(false);
            keep(work(Path::new(input.string_field("path").unwrap_or("")), created));
            HookResponse::passthrough()
        });
        registered.register("bench".into(), RegisteredHookPriority::default(), look);
    }
    let hooks_of = registered.instantiate().unwrap();
    let cancel = Default::default();
    Contestant::new("halter-hooks: callbacks", hooks, move || {
        let event = event();
        let payload =
            json!({ "path": event.path.to_str(), "content": event.content, "created": event.created });
        let prepared = hooks_of.prepare(HookDispatchRequest {
            event_name: HookEventName::FileChanged,
            matcher_value: None,
            payload,
            fired_hook_ids: BTreeSet::new(),
        });
        let mut outputs = Vec::new();
        for handler in prepared.matched_handlers() {
            let ConfiguredHandlerConfig::Callback(callback) = &handler.config else { continue };
            let response = ready(callback(HookInput {
                event_name: HookEventName::FileChanged,
                matcher_value: None,
                payload: prepared.request().payload.clone(),
                cancel: Clone::clone(&cancel),
            }));
            outputs.push(MergeInput {
                handler_id: handler.handler_id.clone(),
                priority: handler.priority.clone(),
                output: response.unwrap().into_output(),
            });
        }
        keep(merge_outputs(&outputs));
    })
}
