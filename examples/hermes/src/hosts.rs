//! What only a host can know: sub-agents, calls to a model beside the conversation, skills, a session that takes the place
//! of another.
//!
//! A host that has such things says so with these functions, on the thread it is on. They give back whether a hook wants the
//! session to end; the host ends it when it is safe to.

use std::sync::Arc;
use std::time::Duration;

use hookspec::model::{Request, Usage};
use hookspec::points::SESSION_START;
use hookspec::session::SessionBuilder;
use hookspec::{Flow, Message, Session, fire_now, hook};

use crate::points::{
    ChildCall, ChildStatus, Classification, ON_SESSION_RESET, ON_SKILL_LIFECYCLE, POST_AUXILIARY_CALL,
    PRE_AUXILIARY_CALL, SUBAGENT_START, SUBAGENT_STOP, TRANSFORM_API_ERROR_CLASSIFICATION,
};
use crate::settle::settled;

/// A sub-agent, in the words of the session that runs it.
#[derive(Clone, Copy, Debug)]
pub struct Child<'a> {
    /// Its session.
    pub session: &'a str,
    /// What it is.
    pub role: &'a str,
}

/// A sub-agent is about to run: told in the session that runs it.
pub fn subagent_starts(parent: &Session, child: Child<'_>, goal: &str) -> Option<Flow> {
    let fired = fire_now!(parent, SUBAGENT_START { child_session: child.session, role: child.role, goal });
    settled(parent, &fired)
}

/// What a sub-agent came to.
#[derive(Clone, Copy, Debug)]
pub struct ChildEnd<'a> {
    /// In its own words.
    pub summary: &'a str,
    /// How it ended.
    pub status: ChildStatus,
    /// The tool calls it made.
    pub calls: &'a [ChildCall],
    /// How long it took.
    pub duration: Duration,
}

/// A sub-agent is over: told in the session that ran it.
pub fn subagent_stops(parent: &Session, child: Child<'_>, end: ChildEnd<'_>) -> Option<Flow> {
    let ChildEnd { summary, status, calls, duration } = end;
    let fired = fire_now!(
        parent,
        SUBAGENT_STOP { child_session: child.session, role: child.role, summary, status, calls, duration }
    );
    settled(parent, &fired)
}

/// A call to a model beside the conversation.
#[derive(Clone, Copy, Debug)]
pub struct Auxiliary<'a> {
    /// What it is for.
    pub task: &'a str,
    /// Links all attempts at this call.
    pub id: &'a str,
}

/// Such a call is about to go out; `attempt` counts from 0.
pub fn auxiliary_starts(
    session: &Session,
    call: Auxiliary<'_>,
    request: &Request,
    attempt: u32,
) -> Option<Flow> {
    let Auxiliary { task: aux_task, id: api_request_id } = call;
    let fired = fire_now!(session, PRE_AUXILIARY_CALL { aux_task, api_request_id, request, attempt });
    settled(session, &fired)
}

/// What such a call came to.
#[derive(Clone, Copy, Debug)]
pub struct AuxiliaryEnd<'a> {
    /// The model.
    pub model: &'a str,
    /// The answer, or what went wrong.
    pub answer: Result<&'a Message, &'a str>,
    /// Tokens, where the model told.
    pub usage: Option<&'a Usage>,
    /// How long it took.
    pub duration: Duration,
}

/// Such a call is over.
pub fn auxiliary_stops(session: &Session, call: Auxiliary<'_>, end: AuxiliaryEnd<'_>) -> Option<Flow> {
    let Auxiliary { task: aux_task, id: api_request_id } = call;
    let AuxiliaryEnd { model, answer, usage, duration } = end;
    let (response, error) = (answer.ok(), answer.err());
    let fired = fire_now!(
        session,
        POST_AUXILIARY_CALL { aux_task, api_request_id, model, response, usage, duration, error }
    );
    settled(session, &fired)
}

/// Asks what a failed call to a model is to be held for; nothing where no hook knows better than the host.
#[must_use]
pub fn classify(
    session: &Session,
    error: &str,
    status_code: Option<u16>,
    num_messages: u32,
) -> Option<Classification> {
    let model = session.model();
    let mut fired = fire_now!(
        session,
        TRANSFORM_API_ERROR_CLASSIFICATION { model: &model, error, status_code, num_messages }
    );
    let _ = settled(session, &fired);
    fired.take_answer().map(|(classification, _)| classification)
}

/// A skill, and how often it was used.
#[derive(Clone, Copy, Debug)]
pub struct Skill<'a> {
    /// Its name.
    pub name: &'a str,
    /// Where it comes from.
    pub provenance: &'a str,
    /// How often it was used.
    pub use_count: u32,
    /// Whether it was used before.
    pub reused: bool,
}

/// A skill was made, used or changed, and that is stored.
pub fn skill_changed(session: &Session, action: &str, skill: Skill<'_>) -> Option<Flow> {
    let Skill { name: skill_name, provenance, use_count, reused } = skill;
    let fired = fire_now!(session, ON_SKILL_LIFECYCLE { action, skill_name, provenance, use_count, reused });
    settled(session, &fired)
}

/// Lent to a session that takes the place of another, which has ended.
#[derive(Clone, Debug)]
pub struct Replaces {
    /// The session before.
    pub session: String,
    /// Why.
    pub reason: String,
}

impl Replaces {
    /// Lends itself to the session: `ON_SESSION_RESET` fires when it is opened, before other hooks know of it.
    #[must_use]
    pub fn lend(self, session: SessionBuilder) -> SessionBuilder {
        session.extension(Arc::new(self))
    }
}

/// Tells of a session that takes the place of another.
#[hook(SESSION_START, priority = 2_000_000, name = "hermes_points.reset")]
fn reset(session: &Session) -> Option<Flow> {
    let replaces = session.extension::<Replaces>()?;
    let Replaces { session: old_session, reason } = &*replaces;
    settled(session, &fire_now!(session, ON_SESSION_RESET { old_session, reason }))
}
