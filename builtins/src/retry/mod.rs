//! `retry`: tries again what failed and may well succeed a little later.
//!
//! **Watches** each call to the model and each run of a tool, from around it. A call to the model is tried again after the kinds
//! of failures in `classes`; a tool that is `pure` after a time-out; a tool in `tools` after the kinds in `tool_classes`. No other tool
//! is: what it did until it failed would be done twice. What was interrupted, denied or refused for its arguments is not tried again
//! either. **Waits** before each try, at random between nothing and a time that begins with `first_wait_ms` and doubles, up to
//! `longest_wait_s`, so that many who failed together do not come back together; never less than the provider asks for. `tries` is how
//! often it is tried in all, `seconds` how long after the first try another one may begin. An interrupt ends the wait. **Speaks** to the user
//! before each wait, not to the model. **Keeps** nothing. **Costs** nothing unless `enabled`.
//!
//! While it is on, it alone decides whether a call to the model is tried again: `retries` in `[agent]` counts only for what it did not
//! see. `fallback_model` is further out: another model is asked when the tries of this one are used up.
//!
//! Different from gptme, which retries in its providers.

mod wait;

use std::future::{Future, poll_fn};
use std::num::NonZeroU32;
use std::pin::pin;
use std::task::Poll;
use std::time::Duration;

use hookspec::model::{FaultClass, GenerationFault, GenerationResult};
use hookspec::points::{GENERATION, TOOL_EXECUTE};
use hookspec::tool::{ToolError, ToolErrorClass, ToolResult};
use hookspec::{Around, Session, ToolUse, hook};
use serde::{Deserialize, Serialize};

use crate::faults::Faults;
use crate::globs::Globs;
use crate::text::seconds;

use wait::Tries;

/// `[hooks.retry]`.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(default)]
pub struct Settings {
    /// Whether anything is tried again by this.
    pub enabled: bool,
    /// How often something is tried in all; 1 is never again.
    pub tries: NonZeroU32,
    /// How many seconds after the beginning of the first try another one may begin.
    pub seconds: u32,
    /// Before the first try again it waits at most so many milliseconds, then twice as long each time.
    pub first_wait_ms: u32,
    /// It never waits longer than so many seconds, unless the provider asks for it.
    pub longest_wait_s: u32,
    /// After which failures of a call to the model.
    pub classes: Faults,
    /// Globs of tools that may be run again though they are not pure.
    pub tools: Globs,
    /// After which failures of such a tool.
    pub tool_classes: Vec<ToolClass>,
}

/// A kind of failure of a tool after which it may be run again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ToolClass {
    /// It took too long.
    Timeout,
    /// It failed.
    Failed,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            enabled: false,
            tries: NonZeroU32::MIN.saturating_add(3),
            seconds: 120,
            first_wait_ms: 500,
            longest_wait_s: 60,
            classes: Faults::passing(),
            tools: Globs::default(),
            tool_classes: vec![ToolClass::Timeout, ToolClass::Failed],
        }
    }
}

/// Tries a call to the model again.
#[hook(GENERATION, priority = 10, timeout = "never", budget = "1h")]
async fn generation(
    next: GENERATION::Next<'_>,
    session: &Session,
    settings: &Settings,
) -> Option<Around<GenerationResult>> {
    let mut next = next.repeatable();
    let mut tries = Tries::begin(settings, session.age());
    loop {
        // An answer stands as it is.
        let fault = next.run().await.err()?;
        if !settings.classes.have(fault.class) {
            return Some(Around(Err(fault.for_good())));
        }
        match tries.again(session, fault.retry_after, &fault.text).await {
            Again::Now => {}
            Again::Enough => return Some(Around(Err(fault.for_good()))),
            Again::Interrupted => {
                let text = format!("Interrupted while it waited to ask the model again. {}", fault.text);
                return Some(Around(Err(GenerationFault::new(FaultClass::Interrupted, text))));
            }
        }
    }
}

/// Runs a tool again.
#[hook(TOOL_EXECUTE, priority = 10, timeout = "never", budget = "1h")]
async fn tool(
    next: TOOL_EXECUTE::Next<'_>,
    tool_use: &ToolUse,
    session: &Session,
    settings: &Settings,
) -> Option<Around<ToolResult>> {
    let pure = session.hooks().load().tools().get(&tool_use.tool).is_some_and(|tool| tool.pure);
    let named = settings.tools.fit(&tool_use.tool);
    if !pure && !named {
        return None;
    }
    let mut next = next.repeatable();
    let mut tries = Tries::begin(settings, session.age());
    loop {
        // What the last run gave stands, unless there is another one.
        let error = next.run().await.err().filter(|error| settings.repeats(error.class(), pure, named))?;
        match tries.again(session, None, &format!("`{}`: {error}", tool_use.tool)).await {
            Again::Now => {}
            Again::Enough => return None,
            Again::Interrupted => {
                let text =
                    format!("Interrupted while it waited to be run again. The last run failed: {error}");
                return Some(Around(Err(ToolError::Interrupted(text))));
            }
        }
    }
}

impl Settings {
    /// Whether a tool that failed so is run again. Of a pure one nothing has changed since: it would fail again, unless it was
    /// only slow.
    fn repeats(&self, class: ToolErrorClass, pure: bool, named: bool) -> bool {
        let class = match class {
            ToolErrorClass::Timeout => ToolClass::Timeout,
            ToolErrorClass::Failed => ToolClass::Failed,
            _ => return false,
        };
        (pure && class == ToolClass::Timeout) || (named && self.tool_classes.contains(&class))
    }
}

/// Whether there is another try, once its time has come.
enum Again {
    Now,
    Enough,
    Interrupted,
}

impl Tries<'_> {
    /// Waits for the next try, if there is one, and tells the user.
    async fn again(&mut self, session: &Session, asked: Option<Duration>, text: &str) -> Again {
        if session.interrupted().is_some() {
            return Again::Interrupted;
        }
        let wait = match self.next(session.age(), asked, chance()) {
            Ok(wait) => wait,
            Err(enough) => {
                if let Some(said) = enough {
                    session.notice(&format!("{text} {said}"));
                }
                return Again::Enough;
            }
        };
        let (number, all) = self.number();
        session.notice(&format!("{text} Trying again in {} (try {number} of {all}).", seconds(wait)));
        let mut alarm = session.sleep(wait);
        let mut interrupt = pin!(session.until_interrupted());
        poll_fn(|cx| match interrupt.as_mut().poll(cx) {
            Poll::Ready(_) => Poll::Ready(Again::Interrupted),
            Poll::Pending => alarm.as_mut().poll(cx).map(|()| Again::Now),
        })
        .await
    }
}

/// Somewhere between 0 and 1. Without a source of randomness it waits the whole time.
fn chance() -> f64 {
    getrandom::u32().map_or(1.0, |number| f64::from(number) / f64::from(u32::MAX))
}
