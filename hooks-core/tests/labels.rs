//! Labels: they only come, are stored before what follows from them, and are seen by every hook from then on.

#![allow(clippy::unwrap_used)] // a test that cannot go on has failed

use std::pin::pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use hookspec::hooks::{BoxError, Placement};
use hookspec::points::{TOOL_POST_EXECUTE, TOOL_PRE_EXECUTE};
use hookspec::registry::RegistryBuilder;
use hookspec::session::{Clock, Label, Labelled, LogSink};
use hookspec::timeline::{Timeline, TimelineEntry};
use hookspec::tool::ToolStatus;
use hookspec::{Gate, Hook, Hooks, Message, Options, Registry, Session, ToolUse, fire_now, hook};

hookspec::plugin!();

fn plain() -> RegistryBuilder {
    Registry::builder().linked(false).strict(false)
}

fn hooks(builder: RegistryBuilder) -> Hooks {
    Hooks::new(builder.build().unwrap())
}

fn alone(id: &str) -> Session {
    Session::builder(&hooks(plain()), id).build()
}

fn names(session: &Session) -> Vec<String> {
    session.labels().iter().map(|labelled| labelled.label.to_string()).collect()
}

fn refused(session: &Session) -> Option<Gate> {
    session.has_label(&Label::READ_SECRET).then(|| Gate::deny("a secret was read"))
}

#[hook(TOOL_PRE_EXECUTE)]
async fn later(session: &Session) -> Option<Gate> {
    session.sleep(Duration::ZERO).await;
    refused(session)
}

#[test]
fn a_label_comes_once_and_stays() {
    let session = alone("s");
    assert!(session.labels().is_empty() && !session.has_label(&Label::READ_SECRET));
    assert!(session.add_label(Label::READ_SECRET, "the first\nreason"));
    assert!(!session.add_label(Label::READ_SECRET, "another"));
    assert!(session.add_label(Label::new("of-my-own").unwrap(), ""));
    assert_eq!(names(&session), ["of-my-own", "read-secret"]);
    assert_eq!(session.labels()[1].why, "the first reason");
}

#[test]
fn every_gate_behind_it_sees_it_whatever_its_kind_and_so_does_the_next_process() {
    let call = ToolUse::fenced("shell", [""; 0], "ls");
    let gate = |placement| {
        let hook = Hook::new(TOOL_PRE_EXECUTE, "x.gate", |_, session: &Session| refused(session));
        plain().register(hook.options(Options { placement, ..Options::DEFAULT }))
    };
    let kinds = [
        ("plain", gate(Placement::Inline)),
        ("blocking", gate(Placement::Blocking)),
        ("async", Registry::builder().strict(false).allow(["labels.later"])),
    ];
    for (kind, builder) in kinds {
        let hooks = hooks(builder);
        let session = Session::builder(&hooks, "s").build();
        let denied =
            |session: &Session| fire_now!(session, TOOL_PRE_EXECUTE { tool_use: &call }).denied().is_some();
        assert!(!denied(&session), "{kind}");
        session.add_label(Label::READ_SECRET, "here");
        assert!(denied(&session), "{kind}");
        let saved = serde_json::to_string(&session.save_states()).unwrap();
        let again = Session::builder(&hooks, "s").states(serde_json::from_str(&saved).unwrap()).build();
        assert!(denied(&again), "{kind} after a restart");
        assert_eq!(again.labels(), session.labels());
        assert_eq!(again.save_states(), session.save_states());
    }
}

#[test]
fn one_that_a_background_hook_sets_is_there_for_all() {
    let sets = Hook::new(TOOL_POST_EXECUTE, "x.sets", |_, session: &Session| {
        session.add_label(Label::FOREIGN_TEXT, "beside the chain");
    })
    .options(Options { placement: Placement::Background, ..Options::DEFAULT });
    let hooks = hooks(plain().register(sets));
    let session = Session::builder(&hooks, "s").build();
    let call = ToolUse::fenced("shell", [""; 0], "ls");
    let _ = fire_now!(
        session,
        TOOL_POST_EXECUTE { tool_use: &call, result: &[], status: ToolStatus::Ok, duration: Duration::ZERO }
    );
    assert!(session.drain_now(Duration::from_secs(60)).is_empty());
    assert!(session.has_label(&Label::FOREIGN_TEXT));
}

#[test]
fn what_is_kept_and_cannot_be_read_counts_as_everything() {
    let states = [("hookspec.labels".to_owned(), serde_json::json!("torn"))].into();
    let session = Session::builder(&hooks(plain()), "s").states(states).build();
    assert_eq!(names(&session), ["foreign-text", "left-workspace", "read-secret"]);
}

#[test]
fn a_sub_session_has_its_parents_and_tells_it_of_its_own() {
    let parent = alone("parent");
    parent.add_label(Label::READ_SECRET, "a");
    let child = Session::builder(parent.hooks(), "child").parent(&parent).build();
    let grandchild = Session::builder(parent.hooks(), "grandchild").parent(&child).build();
    assert_eq!(names(&child), ["read-secret"]);
    grandchild.add_label(Label::FOREIGN_TEXT, "a page");
    assert_eq!(names(&parent), ["foreign-text", "read-secret"]);
    assert_eq!(parent.labels()[0].why, "its sub-session `child`: its sub-session `grandchild`: a page");
    drop((parent, child));
    assert!(grandchild.add_label(Label::LEFT_WORKSPACE, "nobody is left to be told"));
}

#[test]
fn the_timeline_tells_when_and_why() {
    let timeline = Arc::new(Timeline::new(10));
    let clock = Clock::manual("2026-01-01T00:00:00Z".parse().unwrap());
    let session = Session::builder(&hooks(plain()), "s").clock(clock).observer(timeline.clone()).build();
    session.add_label(Label::READ_SECRET, "a");
    session.add_label(Label::READ_SECRET, "b");
    let entries = timeline.entries();
    let [TimelineEntry::Labelled { label, why, at, .. }] = &entries[..] else { panic!("{entries:?}") };
    assert_eq!((&**label, &**why, at.to_string()), ("read-secret", "a", "2026-01-01T00:00:00Z".into()));
    let text = serde_json::to_string(&entries).unwrap();
    assert_eq!(serde_json::from_str::<Vec<TimelineEntry>>(&text).unwrap(), entries);
}

/// Writes down what it is told, unless it is full.
#[derive(Clone, Default)]
struct Book(Arc<Mutex<Vec<String>>>, Arc<AtomicBool>);

impl LogSink for Book {
    fn append(&self, message: &mut Message) -> Result<(), BoxError> {
        self.0.lock().unwrap().push(message.content.clone());
        Ok(())
    }

    fn labels(&self, all: &[Labelled], new: Option<&Labelled>) -> Result<(), BoxError> {
        if self.1.load(Ordering::SeqCst) {
            return Err("The disk is full.".into());
        }
        let names: Vec<_> = all.iter().map(|labelled| labelled.label.name()).collect();
        self.0.lock().unwrap().push(format!("{names:?} {}", new.map_or("", |new| new.label.name())));
        Ok(())
    }
}

fn flushed(session: &Session) -> Result<(), String> {
    match pin!(session.flush()).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(done) => done.map_err(|fault| fault.to_string()),
        Poll::Pending => panic!("this sink never waits"),
    }
}

#[test]
fn it_is_stored_before_what_follows_from_it() {
    let book = Book::default();
    let session = Session::builder(&hooks(plain()), "s").log([], Some(Box::new(book.clone()))).build();
    session.append(Message::user("go")).unwrap();
    session.add_label(Label::READ_SECRET, "a");
    session.append(Message::system("the secret")).unwrap();
    session.add_label(Label::READ_SECRET, "b");
    assert_eq!(*book.0.lock().unwrap(), ["go", r#"["read-secret"] read-secret"#, "the secret"]);
}

#[test]
fn one_that_cannot_be_stored_stands_and_holds_the_barrier_until_it_is() {
    let book = Book::default();
    let session = Session::builder(&hooks(plain()), "s").log([], Some(Box::new(book.clone()))).build();
    book.1.store(true, Ordering::SeqCst);
    assert!(session.add_label(Label::READ_SECRET, "a"));
    assert!(session.has_label(&Label::READ_SECRET));
    for _ in 0..2 {
        assert_eq!(
            flushed(&session).unwrap_err(),
            "The log of the session `s` is stored and could not be made safe. Its labels could not be stored, and nothing may go on that they warn of: The disk is full."
        );
    }
    book.1.store(false, Ordering::SeqCst);
    flushed(&session).unwrap();
    assert_eq!(*book.0.lock().unwrap(), [r#"["read-secret"] "#]);
}

#[test]
fn eight_hundred_from_eight_threads_are_all_stored() {
    let book = Book::default();
    let session = Session::builder(&hooks(plain()), "s").log([], Some(Box::new(book.clone()))).build();
    std::thread::scope(|scope| {
        for thread in 0..8 {
            let session = &session;
            scope.spawn(move || {
                for number in 0..100 {
                    session.add_label(Label::new(format!("l{thread}-{number}")).unwrap(), "");
                }
            });
        }
    });
    assert_eq!(session.labels().len(), 800);
    flushed(&session).unwrap();
    let last = book.0.lock().unwrap().last().unwrap().clone();
    assert!(names(&session).iter().all(|name| last.contains(&format!("{name:?}"))));
}
