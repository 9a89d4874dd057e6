//! A home and a workspace beside it, for the tests of the hooks that load instructions; and tests of where
//! instructions may come from.

use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use hookspec::points::{CWD_CHANGED, SESSION_START, StartReason, TOOL_POST_EXECUTE};
use hookspec::tool::ToolStatus;
use hookspec::{Config, Hooks, Message, Registry, Session, ToolUse, fire_now};

use super::{Home, Trees};

pub(crate) struct Stage {
    folder: tempfile::TempDir,
    hooks: Hooks,
}

impl Stage {
    /// With the hooks of both groups, and this `hookspec.toml`.
    pub(crate) fn with(toml: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        for name in ["home", "work"] {
            std::fs::create_dir(folder.path().join(name)).unwrap();
        }
        let mut config = Config::new();
        config.add_toml("hookspec.toml", toml, &[]).unwrap();
        let allowed = ["agents_md_inject", "tool_target_instructions"];
        let registry = Registry::builder().config(config).allow(allowed).build().unwrap();
        Self { folder, hooks: Hooks::new(registry) }
    }

    pub(crate) fn new() -> Self {
        Self::with("")
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join(name)
    }

    pub(crate) fn put(&self, name: &str, text: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        path
    }

    pub(crate) fn link(&self, target: &str, name: &str) {
        symlink(self.path(target), self.path(name)).unwrap();
    }

    pub(crate) fn session(&self) -> Session {
        self.resumed(Vec::new())
    }

    /// A session whose state is gone, with this log.
    pub(crate) fn resumed(&self, log: Vec<Message>) -> Session {
        Session::builder(&self.hooks, "s")
            .workspace(self.path("work"))
            .extension(Arc::new(Home(self.path("home"))))
            .log(log, None)
            .build()
    }
}

pub(crate) fn start(session: &Session) -> Vec<Message> {
    fire_now!(session, SESSION_START { resumed: false, reason: StartReason::New, initial: &[] })
        .into_messages()
}

pub(crate) fn cd(session: &Session, new: &Path) -> Vec<Message> {
    let (old, tool_use) = (session.cwd(), ToolUse::fenced("shell", [""; 0], "cd"));
    session.set_cwd(new);
    fire_now!(session, CWD_CHANGED { old: &old, new, tool_use: &tool_use }).into_messages()
}

pub(crate) fn ended(session: &Session, tool_use: &ToolUse, status: ToolStatus) -> Vec<Message> {
    fire_now!(session, TOOL_POST_EXECUTE { tool_use, result: &[], status, duration: Duration::ZERO })
        .into_messages()
}

pub(crate) fn ran(session: &Session, tool_use: &ToolUse) -> Vec<Message> {
    ended(session, tool_use, ToolStatus::Ok)
}

/// The log of a session, as another process reads it.
pub(crate) fn log(session: &Session) -> Vec<Message> {
    session.log().iter().map(|message| (**message).clone()).collect()
}

/// The last directory and name of each message's file, `!` before those passed over.
pub(crate) fn told(messages: &[Message]) -> Vec<String> {
    let short = |path: &str| {
        let mut parts: Vec<&str> = path.rsplit('/').take(2).collect();
        parts.reverse();
        parts.join("/")
    };
    messages
        .iter()
        .map(|message| {
            let (head, rest) = message.content.split_once(" source=\"").unwrap();
            let name = short(rest.split_once('"').unwrap().0);
            if head == "<agent-instructions" { name } else { format!("!{name}") }
        })
        .collect()
}

fn walk(stage: &Stage, directory: &str) -> Vec<String> {
    let found = Trees::of(&stage.session()).walk(&stage.path(directory));
    let root = stage.path("");
    found.iter().map(|found| found.path.strip_prefix(&root).unwrap().display().to_string()).collect()
}

#[test]
fn outside_of_home_the_walk_ends_at_the_workspaces_repository() {
    let stage = Stage::new();
    for name in ["AGENTS.md", "work/AGENTS.md", "work/a/AGENTS.md", "other/AGENTS.md"] {
        stage.put(name, name);
    }
    assert_eq!(walk(&stage, "work/a"), ["work/AGENTS.md", "work/a/AGENTS.md"]);
    assert_eq!(walk(&stage, "other"), [""; 0], "neither workspace nor home");
    stage.put(".git/HEAD", "");
    assert_eq!(walk(&stage, "work"), ["AGENTS.md", "work/AGENTS.md"]);
    assert_eq!(walk(&stage, "other"), ["AGENTS.md", "other/AGENTS.md"], "the same repository");
}

#[test]
fn a_repository_that_others_may_write_is_not_the_workspaces() {
    let stage = Stage::new();
    for name in [".git/HEAD", "AGENTS.md", "work/AGENTS.md"] {
        stage.put(name, name);
    }
    let open = |mode| std::fs::set_permissions(stage.path(""), std::fs::Permissions::from_mode(mode));
    open(0o777).unwrap();
    assert_eq!(walk(&stage, "work"), ["work/AGENTS.md"], "anybody may have put `.git` there");
    open(0o1777).unwrap();
    assert_eq!(walk(&stage, "work"), ["work/AGENTS.md"], "as in /tmp");
    open(0o755).unwrap();
    assert_eq!(walk(&stage, "work"), ["AGENTS.md", "work/AGENTS.md"]);
}

#[test]
fn a_folder_for_everybody_is_trusted_neither_in_the_workspace_nor_in_home() {
    let stage = Stage::new();
    for name in ["work/tmp/AGENTS.md", "work/mounted/AGENTS.md", "home/drop/AGENTS.md", "home/x/AGENTS.md"] {
        stage.put(name, name);
    }
    for (name, mode) in [("work/tmp", 0o1777), ("work/mounted", 0o777), ("home/drop", 0o777)] {
        std::fs::set_permissions(stage.path(name), std::fs::Permissions::from_mode(mode)).unwrap();
    }
    assert_eq!(walk(&stage, "work/tmp"), [""; 0]);
    assert_eq!(walk(&stage, "work/mounted"), ["work/mounted/AGENTS.md"], "a container's file system");
    assert_eq!(walk(&stage, "home/drop"), [""; 0]);
    assert_eq!(walk(&stage, "home/x"), ["home/x/AGENTS.md"]);
}

#[test]
fn a_link_out_of_the_tree_leads_to_instructions_or_nowhere() {
    let stage = Stage::new();
    stage.put("home/.ssh/id", "secret");
    stage.put("home/dotfiles/CLAUDE.md", "shared");
    stage.put("outside/AGENTS.md", "foreign");
    stage.put("work/docs/rules.txt", "inner");
    stage.link("home/.ssh/id", "work/AGENTS.md");
    stage.link("home/dotfiles/CLAUDE.md", "work/CLAUDE.md");
    stage.link("outside/AGENTS.md", "work/COPILOT.md");
    stage.link("work/docs/rules.txt", "work/GEMINI.md");
    assert_eq!(walk(&stage, "work"), ["home/dotfiles/CLAUDE.md", "work/docs/rules.txt"]);
}

#[test]
fn a_home_at_the_root_makes_nothing_ones_own() {
    let stage = Stage::new();
    stage.put("other/AGENTS.md", "x");
    let session = Session::builder(&stage.hooks, "s").extension(Arc::new(Home("/".into()))).build();
    assert!(Trees::of(&session).walk(&stage.path("other")).is_empty());
}

#[test]
fn states_are_saved_whatever_paths_are_called() {
    use std::os::unix::ffi::OsStrExt;

    let stage = Stage::new();
    let odd = stage.path("work").join(std::ffi::OsStr::from_bytes(b"a\xff"));
    std::fs::create_dir(&odd).unwrap();
    std::fs::write(odd.join("AGENTS.md"), "x").unwrap();
    let session = stage.session();
    assert_eq!(cd(&session, &odd).len(), 1);
    let states = session.save_states();
    assert!(states.keys().any(|name| name.ends_with("Loaded")), "{states:?}");
    let again = Session::builder(session.hooks(), "s").workspace(stage.path("work")).states(states).build();
    assert!(cd(&again, &odd).is_empty());
}
