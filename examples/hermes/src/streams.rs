//! `on_stream_start`, `on_stream_end` and `on_interim_message`, from the chunks and what follows them.

use hookspec::points::{
    ERROR, ErrorSource, GENERATION_CHUNK, GENERATION_INTERRUPT, GENERATION_POST, STEP_PRE, TOOL_TRANSFORM,
};
use hookspec::{Flow, Message, Session, fire_now, hook};
use serde::{Deserialize, Serialize};

use crate::points::{ON_INTERIM_MESSAGE, ON_STREAM_END, ON_STREAM_START};
use crate::settle::settled;
use crate::turns::last_answer;

/// Whether a stream runs, and whether the step's own words are still to be told.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Stream {
    open: bool,
    fresh: bool,
}

/// Tells of the first piece.
#[hook(GENERATION_CHUNK, priority = 2_000_000, name = "hermes_points.stream_start")]
fn started(index: u32, session: &Session) -> Option<Flow> {
    if index > 0 {
        return None;
    }
    if let Ok(mut stream) = session.state_now::<Stream>() {
        stream.open = true;
    }
    settled(session, &fire_now!(session, ON_STREAM_START { model: &session.model() }))
}

/// Tells of a stream that came to its end.
#[hook(GENERATION_POST, priority = 2_000_000, name = "hermes_points.stream_end")]
fn ended(response: &Message, session: &Session) -> Option<Flow> {
    end(session, &response.content, true, None)
}

/// Tells of a stream that was cut short.
#[hook(GENERATION_INTERRUPT, priority = 2_000_000, name = "hermes_points.stream_cut")]
fn cut(partial: &str, session: &Session) -> Option<Flow> {
    end(session, partial, false, None)
}

/// Tells of a stream that failed.
#[hook(ERROR, priority = 2_000_000, name = "hermes_points.stream_failed")]
fn failed(source: ErrorSource, error: &str, session: &Session) -> Option<Flow> {
    if source != ErrorSource::Model {
        return None;
    }
    end(session, "", false, Some(error))
}

fn end(session: &Session, final_text: &str, finished: bool, error: Option<&str>) -> Option<Flow> {
    let was_open = session.state_now::<Stream>().is_ok_and(|mut stream| std::mem::take(&mut stream.open));
    if !was_open {
        return None;
    }
    settled(session, &fire_now!(session, ON_STREAM_END { final_text, finished, error }))
}

/// A new step has words of its own.
#[hook(STEP_PRE, priority = 2_000_000, name = "hermes_points.step")]
fn step(state: &mut Stream) {
    state.fresh = true;
}

/// Tells what the model said before it called tools: with the first call of the step.
#[hook(TOOL_TRANSFORM, priority = 2_000_000, name = "hermes_points.interim")]
fn interim(session: &Session) -> Option<Flow> {
    let first = session.state_now::<Stream>().is_ok_and(|mut stream| std::mem::take(&mut stream.fresh));
    let said = last_answer(session).filter(|_| first)?;
    let (text, already_streamed) = (said.content.as_str(), said.quiet);
    settled(session, &fire_now!(session, ON_INTERIM_MESSAGE { text, already_streamed }))
}
