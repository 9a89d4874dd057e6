//! Calls to the model.

use std::future::poll_fn;
use std::pin::pin;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use hookspec::hooks::{BoxFuture, Timeout};
use hookspec::model::{FaultClass, GenerationFault, GenerationResult, Request, Response};
use hookspec::points::{ERROR, GENERATION, TURN_POST, TurnOutcome};
use hookspec::{Around, Flow, Hook, Message, Options, ToolUse};
use hookspec_agent::engine::TurnEnd;
use serde_json::json;

use super::{Notes, RESTED, fails, setup, used};
use crate::common::{call, say};

type Answer = Option<Around<GenerationResult>>;

/// An answer without a model.
fn canned(text: &str) -> Answer {
    Some(Around(Ok(Response { text: text.into(), ..Response::default() })))
}

/// A hook that dies before, while or after the model is asked.
fn dies(at: &'static str) -> Hook<GENERATION::Point> {
    Hook::around(GENERATION, "stage.dies", move |_, _, next| -> BoxFuture<'_, Answer> {
        Box::pin(async move {
            assert!(at != "before", "before");
            let mut running = pin!(next.run());
            let answer = poll_fn(|cx| {
                let polled = running.as_mut().poll(cx);
                assert!(at != "during" || polled.is_ready(), "during");
                polled
            });
            answer.await.ok();
            panic!("after");
        })
    })
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hook_that_dies_loses_no_answer_and_asks_nobody_twice() {
    let slow = json!({ "text": "one two", "chunk_size": 1, "delay_ms": 1 }).to_string();
    for at in ["before", "during", "after"] {
        let (play, end) = setup(std::slice::from_ref(&slow), &[], "").with(dies(at)).play().await;
        assert_eq!(end, RESTED, "{at}");
        assert_eq!(play.log(), ["one two"], "{at}");
        assert_eq!(play.told.count("pre "), 1, "{at}: {:?}", play.told);
        let error = play.told.all().into_iter().find(|text| text.starts_with("error Hook")).unwrap();
        assert!(error.contains("`stage.dies`") && error.contains(at), "{error}");
        assert_eq!(play.metadata("one two").answered_by, None, "{at}");
        play.end().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_in_place_of_the_models_is_told_shown_and_costs_nothing() {
    let cached = Hook::around_now(GENERATION, "stage.canned", |_, _, _| canned("from the shelf"));
    let (play, end) = setup(&[], &["cost_awareness"], "").with(cached).play().await;
    assert_eq!(end, RESTED);
    assert_eq!(play.log(), ["from the shelf"]);
    let data = play.metadata("from the shelf");
    assert_eq!(data.answered_by.as_deref(), Some("stage.canned"));
    assert_eq!((data.model, data.usage, data.cost_micro_usd.map(|cost| cost.0)), (None, None, Some(0)));
    assert_eq!(play.screen.all(), ["generating 0", "+ from the shelf"]);
    assert_eq!(
        play.told.all(),
        ["post script.jsonl None Some(0) from the shelf", "step used None"],
        "the hooks behind a call are told as always, those before it are not"
    );
    assert_eq!(play.around(), [("stage.canned".to_owned(), 0, true)]);
    let ledger = play.agent.session().state_now::<hookspec_builtins::cost_awareness::Ledger>().unwrap();
    assert_eq!((ledger.unpriced, ledger.cost.0), (0, 0));
    drop(ledger);
    play.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hook_may_call_tools_in_place_of_the_model_and_gates_look_at_them() {
    let asked = AtomicBool::new(false);
    let calls = Hook::around(GENERATION, "stage.calls", move |_, _, next| -> BoxFuture<'_, Answer> {
        let first = !asked.swap(true, Ordering::SeqCst);
        Box::pin(async move {
            if !first {
                next.run().await.ok();
                return None;
            }
            let mut kwargs = serde_json::Map::new();
            kwargs.insert("command".into(), "echo hi".into());
            let tool_uses = vec![ToolUse::native("shell", "c1", kwargs)];
            Some(Around(Ok(Response { tool_uses, ..Response::default() })))
        })
    });
    let (play, end) = setup(&[say("Done.")], &[], "").with(calls).play().await;
    assert_eq!(end, RESTED);
    assert!(play.told.all().contains(&"gate shell echo hi".to_owned()), "{:?}", play.told);
    assert_eq!(play.log().last().unwrap(), "Done.");
    play.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn every_answer_that_was_paid_for_is_counted_and_the_one_that_stands_is_the_logs() {
    let better = Hook::around(GENERATION, "stage.better", |_, _, next| -> BoxFuture<'_, _> {
        Box::pin(async move {
            let mut next = next.repeatable();
            let (first, _second) = (next.run().await, next.run().await);
            Around(first)
        })
    });
    let notes = Notes::default();
    let total = notes.clone();
    let turn =
        Hook::new(TURN_POST, "stage.total", move |event, _| total.add(format!("{}", event.usage.total())));
    let script = [used("good", 3), used("bad", 40)];
    let (play, end) = setup(&script, &["cost_awareness"], "").with(better).with(turn).play().await;
    assert_eq!(end, RESTED);
    assert_eq!(play.log(), ["good"]);
    let told = play.told.all();
    assert!(told.contains(&"post script.jsonl Some(3) Some(30000) good".to_owned()), "{told:?}");
    assert!(told.contains(&"post script.jsonl Some(40) Some(400000) bad".to_owned()), "{told:?}");
    assert!(told.contains(&"step used Some(43)".to_owned()), "{told:?}");
    assert_eq!(notes.all(), ["43"]);
    let data = play.metadata("good");
    assert_eq!(data.usage.unwrap().total(), 3, "the log's is the answer's own");
    assert_eq!((data.cost_micro_usd.unwrap().0, data.answered_by), (30_000, None));
    let ledger = play.agent.session().state_now::<hookspec_builtins::cost_awareness::Ledger>().unwrap();
    assert_eq!((ledger.requests, ledger.usage.total(), ledger.cost.0), (2, 43, 430_000));
    drop(ledger);
    play.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_that_a_hook_changed_is_shown_anew_and_says_whose_it_is() {
    let shouts = Hook::around(GENERATION, "stage.shouts", |_, _, next| -> BoxFuture<'_, _> {
        Box::pin(async move {
            Around(next.run().await.map(|said| Response { text: said.text.to_uppercase(), ..said }))
        })
    });
    let (play, end) = setup(&[used("hi", 7)], &[], "").with(shouts).play().await;
    assert_eq!(end, RESTED);
    assert_eq!(play.log(), ["HI"]);
    assert_eq!(play.screen.all(), ["generating 0", "+ hi", "generating 1", "+ HI"]);
    let data = play.metadata("HI");
    assert_eq!(data.answered_by.as_deref(), Some("stage.shouts"));
    assert_eq!((data.usage.unwrap().total(), data.cost_micro_usd.unwrap().0), (7, 70_000));
    assert_eq!(play.told.count("post "), 1, "one call was made");
    play.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_request_that_a_hook_changed_is_what_the_hooks_before_the_call_see_and_what_is_sent() {
    let adds = Hook::around(GENERATION, "stage.adds", |event, _, next| -> BoxFuture<'_, _> {
        let mut request: Request = event.request.clone();
        request.messages.push(Message::user("and a pony"));
        Box::pin(async move { Around(next.with(request).run().await) })
    });
    let seen = Notes::default();
    let notes = seen.clone();
    let pre = Hook::new(hookspec::points::GENERATION_PRE, "stage.sees", move |event, _| {
        notes.add(event.request.messages.last().unwrap().content.clone());
    });
    let script = [json!({ "text": "No.", "expect": "pony" }).to_string()];
    let (play, end) = setup(&script, &[], "").with(adds).with(pre).play().await;
    assert_eq!((end, play.log()), (RESTED, vec!["No.".to_owned()]));
    assert_eq!(seen.all(), ["and a pony"]);
    assert_eq!(play.agent.session().log().len(), 3, "what was added is not in the conversation");
    play.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_that_a_hook_dropped_is_a_failure_that_names_it_and_is_not_tried_again() {
    let drops = Hook::around(GENERATION, "stage.drops", |_, _, next| -> BoxFuture<'_, ()> {
        Box::pin(async move {
            let mut running = Box::pin(next.run());
            poll_fn(|cx| {
                assert!(running.as_mut().poll(cx).is_pending());
                std::task::Poll::Ready(())
            })
            .await;
        })
    });
    let slow = json!({ "text": "too late", "delay_ms": 60_000 }).to_string();
    let (play, end) = setup(&[slow, say("again")], &[], "").with(drops).play().await;
    assert_eq!(end, TurnEnd::Rested(TurnOutcome::Error));
    let log = play.log();
    assert!(
        log[0].starts_with("The model could not answer: ") && log[0].contains("`stage.drops`"),
        "{log:?}"
    );
    assert_eq!(play.told.count("pre "), 1);
    assert_eq!(play.told.count("error Model false 0"), 1, "{:?}", play.told);
    play.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_error_of_a_hooks_own_is_told_beside_the_calls() {
    let renames = Hook::around(GENERATION, "stage.renames", |_, _, next| -> BoxFuture<'_, _> {
        Box::pin(async move {
            let fault = next.run().await.unwrap_err();
            Around(Err(GenerationFault::new(fault.class, "Out of order.").for_good()))
        })
    });
    let (play, end) = setup(&[fails("server", "")], &[], "").with(renames).play().await;
    assert_eq!(end, TurnEnd::Rested(TurnOutcome::Error));
    let told = play.told.all();
    assert!(told[1].starts_with("error Model false 0 ") && told[1].contains("HTTP status 500"), "{told:?}");
    assert_eq!(told[2], "error Model false 0 Out of order.");
    assert_eq!(play.log(), ["The model could not answer: Out of order."]);
    play.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_interrupt_stays_one_whatever_hooks_make_of_it() {
    let denies = Hook::around(GENERATION, "stage.denies", |_, _, next| -> BoxFuture<'_, Answer> {
        Box::pin(async move {
            let fault = next.run().await.unwrap_err();
            assert_eq!((fault.class, fault.partial.as_str()), (FaultClass::Interrupted, "o"));
            canned("nothing happened")
        })
    });
    let cuts = Hook::new(hookspec::points::GENERATION_CHUNK, "stage.cuts", |_, _| Flow::Stop);
    let script = [json!({ "text": "one two", "chunk_size": 1 }).to_string()];
    let (play, end) = setup(&script, &[], "").with(denies).with(cuts).play().await;
    assert_eq!(end, TurnEnd::Rested(TurnOutcome::Interrupted));
    assert_eq!(play.log(), ["o", "Interrupted by a hook."]);
    assert_eq!(play.told.count("interrupt Hook o"), 1);
    assert_eq!(play.told.count("error"), 0, "{:?}", play.told);
    play.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hook_that_hangs_after_an_interrupt_is_left_behind() {
    let hangs = Hook::around(GENERATION, "stage.hangs", |_, session, next| -> BoxFuture<'_, Answer> {
        Box::pin(async move {
            next.run().await.ok();
            session.sleep(std::time::Duration::from_secs(3600)).await;
            None
        })
    });
    // It has no time limit that would end it.
    let hangs = hangs.options(Options { timeout: Timeout::Never, ..Options::DEFAULT });
    let cuts = Hook::new(hookspec::points::GENERATION_CHUNK, "stage.cuts", |_, _| Flow::Stop);
    let (play, end) = setup(&[say("one")], &[], "").with(hangs).with(cuts).play().await;
    assert_eq!(end, TurnEnd::Rested(TurnOutcome::Interrupted));
    assert_eq!(play.log(), ["one", "Interrupted by a hook."]);
    play.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hook_around_the_call_ends_the_session_and_the_answer_stands() {
    let ends = Hook::around(GENERATION, "stage.ends", |_, _, next| -> BoxFuture<'_, Flow> {
        Box::pin(async move {
            next.run().await.ok();
            Flow::end_session("enough")
        })
    });
    let script = [call("shell", json!({ "command": "echo hi" })), say("more")];
    let (play, end) = setup(&script, &[], "").with(ends).play().await;
    assert_eq!(end, TurnEnd::Rested(TurnOutcome::SessionEnded));
    assert_eq!(play.agent.ending(), Some("enough"));
    assert_eq!(play.log()[0], "On it.");
    assert!(play.log()[1].contains("was not run"), "{:?}", play.log());
    play.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_not_tried_again_by_hooks_is_tried_by_the_engine() {
    let sees = std::sync::Arc::new(AtomicU32::new(0));
    let counts = sees.clone();
    let counter = Hook::around_now(GENERATION, "stage.counts", move |_, _, _| {
        counts.fetch_add(1, Ordering::SeqCst);
    });
    let note = Notes::default();
    let errors = note.clone();
    let error = Hook::new(ERROR, "stage.errors", move |event, _| {
        errors.add(format!("{} {}", event.retryable, event.attempt));
    });
    let limited = r#"{"error":{"kind":"rate_limited","retry_after_s":0.001}}"#.to_owned();
    let script = [limited.clone(), limited, say("at last")];
    let (play, end) = setup(&script, &[], "").with(counter).with(error).play().await;
    assert_eq!((end, play.log()), (RESTED, vec!["at last".to_owned()]));
    assert_eq!(sees.load(Ordering::SeqCst), 3, "the hooks stand around each of its tries");
    assert_eq!(note.all(), ["true 0", "true 1"]);
    assert_eq!(play.screen.count("generating"), 3);
    play.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_that_only_calls_more_is_not_shown_twice() {
    let asked = AtomicBool::new(false);
    let adds = Hook::around(GENERATION, "stage.adds", move |_, _, next| -> BoxFuture<'_, _> {
        let first = !asked.swap(true, Ordering::SeqCst);
        Box::pin(async move {
            Around(next.run().await.map(|mut said| {
                let kwargs = json!({ "command": "echo hi" }).as_object().cloned().unwrap();
                said.tool_uses.extend(first.then(|| ToolUse::native("shell", "c1", kwargs)));
                said
            }))
        })
    });
    let (play, end) = setup(&[say("Let me see."), say("Done.")], &[], "").with(adds).play().await;
    assert_eq!(end, RESTED);
    assert_eq!(play.screen.count("+ Let me see."), 1, "{:?}", play.screen);
    assert_eq!(play.told.count("gate shell echo hi"), 1);
    play.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_that_a_hook_refused_is_none_of_the_next_try() {
    let tries = AtomicU32::new(0);
    let refuses = Hook::around(GENERATION, "stage.refuses", move |_, _, next| -> BoxFuture<'_, Answer> {
        let first = tries.fetch_add(1, Ordering::SeqCst) == 0;
        Box::pin(async move {
            if !first {
                return canned("from the shelf");
            }
            next.run().await.ok();
            let mut fault = GenerationFault::new(FaultClass::Malformed, "That was nothing.");
            fault.retry_after = Some(std::time::Duration::ZERO);
            Some(Around(Err(fault)))
        })
    });
    let (play, end) = setup(&[used("nonsense", 4)], &[], "").with(refuses).play().await;
    assert_eq!((end, play.log()), (RESTED, vec!["from the shelf".to_owned()]));
    let told = play.told.all();
    assert!(told.contains(&"post script.jsonl Some(4) Some(40000) nonsense".to_owned()), "{told:?}");
    assert!(told.contains(&"post script.jsonl None Some(0) from the shelf".to_owned()), "{told:?}");
    assert!(told.contains(&"step used Some(4)".to_owned()), "{told:?}");
    assert_eq!(play.metadata("from the shelf").cost_micro_usd.map(|cost| cost.0), Some(0));
    play.end().await;
}
