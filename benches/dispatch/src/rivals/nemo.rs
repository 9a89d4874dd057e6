//! nemo-relay: intercepts of a tool's request. They are registered with a scope, so that rows of several sizes live side by side.

use std::path::Path;
use std::sync::Arc;

use nemo_relay::api::registry::scope_register_tool_request_intercept;
use nemo_relay::api::runtime::{TASK_SCOPE_STACK, create_scope_stack};
use nemo_relay::api::scope::{PushScopeParams, ScopeType, push_scope};
use nemo_relay::api::tool::tool_request_intercepts;
use serde_json::{Value, json};

use crate::measure::{Contestant, keep, ready};
use crate::work::{event, work};

pub(super) fn row(hooks: usize) -> Contestant<'static> {
    let stack = create_scope_stack();
    TASK_SCOPE_STACK.sync_scope(Arc::clone(&stack), || {
        let params = PushScopeParams::builder().name("bench").scope_type(ScopeType::Agent).build();
        let scope = push_scope(params).unwrap();
        for number in 0..hooks {
            let name = format!("look_{number:02}");
            let look = Arc::new(|_: String, args: Value| {
                let created = args.get("created").and_then(Value::as_bool).unwrap_or(false);
                keep(work(Path::new(args.get("path").and_then(Value::as_str).unwrap_or("")), created));
                Box::pin(std::future::ready(Ok(args))) as _
            });
            scope_register_tool_request_intercept(&scope.uuid, &name, 0, false, look).unwrap();
        }
    });
    Contestant::new("nemo-relay: request intercepts", hooks, move || {
        let event = event();
        let args = json!({ "path": event.path.to_str(), "content": event.content, "created": event.created });
        TASK_SCOPE_STACK.sync_scope(Arc::clone(&stack), || {
            keep(ready(tool_request_intercepts("save", args)));
        });
    })
}
