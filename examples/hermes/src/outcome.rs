//! Directives as return types: a hook in Rust says what a callback of Hermes would.
//!
//! A directive that means nothing at the hook's point is a failure of the hook, and a gate that fails denies.

use hookspec::ask::Continue;
use hookspec::hooks::{BoxError, IntoOutcome, Outcome};
use hookspec::point::Verdict;
use hookspec::{First, Fold, Gate, Message};

use crate::directive::Directive;
use crate::points::Classification;

impl Directive {
    fn misfit<V: Verdict>(&self, out: &mut Outcome<V>) {
        let what = match self {
            Self::Nothing => return,
            Self::Block(_) => "a block",
            Self::Approve { .. } => "an approval",
            Self::Modify(_) => "a modification",
            Self::Context(_) => "a context",
            Self::Replace(_) => "a replacement",
            Self::Continue(_) => "a wish to go on",
            Self::Classify(_) => "a classification",
        };
        let error: BoxError = format!("the hook returned {what}, which means nothing at its point").into();
        out.fail(error);
    }
}

impl IntoOutcome<Gate> for Directive {
    fn into_outcome(self, out: &mut Outcome<Gate>) {
        match self {
            Self::Block(reason) => Gate::Deny(reason).into_outcome(out),
            Self::Approve { message, .. } => Gate::Ask(message.unwrap_or_default()).into_outcome(out),
            other => other.misfit(out),
        }
    }
}

impl IntoOutcome<First<Continue>> for Directive {
    fn into_outcome(self, out: &mut Outcome<First<Continue>>) {
        match self {
            Self::Continue(text) => First(Continue::With(Message::user(text))).into_outcome(out),
            other => other.misfit(out),
        }
    }
}

impl IntoOutcome<First<String>> for Directive {
    fn into_outcome(self, out: &mut Outcome<First<String>>) {
        match self {
            Self::Replace(text) => First(text).into_outcome(out),
            other => other.misfit(out),
        }
    }
}

impl IntoOutcome<First<Classification>> for Directive {
    fn into_outcome(self, out: &mut Outcome<First<Classification>>) {
        match self {
            Self::Classify(classification) => First(classification).into_outcome(out),
            other => other.misfit(out),
        }
    }
}

impl IntoOutcome<Fold<Vec<Message>>> for Directive {
    fn into_outcome(self, out: &mut Outcome<Fold<Vec<Message>>>) {
        match self {
            Self::Replace(text) => Fold(vec![Message::system(text)]).into_outcome(out),
            other => other.misfit(out),
        }
    }
}

#[cfg(test)]
mod tests {
    use hookspec::point::Point;
    use hookspec::points::{LOOP_CONTINUE, TOOL_PRE_EXECUTE, TOOL_RESULT_TRANSFORM, TurnOutcome};
    use hookspec::{Hook, Hooks, Registry, Session, ToolUse, fire_now};
    use serde_json::{Value, json};

    use super::*;
    use crate::directive::lower;
    use crate::points::TRANSFORM_TERMINAL_OUTPUT;

    /// A session with one hook, which says what a callback returned.
    fn session<P: Point>(point: P, hook: &'static str, returned: Value) -> Session
    where
        Directive: IntoOutcome<P::Verdict>,
    {
        let say = Hook::new(point, "test.say", move |_, _| lower(hook, &returned));
        let registry = Registry::builder().linked(false).register(say).build().unwrap();
        Session::builder(&Hooks::new(registry), "s").build()
    }

    #[test]
    fn a_hook_in_rust_may_return_what_a_callback_would() {
        let call = ToolUse::fenced("shell", [""; 0], "ls");
        let guard = |returned| session(TOOL_PRE_EXECUTE, "pre_tool_call", returned);
        let blocks = guard(json!({ "action": "block", "message": "no" }));
        assert_eq!(fire_now!(blocks, TOOL_PRE_EXECUTE { tool_use: &call }).gate(), Some(&Gate::deny("no")));
        let asks = guard(json!({ "action": "approve", "message": "sure?" }));
        assert_eq!(fire_now!(asks, TOOL_PRE_EXECUTE { tool_use: &call }).gate(), Some(&Gate::ask("sure?")));

        let goes_on =
            session(LOOP_CONTINUE, "pre_verify", json!({ "decision": "block", "reason": "test it" }));
        let outcome = TurnOutcome::Complete;
        let fired = fire_now!(goes_on, LOOP_CONTINUE { outcome, queue: &[], continued: 0 });
        assert_eq!(fired.answer(), Some(&Continue::With(Message::user("test it"))));

        let changes = session(TOOL_RESULT_TRANSFORM, "transform_tool_result", json!("short"));
        let fired = fire_now!(changes, TOOL_RESULT_TRANSFORM { tool_use: &call, result: &[] });
        assert_eq!(fired.value().unwrap()[0].content, "short");

        let terminal = session(TRANSFORM_TERMINAL_OUTPUT, "transform_terminal_output", json!(""));
        let event = (&call, "ls", "a\n");
        let fired = fire_now!(
            terminal,
            TRANSFORM_TERMINAL_OUTPUT {
                tool_use: event.0,
                command: event.1,
                output: event.2,
                returncode: None
            }
        );
        assert_eq!(fired.answer().map(String::as_str), Some(""));
    }

    #[test]
    fn what_means_nothing_there_is_a_failure_and_a_gate_that_fails_denies() {
        let call = ToolUse::fenced("shell", [""; 0], "ls");
        for returned in [json!({ "action": "modify", "args": {} }), json!(7)] {
            let session = session(TOOL_PRE_EXECUTE, "pre_tool_call", returned);
            assert!(fire_now!(session, TOOL_PRE_EXECUTE { tool_use: &call }).denied().is_some());
        }
    }
}
