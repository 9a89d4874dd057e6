//! `token_awareness`: tells the model how much it can hold, and how full it is.
//!
//! **Watches** the session's start, changes of the prompt's prefix and the end of each tool call. **Speaks** hidden:
//! at the start, the size of the model's context; after a tool, the tokens in use, when 50, 75, 90 or 95 % have been
//! passed since it last said so, or 10,000 tokens were added since. **Keeps** what it last said, per session and
//! through a resume; the counts themselves only as long as the process runs. **Costs** the vocabulary, a tenth of a
//! second once a process; each new message once, some 20 MB of text a second; and about a microsecond for two
//! thousand messages that are known.
//!
//! The tokens are an estimate where the model is not OpenAI's. Of a model whose context is not known (`[models]` of
//! hookspec.toml tells) nothing is said.
//!
//! Different from gptme: the count is right after a compaction, an undo, an edit or a change of the model, and the
//! thresholds fall with it; the result that the tool has just given counts, and so do tool schemas, native calls and
//! the names of attached files; the context's size is said again when the model changes and after a resume if the
//! log lacks it; a session without a workspace is no special case; beyond the budget it says by how much, not a
//! negative number.

use hookspec::points::{CACHE_INVALIDATED, SESSION_START, TOOL_POST_EXECUTE};
use hookspec::{Message, Role, Session, hook};
use serde::{Deserialize, Serialize};

use crate::models::Models;
use crate::tokens::{self, Counted};

/// Per cent of the context that are worth a word.
const MARKS: [u64; 4] = [50, 75, 90, 95];

/// So many more tokens are worth a word too.
const STEP: u64 = 10_000;

/// What was counted and said.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct TokenUse {
    /// Tokens in use when it was last said.
    said: u64,
    #[serde(skip)]
    counted: Counted,
}

/// Says how many tokens the model holds.
#[hook(SESSION_START, priority = 10)]
fn token_budget(session: &Session) -> Option<Message> {
    budget_unless_said(session)
}

/// Says it again where a change of the model or of the log made it untrue or took it away.
#[hook(CACHE_INVALIDATED)]
fn token_budget_again(session: &Session) -> Option<Message> {
    budget_unless_said(session)
}

/// Says how many tokens are in use, when that is news.
#[hook(TOOL_POST_EXECUTE)]
fn token_usage(session: &Session, result: &[Message], state: &mut TokenUse) -> Option<Message> {
    let budget = context(session)?;
    let result = result.iter().map(tokens::of_message).fold(0, u64::saturating_add);
    let used = state.counted.session(session).saturating_add(result);
    let text = news(&mut state.said, used, budget)?;
    Some(Message::system(text).hidden())
}

/// Tokens that the session's model holds, where that is known.
fn context(session: &Session) -> Option<u64> {
    session.extension::<Models>()?.find(&session.model())?.context.filter(|context| *context > 0)
}

fn budget_unless_said(session: &Session) -> Option<Message> {
    let text = format!("<budget:token_budget>{}</budget:token_budget>", context(session)?);
    let log = session.log();
    // A tool's output may hold the same words; only what these hooks said counts.
    let ours = |message: &&Message| {
        let by_us = message.hook.as_deref().is_some_and(|hook| hook.starts_with("token_awareness."));
        message.role == Role::System && by_us && message.content.starts_with("<budget:")
    };
    let last = log.iter().rev().map(|message| &**message).find(ours);
    last.is_none_or(|message| message.content != text).then(|| Message::system(text).hidden())
}

/// What to say of `used` tokens, if anything, after `said` was said.
fn news(said: &mut u64, used: u64, budget: u64) -> Option<String> {
    // What was taken back has to be said again when it comes again.
    *said = (*said).min(used);
    let reached = |tokens: u64, mark: u64| u128::from(tokens) * 100 >= u128::from(budget) * u128::from(mark);
    let passed = MARKS.iter().any(|mark| reached(used, *mark) && !reached(*said, *mark));
    if !passed && used - *said < STEP {
        return None;
    }
    *said = used;
    let rest = match budget.checked_sub(used) {
        Some(left) => format!("{left} remaining"),
        None => format!("over budget by {}", used - budget),
    };
    Some(format!("<system_warning>Token usage: {used}/{budget}; {rest}</system_warning>"))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::Duration;

    use hookspec::point::{Fired, Messages};
    use hookspec::points::{InvalidationReason, StartReason};
    use hookspec::tool::ToolStatus;
    use hookspec::{Hooks, Registry, ToolUse, fire_now};

    use super::*;

    fn words(tokens: usize) -> Message {
        Message::user(" hello".repeat(tokens))
    }

    fn models(context: u64) -> Arc<Models> {
        let table =
            format!("['test/small']\ncontext = {context}\n['test/big']\ncontext = 1000000\n['test/unknown']");
        Arc::new(Models::default().with_overrides(&table.parse().unwrap()).unwrap())
    }

    fn session(context: u64, log: Vec<Message>) -> Session {
        let registry = Registry::builder().allow(["token_awareness"]).build().unwrap();
        Session::builder(&Hooks::new(registry), "s")
            .workspace("/w")
            .model("test/small")
            .log(log, None)
            .extension(models(context))
            .build()
    }

    fn start(session: &Session) -> Vec<Message> {
        let reason = StartReason::New;
        fire_now!(session, SESSION_START { resumed: false, reason, initial: &[] }).into_messages()
    }

    fn tool_gives(session: &Session, result: &[Message]) -> Fired<Messages> {
        fire_now!(
            session,
            TOOL_POST_EXECUTE {
                tool_use: &ToolUse::fenced("shell", [""; 0], "ls"),
                result,
                status: ToolStatus::Ok,
                duration: Duration::ZERO,
            }
        )
    }

    /// What is said after a tool call, and taken out of the log again, so that the counts stay round.
    fn tool(session: &Session) -> Option<String> {
        let before: Vec<Message> = session.log().iter().map(|message| (**message).clone()).collect();
        let fired = tool_gives(session, &[]);
        let [message] = fired.messages() else { return None };
        assert!(message.hide && message.role == Role::System);
        session.replace_log(before.into_iter().collect());
        Some(message.content.clone())
    }

    #[test]
    fn t1_t10_the_budget_is_said_at_the_start_hidden_and_early() {
        let session = session(128_000, Vec::new());
        let said = start(&session);
        assert_eq!(said[0].content, "<budget:token_budget>128000</budget:token_budget>");
        assert!(said[0].hide && said.len() == 1);
        let list = session.hooks().list();
        let row = list.iter().find(|row| row.info.name == "token_awareness.token_budget").unwrap();
        assert_eq!(row.info.priority, 10);
    }

    #[test]
    fn t2_t3_nothing_is_said_of_a_model_that_is_not_known() {
        let session = session(1, vec![words(100)]);
        for model in ["", "test/unknown", "test/other"] {
            session.set_model(model);
            assert!(start(&session).is_empty() && tool(&session).is_none(), "{model}");
        }
        let bare = Session::builder(session.hooks(), "bare").model("test/small").build();
        assert!(start(&bare).is_empty() && tool(&bare).is_none());
    }

    #[test]
    fn t4_a_session_without_a_workspace_is_no_special_case() {
        let registry = Registry::builder().allow(["token_awareness"]).build().unwrap();
        let session = Session::builder(&Hooks::new(registry), "s")
            .model("test/small")
            .log([words(50_000)], None)
            .extension(models(200_000))
            .build();
        let said = tool(&session).unwrap();
        assert_eq!(said, "<system_warning>Token usage: 50000/200000; 150000 remaining</system_warning>");
        assert_eq!(tool(&session), None);
    }

    #[test]
    fn t5_the_first_call_says_what_was_passed() {
        let session = session(200_000, vec![words(110_000)]);
        assert!(tool(&session).unwrap().contains("110000/200000; 90000 remaining"));
    }

    #[test]
    fn t6_t7_ten_thousand_more_are_news_and_none_are_not() {
        let session = session(200_000, vec![words(5_000)]);
        assert_eq!(tool(&session), None);
        assert_eq!(tool(&session), None);
        session.append(words(5_000)).unwrap();
        assert!(tool(&session).unwrap().contains("10000/200000"));
    }

    #[test]
    fn t8_the_table_of_counts() {
        let session = session(100_000, Vec::new());
        let mut said = Vec::new();
        for count in [5, 9, 10, 19, 20, 49, 50, 59, 75, 76, 89, 90, 95, 101, 111] {
            while session.log().len() < count {
                session.append(words(1_000)).unwrap();
            }
            if tool(&session).is_some() {
                said.push(count);
            }
        }
        assert_eq!(said, [10, 20, 49, 50, 75, 89, 90, 95, 111]);
    }

    #[test]
    fn t9_a_log_that_shrinks_is_counted_again() {
        let session = session(100_000, (0..20).map(|_| words(1_000)).collect());
        let cut = |length: usize| session.replace_log((0..length).map(|_| words(1_000)).collect());
        assert!(tool(&session).unwrap().contains("20000/"));
        cut(5);
        assert_eq!(tool(&session), None);
        cut(12);
        assert_eq!(tool(&session), None);
        cut(15);
        assert!(tool(&session).unwrap().contains("15000/"), "ten thousand more than the five that were left");
    }

    #[test]
    fn the_result_of_the_tool_itself_counts() {
        let session = session(100_000, vec![words(9_000)]);
        let fired = tool_gives(&session, &[words(1_000)]);
        assert!(fired.messages()[0].content.contains("10000/100000"));
    }

    #[test]
    fn beyond_the_budget_it_says_by_how_much() {
        let session = session(1_000, vec![words(1_250)]);
        assert!(tool(&session).unwrap().contains("1250/1000; over budget by 250<"));
    }

    #[test]
    fn another_model_has_another_budget_and_it_is_said() {
        let session = session(100_000, vec![words(60_000)]);
        assert_eq!(start(&session).len(), 1);
        assert!(tool(&session).is_some());
        let reason = InvalidationReason::Model;
        let change = |session: &Session| {
            fire_now!(session, CACHE_INVALIDATED { reason, tokens_before: None, tokens_after: None })
                .into_messages()
        };
        assert!(change(&session).is_empty(), "the log has it");
        session.set_model("test/big");
        assert!(change(&session)[0].content.contains("1000000"));
        assert_eq!(tool(&session), None, "six per cent");
    }

    #[test]
    fn after_a_resume_it_is_said_only_if_the_log_lacks_it() {
        let first = session(100_000, vec![words(20_000)]);
        assert_eq!(start(&first).len(), 1);
        assert!(tool_gives(&first, &[]).messages().len() == 1);
        let log: Vec<Message> = first.log().iter().map(|message| (**message).clone()).collect();
        let resume = |log: Vec<Message>| {
            Session::builder(first.hooks(), "s")
                .model("test/small")
                .log(log, None)
                .states(first.save_states())
                .extension(models(100_000))
                .build()
        };
        let again = resume(log);
        assert!(start(&again).is_empty());
        assert_eq!(tool(&again), None, "what was said is kept");
        // The same words from a tool do not count.
        let text = "<budget:token_budget>100000</budget:token_budget>";
        assert_eq!(start(&resume(vec![Message::system(text)])).len(), 1);
    }
}
