use std::collections::BTreeMap;
use std::sync::Arc;

use hookspec::Message;
use hookspec::points::StartReason;
use hookspec::session::Clock;
use hookspec::timeline::{HookRun, TimelineEntry};
use hookspec_agent::log::{Rewrite, Storage};
use tempfile::TempDir;

use super::*;

struct Place {
    folder: TempDir,
    store: Arc<Store>,
    owner: Owner,
}

fn open(folder: &TempDir) -> Arc<Store> {
    Arc::new(Store::open(&folder.path().join("data/server.sqlite"), Clock::system()).unwrap())
}

fn place() -> Place {
    let folder = tempfile::tempdir().unwrap();
    let store = open(&folder);
    Place { folder, store, owner: Owner("me".into()) }
}

fn new(id: &str) -> NewConversation {
    NewConversation { id: id.into(), name: None, model: "m/x".into(), workspace: "/w".into(), parent: None }
}

impl Place {
    fn kept(&self, id: &str) -> Kept {
        self.store.open_conversation(&self.owner, id).unwrap().kept
    }

    fn texts(&self, id: &str) -> Vec<String> {
        self.store.read(&self.owner, id).unwrap().into_iter().map(|message| message.content).collect()
    }
}

#[test]
fn what_was_appended_is_there_when_another_process_looks() {
    let place = place();
    place.store.create(&place.owner, &new("a")).unwrap();
    let kept = place.kept("a");
    let mut message = Message::user("hello");
    kept.append(&mut message).unwrap();
    assert_eq!(message.id.as_deref(), Some("m1"));
    assert!(message.timestamp.is_some());
    // The first store is still open, as after a kill: nothing was closed or checkpointed.
    let other = open(&place.folder);
    assert_eq!(other.read(&place.owner, "a").unwrap(), [message]);
}

#[test]
fn a_new_one_is_new_until_it_was_started_and_an_import_is_resumed() {
    let place = place();
    let reason = |id: &str| place.store.open_conversation(&place.owner, id).unwrap().reason;
    place.store.create(&place.owner, &new("a")).unwrap();
    assert_eq!(reason("a"), StartReason::New);
    assert_eq!(reason("a"), StartReason::New, "opening that failed is not a start");
    place.kept("a").mark_opened().unwrap();
    assert_eq!(reason("a"), StartReason::Resume);
    let fork = NewConversation { parent: Some("a".into()), ..new("b") };
    place.store.create_with(&place.owner, &fork, &[Message::user("x")]).unwrap();
    assert_eq!(reason("b"), StartReason::Fork);
    place.store.create_with(&place.owner, &new("c"), &[Message::user("x")]).unwrap();
    assert_eq!(reason("c"), StartReason::Resume);
}

#[test]
fn nobody_sees_what_belongs_to_another() {
    let place = place();
    place.store.create(&place.owner, &new("a")).unwrap();
    let session = place.store.session(&place.owner, "a").unwrap();
    let other = Owner("other".into());
    let none = |result: Result<(), StoreError>| assert!(matches!(result, Err(StoreError::NotFound(_))));
    none(place.store.read(&other, "a").map(drop));
    none(place.store.session(&other, "a").map(drop));
    none(place.store.by_session(&other, &session).map(drop));
    none(place.store.delete(&other, "a"));
    none(place.store.open_conversation(&other, "a").map(drop));
    none(place.store.timeline(&other, "a", 0, 10).map(drop));
    assert!(place.store.list(&other, "", 10, None).unwrap().rows.is_empty());
    // The same name is free for everybody.
    place.store.create(&other, &new("a")).unwrap();
    assert_ne!(place.store.session(&other, "a").unwrap(), session);
    assert_eq!(place.store.by_session(&place.owner, &session).unwrap(), "a");
}

#[test]
fn ids_are_checked_and_taken_once() {
    let place = place();
    place.store.create(&place.owner, &new("a")).unwrap();
    assert!(matches!(place.store.create(&place.owner, &new("a")), Err(StoreError::Exists(_))));
    for id in ["../a", "", "a/b", ".a"] {
        assert!(matches!(place.store.create(&place.owner, &new(id)), Err(StoreError::BadId(_))), "{id}");
    }
}

#[test]
fn a_message_that_waits_enters_the_log_once_under_its_id() {
    let place = place();
    place.store.create(&place.owner, &new("a")).unwrap();
    let kept = place.kept("a");
    let mut waiting = Message::user("later");
    kept.enqueue(&mut waiting).unwrap();
    let mut first = Message::assistant("now");
    kept.append(&mut first).unwrap();
    assert_ne!(first.id, waiting.id);
    assert_eq!(place.store.open_conversation(&place.owner, "a").unwrap().inbox, [waiting.clone()]);
    kept.append(&mut waiting).unwrap();
    assert_eq!(place.texts("a"), ["now", "later"]);
    assert!(kept.inbox().unwrap().is_empty());
    assert!(kept.append(&mut waiting.clone()).is_err(), "an id is given once");
    let mut refused = Message::user("no");
    kept.enqueue(&mut refused).unwrap();
    kept.refuse(refused.id.as_deref().unwrap()).unwrap();
    assert!(kept.inbox().unwrap().is_empty());
}

#[test]
fn a_rewrite_keeps_the_old_one_and_gives_no_id_twice() {
    let place = place();
    place.store.create(&place.owner, &new("a")).unwrap();
    let kept = place.kept("a");
    for text in ["one", "two", "three"] {
        kept.append(&mut Message::user(text)).unwrap();
    }
    let mut left = place.store.read(&place.owner, "a").unwrap();
    left.truncate(1);
    kept.rewrite(&mut left, Rewrite::Undo).unwrap();
    let mut more = Message::user("four");
    kept.append(&mut more).unwrap();
    assert_eq!(more.id.as_deref(), Some("m4"));
    assert_eq!(place.texts("a"), ["one", "four"]);
    let branches = place.store.branches(&place.owner, "a").unwrap();
    assert_eq!(branches.len(), 1);
    assert_eq!((branches[0].name.as_str(), branches[0].messages.len()), ("0001-undo", 3));
}

#[test]
fn export_and_import_are_the_engines_lines() {
    let place = place();
    place.store.create(&place.owner, &new("a")).unwrap();
    let kept = place.kept("a");
    for message in [Message::user("one"), Message::system("<b>\n\"two\"").hidden()] {
        kept.append(&mut message.clone()).unwrap();
    }
    let text = place.store.export(&place.owner, "a").unwrap();
    assert_eq!(text.lines().count(), 2);
    let read = Store::import(&text).unwrap();
    place.store.create_with(&place.owner, &new("b"), &read).unwrap();
    assert_eq!(place.store.export(&place.owner, "b").unwrap(), text);
    assert!(Store::import("{\"role\":\"user\"}").is_err());
}

#[test]
fn lists_are_newest_first_in_parts_and_searched_literally() {
    let folder = tempfile::tempdir().unwrap();
    let clock = Clock::manual("2026-01-01T00:00:00Z".parse().unwrap());
    let store = Store::open(&folder.path().join("x.sqlite"), clock.clone()).unwrap();
    let owner = Owner("me".into());
    for id in ["a", "b_1", "bx1", "c"] {
        store.create(&owner, &new(id)).unwrap();
        clock.advance(std::time::Duration::from_millis(500));
    }
    let ids = |page: &Page| page.rows.iter().map(|row| row.id.clone()).collect::<Vec<_>>();
    let first = store.list(&owner, "", 3, None).unwrap();
    assert_eq!(ids(&first), ["c", "bx1", "b_1"]);
    let rest = store.list(&owner, "", 3, first.next.as_deref()).unwrap();
    assert_eq!((ids(&rest), rest.next), (vec!["a".to_owned()], None));
    assert_eq!(ids(&store.list(&owner, "b_1", 9, None).unwrap()), ["b_1"]);
}

#[test]
fn states_and_switches_come_back() {
    let place = place();
    place.store.create(&place.owner, &new("a")).unwrap();
    let kept = place.kept("a");
    let state = BTreeMap::from([("x".to_owned(), serde_json::json!({"n": 1}))]);
    kept.save_state(&state).unwrap();
    kept.set_hooks_off(&["g.f".into()]).unwrap();
    kept.save_model("m/y").unwrap();
    let opened = place.store.open_conversation(&place.owner, "a").unwrap();
    assert_eq!(opened.loaded.state, state);
    assert_eq!(opened.hooks_off, ["g.f"]);
    assert_eq!(opened.loaded.config.chat.model.as_deref(), Some("m/y"));
}

#[test]
fn deleting_takes_everything_along() {
    let place = place();
    place.store.create(&place.owner, &new("a")).unwrap();
    let kept = place.kept("a");
    kept.append(&mut Message::user("x")).unwrap();
    kept.enqueue(&mut Message::user("y")).unwrap();
    kept.add_timeline(&[entry(1)]).unwrap();
    place.store.delete(&place.owner, "a").unwrap();
    place.store.create(&place.owner, &new("a")).unwrap();
    let opened = place.store.open_conversation(&place.owner, "a").unwrap();
    assert!(opened.inbox.is_empty() && opened.loaded.messages.is_empty());
    assert!(place.store.timeline(&place.owner, "a", 0, 10).unwrap().is_empty());
    assert!(kept.append(&mut Message::user("z")).is_err(), "an engine that outlives it cannot write");
}

fn entry(number: u64) -> TimelineEntry {
    TimelineEntry::Ran(Box::new(HookRun {
        hook: "g.f".into(),
        point: "turn.pre".into(),
        at: "2026-01-01T00:00:00Z".parse().unwrap(),
        offset_us: number,
        duration_us: 1,
        background: false,
        shadow: false,
        messages: Vec::new(),
        transient: false,
        gate: None,
        fold: None,
        first: None,
        flow: None,
        error: None,
        around: None,
    }))
}

#[test]
fn a_timeline_is_read_on_from_where_one_was() {
    let place = place();
    place.store.create(&place.owner, &new("a")).unwrap();
    let kept = place.kept("a");
    kept.add_timeline(&[entry(1), entry(2), entry(3)]).unwrap();
    let first = place.store.timeline(&place.owner, "a", 0, 2).unwrap();
    assert_eq!(first.len(), 2);
    let rest = place.store.timeline(&place.owner, "a", first[1].0, 9).unwrap();
    assert_eq!(rest.into_iter().map(|(_, entry)| entry).collect::<Vec<_>>(), [entry(3)]);
}

#[test]
fn a_database_of_a_later_program_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.sqlite");
    drop(Store::open(&path, Clock::system()).unwrap());
    Connection::open(&path).unwrap().pragma_update(None, "user_version", 99).unwrap();
    assert!(matches!(Store::open(&path, Clock::system()), Err(StoreError::Newer { found: 99, .. })));
    std::fs::write(folder.path().join("text"), "this is no database, and is long enough to tell so").unwrap();
    assert!(Store::open(&folder.path().join("text"), Clock::system()).is_err());
}
