//! Logs that crashes, full disks, other programs and people have been at.

use super::*;

#[test]
fn a_torn_last_line_is_moved_and_the_next_message_starts_afresh() {
    let logs = logs();
    let path = two(logs.path());
    for (round, torn) in [&b"{\"role\":\"user\",\"cont"[..], b"\0\0\0\0", b"\xff{"].into_iter().enumerate() {
        add_bytes(&path, torn);
        let read = Conversation::read(logs.path(), "c").unwrap();
        assert_eq!(read.warnings.len(), 1);
        let (conversation, loaded) = Conversation::open(logs.path(), "c").unwrap();
        assert_eq!(loaded.messages.len(), 2 + round);
        let warning = &loaded.warnings[0];
        assert_eq!((warning.file, warning.line), (names::LOG, 3 + round));
        let kept = path.with_file_name(format!("conversation.jsonl.torn-{}", round + 1));
        assert_eq!(fs::read(kept).unwrap(), torn);
        say(&conversation, "after");
    }
    let loaded = Conversation::read(logs.path(), "c").unwrap();
    assert_eq!(texts(&loaded.messages), ["one", "two", "after", "after", "after"]);
    assert_eq!(loaded.warnings, []);
}

#[test]
fn a_whole_last_line_without_its_end_is_kept() {
    let logs = logs();
    let path = two(logs.path());
    add_bytes(&path, br#"{"role":"user","content":"by hand"}"#);
    let (conversation, loaded) = Conversation::open(logs.path(), "c").unwrap();
    assert_eq!(texts(&loaded.messages), ["one", "two", "by hand"]);
    assert!(fs::read(&path).unwrap().ends_with(b"}\n"), "other programs append too");
    say(&conversation, "after");
    let loaded = Conversation::read(logs.path(), "c").unwrap();
    assert_eq!(texts(&loaded.messages), ["one", "two", "by hand", "after"]);
    assert_eq!(loaded.warnings, []);
}

#[test]
fn a_broken_line_in_the_middle_costs_itself() {
    let logs = logs();
    let path = two(logs.path());
    add_bytes(&path, b"not json\n\n{\"role\":\"user\",\"content\":\"three\",\"id\":\"m2\"}\n");
    let before = fs::read(&path).unwrap();
    let (conversation, loaded) = Conversation::open(logs.path(), "c").unwrap();
    assert_eq!(texts(&loaded.messages), ["one", "two", "three"]);
    let lines: Vec<_> = loaded.warnings.iter().map(|warning| warning.line).collect();
    assert_eq!(lines, [3, 5], "the broken one, and the one whose id is not its own: {:?}", loaded.warnings);
    assert_eq!(fs::read(&path).unwrap(), before, "nothing is deleted");
    drop(conversation);
}

#[test]
fn a_log_of_gptme_is_read_times_without_zone_included() {
    let logs = logs();
    let folder = logs.path().join("theirs");
    fs::create_dir(&folder).unwrap();
    let lines = [
        r#"{"role":"system","content":"You","timestamp":"2025-01-02T03:04:05.123456+01:00","pinned":true}"#,
        r#"{"role":"user","content":"Hi","timestamp":"2025-01-02T03:04:05.123456","files":["a.png"]}"#,
        r#"{"role":"user","content":"when","timestamp":"yesterday"}"#,
        r#"{"role":"assistant","content":"Ho","timestamp":"2025-01-02T03:04:06Z","metadata":{"model":"x","artifacts":[1]}}"#,
    ];
    fs::write(folder.join(names::LOG), lines.join("\n") + "\n").unwrap();
    let (conversation, loaded) = Conversation::open(logs.path(), "theirs").unwrap();
    assert_eq!(texts(&loaded.messages), ["You", "Hi", "when", "Ho"]);
    assert_eq!(loaded.messages[0].timestamp, Some("2025-01-02T02:04:05.123456Z".parse().unwrap()));
    assert_eq!(loaded.messages[1].timestamp, Some("2025-01-02T03:04:05.123456Z".parse().unwrap()));
    assert_eq!(loaded.messages[2].timestamp, None);
    assert_eq!(loaded.warnings.iter().map(|w: &LogWarning| w.line).collect::<Vec<_>>(), [2, 3]);
    assert_eq!(loaded.config, ConversationConfig::default());
    assert_eq!(say(&conversation, "ours").id.as_deref(), Some("m1"));
}

#[test]
fn broken_files_beside_the_log_cost_only_themselves_and_are_kept() {
    let logs = logs();
    let folder = two(logs.path()).parent().unwrap().to_owned();
    fs::write(folder.join(names::STATE), "{").unwrap();
    fs::write(folder.join(names::CONFIG), b"\xff").unwrap();
    assert_eq!(Conversation::read(logs.path(), "c").unwrap().warnings.len(), 2);
    let (conversation, loaded) = Conversation::open(logs.path(), "c").unwrap();
    assert_eq!(texts(&loaded.messages), ["one", "two"]);
    assert_eq!(loaded.warnings.len(), 2);
    conversation.save_state(&BTreeMap::new()).unwrap();
    assert_eq!(fs::read(folder.join("state.json.broken-1")).unwrap(), b"{");
    assert_eq!(fs::read(folder.join("config.toml.broken-1")).unwrap(), b"\xff");
}

#[test]
fn a_full_disk_is_said_and_the_message_is_as_before() {
    let logs = logs();
    let path = two(logs.path());
    let (conversation, _) = Conversation::open(logs.path(), "c").unwrap();
    let aside = path.with_extension("aside");
    fs::rename(&path, &aside).unwrap();
    std::os::unix::fs::symlink("/dev/full", &path).unwrap();
    let mut message = Message::user("three");
    let error = conversation.append(&mut message).unwrap_err();
    assert!(matches!(&error, LogError::DiskFull { path: named } if *named == path), "{error}");
    assert_eq!(message, Message::user("three"));
    fs::rename(&aside, &path).unwrap();
    conversation.append(&mut message).unwrap();
    let loaded = Conversation::read(logs.path(), "c").unwrap();
    assert_eq!(texts(&loaded.messages), ["one", "two", "three"]);
}

#[test]
fn an_editor_that_replaces_the_log_does_not_make_messages_vanish() {
    let logs = logs();
    let path = two(logs.path());
    let (conversation, _) = Conversation::open(logs.path(), "c").unwrap();
    let text = fs::read_to_string(&path).unwrap();
    let edited = path.with_extension("new");
    fs::write(&edited, text.replace("two", "2").trim_end()).unwrap();
    fs::rename(&edited, &path).unwrap();
    say(&conversation, "three");
    let loaded = Conversation::read(logs.path(), "c").unwrap();
    assert_eq!(texts(&loaded.messages), ["one", "2", "three"]);
}
