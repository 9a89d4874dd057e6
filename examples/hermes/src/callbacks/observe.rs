//! Observers: told what happened, and what they return means nothing.

use std::sync::Arc;

use hookspec::hooks::{BoxError, JsonCall, JsonEvent, JsonOutcome};
use hookspec::model::ChunkKind;
use hookspec::points::ErrorSource;
use serde_json::{Value, json};

use crate::kwargs::kwargs;
use crate::table::Row;

use super::set::call;
use super::{About, Named};

/// One observer as a hook's function, and the hook's priority.
pub(super) fn hook(row: &'static Row, callback: Named, about: About) -> (i32, Arc<JsonCall>) {
    let priority = match row.name {
        // What is sent is what is told, and a question is told before its answer ends the chain.
        "pre_api_request" => -1_000_000,
        "pre_approval_request" => 1_900_000,
        _ => 0,
    };
    let tell = move |event: &JsonEvent, session: &hookspec::Session| -> Result<JsonOutcome, BoxError> {
        if concerns(row.name, event, &about) {
            let told = kwargs(row.name, event, session, &about.platform)?;
            let returned = call(&callback, &told, session)?;
            if returned.is_object() {
                let callback = &callback.name;
                tracing::debug!(hook = row.name, callback, "an observer's return means nothing; ignored");
            }
        }
        Ok(JsonOutcome::default())
    };
    (priority, Arc::new(tell))
}

/// Whether Hermes would have told of this event, where our point means more than its hook.
fn concerns(hook: &str, event: &Value, about: &About) -> bool {
    match hook {
        "on_session_start" => event["resumed"] == json!(false),
        "api_request_error" => event["source"] == json!(ErrorSource::Model),
        "on_stream_delta" => about.reasoning || event["kind"] == json!(ChunkKind::Text),
        _ => true,
    }
}
