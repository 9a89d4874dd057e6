//! The numbers in names are the rows of the behaviour this follows.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use hookspec::point::{Fired, Messages};
use hookspec::session::Clock;
use hookspec::{Config, Hooks, Registry, Session, fire_now};
use serde_json::{Map, Value, json};
use tempfile::TempDir;

use super::record::{hash, seal};
use super::*;

mod calls;

fn builder(settings: &str, id: &str) -> hookspec::session::SessionBuilder {
    let mut config = Config::new();
    config.add_toml("test", &format!("[hooks.manifest]\n{settings}"), &[]).unwrap();
    let registry = Registry::builder().allow(["manifest"]).config(config).build().unwrap();
    let clock = Clock::manual("2026-01-01T12:00:00Z".parse().unwrap());
    Session::builder(&Hooks::new(registry), id).clock(clock).model("test/model")
}

fn lent(builder: hookspec::session::SessionBuilder, state: &TempDir) -> Session {
    builder.extension(Arc::new(StateDir(state.path().to_owned()))).build()
}

/// A session whose records go to `manifests` in the state folder, with a key.
fn session(state: &TempDir, id: &str) -> Session {
    lent(builder("enabled = true", id), state)
}

fn records(state: &TempDir) -> PathBuf {
    state.path().join("manifests")
}

fn before(session: &Session, call: &ToolUse) -> Fired<hookspec::Gate> {
    fire_now!(session, TOOL_PRE_EXECUTE { tool_use: call })
}

fn after(session: &Session, call: &ToolUse, status: ToolStatus) -> Fired<Messages> {
    let result = [Message::system("done")];
    let duration = Duration::ZERO;
    fire_now!(session, TOOL_POST_EXECUTE { tool_use: call, result: &result, status, duration })
}

fn run(session: &Session, call: &ToolUse) {
    assert!(before(session, call).failures().is_empty());
    assert!(after(session, call, ToolStatus::Ok).failures().is_empty());
}

fn shell(command: &str) -> ToolUse {
    ToolUse::fenced("shell", [""; 0], command)
}

fn native(id: &str, command: &str) -> ToolUse {
    ToolUse::native("shell", id, Map::from_iter([("command".to_owned(), json!(command))]))
}

fn journal(state: &TempDir, id: &str) -> PathBuf {
    records(state).join(format!("{id}.manifest.jsonl"))
}

fn lines(path: &Path) -> Vec<Value> {
    let text = fs::read_to_string(path).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn write_lines(path: &Path, lines: &[Value]) {
    fs::write(path, lines.iter().map(|line| format!("{line}\n")).collect::<String>()).unwrap();
}

fn key(state: &TempDir) -> Key {
    Key::read(&state.path().join(KEY_FILE)).unwrap()
}

fn problems(dir: &Path, key: Option<&Key>) -> Vec<Problem> {
    verify(dir, key).unwrap().findings.into_iter().map(|finding| finding.problem).collect()
}

/// Records in gptme's form: one file each.
fn gptme(dir: &Path, session: &str, calls: &[u64]) {
    let mut previous = Value::Null;
    for sequence in calls {
        for phase in ["pre", "post"] {
            let mut fields = json!({
                "session_id": session, "model": "unknown", "sequence": sequence, "tool": "shell",
                "timestamp": "2026-01-01T12:00:00+00:00", "phase": phase, "prev_hash": previous,
            });
            let sealed = json!(seal(fields.as_object().unwrap(), None));
            fields["hash"] = sealed.clone();
            previous = sealed;
            let name = format!("{session}-{sequence:04}-shell-{phase}.json");
            fs::write(dir.join(name), serde_json::to_string_pretty(&fields).unwrap()).unwrap();
        }
    }
}

fn change(path: &Path, change: impl FnOnce(&mut Map<String, Value>), seal_again: bool) {
    let mut value: Value = serde_json::from_slice(&fs::read(path).unwrap()).unwrap();
    let fields = value.as_object_mut().unwrap();
    change(fields);
    if seal_again {
        fields.remove("hash");
        let sealed = seal(fields, None);
        fields.insert("hash".into(), json!(sealed));
    }
    fs::write(path, value.to_string()).unwrap();
}

#[test]
fn off_unless_asked_for() {
    let state = tempfile::tempdir().unwrap();
    run(&lent(builder("", "s"), &state), &shell("ls"));
    assert_eq!(fs::read_dir(state.path()).unwrap().count(), 0);
}

#[test]
fn t1_t2_t3_the_folder_the_records_and_their_chain() {
    let state = tempfile::tempdir().unwrap();
    let session = session(&state, "s");
    run(&session, &shell("ls"));
    run(&session, &shell("ps"));
    let all = lines(&journal(&state, "s"));
    assert_eq!(all.len(), 4);
    let first = &all[0];
    assert_eq!((&first["phase"], &first["sequence"]), (&json!("pre"), &json!(1)));
    assert_eq!(first["prev_hash"], Value::Null);
    assert_eq!(first["content_hash"], json!(hash("ls")));
    assert_eq!(first["timestamp"], "2026-01-01T12:00:00Z");
    assert_eq!((&first["session_id"], &first["model"]), (&json!("s"), &json!("test/model")));
    assert!(first["hash"].as_str().unwrap().starts_with("hmac-sha256:"));
    assert_eq!(all[1]["result_hash"], json!(hash("done")));
    assert_eq!((&all[1]["status"], &all[1]["sequence"]), (&json!("ok"), &json!(1)));
    for pair in all.windows(2) {
        assert_eq!(pair[1]["prev_hash"], pair[0]["hash"]);
    }
}

#[test]
fn t4_calls_verify_clean_and_the_texts_of_calls_are_not_in_the_records() {
    let state = tempfile::tempdir().unwrap();
    let session = session(&state, "s");
    for command in ["echo hunter2", "ls", "ps"] {
        run(&session, &native(command, command));
    }
    let report = verify(&records(&state), Some(&key(&state))).unwrap();
    assert_eq!((report.sessions, report.records, report.keyed), (1, 6, 6));
    assert_eq!(report.findings, []);
    let text = fs::read_to_string(journal(&state, "s")).unwrap();
    assert!(!text.contains("\"command\""), "{text}");
}

#[test]
fn t5_t6_changed_records_show_in_both_forms() {
    let folder = tempfile::tempdir().unwrap();
    gptme(folder.path(), "g", &[1, 2, 3]);
    assert_eq!(problems(folder.path(), None), []);
    let second = folder.path().join("g-0002-shell-pre.json");
    let good = fs::read(&second).unwrap();
    change(&second, |fields| drop(fields.insert("tool".into(), json!("save"))), false);
    assert_eq!(problems(folder.path(), None), [Problem::Hash]);
    fs::write(&second, good).unwrap();
    change(&second, |fields| drop(fields.insert("prev_hash".into(), json!("sha256:0"))), true);
    let found = problems(folder.path(), None);
    assert!(found.contains(&Problem::Previous) && !found.contains(&Problem::Hash), "{found:?}");

    let state = tempfile::tempdir().unwrap();
    let session = session(&state, "s");
    run(&session, &shell("ls"));
    run(&session, &shell("ps"));
    let mut all = lines(&journal(&state, "s"));
    all[2]["tool"] = json!("save");
    write_lines(&journal(&state, "s"), &all);
    assert_eq!(problems(&records(&state), Some(&key(&state))), [Problem::Hash]);
}

#[test]
fn t7_t8_removed_records_show() {
    for (phase, problem) in
        [("pre", Problem::NoPre { sequence: 2 }), ("post", Problem::NoPost { sequence: 2 })]
    {
        let folder = tempfile::tempdir().unwrap();
        gptme(folder.path(), "g", &[1, 2, 3]);
        fs::remove_file(folder.path().join(format!("g-0002-shell-{phase}.json"))).unwrap();
        let found = problems(folder.path(), None);
        assert!(found.contains(&problem) && found.contains(&Problem::Previous), "{found:?}");
    }
}

#[test]
fn t9_t10_what_is_no_record_is_told_and_ignored() {
    let folder = tempfile::tempdir().unwrap();
    let record = |session: Value, sequence: Value, phase: &str| {
        json!({ "session_id": session, "sequence": sequence, "phase": phase }).to_string()
    };
    for (text, wanted) in [
        ("[1]".to_owned(), "expected object, found a list"),
        ("\"x\"".to_owned(), "expected object, found a string"),
        ("{".to_owned(), "cannot be read: "),
        (record(json!("s"), json!(true), "pre"), "`sequence` is not"),
        (record(json!("s"), json!(0), "pre"), "`sequence` is not"),
        (record(json!("s"), json!(-1), "pre"), "`sequence` is not"),
        (record(json!("s"), json!(1.0), "pre"), "`sequence` is not"),
        (record(json!("s"), json!(1), "middle"), "`phase` is neither"),
        (record(json!(""), json!(1), "pre"), "`session_id` is missing"),
        (record(json!(null), json!(1), "pre"), "`session_id` is missing"),
    ] {
        fs::write(folder.path().join("x.json"), &text).unwrap();
        let report = verify(folder.path(), None).unwrap();
        assert_eq!((report.findings.len(), report.records), (1, 0), "{text}: {report:?}");
        assert!(report.findings[0].to_string().starts_with(&format!("x.json: {wanted}")), "{report:?}");
    }
}

#[test]
fn t11_sessions_are_independent() {
    let state = tempfile::tempdir().unwrap();
    let (a, b) = (session(&state, "a"), session(&state, "b"));
    for session in [&a, &b, &a] {
        run(session, &shell("ls"));
    }
    assert_eq!(verify(&records(&state), Some(&key(&state))).unwrap().findings, []);
    assert_eq!(lines(&journal(&state, "b"))[0]["prev_hash"], Value::Null);
    let folder = tempfile::tempdir().unwrap();
    gptme(folder.path(), "a", &[1, 2]);
    gptme(folder.path(), "b", &[1]);
    assert_eq!(verify(folder.path(), None).unwrap().sessions, 2);
    assert_eq!(problems(folder.path(), None), []);
}

#[test]
fn t12_t13_gaps_are_told_in_one_line_and_quickly() {
    for (calls, text) in [
        ([1, 3], "missing sequence 2"),
        ([1, 5], "missing sequences 2 to 4 (3 calls)"),
        ([1, 10_000_000], "missing sequences 2 to 9999999 (9999998 calls)"),
        ([1, u64::MAX], "missing sequences 2 to 18446744073709551614 (18446744073709551613 calls)"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        gptme(folder.path(), "g", &calls);
        let began = Instant::now();
        let report = verify(folder.path(), None).unwrap();
        assert!(
            began.elapsed() < Duration::from_secs(5),
            "a generous bound; counting up would take far longer"
        );
        assert_eq!(report.findings.len(), 1, "{report:?}");
        assert!(report.findings[0].to_string().ends_with(text), "{report:?}");
    }
}

#[test]
fn duplicates_are_told_and_the_first_counts() {
    let folder = tempfile::tempdir().unwrap();
    gptme(folder.path(), "g", &[1]);
    fs::copy(folder.path().join("g-0001-shell-pre.json"), folder.path().join("h.json")).unwrap();
    assert_eq!(problems(folder.path(), None), [Problem::Duplicate { sequence: 1, phase: "pre" }]);
}

#[test]
fn t14_a_record_that_cannot_be_written_is_a_failure_and_the_chain_goes_on() {
    let state = tempfile::tempdir().unwrap();
    let session = session(&state, "s");
    run(&session, &shell("ls"));
    let (path, aside) = (journal(&state, "s"), state.path().join("aside"));
    fs::rename(&path, &aside).unwrap();
    fs::create_dir(&path).unwrap();
    let fired = before(&session, &shell("ps"));
    assert_eq!(fired.failures().len(), 1, "{fired:?}");
    assert!(fired.denied().is_none(), "recording has no say in what runs");
    fs::remove_dir(&path).unwrap();
    fs::rename(&aside, &path).unwrap();
    assert!(after(&session, &shell("ps"), ToolStatus::Ok).failures().is_empty());
    let all = lines(&path);
    assert_eq!((&all[2]["sequence"], &all[2]["prev_hash"]), (&json!(2), &all[1]["hash"]));
    assert_eq!(problems(&records(&state), Some(&key(&state))), [Problem::NoPre { sequence: 2 }]);
}

#[test]
fn t15_no_tool_no_record() {
    let state = tempfile::tempdir().unwrap();
    run(&session(&state, "s"), &ToolUse::default());
    assert!(!records(&state).exists());
}

#[test]
fn t16_removed_records_at_the_end_show() {
    let state = tempfile::tempdir().unwrap();
    let session = session(&state, "s");
    for command in ["a", "b", "c"] {
        run(&session, &shell(command));
    }
    let (path, all) = (journal(&state, "s"), lines(&journal(&state, "s")));
    write_lines(&path, &all[..4]);
    let key = key(&state);
    assert_eq!(problems(&records(&state), Some(&key)), [Problem::Truncated { said: 6, found: 4 }]);
    let tail = records(&state).join("s.tail.json");
    let good = fs::read_to_string(&tail).unwrap();
    fs::write(&tail, good.replace("\"records\":6", "\"records\":4")).unwrap();
    assert!(problems(&records(&state), Some(&key)).contains(&Problem::Tail));
    fs::write(&tail, &good).unwrap();
    fs::remove_file(&path).unwrap();
    assert_eq!(problems(&records(&state), Some(&key)), [Problem::Truncated { said: 6, found: 0 }]);
    write_lines(&path, &all);
    fs::remove_file(&tail).unwrap();
    assert_eq!(problems(&records(&state), Some(&key)), [Problem::NoTail { file: "s.tail.json".into() }]);
    // And what was removed does not come back by going on.
    write_lines(&path, &all[..2]);
    run(&session, &shell("d"));
    assert!(problems(&records(&state), Some(&key)).contains(&Problem::Gap));
}

#[test]
fn wa_named_arguments_are_hashed() {
    let state = tempfile::tempdir().unwrap();
    let session = session(&state, "s");
    run(&session, &native("1", "ls"));
    run(&session, &native("2", "rm -rf /"));
    let all = lines(&journal(&state, "s"));
    assert!(all[0]["kwargs_hash"].as_str().unwrap().starts_with("sha256:"));
    assert_ne!(all[0]["kwargs_hash"], all[2]["kwargs_hash"]);
    assert_eq!(all[0]["call_id"], "1");
}

#[test]
fn wb_a_chain_that_was_rebuilt_without_the_key_shows() {
    let state = tempfile::tempdir().unwrap();
    let original = session(&state, "s");
    run(&original, &shell("rm -rf /"));
    // What an intruder without the key can do: the same session again, unkeyed.
    fs::remove_dir_all(records(&state)).unwrap();
    let forged = lent(builder("enabled = true\nkeyed = false", "s"), &state);
    run(&forged, &shell("ls"));
    assert_eq!(problems(&records(&state), None), [], "this is all that can be said without a key");
    let found = problems(&records(&state), Some(&key(&state)));
    assert_eq!(found, [Problem::NotKeyed, Problem::NotKeyed, Problem::NotKeyed]);
    // With a key of their own.
    fs::remove_dir_all(records(&state)).unwrap();
    let right = key(&state);
    fs::remove_file(state.path().join(KEY_FILE)).unwrap();
    run(&session(&state, "s"), &shell("ls"));
    assert!(problems(&records(&state), Some(&right)).contains(&Problem::Hash));
    assert!(problems(&records(&state), None).iter().all(|problem| *problem == Problem::NeedsKey));
}

#[test]
fn wf_names_do_not_leave_the_folder() {
    let state = tempfile::tempdir().unwrap();
    run(&session(&state, "../../x"), &ToolUse::fenced("../y", [""; 0], "z"));
    let names: Vec<_> =
        fs::read_dir(records(&state)).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names.len(), 2, "{names:?}");
    assert!(journal(&state, "%2E.%2F..%2Fx").is_file(), "{names:?}");
    assert_eq!(problems(&records(&state), Some(&key(&state))), []);
    // A file under another session's name is noticed.
    fs::rename(journal(&state, "%2E.%2F..%2Fx"), journal(&state, "innocent")).unwrap();
    let found = problems(&records(&state), Some(&key(&state)));
    assert!(found.contains(&Problem::OtherSession { found: "../../x".into() }), "{found:?}");
}

#[test]
fn files_and_key_are_their_owners_alone() {
    use std::os::unix::fs::PermissionsExt;

    let state = tempfile::tempdir().unwrap();
    let session = session(&state, "s");
    run(&session, &shell("ls"));
    let path = state.path().join(KEY_FILE);
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&path), mode(&journal(&state, "s"))), (0o600, 0o600));
    assert_eq!(format!("{:?}", key(&state)), "Key(…)");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
    let failed = before(&session, &shell("ls"));
    assert!(failed.failures()[0].to_string().contains("can be read by others"), "{failed:?}");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
    fs::write(&path, "short\n").unwrap();
    assert!(before(&session, &shell("ls")).failures()[0].to_string().contains("fewer than 16 bytes"));
}

#[test]
fn without_a_place_it_says_what_to_set_and_with_a_folder_alone_it_is_unkeyed() {
    let nowhere = builder("enabled = true", "s").build();
    let text = before(&nowhere, &shell("ls")).failures()[0].to_string();
    assert!(text.contains("set `dir` in `[hooks.manifest]` to an absolute path"), "{text}");
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path().join("a/b");
    run(
        &builder(&format!("enabled = true\ndir = {dir:?}\nmodel = 'm'\nsession_id = 'named'"), "s").build(),
        &shell("ls"),
    );
    let report = verify(&dir, None).unwrap();
    assert_eq!((report.records, report.keyed, report.findings), (2, 0, vec![]));
    let first = &lines(&dir.join("named.manifest.jsonl"))[0];
    assert_eq!((&first["session_id"], &first["model"]), (&json!("named"), &json!("m")));
}
