//! `loop_guard`: notices when the model goes round in circles.
//!
//! **Watches** every tool call, before and after it runs. The same call that gave the same result is a
//! repetition; so is a cycle of two or three calls (`A B A B`). **Speaks** after the third time (`warn`): one
//! visible message, once for each circle; before the fifth (`ask`) the user is asked, and before the one that
//! `deny` names (0: none) the call is refused. Another call, another result or a message of the user ends
//! the circle; a message with which a hook keeps the agent going does not. **Keeps** the hashes of the last
//! calls and results, per session, so that a resumed session goes on counting. **Costs** three hashes a call.
//!
//! A tool that is called again and again on purpose, to wait for something, is named in `except`.
//!
//! Different from gptme, which has no such guard.

use hookspec::points::{TOOL_POST_EXECUTE, TOOL_PRE_EXECUTE, TURN_PRE};
use hookspec::tool::ToolStatus;
use hookspec::{Gate, Message, ToolUse, hook};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::globs::Globs;
use crate::text::{escape, sorted};

/// The longest cycle that is looked for, in calls.
const LONGEST: usize = 3;
/// No threshold is higher, so that a session keeps little.
const MOST: u32 = 50;

/// A number of repetitions; 0 means never.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "u32", into = "u32")]
pub struct Times(u32);

/// A number of repetitions that makes no sense.
#[derive(Debug, thiserror::Error)]
#[error("{0} repetitions cannot be a limit; it takes 2 to {MOST}, or 0 for never")]
pub struct BadTimes(u32);

impl TryFrom<u32> for Times {
    type Error = BadTimes;

    fn try_from(times: u32) -> Result<Self, BadTimes> {
        if times == 0 || (2..=MOST).contains(&times) { Ok(Self(times)) } else { Err(BadTimes(times)) }
    }
}

impl From<Times> for u32 {
    fn from(times: Times) -> Self {
        times.0
    }
}

impl Times {
    fn reached(self, times: usize) -> bool {
        self.0 > 0 && times >= self.0 as usize
    }
}

/// `[hooks.loop_guard]`.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(default)]
pub struct Settings {
    /// After how many times the model is told; 0 for never.
    pub warn: Times,
    /// Before which time the user is asked; 0 for never.
    pub ask: Times,
    /// Before which time the call is refused; 0 for never.
    pub deny: Times,
    /// Globs of tools that may repeat themselves.
    pub except: Globs,
}

impl Default for Settings {
    fn default() -> Self {
        let except = Globs::new(["poll", "sleep", "wait"]).unwrap_or_default();
        Self { warn: Times(3), ask: Times(5), deny: Times(0), except }
    }
}

/// The last calls, oldest first.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Recent {
    calls: Vec<Done>,
}

/// One call that ran.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Done {
    call: String,
    result: String,
}

/// Starts anew with each message of the user; one that a hook adds to keep the agent going is none.
#[hook(TURN_PRE)]
fn turn(message: &Message, state: &mut Recent) {
    if message.hook.is_none() {
        state.calls.clear();
    }
}

/// Stops a call that would go round once more.
#[hook(TOOL_PRE_EXECUTE)]
fn stop(tool_use: &ToolUse, state: &mut Recent, settings: &Settings) -> Option<Gate> {
    if settings.except.fit(&tool_use.tool) {
        return None;
    }
    let (times, period) = state.would_be(&hash_of(tool_use))?;
    let tool = escape(&tool_use.tool);
    let what = words(period);
    if settings.deny.reached(times) {
        return Some(Gate::deny(format!(
            "{what} ran {} times with the same result, the last time just now; `{tool}` will not give another one. Do something else, or tell the user what is missing.",
            times - 1
        )));
    }
    settings.ask.reached(times).then(|| {
        Gate::ask(format!("{what} ran {} times with the same result; shall `{tool}` run again?", times - 1))
    })
}

/// Remembers a call and its result, and says so when they repeat.
#[hook(TOOL_POST_EXECUTE)]
fn remember(
    tool_use: &ToolUse,
    result: &[Message],
    status: ToolStatus,
    state: &mut Recent,
    settings: &Settings,
) -> Option<Message> {
    match status {
        // It did not run, or not to its end: that is no result, and no end of the circle either.
        ToolStatus::Denied | ToolStatus::Interrupted => return None,
        ToolStatus::Ok | ToolStatus::Error | ToolStatus::Timeout => {}
    }
    if settings.except.fit(&tool_use.tool) {
        state.calls.clear();
        return None;
    }
    let texts = result.iter().map(|message| message.content.as_str());
    state.calls.push(Done { call: hash_of(tool_use), result: hash(texts) });
    let keep = LONGEST * (MOST as usize + 1);
    state.calls.drain(..state.calls.len().saturating_sub(keep));
    let (times, period) = state.full_cycles()?;
    (times == settings.warn.0 as usize).then(|| {
        Message::system(format!(
            "<system_warning>{} ran {times} times with the same result. Running it again will not change that: try another way, or tell the user what is missing.</system_warning>",
            words(period)
        ))
    })
}

fn words(period: usize) -> String {
    if period == 1 { "The same call".to_owned() } else { format!("The same {period} calls in turn") }
}

impl Recent {
    /// How many calls at the end repeat with a period, and whether that is the true one.
    fn run(&self, period: usize) -> Option<usize> {
        let calls = &self.calls;
        let first = calls.len().checked_sub(period)?;
        // `A A` is no cycle of two.
        if period > 1 && calls.get(first..)?.windows(2).all(|pair| pair[0] == pair[1]) {
            return None;
        }
        let back = calls.iter().rev().zip(calls.iter().rev().skip(period));
        Some(period + back.take_while(|(late, early)| late == early).count())
    }

    /// How often the last cycle has run, if a cycle ends with the last call; and its period.
    fn full_cycles(&self) -> Option<(usize, usize)> {
        let whole = |period: usize| {
            let run = self.run(period)?;
            (run % period == 0).then_some((run / period, period))
        };
        (1..=LONGEST).filter_map(whole).max_by_key(|(times, period)| (*times, LONGEST - period))
    }

    /// How often a cycle would have begun, if `call` ran now and gave what it gave before; and its period.
    fn would_be(&self, call: &str) -> Option<(usize, usize)> {
        let next = |period: usize| {
            let run = self.run(period)?;
            let before = self.calls.get(self.calls.len() - period)?;
            (before.call == call).then_some(((run + 1).div_ceil(period), period))
        };
        (1..=LONGEST).filter_map(next).max_by_key(|(times, period)| (*times, LONGEST - period))
    }
}

/// A call without what differs each time: its id and place.
fn hash_of(call: &ToolUse) -> String {
    let named: Vec<_> = call.kwargs.iter().map(|(name, value)| format!("{name}={}", sorted(value))).collect();
    let mut named: Vec<_> = named.iter().map(String::as_str).collect();
    named.sort_unstable();
    let args = call.args.iter().map(String::as_str);
    hash([call.tool.as_str(), &call.content].into_iter().chain(args).chain([""]).chain(named))
}

/// The same in every process: the first eight bytes of SHA-256, in hex.
fn hash<'t>(parts: impl IntoIterator<Item = &'t str>) -> String {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update(u64::try_from(part.len()).unwrap_or(u64::MAX).to_le_bytes());
        hash.update(part);
    }
    hash.finalize().iter().take(8).map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests;
