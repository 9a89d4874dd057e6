//! `cache_awareness`: keeps track of the provider's prompt cache, for other hooks to ask.
//!
//! **Watches** answers of the model, the ends of turns and `CACHE_INVALIDATED`. **Speaks** never. **Keeps**, per
//! session and through a resume, when and why the prompt's prefix last changed, the turns and tokens since, and
//! when the model last answered. Ask with `session.state_now::<Cache>()`: `is_valid`, `likely_cold`, `should_batch`,
//! `status`. **Costs** a clock read for each answer.
//!
//! Different from gptme: a turn in which the prefix changed does not count as a turn since then; tokens are counted
//! from what the provider reports; there is nothing to subscribe to, since `CACHE_INVALIDATED` is a point of its own
//! and a hook there runs after this one, which has the highest priority; it works in every host.

use std::time::Duration;

use hookspec::model::Usage;
use hookspec::points::{CACHE_INVALIDATED, GENERATION_POST, InvalidationReason, TURN_POST, TURN_PRE};
use hookspec::{Session, hook};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// How long a provider keeps a prompt's prefix, unless the host knows better.
pub const CACHE_LIFETIME: Duration = Duration::from_secs(300);

/// After so many turns a change of the prefix is worth its price.
pub const BATCH_TURNS: u32 = 10;

/// What is known of the provider's cache of this session's prompt.
///
/// ```
/// use hookspec::points::TURN_POST;
/// use hookspec::{Message, Session, session::StateError, hook};
/// use hookspec_builtins::cache_awareness::{BATCH_TURNS, Cache};
///
/// /// Proposes a compaction once the cache has paid for itself.
/// #[hook(TURN_POST, priority = -10, name = "doc.propose")]
/// fn propose(session: &Session) -> Result<Option<Message>, StateError> {
///     let due = session.state_now::<Cache>()?.should_batch(BATCH_TURNS);
///     Ok(due.then(|| Message::system("This is a good moment to compact the conversation.")))
/// }
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Cache {
    /// When the prefix last changed.
    pub last_invalidation: Option<Timestamp>,
    /// Why.
    pub reason: Option<InvalidationReason>,
    /// Tokens of the conversation before that, where the host told.
    pub tokens_before: Option<u64>,
    /// Tokens after it, where the host told.
    pub tokens_after: Option<u64>,
    /// Turns since, without the one in which it happened.
    pub turns: u32,
    /// Tokens of all requests since.
    pub tokens: u64,
    /// How often the prefix changed.
    pub invalidations: u32,
    /// When the model last answered.
    pub last_call: Option<Timestamp>,
    changed_in_this_turn: bool,
}

/// All of it, for display; ages are as of one moment.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CacheStatus {
    /// How often the prefix changed.
    pub invalidation_count: u32,
    /// Turns since the last change, without its own.
    pub turns_since_invalidation: u32,
    /// Tokens of all requests since.
    pub tokens_since_invalidation: u64,
    /// When it last changed.
    pub last_invalidation: Option<Timestamp>,
    /// Why.
    pub last_invalidation_reason: Option<InvalidationReason>,
    /// Tokens of the conversation before that.
    pub tokens_before: Option<u64>,
    /// Tokens after it.
    pub tokens_after: Option<u64>,
    /// When the model last answered.
    pub last_call_completed_at: Option<Timestamp>,
    /// Whole seconds since then.
    pub elapsed_since_last_call: Option<u64>,
    /// Whether that is [`CACHE_LIFETIME`] or longer ago.
    pub cache_likely_cold: bool,
}

impl Cache {
    /// Whether a whole turn has been taken since the prefix changed, so that the cache holds it again.
    #[must_use]
    pub fn is_valid(&self) -> bool {
        self.turns > 0
    }

    /// Time since the model last answered.
    #[must_use]
    pub fn elapsed(&self, now: Timestamp) -> Option<Duration> {
        // A clock that was set back reads as no time at all.
        Some(Duration::try_from(now.duration_since(self.last_call?)).unwrap_or_default())
    }

    /// Whether the provider has probably dropped the prefix; not while there was no answer yet.
    #[must_use]
    pub fn likely_cold(&self, now: Timestamp, lifetime: Duration) -> bool {
        self.elapsed(now).is_some_and(|elapsed| elapsed >= lifetime)
    }

    /// Whether enough turns have passed for a change of the prefix to be worth it; see [`BATCH_TURNS`].
    #[must_use]
    pub fn should_batch(&self, turns: u32) -> bool {
        self.turns >= turns
    }

    /// All of it as of `now`.
    #[must_use]
    pub fn status(&self, now: Timestamp) -> CacheStatus {
        CacheStatus {
            invalidation_count: self.invalidations,
            turns_since_invalidation: self.turns,
            tokens_since_invalidation: self.tokens,
            last_invalidation: self.last_invalidation,
            last_invalidation_reason: self.reason,
            tokens_before: self.tokens_before,
            tokens_after: self.tokens_after,
            last_call_completed_at: self.last_call,
            elapsed_since_last_call: self.elapsed(now).map(|elapsed| elapsed.as_secs()),
            cache_likely_cold: self.likely_cold(now, CACHE_LIFETIME),
        }
    }
}

/// Notes that the prefix changed.
#[hook(CACHE_INVALIDATED, priority = 100)]
fn invalidated(
    reason: InvalidationReason,
    tokens_before: Option<u64>,
    tokens_after: Option<u64>,
    session: &Session,
    state: &mut Cache,
) {
    *state = Cache {
        last_invalidation: Some(session.clock().now()),
        reason: Some(reason),
        tokens_before,
        tokens_after,
        turns: 0,
        tokens: 0,
        invalidations: state.invalidations.saturating_add(1),
        last_call: state.last_call,
        changed_in_this_turn: true,
    };
}

/// Begins a turn; what changed between turns does not spoil it.
#[hook(TURN_PRE)]
fn turn_start(state: &mut Cache) {
    state.changed_in_this_turn = false;
}

/// Notes an answer and its tokens.
#[hook(GENERATION_POST, priority = 100)]
fn generation_post(usage: Option<&Usage>, session: &Session, state: &mut Cache) {
    state.last_call = Some(session.clock().now());
    state.tokens = state.tokens.saturating_add(usage.map_or(0, Usage::total));
}

/// Counts the turn, unless the prefix changed in it.
#[hook(TURN_POST)]
fn turn_tracking(state: &mut Cache) {
    if !std::mem::take(&mut state.changed_in_this_turn) {
        state.turns = state.turns.saturating_add(1);
    }
}

#[cfg(test)]
mod tests {
    use hookspec::model::FinishReason;
    use hookspec::points::TurnOutcome;
    use hookspec::session::Clock;
    use hookspec::{Flow, Hook, Hooks, Message, Registry, fire_now};
    use serde_json::json;

    use super::*;

    fn session_with(more: Option<Hook<CACHE_INVALIDATED::Point>>) -> Session {
        let builder = match more {
            Some(hook) => Registry::builder().allow(["cache_awareness", "test"]).register(hook),
            None => Registry::builder().allow(["cache_awareness"]),
        };
        let clock = Clock::manual("2026-01-01T12:00:00Z".parse().unwrap());
        Session::builder(&Hooks::new(builder.build().unwrap()), "s").clock(clock).build()
    }

    fn session() -> Session {
        session_with(None)
    }

    fn cache(session: &Session) -> Cache {
        session.try_state::<Cache>().unwrap().clone()
    }

    fn invalidate(session: &Session, reason: InvalidationReason, before: u64, after: u64) {
        let (tokens_before, tokens_after) = (Some(before), Some(after));
        let fired = fire_now!(session, CACHE_INVALIDATED { reason, tokens_before, tokens_after });
        assert!(fired.messages().is_empty());
    }

    fn begin(session: &Session) {
        let _ = fire_now!(session, TURN_PRE { message: &Message::user("go") });
    }

    fn end(session: &Session) {
        let usage = Usage::default();
        let fired = fire_now!(
            session,
            TURN_POST { steps: 1, changed: &[], usage: &usage, outcome: TurnOutcome::Complete }
        );
        assert!(fired.messages().is_empty());
    }

    fn answer(session: &Session, tokens: u64) {
        let usage = Usage { input_tokens: tokens, ..Usage::default() };
        let fired = fire_now!(
            session,
            GENERATION_POST {
                response: &Message::assistant("done"),
                usage: Some(&usage),
                cost: None,
                duration: Duration::from_secs(1),
                finish_reason: FinishReason::Stop,
                model: "test/model",
            }
        );
        assert!(fired.messages().is_empty());
    }

    fn turn(session: &Session) {
        begin(session);
        end(session);
    }

    #[test]
    fn t1_t2_valid_after_one_turn() {
        let session = session();
        assert_eq!(cache(&session), Cache::default());
        assert!(!cache(&session).is_valid());
        turn(&session);
        assert!(cache(&session).is_valid());
    }

    #[test]
    fn t3_t9_an_invalidation_starts_anew_and_the_last_one_counts() {
        let session = session();
        turn(&session);
        invalidate(&session, InvalidationReason::Compact, 100_000, 50_000);
        let now = cache(&session);
        assert!(!now.is_valid());
        assert_eq!((now.invalidations, now.turns, now.tokens), (1, 0, 0));
        invalidate(&session, InvalidationReason::Undo, 50_000, 40_000);
        let now = cache(&session);
        assert_eq!((now.reason, now.tokens_before), (Some(InvalidationReason::Undo), Some(50_000)));
        assert_eq!((now.tokens_after, now.invalidations), (Some(40_000), 2));
    }

    #[test]
    fn t4_tokens_add_up_until_the_next_invalidation() {
        let session = session();
        answer(&session, 100);
        answer(&session, 250);
        assert_eq!(cache(&session).tokens, 350);
        invalidate(&session, InvalidationReason::Compact, 1, 1);
        assert_eq!(cache(&session).tokens, 0);
    }

    #[test]
    fn t5_t6_other_hooks_at_the_point_are_on_their_own_and_see_the_change() {
        let broken = Hook::new(CACHE_INVALIDATED, "test.broken", |_, session: &Session| {
            assert_eq!(session.try_state::<Cache>().unwrap().invalidations, 99, "not yet");
            Flow::Continue
        });
        let session = session_with(Some(broken));
        let fired = fire_now!(
            session,
            CACHE_INVALIDATED { reason: InvalidationReason::Edit, tokens_before: None, tokens_after: None }
        );
        assert_eq!(fired.failures().len(), 1);
        assert_eq!(cache(&session).invalidations, 1);
        assert!(session.set_hook_enabled("test.broken", false));
        invalidate(&session, InvalidationReason::Edit, 1, 1);
        assert_eq!(cache(&session).invalidations, 2);
    }

    #[test]
    fn t7_t8_cold_after_the_lifetime() {
        let session = session();
        let now = || session.clock().now();
        assert_eq!(cache(&session).elapsed(now()), None);
        assert!(!cache(&session).likely_cold(now(), Duration::ZERO));
        answer(&session, 1);
        session.clock().advance(Duration::from_millis(299_900));
        assert!(!cache(&session).likely_cold(now(), CACHE_LIFETIME));
        assert!(cache(&session).likely_cold(now(), Duration::from_secs(30)));
        session.clock().advance(Duration::from_millis(100));
        assert!(cache(&session).likely_cold(now(), CACHE_LIFETIME));
    }

    #[test]
    fn t10_batches_are_worth_it_after_ten_turns() {
        let session = session();
        (0..9).for_each(|_| turn(&session));
        assert!(!cache(&session).should_batch(BATCH_TURNS));
        turn(&session);
        assert!(cache(&session).should_batch(BATCH_TURNS));
    }

    #[test]
    fn the_turn_of_the_change_does_not_make_the_cache_valid_again() {
        let session = session();
        begin(&session);
        invalidate(&session, InvalidationReason::Compact, 2, 1);
        end(&session);
        assert!(!cache(&session).is_valid());
        turn(&session);
        assert!(cache(&session).is_valid());
        // Between turns, as an undo does it: the next turn is a whole one.
        invalidate(&session, InvalidationReason::Undo, 2, 1);
        turn(&session);
        assert!(cache(&session).is_valid());
    }

    #[test]
    fn the_status_has_one_time_and_the_known_names() {
        let session = session();
        answer(&session, 7);
        session.clock().advance(Duration::from_secs(301));
        let status = json!(cache(&session).status(session.clock().now()));
        assert_eq!(status["elapsed_since_last_call"], 301);
        assert_eq!(status["cache_likely_cold"], true);
        assert_eq!(status["tokens_since_invalidation"], 7);
        assert_eq!(status.as_object().unwrap().len(), 10);
    }

    #[test]
    fn it_goes_on_after_a_resume() {
        let first = session();
        answer(&first, 1);
        turn(&first);
        let again = Session::builder(first.hooks(), "s").states(first.save_states()).build();
        assert_eq!(cache(&again), cache(&first));
    }
}
