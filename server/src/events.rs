//! What the server tells its clients: one JSON object an event, with gptme's names where gptme has one.
//!
//! Ours are `thinking_progress`, `question_closed`, `notice` and `rested`, and the fields `partial`, `missed`,
//! `elicitations`, `preview`, `why`, `kwargs` and `reason`; clients that do not know them may ignore them.

use hookspec::Message;
use hookspec::ask::{ElicitKind, FormField};
use hookspec::points::TurnOutcome;
use hookspec::session::InterruptReason;
use hookspec::tool::ToolStatus;
use serde::Serialize;
use serde_json::{Map, Value};
use utoipa::ToSchema;

/// A tool call, as clients see it.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub(crate) struct ShownCall {
    /// The tool.
    pub tool: String,
    /// The words after its name.
    pub args: Vec<String>,
    /// Its main content: the command, the file, the patch. This is what an edit replaces.
    pub content: String,
    /// The named arguments of a native call.
    #[serde(skip_serializing_if = "Map::is_empty")]
    #[schema(value_type = Object)]
    pub kwargs: Map<String, Value>,
}

/// A tool call that waits for a yes.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub(crate) struct PendingTool {
    /// The call.
    pub tool_id: String,
    /// What would run.
    pub tooluse: ShownCall,
    /// Whether it was confirmed beforehand and is only announced.
    pub auto_confirm: bool,
    /// What to show, where that is more than the content: usually a diff.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub preview: Option<String>,
    /// Why it is asked, where a hook wants it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
}

/// A question that waits for an answer.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub(crate) struct PendingElicitation {
    /// The question.
    pub elicit_id: String,
    /// What kind of answer is wanted.
    #[schema(value_type = String)]
    pub elicit_type: ElicitKind,
    /// The question's text.
    pub prompt: String,
    /// What to choose from.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub options: Vec<String>,
    /// The fields of a form.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(value_type = Vec<Object>)]
    pub fields: Vec<FormField>,
    /// The answer to an empty reply.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub default: Option<String>,
    /// A longer explanation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
}

/// How a question came to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Closed {
    /// Somebody answered.
    Answered,
    /// Nobody did in time.
    TimedOut,
    /// Whoever asked no longer waits.
    Withdrawn,
    /// The turn was interrupted.
    Interrupted,
}

/// An event.
#[derive(Debug, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(crate) enum Event<'a> {
    /// The first of each stream.
    Connected {
        /// The session.
        session_id: &'a str,
        /// Whether a turn runs.
        generating: bool,
        /// What waits for a yes.
        pending_tools: Vec<PendingTool>,
        /// What waits for an answer.
        elicitations: Vec<PendingElicitation>,
        /// The answer that streams now, as far as it went.
        partial: &'a str,
        /// Whether events since the client's last one are gone: read the conversation again.
        missed: bool,
    },
    /// The stream is alive.
    Ping,
    /// A message was stored.
    MessageAdded {
        /// It.
        message: &'a Message,
    },
    /// The model is asked.
    GenerationStarted,
    /// A piece of its answer.
    GenerationProgress {
        /// The text.
        token: &'a str,
    },
    /// A piece of its reasoning.
    ThinkingProgress {
        /// The text.
        token: &'a str,
    },
    /// The answer is whole and stored.
    GenerationComplete {
        /// It.
        message: &'a Message,
    },
    /// A tool call waits for a yes.
    ToolPending(&'a PendingTool),
    /// A tool runs.
    ToolExecuting {
        /// The call.
        tool_id: &'a str,
        /// What runs.
        tooluse: &'a ShownCall,
    },
    /// A tool's result, stored.
    ToolOutput {
        /// The call.
        tool_id: &'a str,
        /// The result.
        output: &'a Message,
    },
    /// A tool call is over.
    ToolComplete {
        /// The call.
        tool_id: &'a str,
        /// How long it took, with the wait for a yes left out.
        duration_ms: u64,
        /// Whether it did what it was asked.
        success: bool,
        /// How it ended.
        status: ToolStatus,
    },
    /// A question waits for an answer.
    ElicitPending(&'a PendingElicitation),
    /// A question waits no longer.
    QuestionClosed {
        /// Its `tool_id` or `elicit_id`.
        id: &'a str,
        /// How it ended.
        how: Closed,
    },
    /// Something was cut short.
    Interrupted {
        /// Why.
        reason: InterruptReason,
    },
    /// A session could not do what it was asked.
    Error {
        /// Why.
        error: &'a str,
    },
    /// Something that the user should know and the model need not.
    Notice {
        /// It.
        text: &'a str,
    },
    /// Settings of the conversation changed.
    ConfigChanged {
        /// The settings.
        config: Value,
        /// Which of them.
        changed_fields: &'a [&'a str],
    },
    /// Messages were changed or taken away.
    ConversationEdited {
        /// The first that changed.
        index: usize,
        /// Whether what followed it is gone.
        truncated: bool,
        /// The conversation now.
        log: &'a [Message],
        /// What it was before each edit.
        branches: Value,
    },
    /// The agent rests.
    Rested {
        /// How the last turn ended; absent where a message was refused.
        outcome: Option<TurnOutcome>,
    },
}
