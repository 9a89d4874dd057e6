//! With real repositories.

use std::fs;
use std::process::Command;

use hookspec::model::Usage;
use hookspec::{Config, Hooks, Registry, fire_now};
use tempfile::TempDir;

use super::*;

struct Place(TempDir);

impl Place {
    fn new() -> Self {
        let place = Self(tempfile::tempdir().unwrap());
        place.git(&["init", "-q", "-b", "main"]);
        place.git(&["config", "user.name", "T"]);
        place.git(&["config", "user.email", "t@example.org"]);
        place.write("a", "one\n");
        place.write("b", "one\n");
        place.write(".gitignore", "ignored\n");
        place.git(&["add", "-A"]);
        place.git(&["commit", "-q", "-m", "first"]);
        place
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().canonicalize().unwrap().join(name)
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn git(&self, args: &[&str]) -> String {
        let output = Command::new("git").args(args).current_dir(self.0.path()).output().unwrap();
        assert!(output.status.success(), "{args:?}: {output:?}");
        String::from_utf8(output.stdout).unwrap().trim_end().to_owned()
    }

    fn session_with(&self, settings: &str, prompt: &str) -> Session {
        let mut config = Config::new();
        config.add_toml("test", &format!("[hooks.autocommit]\n{settings}"), &[]).unwrap();
        let registry = Registry::builder().allow(["autocommit"]).config(config).build().unwrap();
        let log = [Message::user(prompt), Message::system("noted"), Message::new(Role::Assistant, "done")];
        Session::builder(&Hooks::new(registry), "s").workspace(self.0.path()).log(log, None).build()
    }

    fn session(&self) -> Session {
        self.session_with("enabled = true", "Make it two\nplease")
    }

    /// As a tool writes a file.
    fn save(&self, session: &Session, name: &str, text: &str) {
        let path = &self.path(name);
        let fired = fire_now!(session, FILE_PRE_SAVE { path, content: text });
        assert!(fired.failures().is_empty(), "{fired:?}");
        let created = !path.exists();
        self.write(name, text);
        let _ = fire_now!(session, FILE_POST_SAVE { path, content: text, created });
    }

    fn patch(&self, session: &Session, name: &str, after: &str) {
        let path = &self.path(name);
        let _ = fire_now!(session, FILE_PRE_PATCH { path, patch: "", before: "", after });
        self.write(name, after);
        let _ = fire_now!(session, FILE_POST_PATCH { path, before: "", after, diff: "" });
    }

    fn subjects(&self) -> Vec<String> {
        self.git(&["log", "--format=%s"]).lines().map(str::to_owned).collect()
    }

    fn committed(&self) -> Vec<String> {
        self.git(&["show", "--format=", "--name-status"]).lines().map(str::to_owned).collect()
    }
}

fn rest_with(session: &Session, changed: &[PathBuf], outcome: TurnOutcome) -> Fired {
    let usage = Usage::default();
    fire_now!(session, TURN_POST { steps: 1, changed, usage: &usage, outcome })
}

type Fired = hookspec::point::Fired<hookspec::point::Messages>;

fn rest(session: &Session) -> Vec<String> {
    let fired = rest_with(session, &[], TurnOutcome::Complete);
    assert!(fired.failures().is_empty(), "{fired:?}");
    fired.into_messages().into_iter().map(|message| message.content).collect()
}

#[test]
fn off_unless_enabled_and_silent_outside_of_a_repository() {
    let place = Place::new();
    let session = place.session_with("", "x");
    place.save(&session, "a", "two\n");
    assert!(rest(&session).is_empty());
    assert_eq!(place.subjects(), ["first"]);
    let session = place.session();
    fs::remove_dir_all(place.path(".git")).unwrap();
    place.save(&session, "a", "three\n");
    assert!(rest(&session).is_empty());
}

#[test]
fn the_turns_files_are_committed_and_no_others() {
    let place = Place::new();
    let session = place.session();
    place.write("b", "mine\n");
    place.write("untracked", "mine\n");
    place.write("staged", "mine\n");
    place.git(&["add", "staged"]);
    place.save(&session, "a", "two\n");
    place.save(&session, "new/*", "n\n");
    place.patch(&session, "-m", "odd\n");
    place.save(&session, "ignored", "x\n");
    let head = || place.git(&["log", "-1", "--format=%h"]);
    let said = rest(&session);
    assert_eq!(said, [format!("Committed 3 files: {} Make it two", head())]);
    assert_eq!(place.committed(), ["A\t-m", "M\ta", "A\tnew/*"]);
    assert_eq!(place.git(&["status", "--porcelain"]), " M b\nA  staged\n?? untracked");
    assert!(rest(&session).is_empty(), "a turn without changes");
    place.patch(&session, "a", "three\n");
    fs::remove_file(place.path("-m")).unwrap();
    let _ = rest_with(&session, &[place.path("-m"), "/etc/hostname".into()], TurnOutcome::Complete);
    assert_eq!(place.committed(), ["D\t-m", "M\ta"]);
}

#[test]
fn files_that_were_changed_or_staged_before_are_left_out_and_named() {
    let place = Place::new();
    let session = place.session();
    place.write("a", "mine\n");
    place.write("untracked", "mine\n");
    place.save(&session, "a", "both\n");
    place.save(&session, "untracked", "both\n");
    place.save(&session, "b", "two\n");
    place.save(&session, "c", "new\n");
    place.git(&["add", "b"]);
    let said = rest(&session);
    let (committed, left) = said[0].split_once('\n').unwrap();
    assert!(committed.starts_with("Committed 1 file: "), "{said:?}");
    assert_eq!(
        left,
        "Not committed: b (it has staged changes), a (it was changed before the agent changed it), \
         untracked (it was changed before the agent changed it)"
    );
    assert_eq!(place.committed(), ["A\tc"]);
    assert_eq!(place.git(&["status", "--porcelain"]), " M a\nM  b\n?? untracked");
}

#[test]
fn a_write_that_was_refused_is_no_change() {
    let place = Place::new();
    let session = place.session();
    place.write("a", "mine\n");
    let _ = fire_now!(session, FILE_PRE_SAVE { path: &place.path("a"), content: "both\n" });
    assert!(rest(&session).is_empty());
    place.git(&["checkout", "-q", "a"]);
    place.save(&session, "a", "two\n");
    assert!(rest(&session)[0].starts_with("Committed 1 file"), "the user's change is gone since");
}

#[test]
fn a_turn_that_was_cut_short_goes_with_the_next_one() {
    let place = Place::new();
    let session = place.session();
    place.save(&session, "a", "two\n");
    for outcome in
        [TurnOutcome::Interrupted, TurnOutcome::Error, TurnOutcome::Declined, TurnOutcome::StepLimit]
    {
        assert!(rest_with(&session, &[place.path("a")], outcome).messages().is_empty());
    }
    assert_eq!(place.subjects(), ["first"]);
    place.save(&session, "a", "three\n");
    place.save(&session, "b", "two\n");
    let resumed = Session::builder(session.hooks(), "s")
        .workspace(place.0.path())
        .states(session.save_states())
        .build();
    let said = rest(&resumed);
    assert!(said[0].ends_with("Change a and b"), "{said:?}");
    assert_eq!(place.committed(), ["M\ta", "M\tb"]);
}

#[test]
fn nothing_is_committed_in_the_middle_of_something() {
    let place = Place::new();
    place.git(&["checkout", "-q", "-b", "other"]);
    place.write("b", "other\n");
    place.git(&["commit", "-q", "-am", "other"]);
    place.git(&["checkout", "-q", "main"]);
    place.git(&["merge", "-q", "--no-ff", "--no-commit", "other"]);
    let session = place.session();
    place.save(&session, "a", "two\n");
    assert_eq!(rest(&session), ["Nothing was committed: the repository is in the middle of a merge."]);
    place.git(&["merge", "--abort"]);
    place.git(&["checkout", "-q", "--detach"]);
    assert_eq!(rest(&session), ["Nothing was committed: no branch is checked out."]);
    place.git(&["checkout", "-q", "main"]);
    place.save(&session, "a", "three\n");
    assert!(rest(&session)[0].starts_with("Committed 1 file"));
}

#[test]
fn the_first_commit_of_a_repository_works_and_a_failing_one_leaves_nothing_behind() {
    let place = Place(tempfile::tempdir().unwrap());
    place.git(&["init", "-q", "-b", "main"]);
    place.git(&["config", "user.name", ""]);
    place.git(&["config", "user.email", "t@example.org"]);
    let session = place.session();
    place.save(&session, "a", "one\n");
    let fired = rest_with(&session, &[], TurnOutcome::Complete);
    let failure = fired.failures()[0].to_string();
    assert!(failure.contains("the turn was not committed") && failure.contains("git commit"), "{failure}");
    assert_eq!(place.git(&["status", "--porcelain"]), "?? a");
    place.git(&["config", "user.name", "T"]);
    assert!(rest(&session)[0].starts_with("Committed 1 file"));
    assert_eq!(place.subjects(), ["Make it two"]);
}

#[test]
fn nothing_that_the_repository_names_is_run() {
    use std::os::unix::fs::PermissionsExt;
    let place = Place::new();
    for hook in ["pre-commit", "commit-msg", "post-commit", "prepare-commit-msg"] {
        let path = place.path(".git/hooks").join(hook);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, format!("#!/bin/sh\ntouch '{}'\nexit 1\n", place.path("sprung").display())).unwrap();
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
    }
    place.git(&["config", "commit.gpgSign", "true"]);
    place.git(&["config", "gpg.program", &place.path(".git/hooks/pre-commit").display().to_string()]);
    let session = place.session();
    place.save(&session, "a", "two\n");
    assert!(rest(&session)[0].starts_with("Committed 1 file"));
    assert!(!place.path("sprung").exists());
}

#[test]
fn messages_are_made_from_the_template_and_the_users_words() {
    let files = |names: &[&str]| names.iter().map(PathBuf::from).collect::<Vec<_>>();
    for (template, prompt, named, wanted) in [
        ("{prompt}", "Fix {files}", vec!["a"], "Fix {files}"),
        ("agent: {prompt}\n\n{files} in {session}", "Fix", vec!["d/a", "b"], "agent: Fix\n\na and b in s"),
        ("{prompt}", "", vec!["a", "b", "c"], "Change a and 2 more"),
        ("{other} {", "x", vec!["a"], "{other} {"),
        ("", "Fix", vec!["a"], "Fix"),
    ] {
        assert_eq!(message(template, prompt, &files(&named), "s"), wanted, "{template}");
    }
    let long = shortened(&"word ".repeat(30));
    assert!(long.chars().count() <= 72 && long.ends_with("word…"), "{long}");
    assert_eq!(shortened("a\u{1b}[31mb"), "a[31mb");
}

#[test]
fn the_subject_is_what_the_user_asked_and_not_what_a_hook_went_on_with() {
    let place = Place::new();
    let session = place.session();
    session.append(Message::user("the tests fail").said_by("ci.go_on")).unwrap();
    place.save(&session, "a", "two\n");
    rest(&session);
    assert_eq!(place.subjects(), ["Make it two", "first"]);
}

#[test]
fn subjects_that_look_like_comments_or_options_stay() {
    let place = Place::new();
    let session = place.session_with("enabled = true", "\n  #1 --amend");
    place.save(&session, "a", "two\n");
    rest(&session);
    assert_eq!(place.subjects(), ["#1 --amend", "first"]);
    let session = place.session_with("enabled = true", "--amend");
    place.save(&session, "a", "three\n");
    rest(&session);
    assert_eq!(place.subjects()[0], "--amend");
}
