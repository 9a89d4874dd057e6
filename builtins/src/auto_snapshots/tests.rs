//! The table of payloads is with the classifier; here are the snapshots themselves, with real files and a real git.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use hookspec::points::EndReason;
use hookspec::session::Clock;
use hookspec::tool::ToolStatus;
use hookspec::{Config, Hooks, Registry, fire_now};
use serde_json::{Map, json};
use tempfile::TempDir;

use super::*;

struct Place {
    workspace: TempDir,
    state: TempDir,
    clock: Clock,
}

impl Place {
    fn new() -> Self {
        let clock = Clock::manual("2026-01-01T12:00:00Z".parse().unwrap());
        let place =
            Self { workspace: tempfile::tempdir().unwrap(), state: tempfile::tempdir().unwrap(), clock };
        place.write("a", "one\n");
        place
    }

    fn session_with(&self, id: &str, settings: &str) -> Session {
        let mut config = Config::new();
        config.add_toml("test", &format!("[hooks.auto_snapshots]\n{settings}"), &[]).unwrap();
        let registry = Registry::builder().allow(["auto_snapshots"]).config(config).build().unwrap();
        Session::builder(&Hooks::new(registry), id)
            .workspace(self.workspace.path())
            .clock(self.clock.clone())
            .extension(Arc::new(StateDir(self.state.path().to_owned())))
            .build()
    }

    fn session(&self, id: &str) -> Session {
        self.session_with(id, "enabled = true")
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.workspace.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn read(&self, name: &str) -> Option<String> {
        fs::read_to_string(self.workspace.path().join(name)).ok()
    }

    fn shadow(&self) -> Shadow {
        let state = StateDir(self.state.path().to_owned());
        Settings::default().shadow(Some(&state), self.workspace.path(), "s").unwrap()
    }

    fn labels(&self) -> Vec<String> {
        self.shadow().list().unwrap().into_iter().rev().map(|snapshot| snapshot.label).collect()
    }

    fn files(&self, id: &str) -> Vec<String> {
        let shadow = self.shadow();
        let text = shadow.git.run(["ls-tree", "-r", "--name-only", "-z", id]).unwrap().text();
        text.split('\0').filter(|name| !name.is_empty()).map(str::to_owned).collect()
    }

    fn snapshot(&self, label: &str) -> Snapshot {
        self.clock.advance(Duration::from_secs(1));
        self.shadow().take(label, self.clock.now()).unwrap();
        self.shadow().list().unwrap().remove(0)
    }
}

fn save() -> ToolUse {
    ToolUse::fenced("save", ["a"], "two\n")
}

fn before(session: &Session, call: &ToolUse) {
    let fired = fire_now!(session, TOOL_PRE_EXECUTE { tool_use: call });
    assert!(fired.failures().is_empty(), "{fired:?}");
}

fn after(session: &Session, call: &ToolUse) {
    session.clock().advance(Duration::from_secs(1));
    let (status, duration) = (ToolStatus::Ok, Duration::ZERO);
    let fired = fire_now!(session, TOOL_POST_EXECUTE { tool_use: call, result: &[], status, duration });
    assert!(fired.failures().is_empty() && fired.messages().is_empty(), "{fired:?}");
}

#[test]
fn off_unless_enabled() {
    let place = Place::new();
    for settings in ["", "enabled = false\nmax = 3"] {
        let session = place.session_with("s", settings);
        before(&session, &save());
        place.write("a", "two\n");
        after(&session, &save());
        assert_eq!(fs::read_dir(place.state.path()).unwrap().count(), 0, "{settings}");
    }
}

#[test]
fn a_save_on_a_clean_tree_then_a_change_then_none() {
    let place = Place::new();
    let session = place.session("s");
    before(&session, &save());
    assert_eq!(place.labels(), ["initial", "pre:save"]);
    place.write("a", "two\n");
    after(&session, &save());
    assert_eq!(place.labels(), ["initial", "pre:save", "post:save"]);
    before(&session, &save());
    after(&session, &save());
    assert_eq!(place.labels(), ["initial", "pre:save", "post:save", "pre:save"], "nothing changed");
    let all = place.shadow().list().unwrap();
    let change = Change { kind: 'M', path: "a".into() };
    assert_eq!(place.shadow().changes(&all[1]).unwrap(), [change]);
    assert!(place.shadow().diff(&all[1]).unwrap().contains("-one\n+two\n"));
    assert_eq!(place.shadow().changes(&all[3]).unwrap(), [Change { kind: 'A', path: "a".into() }]);
}

#[test]
fn native_calls_count_and_reading_ones_leave_nothing_behind() {
    let place = Place::new();
    let session = place.session("s");
    let call = |command: &str| {
        ToolUse::native("shell", "1", Map::from_iter([("command".to_owned(), json!(command))]))
    };
    before(&session, &call("ls -la"));
    after(&session, &call("ls -la"));
    assert_eq!(fs::read_dir(place.state.path()).unwrap().count(), 0);
    before(&session, &call("rm a"));
    fs::remove_file(place.workspace.path().join("a")).unwrap();
    after(&session, &call("rm a"));
    assert_eq!(place.labels(), ["initial", "pre:shell", "post:shell"]);
    assert_eq!(place.shadow().changes(&place.shadow().list().unwrap()[0]).unwrap()[0].kind, 'D');
}

#[test]
fn pruning_keeps_the_newest_three_of_eleven_under_their_ids() {
    let place = Place::new();
    for number in 0..10 {
        place.write("a", &number.to_string());
        place.snapshot(&format!("post:{number}"));
    }
    let all = place.shadow().list().unwrap();
    assert_eq!(all.len(), 11);
    assert_eq!(place.shadow().prune(3).unwrap(), 8);
    assert_eq!(place.shadow().list().unwrap(), all[..3]);
    assert_eq!(place.shadow().prune(3).unwrap(), 0);
    place.snapshot("post:more");
    assert_eq!(place.shadow().prune(3).unwrap(), 1);
    assert_eq!(place.shadow().list().unwrap()[1..], all[..2]);
    place.shadow().git.run(["gc", "--quiet", "--prune=now"]).unwrap();
    assert_eq!(place.shadow().list().unwrap()[1..], all[..2]);
    assert!(place.shadow().git.run(["cat-file", "-e", &all[9].id]).is_err(), "what was dropped is gone");
    place.shadow().restore(&all[1], place.clock.now()).unwrap();
    assert_eq!(place.read("a").unwrap(), "8");
    assert!(all[1].label == "post:8" && all.last().unwrap().label == "initial");
    let held = fs::read_to_string(place.shadow().dir.join("shallow")).unwrap();
    assert_eq!(held.lines().count(), 1);
}

#[test]
fn the_hook_prunes() {
    let place = Place::new();
    let session = place.session_with("s", "enabled = true\nmax = 2");
    for text in ["1", "2", "3"] {
        before(&session, &save());
        place.write("a", text);
        after(&session, &save());
    }
    assert_eq!(place.labels(), ["pre:save", "post:save"]);
}

#[test]
fn a_restore_reverts_edits_deletes_what_was_added_and_can_be_undone() {
    let place = Place::new();
    place.write("d/deep", "x");
    let first = place.snapshot("post:one");
    place.write("a", "two\n");
    place.write("new/file", "n");
    fs::remove_dir_all(place.workspace.path().join("d")).unwrap();
    place.clock.advance(Duration::from_secs(1));
    let restored = place.shadow().restore(&first, place.clock.now()).unwrap();
    assert_eq!((place.read("a").unwrap(), place.read("d/deep").unwrap()), ("one\n".into(), "x".into()));
    assert!(!place.workspace.path().join("new").exists());
    assert_eq!(restored.deleted, [Path::new("new/file")]);
    assert_eq!(restored.written, [Path::new("a"), Path::new("d/deep")]);
    let safety = place.shadow().find(&restored.safety[..12]).unwrap();
    assert_eq!(safety.label, format!("safety:{}", &first.id[..10]));
    place.shadow().restore(&safety, place.clock.now()).unwrap();
    assert_eq!((place.read("a").unwrap(), place.read("new/file").unwrap()), ("two\n".into(), "n".into()));
    assert!(!place.workspace.path().join("d").exists());
}

#[test]
fn without_a_safety_snapshot_nothing_is_restored() {
    let place = Place::new();
    let first = place.snapshot("post:one");
    place.write("a", "two\n");
    let held = place.shadow().hold().unwrap();
    let error =
        place.shadow().deadline(Duration::from_millis(30)).restore(&first, place.clock.now()).unwrap_err();
    assert!(
        matches!(&error, SnapshotError::NotSafe(why) if matches!(**why, SnapshotError::Busy(_))),
        "{error}"
    );
    assert_eq!(place.read("a").unwrap(), "two\n");
    drop(held);
    fs::remove_file(place.shadow().dir.join("index.s")).unwrap();
    fs::create_dir(place.shadow().dir.join("index.s")).unwrap();
    let error = place.shadow().restore(&first, place.clock.now()).unwrap_err();
    assert!(error.to_string().starts_with("nothing was restored"), "{error}");
    assert_eq!(place.read("a").unwrap(), "two\n");
}

#[test]
fn ids_that_name_none_or_several_are_told() {
    let place = Place::new();
    assert!(matches!(place.shadow().find("ab"), Err(SnapshotError::Unknown(_))));
    place.snapshot("post:one");
    for id in ["", "--help", "zz"] {
        assert!(matches!(place.shadow().find(id), Err(SnapshotError::Unknown(_))), "{id}");
    }
    // Ids begin with one of sixteen digits, so that of seventeen two are alike.
    for number in 0..16 {
        place.write("a", &number.to_string());
        place.snapshot("post:more");
    }
    let ambiguous = "0123456789abcdef"
        .chars()
        .filter(|digit| matches!(place.shadow().find(&digit.to_string()), Err(SnapshotError::Ambiguous(_))));
    assert!(ambiguous.count() > 0);
}

#[test]
fn big_files_and_nested_repositories_are_named_and_left_alone() {
    let place = Place::new();
    let small = |place: &Place| place.shadow().biggest(1024);
    place.write("grows", "small");
    small(&place).take("post:small", place.clock.now()).unwrap();
    let first = place.shadow().list().unwrap().remove(0);
    place.write("grows", &"x".repeat(2000));
    place.write("nested/file", "x");
    let git = |args: &[&str]| {
        let folder = place.workspace.path().join("nested");
        assert!(Command::new("git").args(args).current_dir(folder).output().unwrap().status.success());
    };
    git(&["init", "-q"]);
    place.clock.advance(Duration::from_secs(1));
    small(&place).take("post:big", place.clock.now()).unwrap();
    let second = place.shadow().list().unwrap().remove(0);
    assert_eq!(second.left_out, ["grows (1 MiB)", "nested/ (a repository of its own)"]);
    assert_eq!(place.files(&second.id), ["a"]);
    let restored = small(&place).restore(&first, place.clock.now()).unwrap();
    assert_eq!(restored.left, [Path::new("grows")]);
    fs::remove_file(place.workspace.path().join("grows")).unwrap();
    place.write("grows/inside", "x");
    place.clock.advance(Duration::from_secs(1));
    small(&place).take("post:folder", place.clock.now()).unwrap();
    let third = place.shadow().list().unwrap().remove(0);
    fs::remove_dir_all(place.workspace.path().join("grows")).unwrap();
    place.write("grows", &"x".repeat(2000));
    let restored = small(&place).restore(&third, place.clock.now()).unwrap();
    assert_eq!(restored.left, [Path::new("grows/inside")], "a big file where a folder was");
    assert_eq!(place.read("grows").unwrap().len(), 2000);
    assert_eq!(place.read("nested/file").unwrap(), "x");
}

#[test]
fn the_bytes_are_kept_and_caches_ignored_files_and_other_repositories_are_not() {
    let place = Place::new();
    place.write(".gitattributes", "* text=auto eol=lf ident\n");
    place.write(".gitignore", "secret\n");
    place.write("crlf", "a\r\nb\r\n$Id$\r\n");
    for name in ["secret", ".venv/x", "d/__pycache__/y", "m.pyc", "node_modules/z"] {
        place.write(name, "x");
    }
    let odd = ["-x", ":(top)y", "new\nline", "tab\t", " *"];
    for name in odd {
        place.write(name, "x");
    }
    let run =
        |args: &[&str]| Command::new("git").args(args).current_dir(place.workspace.path()).output().unwrap();
    assert!(run(&["init", "-q"]).status.success());
    let first = place.snapshot("post:one");
    let files = place.files(&first.id);
    for name in odd.iter().chain(&["a", "crlf", ".gitignore", ".gitattributes"]) {
        assert!(files.iter().any(|file| file == name), "{name:?} in {files:?}");
    }
    assert_eq!(files.len(), 9, "{files:?}");
    assert!(!place.workspace.path().join(".git/index").exists(), "the user's repository is left alone");
    for name in ["crlf", "-x", ":(top)y", "new\nline"] {
        place.write(name, "changed");
    }
    place.write("--new", "x");
    place.shadow().restore(&first, place.clock.now()).unwrap();
    assert_eq!(place.read("crlf").unwrap(), "a\r\nb\r\n$Id$\r\n");
    assert_eq!(place.read(":(top)y").unwrap() + &place.read("new\nline").unwrap(), "xx");
    assert_eq!(place.read("--new"), None);
}

#[test]
fn sessions_have_histories_of_their_own_and_may_work_at_once() {
    let place = Place::new();
    let ids = ["one", "two/../x", "a.lock", "~"];
    std::thread::scope(|scope| {
        for id in ids {
            let place = &place;
            scope.spawn(move || {
                let session = place.session(id);
                for number in 0..3 {
                    before(&session, &save());
                    place.write(&format!("{}-{number}", crate::places::file_name(id)), "x");
                    after(&session, &save());
                }
            });
        }
    });
    let all = place.shadow().list().unwrap();
    for id in ["one", "two%2F%2E%2E%2Fx", "a%2Elock", "%7E"] {
        let labels: Vec<&str> = all
            .iter()
            .rev()
            .filter(|snapshot| snapshot.session == id)
            .map(|snapshot| snapshot.label.as_str())
            .collect();
        assert_eq!(labels[..3], ["initial", "pre:save", "post:save"], "{id}: {all:?}");
        assert_eq!(labels.len(), 7);
    }
}

#[test]
fn calls_in_one_another_are_compared_with_their_own_beginning() {
    let place = Place::new();
    let session = place.session("s");
    let call = |id: &str| ToolUse { call_id: Some(id.to_owned()), ..save() };
    before(&session, &call("outer"));
    place.write("a", "two\n");
    before(&session, &call("inner"));
    after(&session, &call("inner"));
    after(&session, &call("outer"));
    assert_eq!(place.labels(), ["initial", "pre:save", "pre:save", "post:save"]);
    assert!(session.try_state::<Calls>().unwrap().open.is_empty());
}

#[test]
fn calls_whose_end_is_never_told_do_not_pile_up() {
    let place = Place::new();
    let session = place.session("s");
    for number in 0..MOST_OPEN {
        let (call, tree) = (format!("old {number}"), String::new());
        session.try_state::<Calls>().unwrap().open.push(Open { call, tree });
    }
    before(&session, &save());
    let open =
        session.try_state::<Calls>().unwrap().open.iter().map(|open| open.call.clone()).collect::<Vec<_>>();
    assert_eq!((open.len(), open[0].as_str()), (MOST_OPEN, "old 1"));
    after(&session, &save());
    assert_eq!(place.labels(), ["initial", "pre:save"], "the newest one is known");
}

#[test]
fn a_call_does_not_wait_each_time_where_snapshots_take_too_long() {
    let place = Place::new();
    let session = place.session_with("s", "enabled = true\ntimeout = 1");
    let failures = || fire_now!(session, TOOL_PRE_EXECUTE { tool_use: &save() }).failures().len();
    let held = place.shadow().hold().unwrap();
    for _ in 0..SLOW {
        assert_eq!(failures(), 1, "another process holds the session");
    }
    for _ in 0..REST {
        assert_eq!(failures(), 0);
    }
    assert!(place.labels().is_empty());
    drop(held);
    before(&session, &save());
    assert_eq!(place.labels(), ["initial", "pre:save"], "it tries again");
    let index = place.shadow().dir.join("index.s");
    place.write("b", "x");
    let slow = place.shadow().deadline(Duration::ZERO).take("post:save", place.clock.now());
    assert!(slow.unwrap_err().took_long() && index.exists(), "a slow git is no reason to start from nothing");
}

#[test]
fn our_own_files_are_no_part_of_the_tree() {
    let place = Place::new();
    let state = place.workspace.path().join("state [1]");
    fs::create_dir(&state).unwrap();
    fs::write(state.join("log"), "x").unwrap();
    let shadow = Settings::default().shadow(Some(&StateDir(state)), place.workspace.path(), "s").unwrap();
    shadow.take("post:one", place.clock.now()).unwrap();
    let held = shadow.git.run(["ls-files"]).unwrap().text();
    assert_eq!(held, "a\n");
}

#[test]
fn what_a_killed_git_left_behind_and_a_spoilt_index_are_put_right() {
    let place = Place::new();
    place.snapshot("post:one");
    let index = place.shadow().dir.join("index.s");
    fs::write(place.shadow().dir.join("index.s.lock"), "half").unwrap();
    place.write("b", "x");
    let second = place.snapshot("post:two");
    assert_eq!(place.files(&second.id), ["a", "b"]);
    fs::write(&index, "DIRC spoilt").unwrap();
    place.write("c", "x");
    let third = place.snapshot("post:\nthree\u{1f}x");
    assert_eq!((place.files(&third.id).len(), third.label.as_str()), (3, "post: three x"));
}

#[test]
fn sessions_that_ended_long_ago_go_at_a_sessions_end() {
    let place = Place::new();
    place.snapshot("post:old");
    place.clock.advance(Duration::from_secs(31 * 24 * 60 * 60));
    let session = place.session("now");
    before(&session, &save());
    let _ = fire_now!(session, SESSION_END { reason: EndReason::Exit });
    assert_eq!(session.drain_now(Duration::from_secs(30)), []);
    let left = place.shadow().list().unwrap();
    assert!(!left.is_empty() && left.iter().all(|snapshot| snapshot.session == "now"), "{left:?}");
    assert!(!place.shadow().dir.join("index.s").exists());
}

#[test]
fn without_a_place_and_at_the_root_it_says_what_to_do() {
    let settings = Settings::default();
    let error = settings.shadow(None, Path::new("/tmp"), "s").unwrap_err().to_string();
    assert!(error.contains("set `dir` in `[hooks.auto_snapshots]`"), "{error}");
    let state = StateDir("/tmp".into());
    let error = settings.shadow(Some(&state), Path::new("/"), "s").unwrap_err().to_string();
    assert!(error.contains("too much"), "{error}");
}

#[test]
fn no_text_whatever_makes_the_classifier_fail() {
    let parts = [
        "'",
        "\"",
        "`",
        "$(",
        "${",
        "((",
        ")",
        "}",
        "<<E",
        "\n",
        "E\n",
        ">",
        "&",
        "|",
        "\\",
        "#",
        "é",
        "🦀",
        " ",
        "open(",
        "'w'",
        "f'{",
        "!",
        "%",
        "= !",
        "git",
        "find -exec",
        "tar",
        "-",
        "\u{0}",
        "new-session '",
        "\"\"\"",
        "=",
    ];
    // A small generator with a fixed seed: the same texts each time.
    let mut seed = 7_u64;
    let mut next = || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(seed >> 33).unwrap()
    };
    for _ in 0..20_000 {
        let length = next() % 12;
        let text: String = (0..length).map(|_| parts[next() % parts.len()]).collect();
        for tool in ["shell", "ipython", "tmux", text.as_str()] {
            let _ = classify::writes(&ToolUse::fenced(tool, [""; 0], text.as_str()), &[]);
        }
    }
}
