//! The engine: one session from its opening to its end.
//!
//! The order in which the points fire is the table in `hookspec::points`; each fires in exactly one place
//! of this module. A message that a hook emits is stored where it was emitted. A hook that ends the session
//! ends it at the next safe place: a running tool call gets its result first.

mod ask;
mod call;
mod chunks;
mod confirm;
mod end;
mod execute;
mod frontend;
mod generation;
mod open;
mod opened;
mod patient;
mod prices;
mod queue;
mod sink;
mod step;
mod stored;
mod timeline;
mod tries;
mod turn;

use std::sync::Arc;
use std::time::Duration;

use hookspec::hooks::Failure;
use hookspec::point::{Fired, Point, PointInfo, Verdict};
use hookspec::points::{self, EndReason, ErrorSource};
use hookspec::{Message, Session, fire};

use crate::log::Storage;

use opened::Opened;

pub(crate) use ask::agreed;
pub use ask::ask_user;
pub use frontend::{Frontend, Silent};
pub use open::{Begin, OpenError, Opening};
pub use prices::Prices;
pub use queue::Queue;
pub use timeline::TimelineFile;
pub use turn::TurnEnd;

/// The points that the engine fires, which is all there are.
pub static FIRES: &[&PointInfo] = &[
    points::SESSION_START::Point::INFO,
    points::SESSION_END::Point::INFO,
    points::MESSAGE_PRE_PROCESS::Point::INFO,
    points::TURN_PRE::Point::INFO,
    points::STEP_PRE::Point::INFO,
    points::GENERATION::Point::INFO,
    points::GENERATION_PRE::Point::INFO,
    points::GENERATION_CHUNK::Point::INFO,
    points::GENERATION_INTERRUPT::Point::INFO,
    points::GENERATION_POST::Point::INFO,
    points::MESSAGE_TRANSFORM::Point::INFO,
    points::MESSAGE_POST_PROCESS::Point::INFO,
    points::TOOL_TRANSFORM::Point::INFO,
    points::TOOL_PRE_EXECUTE::Point::INFO,
    points::TOOL_CONFIRM::Point::INFO,
    points::TOOL_EXECUTE::Point::INFO,
    points::TOOL_POST_EXECUTE::Point::INFO,
    points::TOOL_RESULT_TRANSFORM::Point::INFO,
    points::FILE_PRE_SAVE::Point::INFO,
    points::FILE_POST_SAVE::Point::INFO,
    points::FILE_PRE_PATCH::Point::INFO,
    points::FILE_POST_PATCH::Point::INFO,
    points::CWD_CHANGED::Point::INFO,
    points::CACHE_INVALIDATED::Point::INFO,
    points::ELICIT::Point::INFO,
    points::STEP_POST::Point::INFO,
    points::TURN_POST::Point::INFO,
    points::LOOP_CONTINUE::Point::INFO,
    points::ERROR::Point::INFO,
];

/// How far the engine goes before it rests.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Generations in one turn.
    pub steps: u32,
    /// How often in a row hooks may keep the agent going.
    pub continues: u32,
    /// How often a failed call to the model is tried again.
    pub retries: u32,
    /// The longest wait before such a try.
    pub longest_wait: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self { steps: 100, continues: 8, retries: 3, longest_wait: Duration::from_secs(60) }
    }
}

/// One open session, from its opening to its end.
#[derive(Debug)]
pub struct Agent {
    session: Session,
    storage: Arc<dyn Storage>,
    frontend: Arc<dyn Frontend>,
    models: Opened,
    /// The session's model that hooks and the storage know of.
    known_model: String,
    limits: Limits,
    queue: Queue,
    /// User messages in the log that no turn was taken for yet.
    posted: Vec<Arc<Message>>,
    /// The log could not be written, and nothing was taken on since.
    unstored: bool,
    /// Set by a hook that ends the session; carried out at the next safe place.
    ending: Option<String>,
    ended: bool,
    timeline: Option<Arc<TimelineFile>>,
}

impl Agent {
    /// The session.
    #[must_use]
    pub fn session(&self) -> &Session {
        &self.session
    }

    /// Where the session is kept.
    #[must_use]
    pub fn storage(&self) -> &dyn Storage {
        &*self.storage
    }

    /// Why a hook has ended the session, if one has.
    #[must_use]
    pub fn ending(&self) -> Option<&str> {
        self.ending.as_deref()
    }

    /// The user messages that wait until the agent rests: a handle that works while a turn runs.
    #[must_use]
    pub fn queue(&self) -> Queue {
        self.queue.clone()
    }

    /// Looks at what a point came to: a session that is to end, hooks that failed.
    async fn after<V: Verdict>(&mut self, fired: &Fired<V>) {
        self.heard(fired.session_end(), fired.failures()).await;
    }

    /// The same of hooks that stood around something.
    async fn heard(&mut self, session_end: Option<&str>, failures: &[Failure]) {
        if let Some(reason) = session_end {
            self.ending.get_or_insert_with(|| reason.to_owned());
        }
        report(&self.session, failures).await;
    }

    async fn error(&mut self, source: ErrorSource, error: &str, retryable: bool, attempt: u32) {
        let fired = fire!(self.session, points::ERROR { source, error, retryable, attempt }).await;
        if let Some(reason) = fired.session_end() {
            self.ending.get_or_insert_with(|| reason.to_owned());
        }
    }
}

impl Drop for Agent {
    fn drop(&mut self) {
        if !self.ended {
            tracing::warn!(
                session = self.session.id(),
                "an agent was dropped without `end`: SESSION_END did not fire"
            );
        }
    }
}

/// Fires `ERROR` for each hook that failed. Hooks that fail at `ERROR` itself are only logged.
pub(crate) async fn report_failures<V: Verdict>(session: &Session, fired: &Fired<V>) {
    report(session, fired.failures()).await;
}

async fn report(session: &Session, failures: &[Failure]) {
    for failure in failures {
        let error = failure.to_string();
        let _ = fire!(
            session,
            points::ERROR { source: ErrorSource::Hook, error: &error, retryable: false, attempt: 0 }
        )
        .await;
    }
}

/// The reason with which a session ends that a hook ended.
pub(crate) const ENDED_BY_HOOK: EndReason = EndReason::Complete;
