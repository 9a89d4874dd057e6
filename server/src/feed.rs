//! Feeds: the events of one conversation, numbered, for any number of clients.
//!
//! The latest events are kept, so that a client which reconnects misses nothing; one that was away for longer is told
//! so and reads the conversation again, which has every message. A reader has a place in the ring and no queue of its
//! own: a slow one costs no memory, and falls out of the ring in the end.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::watch;

use crate::events::Event;

/// Kept events, by number and by bytes.
const MOST_EVENTS: usize = 2048;
const MOST_BYTES: usize = 1 << 20;
/// What is kept of them while the session rests.
const RESTING: usize = 64;

/// The events of one conversation.
#[derive(Debug)]
pub(crate) struct Feed {
    /// Tells this feed's numbers from those of an earlier life of the session.
    epoch: String,
    ring: Mutex<Ring>,
    wake: watch::Sender<State>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct State {
    next: u64,
    closed: bool,
}

#[derive(Debug)]
struct Ring {
    /// The number of the first kept event.
    first: u64,
    events: VecDeque<Arc<str>>,
    bytes: usize,
    /// The answer that streams now.
    partial: String,
    /// The first event of the latest turn.
    turn: u64,
}

impl Ring {
    fn next(&self) -> u64 {
        self.first + self.events.len() as u64
    }

    fn shrink(&mut self, most: usize) {
        while self.events.len() > most || self.bytes > MOST_BYTES && self.events.len() > 1 {
            if let Some(gone) = self.events.pop_front() {
                self.bytes -= gone.len();
                self.first += 1;
            }
        }
    }
}

/// One event as a client gets it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Sent {
    /// Its id, for `Last-Event-ID`.
    pub id: String,
    /// The JSON object.
    pub data: Arc<str>,
}

/// What a reader finds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Next {
    /// The next event.
    Event(Sent),
    /// The reader was too slow, and events are gone.
    Missed,
    /// The session is over.
    Closed,
}

/// Where a reader begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum From<'a> {
    /// With what comes.
    Now,
    /// With the beginning of the turn that runs or ran last: what a client needs that asked for a turn first and
    /// listens then.
    Turn,
    /// Just after the event of this id.
    After(&'a str),
}

/// A reader's place in a feed.
#[derive(Debug)]
pub(crate) struct Reader {
    feed: Arc<Feed>,
    at: u64,
    wake: watch::Receiver<State>,
}

/// A reader, and what it should know first.
#[derive(Debug)]
pub(crate) struct Joined {
    /// The reader.
    pub reader: Reader,
    /// The answer that streams now, for a reader that has seen nothing of it.
    pub partial: String,
    /// Whether events after the reader's last one are gone.
    pub missed: bool,
}

impl Feed {
    /// An empty feed; `epoch` must differ between lives of a session.
    #[must_use]
    pub(crate) fn new(epoch: String) -> Self {
        let ring = Ring { first: 1, events: VecDeque::new(), bytes: 0, partial: String::new(), turn: 1 };
        Self { epoch, ring: Mutex::new(ring), wake: watch::Sender::new(State { next: 1, closed: false }) }
    }

    fn ring(&self) -> MutexGuard<'_, Ring> {
        self.ring.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds an event.
    pub(crate) fn publish(&self, event: &Event<'_>) {
        let data: Arc<str> = match serde_json::to_string(event) {
            Ok(text) => text.into(),
            Err(error) => {
                tracing::error!(%error, "an event has no JSON form");
                return;
            }
        };
        let mut ring = self.ring();
        match event {
            Event::GenerationProgress { token } => ring.partial.push_str(token),
            Event::GenerationStarted | Event::GenerationComplete { .. } | Event::Interrupted { .. } => {
                ring.partial = String::new();
            }
            _ => {}
        }
        ring.bytes += data.len();
        ring.events.push_back(data);
        let resting = matches!(event, Event::Rested { .. });
        ring.shrink(MOST_EVENTS);
        if resting && self.wake.receiver_count() == 0 {
            ring.shrink(RESTING);
            ring.events.shrink_to_fit();
        }
        let next = ring.next();
        // Under the lock, so that numbers never go back.
        self.wake.send_modify(|state| state.next = next);
    }

    /// A turn begins with the next event.
    pub(crate) fn begin_turn(&self) {
        let mut ring = self.ring();
        ring.turn = ring.next();
    }

    /// Ends the feed: readers get what is there, then [`Next::Closed`].
    pub(crate) fn close(&self) {
        self.wake.send_modify(|state| state.closed = true);
    }

    /// How many readers there are.
    #[must_use]
    pub(crate) fn readers(&self) -> usize {
        self.wake.receiver_count()
    }

    /// A reader from this place on.
    #[must_use]
    pub(crate) fn join(self: &Arc<Self>, from: From<'_>) -> Joined {
        let ring = self.ring();
        let last = if let From::After(last) = from { Some(last) } else { None };
        let turn = (from == From::Turn).then_some(ring.turn.max(ring.first));
        let wanted = turn.or_else(|| {
            last.and_then(|id| {
                let (epoch, number) = id.rsplit_once('-')?;
                let after = number.parse::<u64>().ok()?.checked_add(1)?;
                (epoch == self.epoch && (ring.first..=ring.next()).contains(&after)).then_some(after)
            })
        });
        let missed = last.is_some() && wanted.is_none();
        // Who reads on from where it was has seen the beginning of the answer itself.
        let partial = if wanted.is_some() { String::new() } else { ring.partial.clone() };
        let at = wanted.unwrap_or(ring.next());
        let reader = Reader { feed: Arc::clone(self), at, wake: self.wake.subscribe() };
        Joined { reader, partial, missed }
    }
}

impl Reader {
    /// The next event; waits for it.
    pub(crate) async fn next(&mut self) -> Next {
        loop {
            let state = *self.wake.borrow_and_update();
            if let Some(found) = self.look() {
                return found;
            }
            if state.closed || self.wake.changed().await.is_err() {
                return Next::Closed;
            }
        }
    }

    fn look(&mut self) -> Option<Next> {
        let ring = self.feed.ring();
        let Some(place) = self.at.checked_sub(ring.first) else {
            self.at = ring.next();
            return Some(Next::Missed);
        };
        let data = ring.events.get(usize::try_from(place).ok()?)?;
        let id = format!("{}-{}", self.feed.epoch, self.at);
        self.at += 1;
        Some(Next::Event(Sent { id, data: Arc::clone(data) }))
    }

    /// The id of the last event that this reader has seen.
    #[must_use]
    pub(crate) fn last_id(&self) -> String {
        format!("{}-{}", self.feed.epoch, self.at.saturating_sub(1))
    }

    /// The answer that streams now.
    #[must_use]
    pub(crate) fn partial(&self) -> String {
        self.feed.ring().partial.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn feed() -> Arc<Feed> {
        Arc::new(Feed::new("e".into()))
    }

    fn say(feed: &Feed, text: &str) {
        feed.publish(&Event::Notice { text });
    }

    async fn id(reader: &mut Reader) -> String {
        match reader.next().await {
            Next::Event(sent) => sent.id,
            other => format!("{other:?}"),
        }
    }

    #[tokio::test]
    async fn who_comes_back_reads_on_from_where_it_was() {
        let feed = feed();
        let mut first = feed.join(From::Now).reader;
        for text in ["a", "b", "c"] {
            say(&feed, text);
        }
        assert_eq!(id(&mut first).await, "e-1");
        let joined = feed.join(From::After("e-1"));
        assert!(!joined.missed);
        let mut again = joined.reader;
        assert_eq!((id(&mut again).await, id(&mut again).await), ("e-2".into(), "e-3".into()));
        assert!(!feed.join(From::After("e-3")).missed);
    }

    #[tokio::test]
    async fn an_id_that_is_gone_strange_or_of_another_life_is_missed() {
        let feed = feed();
        for _ in 0..=MOST_EVENTS {
            say(&feed, "x");
        }
        for last in ["e-0", "d-5", "e-99999", "e-18446744073709551615", "nonsense", ""] {
            assert!(feed.join(From::After(last)).missed, "{last}");
        }
        assert!(!feed.join(From::After("e-1")).missed);
        assert!(!feed.join(From::Now).missed);
    }

    #[tokio::test]
    async fn a_slow_reader_is_told_once_and_goes_on() {
        let feed = feed();
        let mut reader = feed.join(From::Now).reader;
        for _ in 0..=MOST_EVENTS {
            say(&feed, "x");
        }
        assert_eq!(reader.next().await, Next::Missed);
        say(&feed, "y");
        assert_eq!(id(&mut reader).await, format!("e-{}", MOST_EVENTS + 2));
    }

    #[tokio::test]
    async fn large_events_push_out_old_ones() {
        let feed = feed();
        let large = "x".repeat(MOST_BYTES / 2);
        for _ in 0..5 {
            say(&feed, &large);
        }
        assert!(feed.ring().bytes <= MOST_BYTES);
        assert_eq!(feed.ring().next(), 6);
    }

    #[tokio::test]
    async fn a_closed_feed_is_read_to_its_end() {
        let feed = feed();
        let mut reader = feed.join(From::Now).reader;
        say(&feed, "last");
        feed.close();
        assert_eq!(id(&mut reader).await, "e-1");
        assert_eq!(reader.next().await, Next::Closed);
    }

    #[tokio::test]
    async fn who_asks_for_a_turn_first_and_listens_then_gets_all_of_it() {
        let feed = feed();
        say(&feed, "before");
        feed.begin_turn();
        say(&feed, "in it");
        let mut reader = feed.join(From::Turn).reader;
        assert_eq!(id(&mut reader).await, "e-2");
    }

    #[test]
    fn a_late_reader_gets_the_answer_so_far_and_a_returning_one_does_not() {
        let feed = feed();
        feed.publish(&Event::GenerationStarted);
        feed.publish(&Event::GenerationProgress { token: "Hel" });
        feed.publish(&Event::GenerationProgress { token: "lo" });
        assert_eq!(feed.join(From::Now).partial, "Hello");
        assert_eq!(feed.join(From::After("e-2")).partial, "");
        feed.publish(&Event::Interrupted { reason: hookspec::session::InterruptReason::User });
        assert_eq!(feed.join(From::Now).partial, "");
    }

    #[test]
    fn a_feed_at_rest_keeps_little() {
        let feed = feed();
        for _ in 0..500 {
            say(&feed, "x");
        }
        feed.publish(&Event::Rested { outcome: None });
        assert_eq!(feed.ring().events.len(), RESTING);
    }
}
