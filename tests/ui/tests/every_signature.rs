//! Every signature that `hookspec points` prints, compiled.
//!
//! Made by `UPDATE_PAGES=1 cargo test -p hookspec-cli --test program signature`; do not edit.

#![allow(unused_variables, clippy::unwrap_used)] // what is pasted says nothing yet

#[rustfmt::skip]
mod cache_invalidated {
    use hookspec::points::{CACHE_INVALIDATED, InvalidationReason};
    use hookspec::{Message, Session, hook};

    #[hook(CACHE_INVALIDATED)]
    fn my_hook(
        reason: InvalidationReason,
        tokens_before: Option<u64>,
        tokens_after: Option<u64>,
        session: &Session,
    ) -> Option<Message> {
        None
    }
}

#[rustfmt::skip]
mod cache_invalidated_async {
    use hookspec::points::{CACHE_INVALIDATED, InvalidationReason};
    use hookspec::{Message, Session, hook};

    #[hook(CACHE_INVALIDATED)]
    async fn my_hook(
        reason: InvalidationReason,
        tokens_before: Option<u64>,
        tokens_after: Option<u64>,
        session: &Session,
    ) -> Option<Message> {
        None
    }
}

#[rustfmt::skip]
mod cwd_changed {
    use std::path::Path;

    use hookspec::points::CWD_CHANGED;
    use hookspec::{Message, Session, ToolUse, hook};

    #[hook(CWD_CHANGED)]
    fn my_hook(old: &Path, new: &Path, tool_use: &ToolUse, session: &Session) -> Option<Message> {
        None
    }
}

#[rustfmt::skip]
mod cwd_changed_async {
    use std::path::Path;

    use hookspec::points::CWD_CHANGED;
    use hookspec::{Message, Session, ToolUse, hook};

    #[hook(CWD_CHANGED)]
    async fn my_hook(old: &Path, new: &Path, tool_use: &ToolUse, session: &Session) -> Option<Message> {
        None
    }
}

#[rustfmt::skip]
mod elicit {
    use hookspec::ask::{Answer, Elicitation};
    use hookspec::points::ELICIT;
    use hookspec::{First, Session, hook};

    #[hook(ELICIT)]
    fn my_hook(request: &Elicitation, session: &Session) -> Option<First<Answer>> {
        None
    }
}

#[rustfmt::skip]
mod elicit_async {
    use hookspec::ask::{Answer, Elicitation};
    use hookspec::points::ELICIT;
    use hookspec::{First, Session, hook};

    #[hook(ELICIT)]
    async fn my_hook(request: &Elicitation, session: &Session) -> Option<First<Answer>> {
        None
    }
}

#[rustfmt::skip]
mod error {
    use hookspec::points::{ERROR, ErrorSource};
    use hookspec::{Message, Session, hook};

    #[hook(ERROR)]
    fn my_hook(
        source: ErrorSource,
        error: &str,
        retryable: bool,
        attempt: u32,
        session: &Session,
    ) -> Option<Message> {
        None
    }
}

#[rustfmt::skip]
mod error_async {
    use hookspec::points::{ERROR, ErrorSource};
    use hookspec::{Message, Session, hook};

    #[hook(ERROR)]
    async fn my_hook(
        source: ErrorSource,
        error: &str,
        retryable: bool,
        attempt: u32,
        session: &Session,
    ) -> Option<Message> {
        None
    }
}

#[rustfmt::skip]
mod file_post_patch {
    use std::path::Path;

    use hookspec::points::FILE_POST_PATCH;
    use hookspec::{Message, Session, hook};

    #[hook(FILE_POST_PATCH)]
    fn my_hook(
        path: &Path,
        before: &str,
        after: &str,
        diff: &str,
        session: &Session,
    ) -> Option<Message> {
        None
    }
}

#[rustfmt::skip]
mod file_post_patch_async {
    use std::path::Path;

    use hookspec::points::FILE_POST_PATCH;
    use hookspec::{Message, Session, hook};

    #[hook(FILE_POST_PATCH)]
    async fn my_hook(
        path: &Path,
        before: &str,
        after: &str,
        diff: &str,
        session: &Session,
    ) -> Option<Message> {
        None
    }
}

#[rustfmt::skip]
mod file_pre_patch {
    use std::path::Path;

    use hookspec::points::FILE_PRE_PATCH;
    use hookspec::{Fold, Gate, Session, hook};

    #[hook(FILE_PRE_PATCH)]
    fn my_hook(
        path: &Path,
        patch: &str,
        before: &str,
        after: &str,
        session: &Session,
    ) -> (Option<Gate>, Option<Fold<String>>) {
        (None, None)
    }
}

#[rustfmt::skip]
mod file_pre_patch_async {
    use std::path::Path;

    use hookspec::points::FILE_PRE_PATCH;
    use hookspec::{Fold, Gate, Session, hook};

    #[hook(FILE_PRE_PATCH)]
    async fn my_hook(
        path: &Path,
        patch: &str,
        before: &str,
        after: &str,
        session: &Session,
    ) -> (Option<Gate>, Option<Fold<String>>) {
        (None, None)
    }
}

#[rustfmt::skip]
mod file_post_save {
    use std::path::Path;

    use hookspec::points::FILE_POST_SAVE;
    use hookspec::{Message, Session, hook};

    #[hook(FILE_POST_SAVE)]
    fn my_hook(path: &Path, content: &str, created: bool, session: &Session) -> Option<Message> {
        None
    }
}

#[rustfmt::skip]
mod file_post_save_async {
    use std::path::Path;

    use hookspec::points::FILE_POST_SAVE;
    use hookspec::{Message, Session, hook};

    #[hook(FILE_POST_SAVE)]
    async fn my_hook(path: &Path, content: &str, created: bool, session: &Session) -> Option<Message> {
        None
    }
}

#[rustfmt::skip]
mod file_pre_save {
    use std::path::Path;

    use hookspec::points::FILE_PRE_SAVE;
    use hookspec::{Fold, Gate, Session, hook};

    #[hook(FILE_PRE_SAVE)]
    fn my_hook(path: &Path, content: &str, session: &Session) -> (Option<Gate>, Option<Fold<String>>) {
        (None, None)
    }
}

#[rustfmt::skip]
mod file_pre_save_async {
    use std::path::Path;

    use hookspec::points::FILE_PRE_SAVE;
    use hookspec::{Fold, Gate, Session, hook};

    #[hook(FILE_PRE_SAVE)]
    async fn my_hook(
        path: &Path,
        content: &str,
        session: &Session,
    ) -> (Option<Gate>, Option<Fold<String>>) {
        (None, None)
    }
}

#[rustfmt::skip]
mod generation {
    use hookspec::hooks::CannotWait;
    use hookspec::model::{GenerationResult, Request};
    use hookspec::points::GENERATION;
    use hookspec::{Around, Session, hook};

    #[hook(GENERATION)]
    fn my_hook(
        next: GENERATION::Next<'_>,
        request: &Request,
        attempt: u32,
        session: &Session,
    ) -> Result<Around<GenerationResult>, CannotWait> {
        Ok(Around(next.run_now()?))
    }
}

#[rustfmt::skip]
mod generation_async {
    use hookspec::model::{GenerationResult, Request};
    use hookspec::points::GENERATION;
    use hookspec::{Around, Session, hook};

    #[hook(GENERATION)]
    async fn my_hook(
        next: GENERATION::Next<'_>,
        request: &Request,
        attempt: u32,
        session: &Session,
    ) -> Around<GenerationResult> {
        Around(next.run().await)
    }
}

#[rustfmt::skip]
mod generation_chunk {
    use hookspec::model::ChunkKind;
    use hookspec::points::GENERATION_CHUNK;
    use hookspec::{Message, Session, hook};

    #[hook(GENERATION_CHUNK)]
    fn my_hook(chunk: &str, kind: ChunkKind, index: u32, session: &Session) -> Option<Message> {
        None
    }
}

#[rustfmt::skip]
mod generation_chunk_async {
    use hookspec::model::ChunkKind;
    use hookspec::points::GENERATION_CHUNK;
    use hookspec::{Message, Session, hook};

    #[hook(GENERATION_CHUNK)]
    async fn my_hook(chunk: &str, kind: ChunkKind, index: u32, session: &Session) -> Option<Message> {
        None
    }
}

#[rustfmt::skip]
mod generation_interrupt {
    use hookspec::points::GENERATION_INTERRUPT;
    use hookspec::session::InterruptReason;
    use hookspec::{Message, Session, hook};

    #[hook(GENERATION_INTERRUPT)]
    fn my_hook(reason: InterruptReason, partial: &str, session: &Session) -> Option<Message> {
        None
    }
}

#[rustfmt::skip]
mod generation_interrupt_async {
    use hookspec::points::GENERATION_INTERRUPT;
    use hookspec::session::InterruptReason;
    use hookspec::{Message, Session, hook};

    #[hook(GENERATION_INTERRUPT)]
    async fn my_hook(reason: InterruptReason, partial: &str, session: &Session) -> Option<Message> {
        None
    }
}

#[rustfmt::skip]
mod generation_post {
    use std::time::Duration;

    use hookspec::model::{FinishReason, MicroDollars, Usage};
    use hookspec::points::GENERATION_POST;
    use hookspec::{Message, Session, hook};

    #[hook(GENERATION_POST)]
    fn my_hook(
        response: &Message,
        usage: Option<&Usage>,
        cost: Option<MicroDollars>,
        duration: Duration,
        finish_reason: FinishReason,
        model: &str,
        session: &Session,
    ) -> Option<Message> {
        None
    }
}

#[rustfmt::skip]
mod generation_post_async {
    use std::time::Duration;

    use hookspec::model::{FinishReason, MicroDollars, Usage};
    use hookspec::points::GENERATION_POST;
    use hookspec::{Message, Session, hook};

    #[hook(GENERATION_POST)]
    async fn my_hook(
        response: &Message,
        usage: Option<&Usage>,
        cost: Option<MicroDollars>,
        duration: Duration,
        finish_reason: FinishReason,
        model: &str,
        session: &Session,
    ) -> Option<Message> {
        None
    }
}

#[rustfmt::skip]
mod generation_pre {
    use hookspec::model::Request;
    use hookspec::points::GENERATION_PRE;
    use hookspec::{Fold, Session, hook};

    #[hook(GENERATION_PRE)]
    fn my_hook(request: &Request, attempt: u32, session: &Session) -> Option<Fold<Request>> {
        None
    }
}

#[rustfmt::skip]
mod generation_pre_async {
    use hookspec::model::Request;
    use hookspec::points::GENERATION_PRE;
    use hookspec::{Fold, Session, hook};

    #[hook(GENERATION_PRE)]
    async fn my_hook(request: &Request, attempt: u32, session: &Session) -> Option<Fold<Request>> {
        None
    }
}

#[rustfmt::skip]
mod loop_continue {
    use hookspec::ask::Continue;
    use hookspec::points::{LOOP_CONTINUE, TurnOutcome};
    use hookspec::{First, Message, Session, hook};

    #[hook(LOOP_CONTINUE)]
    fn my_hook(
        outcome: TurnOutcome,
        queue: &[Message],
        continued: u32,
        session: &Session,
    ) -> Option<First<Continue>> {
        None
    }
}

#[rustfmt::skip]
mod loop_continue_async {
    use hookspec::ask::Continue;
    use hookspec::points::{LOOP_CONTINUE, TurnOutcome};
    use hookspec::{First, Message, Session, hook};

    #[hook(LOOP_CONTINUE)]
    async fn my_hook(
        outcome: TurnOutcome,
        queue: &[Message],
        continued: u32,
        session: &Session,
    ) -> Option<First<Continue>> {
        None
    }
}

#[rustfmt::skip]
mod message_post_process {
    use hookspec::points::MESSAGE_POST_PROCESS;
    use hookspec::{Message, Session, hook};

    #[hook(MESSAGE_POST_PROCESS)]
    fn my_hook(message: &Message, session: &Session) -> Option<Message> {
        None
    }
}

#[rustfmt::skip]
mod message_post_process_async {
    use hookspec::points::MESSAGE_POST_PROCESS;
    use hookspec::{Message, Session, hook};

    #[hook(MESSAGE_POST_PROCESS)]
    async fn my_hook(message: &Message, session: &Session) -> Option<Message> {
        None
    }
}

#[rustfmt::skip]
mod message_pre_process {
    use hookspec::points::MESSAGE_PRE_PROCESS;
    use hookspec::{Fold, Gate, Message, Session, hook};

    #[hook(MESSAGE_PRE_PROCESS)]
    fn my_hook(message: &Message, session: &Session) -> (Option<Gate>, Option<Fold<Message>>) {
        (None, None)
    }
}

#[rustfmt::skip]
mod message_pre_process_async {
    use hookspec::points::MESSAGE_PRE_PROCESS;
    use hookspec::{Fold, Gate, Message, Session, hook};

    #[hook(MESSAGE_PRE_PROCESS)]
    async fn my_hook(message: &Message, session: &Session) -> (Option<Gate>, Option<Fold<Message>>) {
        (None, None)
    }
}

#[rustfmt::skip]
mod message_transform {
    use hookspec::points::MESSAGE_TRANSFORM;
    use hookspec::{Fold, Message, Session, hook};

    #[hook(MESSAGE_TRANSFORM)]
    fn my_hook(message: &Message, session: &Session) -> Option<Fold<Message>> {
        None
    }
}

#[rustfmt::skip]
mod message_transform_async {
    use hookspec::points::MESSAGE_TRANSFORM;
    use hookspec::{Fold, Message, Session, hook};

    #[hook(MESSAGE_TRANSFORM)]
    async fn my_hook(message: &Message, session: &Session) -> Option<Fold<Message>> {
        None
    }
}

#[rustfmt::skip]
mod session_end {
    use hookspec::points::{EndReason, SESSION_END};
    use hookspec::{Message, Session, hook};

    #[hook(SESSION_END)]
    fn my_hook(reason: EndReason, session: &Session) -> Option<Message> {
        None
    }
}

#[rustfmt::skip]
mod session_end_async {
    use hookspec::points::{EndReason, SESSION_END};
    use hookspec::{Message, Session, hook};

    #[hook(SESSION_END)]
    async fn my_hook(reason: EndReason, session: &Session) -> Option<Message> {
        None
    }
}

#[rustfmt::skip]
mod session_start {
    use hookspec::points::{SESSION_START, StartReason};
    use hookspec::{Message, Session, hook};

    #[hook(SESSION_START)]
    fn my_hook(
        resumed: bool,
        reason: StartReason,
        initial: &[Message],
        session: &Session,
    ) -> Option<Message> {
        None
    }
}

#[rustfmt::skip]
mod session_start_async {
    use hookspec::points::{SESSION_START, StartReason};
    use hookspec::{Message, Session, hook};

    #[hook(SESSION_START)]
    async fn my_hook(
        resumed: bool,
        reason: StartReason,
        initial: &[Message],
        session: &Session,
    ) -> Option<Message> {
        None
    }
}

#[rustfmt::skip]
mod step_post {
    use hookspec::model::Usage;
    use hookspec::points::STEP_POST;
    use hookspec::{Message, Session, hook};

    #[hook(STEP_POST)]
    fn my_hook(
        step: u32,
        tool_calls: u32,
        usage: Option<&Usage>,
        session: &Session,
    ) -> Option<Message> {
        None
    }
}

#[rustfmt::skip]
mod step_post_async {
    use hookspec::model::Usage;
    use hookspec::points::STEP_POST;
    use hookspec::{Message, Session, hook};

    #[hook(STEP_POST)]
    async fn my_hook(
        step: u32,
        tool_calls: u32,
        usage: Option<&Usage>,
        session: &Session,
    ) -> Option<Message> {
        None
    }
}

#[rustfmt::skip]
mod step_pre {
    use hookspec::points::STEP_PRE;
    use hookspec::{Message, Session, hook};

    #[hook(STEP_PRE)]
    fn my_hook(step: u32, session: &Session) -> Option<Message> {
        None
    }
}

#[rustfmt::skip]
mod step_pre_async {
    use hookspec::points::STEP_PRE;
    use hookspec::{Message, Session, hook};

    #[hook(STEP_PRE)]
    async fn my_hook(step: u32, session: &Session) -> Option<Message> {
        None
    }
}

#[rustfmt::skip]
mod tool_confirm {
    use hookspec::ask::{Confirmation, Why};
    use hookspec::points::TOOL_CONFIRM;
    use hookspec::{First, Session, ToolUse, hook};

    #[hook(TOOL_CONFIRM)]
    fn my_hook(
        tool_use: &ToolUse,
        preview: Option<&str>,
        why: &Why,
        session: &Session,
    ) -> Option<First<Confirmation>> {
        None
    }
}

#[rustfmt::skip]
mod tool_confirm_async {
    use hookspec::ask::{Confirmation, Why};
    use hookspec::points::TOOL_CONFIRM;
    use hookspec::{First, Session, ToolUse, hook};

    #[hook(TOOL_CONFIRM)]
    async fn my_hook(
        tool_use: &ToolUse,
        preview: Option<&str>,
        why: &Why,
        session: &Session,
    ) -> Option<First<Confirmation>> {
        None
    }
}

#[rustfmt::skip]
mod tool_execute {
    use hookspec::hooks::CannotWait;
    use hookspec::points::TOOL_EXECUTE;
    use hookspec::tool::ToolResult;
    use hookspec::{Around, Session, ToolUse, hook};

    #[hook(TOOL_EXECUTE)]
    fn my_hook(
        next: TOOL_EXECUTE::Next<'_>,
        tool_use: &ToolUse,
        session: &Session,
    ) -> Result<Around<ToolResult>, CannotWait> {
        Ok(Around(next.run_now()?))
    }
}

#[rustfmt::skip]
mod tool_execute_async {
    use hookspec::points::TOOL_EXECUTE;
    use hookspec::tool::ToolResult;
    use hookspec::{Around, Session, ToolUse, hook};

    #[hook(TOOL_EXECUTE)]
    async fn my_hook(
        next: TOOL_EXECUTE::Next<'_>,
        tool_use: &ToolUse,
        session: &Session,
    ) -> Around<ToolResult> {
        Around(next.run().await)
    }
}

#[rustfmt::skip]
mod tool_post_execute {
    use std::time::Duration;

    use hookspec::points::TOOL_POST_EXECUTE;
    use hookspec::tool::ToolStatus;
    use hookspec::{Message, Session, ToolUse, hook};

    #[hook(TOOL_POST_EXECUTE)]
    fn my_hook(
        tool_use: &ToolUse,
        result: &[Message],
        status: ToolStatus,
        duration: Duration,
        session: &Session,
    ) -> Option<Message> {
        None
    }
}

#[rustfmt::skip]
mod tool_post_execute_async {
    use std::time::Duration;

    use hookspec::points::TOOL_POST_EXECUTE;
    use hookspec::tool::ToolStatus;
    use hookspec::{Message, Session, ToolUse, hook};

    #[hook(TOOL_POST_EXECUTE)]
    async fn my_hook(
        tool_use: &ToolUse,
        result: &[Message],
        status: ToolStatus,
        duration: Duration,
        session: &Session,
    ) -> Option<Message> {
        None
    }
}

#[rustfmt::skip]
mod tool_pre_execute {
    use hookspec::points::TOOL_PRE_EXECUTE;
    use hookspec::{Gate, Session, ToolUse, hook};

    #[hook(TOOL_PRE_EXECUTE)]
    fn my_hook(tool_use: &ToolUse, session: &Session) -> Option<Gate> {
        None
    }
}

#[rustfmt::skip]
mod tool_pre_execute_async {
    use hookspec::points::TOOL_PRE_EXECUTE;
    use hookspec::{Gate, Session, ToolUse, hook};

    #[hook(TOOL_PRE_EXECUTE)]
    async fn my_hook(tool_use: &ToolUse, session: &Session) -> Option<Gate> {
        None
    }
}

#[rustfmt::skip]
mod tool_result_transform {
    use hookspec::points::TOOL_RESULT_TRANSFORM;
    use hookspec::{Fold, Message, Session, ToolUse, hook};

    #[hook(TOOL_RESULT_TRANSFORM)]
    fn my_hook(
        tool_use: &ToolUse,
        result: &[Message],
        session: &Session,
    ) -> Option<Fold<Vec<Message>>> {
        None
    }
}

#[rustfmt::skip]
mod tool_result_transform_async {
    use hookspec::points::TOOL_RESULT_TRANSFORM;
    use hookspec::{Fold, Message, Session, ToolUse, hook};

    #[hook(TOOL_RESULT_TRANSFORM)]
    async fn my_hook(
        tool_use: &ToolUse,
        result: &[Message],
        session: &Session,
    ) -> Option<Fold<Vec<Message>>> {
        None
    }
}

#[rustfmt::skip]
mod tool_transform {
    use hookspec::points::TOOL_TRANSFORM;
    use hookspec::{Fold, Session, ToolUse, hook};

    #[hook(TOOL_TRANSFORM)]
    fn my_hook(tool_use: &ToolUse, session: &Session) -> Option<Fold<ToolUse>> {
        None
    }
}

#[rustfmt::skip]
mod tool_transform_async {
    use hookspec::points::TOOL_TRANSFORM;
    use hookspec::{Fold, Session, ToolUse, hook};

    #[hook(TOOL_TRANSFORM)]
    async fn my_hook(tool_use: &ToolUse, session: &Session) -> Option<Fold<ToolUse>> {
        None
    }
}

#[rustfmt::skip]
mod turn_post {
    use std::path::PathBuf;

    use hookspec::model::Usage;
    use hookspec::points::{TURN_POST, TurnOutcome};
    use hookspec::{Message, Session, hook};

    #[hook(TURN_POST)]
    fn my_hook(
        steps: u32,
        changed: &[PathBuf],
        usage: &Usage,
        outcome: TurnOutcome,
        session: &Session,
    ) -> Option<Message> {
        None
    }
}

#[rustfmt::skip]
mod turn_post_async {
    use std::path::PathBuf;

    use hookspec::model::Usage;
    use hookspec::points::{TURN_POST, TurnOutcome};
    use hookspec::{Message, Session, hook};

    #[hook(TURN_POST)]
    async fn my_hook(
        steps: u32,
        changed: &[PathBuf],
        usage: &Usage,
        outcome: TurnOutcome,
        session: &Session,
    ) -> Option<Message> {
        None
    }
}

#[rustfmt::skip]
mod turn_pre {
    use hookspec::points::TURN_PRE;
    use hookspec::{Message, Session, hook};

    #[hook(TURN_PRE)]
    fn my_hook(message: &Message, session: &Session) -> Option<Message> {
        None
    }
}

#[rustfmt::skip]
mod turn_pre_async {
    use hookspec::points::TURN_PRE;
    use hookspec::{Message, Session, hook};

    #[hook(TURN_PRE)]
    async fn my_hook(message: &Message, session: &Session) -> Option<Message> {
        None
    }
}

#[test]
fn every_one_is_a_hook() {
    let registry = hookspec::Registry::builder().build().unwrap();
    assert_eq!(registry.list().len(), 58);
}
