//! Messages on their way into the conversation.

use crate::hook_point;
use crate::plain::message::Message;

hook_point! {
    /// A user message came in (typed, queued or posted) and is not in the log yet. Hooks may refuse or
    /// rewrite it.
    pub MESSAGE_PRE_PROCESS("message.pre", aliases = ["user_prompt_submit", "pre_gateway_dispatch"])
        -> Gate + Fold<Message>
    {
        /// The message.
        #[fold]
        message: &Message,
    }

    /// The assistant's message is complete: once, before it is stored and shown as final.
    pub MESSAGE_TRANSFORM("message.transform", aliases = ["transform_llm_output"]) -> Fold<Message> {
        /// The message.
        #[fold]
        message: &Message,
    }

    /// An assistant message was stored: once a step.
    pub MESSAGE_POST_PROCESS("message.post") -> Messages {
        /// The message.
        message: &Message,
    }
}
