//! `test`: shows in the conversation that hooks run.
//!
//! **Watches** the start of sessions, turns and steps, and the end of turns; only where an allowlist names `test`.
//! **Speaks** each time, one visible message with the name of the moment. **Keeps** nothing. **Costs** one message each.
//!
//! Different from gptme: a wrong name beside it in the allowlist is an error with a suggestion and no warning.

use hookspec::points::{SESSION_START, STEP_PRE, TURN_POST, TURN_PRE};
use hookspec::{Message, hook};

fn marker(moment: &str) -> Message {
    Message::system(format!("TEST_{moment} hook triggered"))
}

/// Marks the start of a session.
#[hook(SESSION_START, priority = 100, enabled = false, aliases = ["test_session_start"])]
fn test_session_start() -> Message {
    marker("SESSION_START")
}

/// Marks the start of a turn.
#[hook(TURN_PRE, priority = 100, enabled = false, aliases = ["test_turn_pre"])]
fn test_turn_pre() -> Message {
    marker("TURN_PRE")
}

/// Marks the start of a step.
#[hook(STEP_PRE, priority = 100, enabled = false, aliases = ["test_step_pre"])]
fn test_step_pre() -> Message {
    marker("STEP_PRE")
}

/// Marks the end of a turn.
#[hook(TURN_POST, priority = 100, enabled = false, aliases = ["test_turn_post"])]
fn test_turn_post() -> Message {
    marker("TURN_POST")
}

#[cfg(test)]
mod tests {
    use hookspec::{Mode, Registry};

    const NAMES: [&str; 4] =
        ["test.test_session_start", "test.test_step_pre", "test.test_turn_post", "test.test_turn_pre"];

    #[test]
    fn off_by_default_and_on_by_name_with_priority_100() {
        for mode in [Mode::Cli, Mode::Server] {
            let default = Registry::builder().mode(mode).build().unwrap();
            let named = Registry::builder().mode(mode).allow(["test"]).build().unwrap();
            for name in NAMES {
                assert!(
                    default.hook(name).is_none_or(|_| {
                        !default.list().iter().any(|row| row.info.name == name && row.on)
                    })
                );
                let rows = named.list();
                let row = rows.iter().find(|row| row.info.name == name).unwrap();
                assert!(row.on && row.info.priority == 100, "{row:?}");
            }
        }
    }

    #[test]
    fn a_wrong_name_beside_it_is_told() {
        let error = Registry::builder().allow(["test", "tset"]).build().unwrap_err().to_string();
        assert!(error.contains("`tset`"), "{error}");
    }
}
