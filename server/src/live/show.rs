//! What the engine shows, as events.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use hookspec::model::ChunkKind;
use hookspec::session::InterruptReason;
use hookspec::tool::ToolStatus;
use hookspec::{Message, Registry, ToolUse};
use hookspec_agent::Frontend;

use crate::events::{Event, ShownCall};
use crate::feed::Feed;
use crate::store::Kept;

/// Pieces of an answer are gathered until they have so many characters, or a line ends.
const GATHERED: usize = 20;

/// Which question was asked about which call: clients know a call by its question, where there was one.
#[derive(Debug, Default)]
pub(crate) struct CallNames(Mutex<HashMap<String, String>>);

impl CallNames {
    fn lock(&self) -> MutexGuard<'_, HashMap<String, String>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The call will be known by this name.
    pub(crate) fn set(&self, call: &ToolUse, name: &str) {
        if let Some(id) = &call.call_id {
            self.lock().insert(id.clone(), name.to_owned());
        }
    }

    fn get(&self, call_id: &str) -> String {
        self.lock().get(call_id).map_or_else(|| call_id.to_owned(), Clone::clone)
    }

    fn forget(&self, call_id: &str) {
        self.lock().remove(call_id);
    }
}

/// Shows a session to its clients.
#[derive(Debug)]
pub(crate) struct Show {
    feed: Arc<Feed>,
    names: Arc<CallNames>,
    hooks: hookspec::Hooks,
    kept: Kept,
    gathered: Mutex<(ChunkKind, String)>,
}

/// A call as clients see it.
fn shown(call: &ToolUse, registry: &Registry) -> ShownCall {
    let content = registry.tools().get(&call.tool).map_or(&*call.content, |tool| tool.content(call));
    ShownCall {
        tool: call.tool.clone(),
        args: call.args.clone(),
        content: content.to_owned(),
        kwargs: call.kwargs.clone(),
    }
}

impl Show {
    pub(crate) fn new(feed: Arc<Feed>, names: Arc<CallNames>, hooks: hookspec::Hooks, kept: Kept) -> Self {
        Self { feed, names, hooks, kept, gathered: Mutex::new((ChunkKind::Text, String::new())) }
    }

    fn gathered(&self) -> MutexGuard<'_, (ChunkKind, String)> {
        self.gathered.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn flush(&self) {
        let mut gathered = self.gathered();
        if gathered.1.is_empty() {
            return;
        }
        let token = std::mem::take(&mut gathered.1);
        self.feed.publish(&match gathered.0 {
            ChunkKind::Text => Event::GenerationProgress { token: &token },
            ChunkKind::Reasoning => Event::ThinkingProgress { token: &token },
        });
    }

    fn name(&self, call: &ToolUse) -> String {
        self.names.get(call.call_id.as_deref().unwrap_or_default())
    }
}

impl Frontend for Show {
    fn accepted(&self, message: &Message) {
        if !message.hide {
            self.feed.publish(&Event::MessageAdded { message });
        }
    }

    fn refused(&self, message: &Message, hook: &str, reason: &str) {
        if let Some(id) = &message.id
            && let Err(error) = self.kept.refuse(id)
        {
            self.notice(&error.to_string());
        }
        self.notice(&format!("The message was refused by `{hook}`: {reason}"));
    }

    fn generating(&self, _attempt: u32) {
        self.gathered().1.clear();
        self.feed.publish(&Event::GenerationStarted);
    }

    fn chunk(&self, text: &str, kind: ChunkKind) {
        if self.gathered().0 != kind {
            self.flush();
            self.gathered().0 = kind;
        }
        let full = {
            let mut gathered = self.gathered();
            gathered.1.push_str(text);
            gathered.1.contains('\n') || gathered.1.chars().count() >= GATHERED
        };
        if full {
            self.flush();
        }
    }

    fn answered(&self, message: &Message) {
        self.flush();
        self.feed.publish(&Event::GenerationComplete { message });
    }

    fn message(&self, message: &Message) {
        match &message.call_id {
            Some(call) => {
                let tool_id = self.names.get(call);
                self.feed.publish(&Event::ToolOutput { tool_id: &tool_id, output: message });
            }
            None => self.feed.publish(&Event::MessageAdded { message }),
        }
    }

    fn tool(&self, call: &ToolUse) {
        let tooluse = shown(call, &self.hooks.load());
        self.feed.publish(&Event::ToolExecuting { tool_id: &self.name(call), tooluse: &tooluse });
    }

    fn result(&self, call: &ToolUse, status: ToolStatus, duration: Duration) {
        self.feed.publish(&Event::ToolComplete {
            tool_id: &self.name(call),
            duration_ms: u64::try_from(duration.as_millis()).unwrap_or(u64::MAX),
            success: status == ToolStatus::Ok,
            status,
        });
        self.names.forget(call.call_id.as_deref().unwrap_or_default());
    }

    fn interrupted(&self, reason: InterruptReason) {
        self.flush();
        self.feed.publish(&Event::Interrupted { reason });
    }

    fn notice(&self, text: &str) {
        self.feed.publish(&Event::Notice { text });
    }
}
