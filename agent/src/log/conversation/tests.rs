use std::fs;

use hookspec::Role;
use serde_json::json;

use super::super::{Chat, LogWarning, list, names};
use super::*;

mod damage;

fn logs() -> tempfile::TempDir {
    tempfile::tempdir().unwrap()
}

fn config() -> ConversationConfig {
    let chat = Chat { model: Some("replay/x".into()), ..Chat::default() };
    ConversationConfig { chat, ..ConversationConfig::default() }
}

fn say(conversation: &Conversation, text: &str) -> Message {
    let mut message = Message::user(text);
    conversation.append(&mut message).unwrap();
    message
}

fn texts(messages: &[Message]) -> Vec<&str> {
    messages.iter().map(|message| message.content.as_str()).collect()
}

fn add_bytes(path: &Path, bytes: &[u8]) {
    OpenOptions::new()
        .append(true)
        .open(path)
        .and_then(|mut file| std::io::Write::write_all(&mut file, bytes))
        .unwrap();
}

/// A conversation with the messages "one" and "two", closed, and the path of its log.
fn two(logs: &Path) -> PathBuf {
    let conversation = Conversation::create(logs, "c", &config()).unwrap();
    say(&conversation, "one");
    say(&conversation, "two");
    conversation.folder().join(names::LOG)
}

#[test]
fn what_was_appended_comes_back_with_ids_times_and_settings() {
    let logs = logs();
    let clock = Clock::manual("2026-01-31T10:00:00Z".parse().unwrap());
    let conversation = Conversation::create(logs.path(), "c", &config()).unwrap().with_clock(clock.clone());
    let first = say(&conversation, "line one\nline two\u{2028}");
    let mut own = Message::system("x");
    own.id = Some("mine".into());
    own.timestamp = Some("2020-01-01T00:00:00Z".parse().unwrap());
    let sent = own.clone();
    conversation.append(&mut own).unwrap();
    assert_eq!(own, sent, "what a message brings is kept");
    assert_eq!((first.id.as_deref(), first.timestamp), (Some("m1"), Some(clock.now())));
    let state = BTreeMap::from([("todo".to_owned(), json!({"open": 2}))]);
    conversation.save_state(&state).unwrap();
    drop(conversation);

    let (conversation, loaded) = Conversation::open(logs.path(), "c").unwrap();
    assert_eq!(loaded.messages, [first, own]);
    assert_eq!(loaded.state, state);
    assert_eq!(loaded.warnings, []);
    assert_eq!(loaded.config.chat.model.as_deref(), Some("replay/x"));
    assert!(loaded.config.own.created.is_some());
    assert_eq!(say(&conversation, "next").id.as_deref(), Some("m2"));
    assert_eq!(Conversation::read(logs.path(), "c").unwrap().messages.len(), 3);
}

#[test]
fn one_writer_at_a_time_and_the_other_learns_who() {
    let logs = logs();
    let conversation = Conversation::create(logs.path(), "c", &config()).unwrap();
    let error = Conversation::open(logs.path(), "c").unwrap_err();
    assert!(matches!(error, LogError::Locked { pid: Some(pid), .. } if pid == std::process::id()), "{error}");
    assert!(error.to_string().contains(&format!("process {}", std::process::id())));
    assert!(Conversation::create(logs.path(), "c", &config()).is_err());
    drop(conversation);
    let error = Conversation::create(logs.path(), "c", &config()).unwrap_err();
    assert!(matches!(error, LogError::Exists { .. }), "{error}");
    Conversation::open(logs.path(), "c").unwrap();
}

#[test]
fn a_missing_conversation_is_not_created_by_opening_it() {
    let logs = logs();
    assert!(matches!(Conversation::open(logs.path(), "c").unwrap_err(), LogError::NotFound { .. }));
    assert!(matches!(Conversation::read(logs.path(), "c").unwrap_err(), LogError::NotFound { .. }));
    assert!(matches!(Conversation::open(logs.path(), "../c").unwrap_err(), LogError::BadId { .. }));
    assert_eq!(fs::read_dir(logs.path()).unwrap().count(), 0);
}

#[cfg(target_os = "linux")]
#[test]
fn a_rewrite_keeps_the_old_log_and_gives_no_number_twice() {
    let logs = logs();
    let path = two(logs.path());
    let old = fs::read(&path).unwrap();
    let (conversation, mut loaded) = Conversation::open(logs.path(), "c").unwrap();
    let undone = loaded.messages.pop().unwrap();
    let branch = conversation.rewrite(&mut loaded.messages, Rewrite::Undo).unwrap();
    assert_eq!(branch.file_name().unwrap(), "0001-undo.jsonl");
    assert_eq!(fs::read(&branch).unwrap(), old);
    conversation.append(&mut undone.clone()).unwrap();
    conversation.rewrite(&mut loaded.messages, Rewrite::Undo).unwrap();
    drop(conversation);

    let (conversation, mut loaded) = Conversation::open(logs.path(), "c").unwrap();
    assert_eq!(texts(&loaded.messages), ["one"]);
    assert_eq!(say(&conversation, "new").id.as_deref(), Some("m3"), "m2 is in the branch");
    conversation.append(&mut undone.clone()).unwrap();
    let error = conversation.append(&mut undone.clone()).unwrap_err();
    assert!(matches!(error, LogError::DuplicateId { .. }), "{error}");

    let mut foreign = Message::assistant("theirs");
    foreign.timestamp = Some(Timestamp::UNIX_EPOCH);
    loaded.messages.extend([Message::system("summary"), foreign]);
    let branch = conversation.rewrite(&mut loaded.messages, Rewrite::Compact).unwrap();
    assert_eq!(branch.file_name().unwrap(), "0003-compact.jsonl");
    let ids: Vec<_> = loaded.messages.iter().map(|message| message.id.as_deref()).collect();
    assert_eq!(ids, [Some("m1"), Some("m4"), None]);
    assert_eq!(Conversation::read(logs.path(), "c").unwrap().messages, loaded.messages);

    let mut twice = [undone.clone(), undone];
    conversation.rewrite(&mut twice, Rewrite::Edit).unwrap_err();
    assert_eq!(Conversation::read(logs.path(), "c").unwrap().messages, loaded.messages);
}

#[test]
fn threads_take_turns_and_no_line_is_mixed_or_lost() {
    let logs = logs();
    let conversation = Conversation::create(logs.path(), "c", &config()).unwrap();
    let long = "x".repeat(10_000);
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let (conversation, long) = (&conversation, &long);
            scope.spawn(move || {
                for n in 0..10 {
                    say(conversation, &format!("{thread}-{n} {long}"));
                    conversation.append_timeline(&json!({"thread": thread, "n": n})).unwrap();
                }
            });
        }
    });
    let loaded = Conversation::read(logs.path(), "c").unwrap();
    assert_eq!((loaded.messages.len(), loaded.warnings), (40, vec![]));
    let timeline = fs::read_to_string(conversation.timeline_path()).unwrap();
    let entries = timeline.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    assert_eq!(entries.count(), 40);
}

#[test]
fn a_list_shows_what_is_there_newest_first() {
    let logs = logs();
    assert_eq!(list(&logs.path().join("none")).unwrap(), []);
    for (id, age) in [("old", 100), ("new", 10), ("mid", 50)] {
        let conversation = Conversation::create(logs.path(), id, &config()).unwrap();
        let mut hidden = Message::new(Role::User, "rules").hidden();
        conversation.append(&mut hidden).unwrap();
        say(&conversation, &format!("ask {id}\nmore"));
        let log = fs::File::options().write(true).open(conversation.folder().join(names::LOG)).unwrap();
        log.set_modified(std::time::SystemTime::now() - std::time::Duration::from_secs(age)).unwrap();
    }
    fs::write(logs.path().join("mid").join(names::CONFIG), "= broken").unwrap();
    fs::create_dir(logs.path().join("empty")).unwrap();
    fs::write(logs.path().join("file"), "x").unwrap();
    fs::create_dir_all(logs.path().join("bad").join(names::LOG)).unwrap();
    let found = list(logs.path()).unwrap();
    let ids: Vec<_> = found.iter().map(|summary| summary.id.as_str()).collect();
    assert_eq!(ids, ["new", "mid", "old"]);
    assert_eq!(found[0].prompt.as_deref(), Some("ask new"));
    assert_eq!(found[0].model.as_deref(), Some("replay/x"));
    assert!(found[1].problem.as_ref().unwrap().contains("config.toml"));
}

#[cfg(unix)]
#[test]
fn only_the_owner_may_look_into_a_conversation() {
    use std::os::unix::fs::PermissionsExt;
    let logs = logs();
    let conversation = Conversation::create(logs.path(), "c", &config()).unwrap();
    assert_eq!(fs::metadata(conversation.folder()).unwrap().permissions().mode() & 0o777, 0o700);
}
