//! The event stream of a conversation.

use std::convert::Infallible;
use std::sync::{Arc, PoisonError};

use axum::extract::{Extension, State};
use axum::http::HeaderMap;
use axum::response::sse::{Event as Line, Sse};
use axum::response::{IntoResponse, Response};
use futures_util::stream;
use serde::Deserialize;
use utoipa::IntoParams;

use crate::events::Event;
use crate::feed::{From, Joined, Next, Reader, Sent};
use crate::host::Host;
use crate::live::Live;
use crate::store::Owner;

use super::extract::{Path, Query};
use super::problem::Problem;
use super::steps::live_of;

/// Where to listen from.
#[derive(Debug, Deserialize, IntoParams)]
pub(crate) struct StreamQuery {
    /// The session. With it the stream begins with the turn that runs or ran last, without it with what comes next.
    session_id: Option<String>,
    /// The id of the last event that was seen, for clients that cannot send the header `Last-Event-ID`.
    last_event_id: Option<String>,
}

/// One of an owner's streams; counted as long as it lives.
struct Place(Arc<Host>, Owner);

impl Place {
    fn take(host: &Arc<Host>, owner: &Owner) -> Result<Self, Problem> {
        let mut streams = host.streams.lock().unwrap_or_else(PoisonError::into_inner);
        let count = streams.entry(owner.clone()).or_default();
        if *count >= host.bounds.streams {
            return Err(Problem::too_many(5, format!("You have {count} event streams open: close some.")));
        }
        *count += 1;
        Ok(Self(Arc::clone(host), owner.clone()))
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut streams = self.0.streams.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = streams.get_mut(&self.1) {
            *count -= 1;
            if *count == 0 {
                streams.remove(&self.1);
            }
        }
    }
}

struct Stream {
    host: Arc<Host>,
    live: Arc<Live>,
    reader: Reader,
    /// Said before the next event: what a client must know that has just come, or was too slow.
    first: Option<(String, bool)>,
    _place: Place,
}

/// The events of a conversation, each with an id; a client that comes back with the last one misses nothing.
#[utoipa::path(get, path = "/conversations/{id}/events", params(StreamQuery), responses(
    (status = 200, body = String, content_type = "text/event-stream"),
    (status = 404, body = Problem), (status = 429, body = Problem)))]
pub(crate) async fn events(
    State(host): State<Arc<Host>>,
    Extension(owner): Extension<Owner>,
    Path(id): Path<String>,
    Query(query): Query<StreamQuery>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let place = Place::take(&host, &owner)?;
    let live = live_of(&host, &owner, &id, query.session_id.as_deref()).await?;
    let last =
        headers.get("last-event-id").and_then(|id| id.to_str().ok()).or(query.last_event_id.as_deref());
    let from = match (last, &query.session_id) {
        (Some(last), _) => From::After(last),
        (None, Some(_)) => From::Turn,
        (None, None) => From::Now,
    };
    let Joined { reader, partial, missed } = live.feed.join(from);
    let stream = Stream { host, live, reader, first: Some((partial, missed)), _place: place };
    let lines = stream::unfold(stream, |mut stream| async {
        let line = stream.next().await?;
        Some((Ok::<_, Infallible>(line), stream))
    });
    Ok((Sse::new(lines)).into_response())
}

impl Stream {
    async fn next(&mut self) -> Option<Line> {
        if let Some((partial, missed)) = self.first.take() {
            return Some(self.connected(&partial, missed));
        }
        match tokio::time::timeout(self.host.bounds.ping, self.reader.next()).await {
            Err(_) => Some(line(&Event::Ping)),
            Ok(Next::Event(Sent { id, data })) => Some(Line::default().id(id).data(&*data)),
            Ok(Next::Missed) => Some(self.connected(&self.reader.partial(), true)),
            Ok(Next::Closed) => None,
        }
    }

    fn connected(&self, partial: &str, missed: bool) -> Line {
        let (pending_tools, elicitations) = self.live.pending();
        let connected = Event::Connected {
            session_id: &self.live.session_id,
            generating: self.live.is_running(),
            pending_tools,
            elicitations,
            partial,
            missed,
        };
        // With an id, so that a client that goes away before the first event comes back to this place.
        line(&connected).id(self.reader.last_id())
    }
}

fn line(event: &Event<'_>) -> Line {
    match serde_json::to_string(event) {
        Ok(text) => Line::default().data(text),
        Err(error) => {
            tracing::error!(%error, "an event has no JSON form");
            Line::default().comment("an event has no JSON form")
        }
    }
}
