//! Confirmations as the engine gets them (rows 8.1 to 8.7 of the behaviour to match): which hook's answer counts,
//! and what counts where there is none. A call without an answer is refused; see the engine's tests.

#![allow(clippy::unwrap_used)]

use hookspec::ask::{Confirmation, Why};
use hookspec::points::TOOL_CONFIRM;
use hookspec::registry::RegistryBuilder;
use hookspec::{First, Hook, Hooks, Mode, Registry, Session, ToolUse, fire};

fn nobody() -> RegistryBuilder {
    Registry::builder().plugins(hookspec::plugins![hookspec_builtins]).mode(Mode::Cli)
}

fn skip(reason: &str) -> Confirmation {
    Confirmation::Skip { reason: reason.into() }
}

/// The answer, and how many hooks failed on the way to it.
async fn answer(builder: RegistryBuilder) -> (Option<Confirmation>, usize) {
    let session = Session::builder(&Hooks::new(builder.build().unwrap()), "s").build();
    let call = ToolUse::fenced("shell", [""; 0], "ls");
    let why = Why::Policy;
    let mut fired = fire!(session, TOOL_CONFIRM { tool_use: &call, preview: None, why: &why }).await;
    let failures = fired.failures().len();
    (fired.take_answer().map(|(answer, _)| answer), failures)
}

#[tokio::test]
async fn rows_8_1_and_8_6_without_an_answer_there_is_no_yes() {
    assert_eq!(answer(nobody()).await, (None, 0));
    let silent = Hook::new(TOOL_CONFIRM, "other.silent", |_, _| None::<First<Confirmation>>);
    assert_eq!(answer(nobody().register(silent)).await, (None, 0));
}

#[tokio::test]
async fn row_8_2_each_answer_arrives_as_it_was_given() {
    for said in [Confirmation::Confirm, skip("x"), Confirmation::Edit { content: "y".into() }] {
        let given = said.clone();
        let hook = Hook::new(TOOL_CONFIRM, "other.says", move |_, _| First(given.clone()));
        assert_eq!(answer(nobody().register(hook)).await, (Some(said), 0));
    }
}

#[tokio::test]
async fn rows_8_4_and_8_5_the_first_that_answers_is_the_only_one() {
    let silent = Hook::new(TOOL_CONFIRM, "other.silent", |_, _| None::<First<Confirmation>>).priority(9);
    let low = Hook::new(TOOL_CONFIRM, "other.low", |_, _| First(Confirmation::Confirm)).priority(-9);
    assert_eq!(answer(nobody().register(silent).register(low)).await, (Some(Confirmation::Confirm), 0));

    let high = Hook::new(TOOL_CONFIRM, "other.high", |_, _| First(skip("no"))).priority(9);
    let never = Hook::new(TOOL_CONFIRM, "other.low", |_, _| -> First<Confirmation> {
        panic!("asked although there is an answer")
    });
    assert_eq!(answer(nobody().register(high).register(never)).await, (Some(skip("no")), 0));
}

#[tokio::test]
async fn row_8_7_a_hook_that_fails_says_neither_yes_nor_no() {
    let broken =
        || Hook::new(TOOL_CONFIRM, "other.broken", |_, _| -> First<Confirmation> { panic!("broken") });
    assert_eq!(answer(nobody().register(broken())).await, (None, 1), "refused: nobody answered");
    let next = Hook::new(TOOL_CONFIRM, "other.next", |_, _| First(skip("no"))).priority(-9);
    assert_eq!(answer(nobody().register(broken()).register(next)).await, (Some(skip("no")), 1));
}
