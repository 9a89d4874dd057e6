//! `time_awareness`: tells the model how long the session has been going on.
//!
//! **Watches** the end of each tool call. **Speaks** when a milestone is passed: 1, 5, 10, 15, 20 minutes, then
//! every ten; one hidden message with the time of day (UTC, and it says so) and the time since the session
//! began. Milestones that passed while nothing happened are not caught up. **Keeps** when the session began
//! and the last milestone, per session; both survive a resume, so time counts on. **Costs** a clock read and
//! a division.
//!
//! Different from gptme: time counts from the session's start and not from the first tool call, it belongs
//! to the session and not to the workspace, and the zone is named.

use hookspec::points::{SESSION_START, TOOL_POST_EXECUTE};
use hookspec::{Message, Session, hook};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// When the session began, and what was said.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Elapsed {
    start: Option<Timestamp>,
    shown: u64,
}

/// Notes when the session began.
#[hook(SESSION_START)]
fn session_start(session: &Session, state: &mut Elapsed) {
    state.start.get_or_insert_with(|| session.clock().now());
}

/// Says how long it has been, at milestones.
#[hook(TOOL_POST_EXECUTE)]
fn time_message(session: &Session, state: &mut Elapsed) -> Option<Message> {
    session.workspace()?;
    tick(state, session.clock().now()).map(|text| Message::system(text).hidden())
}

/// The message that is due, if one is.
fn tick(state: &mut Elapsed, now: Timestamp) -> Option<String> {
    let start = *state.start.get_or_insert(now);
    let minutes = u64::try_from(now.duration_since(start).as_mins()).unwrap_or(0);
    let reached = milestone(minutes)?;
    if reached <= state.shown {
        return None;
    }
    state.shown = reached;
    let clock = now.strftime("%H:%M");
    Some(format!(
        "<system_info>It is {clock} UTC; the session has been going on for {}.</system_info>",
        words(minutes)
    ))
}

/// The last milestone at or before so many minutes.
fn milestone(minutes: u64) -> Option<u64> {
    match minutes {
        0 => None,
        1..=4 => Some(1),
        5..=19 => Some(minutes / 5 * 5),
        _ => Some(minutes / 10 * 10),
    }
}

fn words(minutes: u64) -> String {
    match (minutes / 60, minutes % 60) {
        (0, minutes) => format!("{minutes}min"),
        (hours, 0) => format!("{hours}h"),
        (hours, minutes) => format!("{hours}h {minutes}min"),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use hookspec::point::{Fired, Messages};
    use hookspec::session::Clock;
    use hookspec::tool::ToolStatus;
    use hookspec::{Hooks, Registry, Session, ToolUse, fire_now};

    use super::*;

    fn session(id: &str, workspace: bool) -> Session {
        let registry = Registry::builder().allow(["time_awareness"]).build().unwrap();
        let clock = Clock::manual("2026-01-01T12:00:00Z".parse().unwrap());
        let builder = Session::builder(&Hooks::new(registry), id).clock(clock);
        if workspace { builder.workspace("/w").build() } else { builder.build() }
    }

    fn tool(session: &Session, after_minutes: u64) -> Fired<Messages> {
        session.clock().advance(Duration::from_secs(after_minutes * 60));
        fire_now!(
            session,
            TOOL_POST_EXECUTE {
                tool_use: &ToolUse::fenced("shell", [""; 0], "ls"),
                result: &[],
                status: ToolStatus::Ok,
                duration: Duration::ZERO,
            }
        )
    }

    #[test]
    fn t1_no_workspace_says_nothing() {
        let session = session("s", false);
        assert!(tool(&session, 30).messages().is_empty());
    }

    #[test]
    fn t2_the_first_call_at_once_says_nothing() {
        let session = session("s", true);
        assert!(tool(&session, 0).messages().is_empty());
        assert!(session.try_state::<Elapsed>().unwrap().start.is_some());
    }

    #[test]
    fn t3_t4_t5_milestones_are_said_once_and_hidden() {
        let session = session("s", true);
        let _ = tool(&session, 0);
        let said = tool(&session, 2);
        assert!(said.messages()[0].content.contains("2min"), "{said:?}");
        assert!(said.messages()[0].content.contains("12:02 UTC"));
        assert!(tool(&session, 0).messages().is_empty());
        let said = tool(&session, 4);
        assert!(said.messages()[0].hide && said.messages()[0].content.contains("6min"));
    }

    #[test]
    fn t6_hours_and_minutes() {
        for (minutes, text) in [(65, "1h 5min"), (60, "1h"), (125, "2h 5min"), (59, "59min")] {
            assert_eq!(words(minutes), text);
        }
    }

    #[test]
    fn t7_the_table_of_milestones() {
        let table = [
            (0, None),
            (1, Some(1)),
            (4, Some(1)),
            (5, Some(5)),
            (9, Some(5)),
            (10, Some(10)),
            (14, Some(10)),
            (15, Some(15)),
            (19, Some(15)),
            (20, Some(20)),
            (29, Some(20)),
            (30, Some(30)),
            (31, Some(30)),
            (40, Some(40)),
            (59, Some(50)),
            (119, Some(110)),
        ];
        for (minutes, expected) in table {
            assert_eq!(milestone(minutes), expected, "{minutes} minutes");
        }
    }

    #[test]
    fn t8_skipped_milestones_are_not_caught_up() {
        let session = session("s", true);
        let _ = tool(&session, 0);
        assert_eq!(tool(&session, 25).messages().len(), 1);
        assert!(tool(&session, 0).messages().is_empty() && tool(&session, 0).messages().is_empty());
    }

    #[test]
    fn time_counts_from_the_sessions_start_and_goes_on_after_a_resume() {
        let first = session("s", true);
        let _ = fire_now!(
            first,
            SESSION_START { resumed: false, reason: hookspec::points::StartReason::New, initial: &[] }
        );
        assert_eq!(tool(&first, 6).messages().len(), 1, "the first tool call, six minutes in");
        let resumed = Session::builder(first.hooks(), "s")
            .workspace("/w")
            .clock(first.clock().clone())
            .states(first.save_states())
            .build();
        assert!(tool(&resumed, 1).messages().is_empty());
        assert!(tool(&resumed, 4).messages()[0].content.contains("11min"));
    }

    #[test]
    fn two_sessions_in_one_workspace_do_not_share_time() {
        let (a, b) = (session("a", true), session("b", true));
        let _ = tool(&a, 0);
        assert_eq!(tool(&a, 10).messages().len(), 1);
        assert!(tool(&b, 0).messages().is_empty());
        assert!(tool(&b, 1).messages()[0].content.contains("1min"));
    }
}
