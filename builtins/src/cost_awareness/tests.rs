use std::sync::Arc;
use std::time::Duration;

use hookspec::model::FinishReason;
use hookspec::points::TurnOutcome;
use hookspec::session::Clock;
use hookspec::{Config, Hooks, Registry, Role, fire_now};

use super::*;

const MODEL: &str = "anthropic/claude-sonnet-4-5";

fn registry(settings: &str) -> Result<Registry, String> {
    let mut config = Config::new();
    config.add_toml("hookspec.toml", &format!("[hooks.cost_awareness]\n{settings}"), &[]).unwrap();
    let builder = Registry::builder().config(config).allow(["cost_awareness"]);
    builder.build().map_err(|error| error.to_string())
}

fn session_with(settings: &str) -> Session {
    let clock = Clock::manual("2026-01-01T12:00:00Z".parse().unwrap());
    Session::builder(&Hooks::new(registry(settings).unwrap()), "s").clock(clock).build()
}

fn session() -> Session {
    session_with("")
}

fn begin(session: &Session) {
    let _ = fire_now!(session, TURN_PRE { message: &Message::user("go") });
}

/// What the hooks put into the next request.
fn request_to(session: &Session, model: &str, messages: Vec<Message>) -> Vec<Message> {
    let request = Request { messages, model: model.to_owned(), ..Request::default() };
    fire_now!(session, GENERATION_PRE { request: &request, attempt: 0 }).into_messages()
}

fn request(session: &Session) -> Vec<String> {
    let said = request_to(session, MODEL, vec![Message::user("go")]);
    assert!(said.iter().all(|message| message.hide && message.role == Role::System));
    said.into_iter().map(|message| message.content).collect()
}

fn answered(session: &Session, model: &str, cost: Option<u64>, usage: Option<Usage>) {
    let fired = fire_now!(
        session,
        GENERATION_POST {
            response: &Message::assistant("done"),
            usage: usage.as_ref(),
            cost: cost.map(MicroDollars),
            duration: Duration::from_secs(1),
            finish_reason: FinishReason::Stop,
            model,
        }
    );
    assert!(fired.messages().is_empty() && fired.failures().is_empty());
}

/// An answer that cost so many cents.
fn cents(session: &Session, cents: u64) {
    answered(session, MODEL, Some(cents * 10_000), Some(usage(10, 10, 0, 0)));
}

fn tokens(session: &Session, tokens: u64) {
    answered(session, MODEL, Some(0), Some(usage(tokens, 0, 0, 0)));
}

fn end(session: &Session) {
    let usage = Usage::default();
    let fired = fire_now!(
        session,
        TURN_POST { steps: 1, changed: &[], usage: &usage, outcome: TurnOutcome::Complete }
    );
    assert!(fired.messages().is_empty());
}

fn usage(input: u64, output: u64, read: u64, creation: u64) -> Usage {
    Usage {
        input_tokens: input,
        output_tokens: output,
        cache_read_tokens: read,
        cache_creation_tokens: creation,
    }
}

/// A turn of one request that cost so much, and what the next turn's request then says.
fn turn(session: &Session, spent: u64) -> Vec<String> {
    begin(session);
    cents(session, spent);
    end(session);
    begin(session);
    request(session)
}

fn said(session: &Session) -> String {
    begin(session);
    let texts = request(session);
    assert_eq!(texts.len(), 1, "{texts:?}");
    texts.concat()
}

#[test]
fn t1_t2_t3_a_new_ledger_is_empty_and_the_first_mark_is_ten_cents() {
    let session = session();
    assert_eq!(*session.try_state::<Ledger>().unwrap(), Ledger::default());
    assert!(turn(&session, 5).is_empty());
    let texts = turn(&session, 6);
    assert_eq!(texts.len(), 1);
    assert!(
        texts[0]
            .starts_with("<system_warning>Session cost reached $0.11 (passed $0.10; tokens: 20/20 in/out")
    );
    assert!(texts[0].ends_with("</system_warning>"));
}

#[test]
fn t4_t5_one_message_names_all_that_was_passed_and_nothing_is_said_twice() {
    let session = session();
    assert!(turn(&session, 60)[0].contains("$0.60 (passed $0.10 and $0.50;"));
    cents(&session, 3);
    end(&session);
    begin(&session);
    assert!(request(&session).is_empty());
}

#[test]
fn t6_a_share_of_the_budget() {
    for budget in ["1", "1.0", "\"1.00\""] {
        let session = session_with(&format!("budget_usd = {budget}"));
        let text = turn(&session, 79).concat();
        assert!(text.contains("passed") && !text.contains("budget"), "{text}");
        let text = turn(&session, 2).concat();
        assert!(text.contains("$0.81 (80% of $1.00 budget; tokens:"), "{text}");
    }
}

#[test]
fn t7_a_share_of_the_token_budget() {
    let session = session_with("budget_tokens = 1000");
    begin(&session);
    tokens(&session, 799);
    end(&session);
    begin(&session);
    assert!(request(&session).is_empty());
    tokens(&session, 1);
    end(&session);
    assert_eq!(
        said(&session),
        "<system_warning>Session token usage reached 800 (80% of 1,000 token budget)</system_warning>"
    );
}

#[test]
fn t8_t9_settings_that_make_no_sense_stop_the_program() {
    for (settings, culprit) in [
        ("warn_pct = 150", "at most 100"),
        ("warn_pct = 0", "above 0"),
        ("budget_usd = nan", "NaN"),
        ("budget_usd = inf", "inf"),
        ("budget_usd = -inf", "-inf"),
        ("budget_usd = -1", "-1"),
        ("budget_usd = 0", "budget_usd"),
        ("budget_usd = 'much'", "much"),
        ("budget_tokens = 0", "nonzero"),
        ("budget_tokens = 1.5", "1.5"),
        ("budget = 1", "budget"),
    ] {
        let error = registry(settings).unwrap_err();
        assert!(error.contains("cost_awareness") && error.contains(culprit), "{settings}: {error}");
    }
    for settings in ["warn_pct = 92.5", "warn_pct = 100", "warn_pct = '0.5'", "budget_usd = 0.000001"] {
        assert!(registry(settings).is_ok(), "{settings}");
    }
}

#[test]
fn shares_are_exact() {
    let session = session_with("budget_usd = 0.3\nwarn_pct = 33.3");
    begin(&session);
    answered(&session, MODEL, Some(99_899), None);
    end(&session);
    begin(&session);
    assert!(request(&session).is_empty());
    answered(&session, MODEL, Some(1), None);
    end(&session);
    assert!(said(&session).contains("33.3% of $0.30 budget"));
}

#[test]
fn t10_the_first_of_two_requests_counts_and_both_budgets_are_in_one_message() {
    let session = session_with("budget_usd = 1\nbudget_tokens = 40");
    begin(&session);
    cents(&session, 85);
    cents(&session, 1);
    end(&session);
    let text = said(&session);
    assert!(text.contains("80% of $1.00 budget; passed $0.10 and $0.50"), "{text}");
    assert!(text.contains("token usage reached 40 (80% of 40 token budget)"), "{text}");
}

#[test]
fn t11_t12_the_turns_first_request_has_it_once_whatever_stands_behind_the_users_message() {
    let session = session();
    assert_eq!(turn(&session, 11).len(), 1);
    // The request failed: the next try says it again.
    let late = vec![Message::user("go"), Message::system("an agent arrived")];
    assert_eq!(request_to(&session, MODEL, late).len(), 1);
    cents(&session, 0);
    assert!(request(&session).is_empty(), "the second step of the turn");
    end(&session);
    begin(&session);
    assert!(request(&session).is_empty(), "it was delivered");
}

#[test]
fn warnings_of_several_turns_wait_in_a_queue() {
    let session = session();
    for spent in [11, 45] {
        begin(&session);
        cents(&session, spent);
        // The next turn ends before it gets to a request.
        end(&session);
    }
    begin(&session);
    let texts = request(&session);
    assert_eq!(texts.len(), 2, "{texts:?}");
    assert!(texts[0].contains("$0.11") && texts[1].contains("$0.56"));
}

fn wrote_cache(session: &Session, model: &str) {
    answered(session, model, Some(0), Some(usage(10, 1, 0, 100)));
}

fn later(session: &Session, seconds: u64) -> Vec<String> {
    session.clock().advance(Duration::from_secs(seconds));
    begin(session);
    request(session)
}

#[test]
fn t13_t15_a_cold_cache_is_noticed_after_its_lifetime() {
    for (model, creation, age, cold) in [
        (MODEL, 100, 420, true),
        (MODEL, 100, 60, false),
        (MODEL, 100, 300, false),
        (MODEL, 100, 301, true),
        (MODEL, 0, 420, false),
        ("openai/gpt-5", 100, 420, false),
    ] {
        let session = session();
        answered(&session, model, Some(0), Some(usage(10, 1, 50, creation)));
        let texts = later(&session, age);
        assert_eq!(texts.len(), usize::from(cold), "{model} {creation} {age}: {texts:?}");
    }
    let session = session();
    wrote_cache(&session, MODEL);
    assert!(later(&session, 420)[0].contains(
        "claude-sonnet-4-5 is probably cold: 7.0 min since its last answer, and it is kept for 5 min"
    ));
    let session = session_with("cache_seconds = 3600");
    wrote_cache(&session, MODEL);
    assert!(later(&session, 420).is_empty());
}

#[test]
fn t14_the_newest_answer_counts() {
    let session = session();
    wrote_cache(&session, MODEL);
    session.clock().advance(Duration::from_secs(570));
    answered(&session, MODEL, Some(0), Some(usage(10, 1, 0, 0)));
    assert!(later(&session, 30).is_empty());
}

#[test]
fn a_cold_cache_and_a_cost_are_both_told_and_any_provider_counts() {
    let session = session();
    begin(&session);
    answered(&session, "any/model", Some(110_000), Some(usage(10, 1, 0, 100)));
    end(&session);
    session.clock().advance(Duration::from_secs(301));
    begin(&session);
    let texts: Vec<String> =
        request_to(&session, "any/model", Vec::new()).into_iter().map(|message| message.content).collect();
    assert_eq!(texts.len(), 2, "{texts:?}");
    assert!(texts[0].contains("cold") && texts[1].contains("$0.11"));
}

#[test]
fn two_names_of_one_model_are_one_model() {
    let models = Arc::new(Models::builtin().unwrap());
    let clock = Clock::manual("2026-01-01T12:00:00Z".parse().unwrap());
    let hooks = Hooks::new(registry("").unwrap());
    let session = Session::builder(&hooks, "s").clock(clock).extension(models).build();
    answered(&session, "claude-sonnet-4-5-20250929", None, Some(usage(1000, 500, 2000, 100)));
    assert_eq!(session.try_state::<Ledger>().unwrap().cost, MicroDollars(11_475), "priced by the table");
    assert_eq!(later(&session, 301).len(), 1);
}

#[test]
fn t16_a_free_session_has_no_summary() {
    let session = session();
    assert_eq!(summary(&session), None);
    cents(&session, 0);
    assert_eq!(summary(&session), None);
    let fired = fire_now!(session, SESSION_END { reason: hookspec::points::EndReason::Exit });
    assert!(fired.messages().is_empty() && fired.failures().is_empty());
}

#[test]
fn the_summary_counts_requests() {
    let session = session();
    answered(&session, MODEL, Some(120_000), Some(usage(1234, 56, 1000, 10)));
    assert_eq!(summary(&session).unwrap(), "Session: $0.12 | 1 request | 2k context | 45% cached");
    answered(&session, "x/y", None, Some(usage(400, 1, 0, 0)));
    assert_eq!(
        summary(&session).unwrap(),
        "Session: at least $0.12 (1 request of unknown price) | 2 requests | 400 context | 38% cached"
    );
}

#[test]
fn t17_numbers_are_easy_to_read() {
    let session = session();
    begin(&session);
    answered(&session, MODEL, Some(120_000), Some(usage(1234, 56, 1000, 10)));
    end(&session);
    let text = said(&session);
    assert!(text.contains("tokens: 1,234/56 in/out, cache hit: 44.6%"), "{text}");
}

#[test]
fn what_has_no_known_price_is_not_free() {
    let session = session_with("budget_usd = 1");
    begin(&session);
    answered(&session, "x/y", None, Some(usage(5, 5, 0, 0)));
    answered(&session, "x/y", None, None);
    assert_eq!(summary(&session).unwrap(), "Session: cost unknown | 2 requests | 5 context | 0% cached");
    cents(&session, 90);
    end(&session);
    let text = said(&session);
    assert!(text.contains("reached at least $0.90 (80% of $1.00 budget;"), "{text}");
    assert!(text.contains("; 2 requests of unknown price; tokens"), "{text}");
}

#[test]
fn a_resumed_session_goes_on_counting_and_keeps_its_warnings() {
    let first = session();
    begin(&first);
    cents(&first, 9);
    end(&first);
    cents(&first, 2);
    let again =
        Session::builder(first.hooks(), "s").clock(first.clock().clone()).states(first.save_states()).build();
    end(&again);
    assert!(said(&again).contains("$0.11"), "also what came after the last turn that was looked at");
}

#[test]
fn huge_numbers_do_not_overflow() {
    let session =
        session_with("budget_usd = 18446744073709\nbudget_tokens = 9223372036854775807\nwarn_pct = 100");
    begin(&session);
    for _ in 0..2 {
        answered(&session, MODEL, Some(u64::MAX), Some(usage(u64::MAX, u64::MAX, u64::MAX, u64::MAX)));
    }
    end(&session);
    assert!(said(&session).contains("100% of $18,446,744,073,709.00 budget"));
    assert!(summary(&session).is_some());
}
