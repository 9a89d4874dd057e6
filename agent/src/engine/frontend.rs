//! Frontends: how a host shows what happens.

use std::fmt::Debug;
use std::time::Duration;

use hookspec::model::ChunkKind;
use hookspec::session::InterruptReason;
use hookspec::tool::ToolStatus;
use hookspec::{Message, ToolUse};

/// Shows a session to somebody. Every method may be left out.
pub trait Frontend: Debug + Send + Sync {
    /// A user message was stored.
    fn accepted(&self, _message: &Message) {}
    /// A hook refused a user message, which is not stored.
    fn refused(&self, _message: &Message, hook: &str, reason: &str) {
        self.notice(&format!("the message was refused by `{hook}`: {reason}"));
    }
    /// The model is asked; `attempt` counts from 0.
    fn generating(&self, _attempt: u32) {}
    /// A piece of the model's answer arrived.
    fn chunk(&self, _text: &str, _kind: ChunkKind) {}
    /// The model's answer is complete and stored; its text was shown in chunks already.
    fn answered(&self, _message: &Message) {}
    /// A message was stored: a tool's result, a hook's word. Hidden ones are not handed here.
    fn message(&self, _message: &Message) {}
    /// It is decided whether a call may run. `seen`: a person at the terminal was shown it and asked.
    fn called(&self, _call: &ToolUse, _seen: bool) {}
    /// A tool is about to run.
    fn tool(&self, _call: &ToolUse) {}
    /// A tool call has its result, which is stored and was shown. A refused call has one too.
    fn result(&self, _call: &ToolUse, _status: ToolStatus, _duration: Duration) {}
    /// A generation or a tool was cut short.
    fn interrupted(&self, _reason: InterruptReason) {}
    /// Something that the user should know and the model need not.
    fn notice(&self, _text: &str) {}
}

/// Shows nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Frontend for Silent {}
