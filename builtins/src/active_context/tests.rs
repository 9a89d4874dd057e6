//! The rows of the specification, and the weaknesses that it names, with real git.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::SystemTime;

use hookspec::model::Request;
use hookspec::points::GENERATION_PRE;
use hookspec::{Config, Hooks, Message, Registry, Role, Session, fire_now};

use crate::Home;
use crate::git::Git;

const ON: &str = "[hooks.active_context]\nenabled = true\n";

struct Stage {
    folder: tempfile::TempDir,
    session: Session,
}

impl Stage {
    fn with(toml: &str, workspace: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        std::fs::create_dir_all(root.join(workspace)).unwrap();
        let mut config = Config::new();
        config.add_toml("hookspec.toml", toml, &[]).unwrap();
        let registry = Registry::builder().config(config).allow(["active_context"]).build().unwrap();
        let session = Session::builder(&Hooks::new(registry), "s")
            .workspace(root.join(workspace))
            .extension(Arc::new(Home(root.join("home"))))
            .build();
        Self { folder, session }
    }

    fn new() -> Self {
        Self::with(ON, "work")
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join(name)
    }

    fn put(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, content).unwrap();
        // Older than anything that a test calls recent, so that it is not the file's age which decides.
        std::fs::File::open(&path).unwrap().set_modified(SystemTime::UNIX_EPOCH).unwrap();
        path
    }

    /// A repository in `directory`, with all that is there in it.
    fn commit(&self, directory: &str) -> Git {
        let git = Git::at(&self.path(directory)).unwrap();
        git.run(["init", "-q", "-b", "main"]).unwrap();
        git.run(["add", "--all"]).unwrap();
        git.run(["config", "user.name", "T"]).unwrap();
        git.run(["config", "user.email", "t@example.org"]).unwrap();
        git.run(["commit", "-q", "--allow-empty", "-m", "first"]).unwrap();
        git
    }

    fn ask(&self, messages: Vec<Message>) -> Option<Message> {
        let request = Request { messages, ..Request::default() };
        let fired = fire_now!(self.session, GENERATION_PRE { request: &request, attempt: 0 });
        assert!(fired.failures().is_empty(), "{fired:?}");
        assert!(fired.messages().len() < 2);
        fired.into_messages().pop()
    }

    fn said(&self) -> Option<String> {
        self.ask(vec![Message::user("go on")]).map(|message| message.content)
    }
}

/// The tags of the fences.
fn shown(text: &str) -> Vec<&str> {
    let fences = text.lines().filter_map(|line| line.strip_prefix("````"));
    fences.map(|tag| tag.trim_start_matches('`')).filter(|tag| !tag.is_empty()).collect()
}

/// About so many characters of text that is not all alike, about five to a token.
fn lines(chars: usize) -> String {
    let line = |number| format!("{number}: some ordinary words of an ordinary text in one ordinary row\n");
    (10_000..).map(line).take(chars / 70).collect()
}

#[test]
fn rows_1_2_14_nothing_unless_it_is_on_and_there_is_a_workspace() {
    let off = Stage::with("", "work");
    off.put("work/main.py", "print()");
    off.put("work/gptme.toml", "");
    assert_eq!(off.said(), None);
    let on = Stage::new();
    on.put("work/gptme.toml", "");
    assert!(on.said().is_some(), "w a: a project's file does not switch it off");
    let nowhere = Session::builder(on.session.hooks(), "s").build();
    let request = Request::default();
    assert!(fire_now!(nowhere, GENERATION_PRE { request: &request, attempt: 0 }).messages().is_empty());
}

#[test]
fn row_3_one_visible_message_for_this_request_only() {
    let stage = Stage::new();
    stage.put("work/main.py", "print('hello')\n");
    let message = stage.ask(vec![Message::user("go on")]).unwrap();
    assert!(message.role == Role::System && !message.hide && !message.pinned);
    let cwd = stage.path("work").display().to_string();
    let text = message.content;
    assert!(text.starts_with(&format!("# Context\n\nWorking directory: {cwd}\n\n")), "{text}");
    assert!(text.ends_with("\n\n````main.py\nprint('hello')\n````"), "{text}");
    assert!(stage.session.log().is_empty());
    // The next request, of the same turn, has it as it is then.
    stage.put("work/main.py", "print('changed')\n");
    assert!(stage.said().unwrap().contains("changed"));
}

#[test]
fn rows_4_5_what_programs_write_is_left_out() {
    let stage = Stage::new();
    stage.put("work/package-lock.json", "{}");
    assert_eq!(stage.said(), None);
    let stage = Stage::new();
    for name in ["main.py", "bundle.min.js", "Cargo.lock", "key.pem"] {
        stage.put(&format!("work/{name}"), "x");
    }
    stage.commit("work");
    std::os::unix::fs::symlink(stage.path("work/key.pem"), stage.path("work/note.txt")).unwrap();
    assert_eq!(shown(&stage.said().unwrap()), ["git status", "main.py"]);
}

#[test]
fn row_6_a_file_of_too_many_characters() {
    let stage = Stage::with("[hooks.active_context]\nenabled = true\nmax_file_chars = 5\n", "work");
    stage.put("work/a.txt", "äöüäö");
    stage.put("work/b.txt", "äöüäöü");
    stage.put("work/c.txt", "x".repeat(100));
    assert_eq!(shown(&stage.said().unwrap()), ["a.txt"]);
    let stage = Stage::new();
    stage.put("work/a.txt", "x".repeat(100_000));
    stage.put("work/b.txt", "x".repeat(100_001));
    assert_eq!(shown(&stage.said().unwrap()), ["a.txt"]);
}

#[test]
fn row_7_w_f_tokens_of_the_whole_message_are_limited() {
    let stage = Stage::new();
    stage.put("work/a.txt", lines(99_000));
    stage.put("work/b.txt", lines(99_000));
    stage.put("work/c.txt", "small");
    assert_eq!(shown(&stage.said().unwrap()), ["a.txt", "c.txt"]);
    let small = Stage::with("[hooks.active_context]\nenabled = true\nmax_tokens = 200\n", "work");
    small.put("work/a.txt", lines(300));
    for number in 0..20 {
        small.put(&format!("work/b{number:02}.txt"), "one two three\n");
    }
    let text = small.said().unwrap();
    let tokens = crate::tokens::count(&text);
    assert!((100..=200).contains(&tokens) && shown(&text).len() > 2, "{tokens} tokens: {text}");
}

#[test]
fn rows_8_9_13_what_is_gone_no_text_or_no_file() {
    let stage = Stage::new();
    for name in ["a.txt", "gone.txt"] {
        stage.put(&format!("work/{name}"), "x");
    }
    stage.put("work/b.bin", b"\xff\x00\xfe");
    stage.commit("work");
    std::fs::remove_file(stage.path("work/gone.txt")).unwrap();
    let mut user = Message::user("look");
    user.files = vec![stage.path("home"), stage.path("work/never.txt")];
    std::fs::create_dir(stage.path("home")).unwrap();
    let text = stage.ask(vec![user]).unwrap().content;
    assert_eq!(shown(&text), ["git status", "a.txt", "b.bin"]);
    assert!(text.ends_with("````b.bin\n<binary file>\n````"), "{text}");
    assert!(text.contains("````git status\n## main\n D gone.txt\n````"), "{text}");
}

#[test]
fn row_8_many_files_that_are_gone_or_left_out_hide_none_that_is_there() {
    let stage = Stage::new();
    stage.put("work/a.txt", "x");
    for number in 0..150 {
        stage.put(&format!("work/gone{number}.txt"), "x");
    }
    let git = stage.commit("work");
    for number in 0..150 {
        std::fs::remove_file(stage.path(&format!("work/gone{number}.txt"))).unwrap();
        stage.put(&format!("work/made{number}.js.map"), "x");
    }
    git.run(["add", "--all"]).unwrap();
    assert_eq!(shown(&stage.said().unwrap()), ["git status", "a.txt"]);
}

#[test]
fn row_10_attached_files_count_also_where_git_fails() {
    let stage = Stage::new();
    // Not what git makes there.
    stage.put("work/.git/nothing", "");
    stage.put("work/main.py", "print()");
    let note = stage.put("elsewhere/note.txt", "attached");
    let mut user = Message::user("look");
    user.files.push(note.clone());
    let text = stage.ask(vec![user]).unwrap().content;
    assert_eq!(shown(&text), [note.to_str().unwrap(), "main.py"]);
}

#[test]
fn rows_11_12_a_status_alone() {
    let stage = Stage::new();
    stage.commit("work");
    assert_eq!(stage.said(), None, "no files, nothing to say");
    stage.put("work/Cargo.lock", "x");
    assert_eq!(shown(&stage.said().unwrap()), ["git status"]);
}

#[test]
fn what_changed_comes_first_and_ten_files_are_enough() {
    let stage = Stage::new();
    for number in 10..30 {
        stage.put(&format!("work/f{number}.txt"), "x");
    }
    let git = stage.commit("work");
    for (name, text) in [("f20.txt", "modified"), ("f21.txt", "staged"), ("new.txt", "untracked")] {
        stage.put(&format!("work/{name}"), text);
    }
    git.run(["add", "f21.txt"]).unwrap();
    let text = stage.said().unwrap();
    let tags = shown(&text);
    assert_eq!(tags.len(), 11);
    assert_eq!(tags[..5], ["git status", "f21.txt", "f20.txt", "new.txt", "f10.txt"]);
    let asked = vec![Message::user("see f29.txt"), Message::assistant("f29.txt, yes")];
    let text = stage.ask(asked).unwrap().content;
    assert_eq!(shown(&text)[4], "f29.txt");
}

#[test]
fn w_c_the_status_is_the_workspaces_also_below_the_repositorys_top() {
    let stage = Stage::with(ON, "repo/work");
    stage.put("repo/work/a.txt", "x");
    stage.put("repo/other/b.txt", "x");
    stage.commit("repo");
    stage.put("repo/work/a.txt", "changed");
    stage.put("repo/other/b.txt", "changed");
    stage.session.set_cwd(stage.path("repo/other"));
    let text = stage.said().unwrap();
    assert!(text.contains("\n M work/a.txt\n") && !text.contains("b.txt"), "{text}");
    assert!(text.contains(&format!("````{}", stage.path("repo/work/a.txt").display())), "{text}");
}

#[test]
fn a_workspace_that_the_repository_around_it_ignores() {
    let stage = Stage::with(ON, "repo/work");
    stage.put("repo/.gitignore", "*\n");
    stage.put("repo/work/main.py", "x");
    stage.commit("repo");
    assert_eq!(shown(&stage.said().unwrap()), ["git status", "main.py"]);
}

#[test]
fn w_e_a_workspace_below_a_hidden_directory() {
    let stage = Stage::with(ON, ".cache/work");
    stage.put(".cache/work/main.py", "x");
    assert_eq!(shown(&stage.said().unwrap()), ["main.py"]);
}

#[test]
fn w_h_a_file_cannot_end_its_fence() {
    let stage = Stage::new();
    stage.put("work/a.md", "`````\n# not ours\n``````\n");
    let text = stage.said().unwrap();
    assert!(text.ends_with("\n\n```````a.md\n`````\n# not ours\n``````\n```````"), "{text}");
}

#[test]
fn links_out_of_the_workspace_are_not_followed() {
    let stage = Stage::new();
    let secret = stage.put("home/secret.txt", "secret");
    stage.put("work/a.txt", "x");
    std::os::unix::fs::symlink(&secret, stage.path("work/b.txt")).unwrap();
    std::os::unix::fs::symlink(stage.path("work/a.txt"), stage.path("work/c.txt")).unwrap();
    stage.commit("work");
    assert_eq!(shown(&stage.said().unwrap()), ["git status", "a.txt"], "nor is a file shown twice");
}

#[test]
fn files_are_listed_once_a_turn_and_changes_with_each_request() {
    let stage = Stage::new();
    stage.put("work/a.txt", "x");
    let git = stage.commit("work");
    let turn = || vec![Message::user("go on")];
    assert_eq!(shown(&stage.ask(turn()).unwrap().content), ["git status", "a.txt"]);
    stage.put("work/b.txt", "x");
    assert_eq!(shown(&stage.ask(turn()).unwrap().content), ["git status", "b.txt", "a.txt"]);
    git.run(["add", "b.txt"]).unwrap();
    git.run(["commit", "-q", "-m", "second"]).unwrap();
    assert_eq!(shown(&stage.ask(turn()).unwrap().content), ["git status", "a.txt"], "listed before");
    let next = vec![Message::user("go on"), Message::user("and on")];
    assert_eq!(shown(&stage.ask(next).unwrap().content), ["git status", "a.txt", "b.txt"]);
    let saved = stage.session.save_states();
    assert!(saved.values().all(|state| state.to_string().len() < 10), "{saved:?}");
}

#[test]
fn nothing_that_the_repository_names_is_run() {
    let stage = Stage::new();
    stage.put("work/a.txt", "x");
    let git = stage.commit("work");
    let mark = stage.path("sprung");
    git.run(["config", "core.fsmonitor", &format!("touch {}; false", mark.display())]).unwrap();
    assert!(stage.said().is_some());
    assert!(!mark.exists());
    let careless = std::process::Command::new("git").arg("status").current_dir(stage.path("work")).output();
    assert!(careless.unwrap().status.success() && mark.exists(), "the trap works");
}
