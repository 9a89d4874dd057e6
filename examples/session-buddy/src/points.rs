//! The moments that this crate adds to an agent's life, and where the seed's twelve are to be found.
//!
//! | session-buddy's type | point | fired by |
//! |---|---|---|
//! | `pre_checkpoint` | `PRE_CHECKPOINT` | a checkpoint, once its score is known |
//! | `post_checkpoint` | `POST_CHECKPOINT` | a checkpoint that was not refused |
//! | `pre_reflection_store` | `PRE_REFLECTION_STORE` | the tool `store_reflection` |
//! | `pre_search_query` | `PRE_SEARCH_QUERY` | the tool `search_reflections`, `hookspec buddy errors` |
//! | `pre_session_end` | `PRE_SESSION_END` | this crate's hook at `SESSION_END`, before all others there |
//! | `pre_tool_execution`, `post_tool_execution` | `TOOL_PRE_EXECUTE`, `TOOL_POST_EXECUTE` | the engine |
//! | `post_file_edit` | `FILE_POST_SAVE`, `FILE_POST_PATCH` | the engine's file tools |
//! | `post_error` | `ERROR` | the engine |
//! | `session_start`, `session_end` | `SESSION_START`, `SESSION_END` | the engine |
//! | `user_prompt_submit` | `MESSAGE_PRE_PROCESS` | the engine |
//!
//! In the original a hook gets one map of strings and gives another; here each point has its own event, a value that
//! hooks may change is a fold, and a gate's refusal is one.

use std::path::Path;

use hookspec::hook_point;
use hookspec::point::{Point, PointInfo};
use hookspec::points::EndReason;

use crate::checkpoint::Checkpoint;
use crate::quality::Quality;
use crate::search::Sought;
use crate::timeline::Moment;

/// session-buddy's names, and the points that they are: the table above, for programs.
pub const SEED: [(&str, &[&str]); 12] = [
    ("pre_checkpoint", &["checkpoint.pre"]),
    ("pre_tool_execution", &["tool.execute.pre"]),
    ("pre_reflection_store", &["reflection.store.pre"]),
    ("pre_session_end", &["session.end.pre"]),
    ("pre_search_query", &["search.query.pre"]),
    ("post_checkpoint", &["checkpoint.post"]),
    ("post_tool_execution", &["tool.execute.post"]),
    ("post_file_edit", &["file.save.post", "file.patch.post"]),
    ("post_error", &["error"]),
    ("session_start", &["session.start"]),
    ("session_end", &["session.end"]),
    ("user_prompt_submit", &["message.pre"]),
];

/// The points that this crate fires: for a host that declares what it fires (`RegistryBuilder::fires`).
pub const FIRES: [&PointInfo; 6] = [
    QUALITY_MEASURE::Point::INFO,
    PRE_CHECKPOINT::Point::INFO,
    POST_CHECKPOINT::Point::INFO,
    PRE_REFLECTION_STORE::Point::INFO,
    PRE_SEARCH_QUERY::Point::INFO,
    PRE_SESSION_END::Point::INFO,
];

hook_point! {
    /// The quality of a workspace is wanted. The first answer counts, so that a project may measure in its own way.
    pub QUALITY_MEASURE("quality.measure") -> First<Quality> {
        /// The workspace, absolute.
        workspace: &Path,
    }

    /// A checkpoint is about to be made; its score is known. A refusal is one.
    pub PRE_CHECKPOINT("checkpoint.pre", aliases = ["pre_checkpoint"]) -> Gate {
        /// What it is called, if anything.
        label: Option<&str>,
        /// 0 to 100.
        score: u8,
        /// How that came about, part by part.
        quality: &Quality,
    }

    /// A checkpoint was made.
    pub POST_CHECKPOINT("checkpoint.post", aliases = ["post_checkpoint"]) -> Messages {
        /// The checkpoint, as it is kept.
        checkpoint: &Checkpoint,
        /// What happened in the session since the checkpoint before, in order.
        history: &[Moment],
    }

    /// A reflection is about to be stored.
    pub PRE_REFLECTION_STORE("reflection.store.pre", aliases = ["pre_reflection_store"]) -> Fold<String> {
        /// Its text; what a hook puts in its place is stored.
        #[fold]
        text: &str,
    }

    /// Something is about to be searched for.
    pub PRE_SEARCH_QUERY("search.query.pre", aliases = ["pre_search_query"]) -> Fold<String> {
        /// The query; what a hook puts in its place is searched for.
        #[fold]
        query: &str,
        /// What is searched.
        sought: Sought,
    }

    /// The session is about to end: before any hook at `SESSION_END`, once.
    pub PRE_SESSION_END("session.end.pre", aliases = ["pre_session_end"]) -> Messages {
        /// Why it ends.
        reason: EndReason,
    }
}
