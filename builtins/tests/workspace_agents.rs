//! Real processes, named and placed as the specification's tables do.

#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used)] // a test that cannot go on has failed

use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use hookspec_builtins::workspace_agents::{Agent, Mode, Runtime, scan};

/// A folder of stand-ins: programs that only sleep, under the names of agents.
struct Stage {
    folder: tempfile::TempDir,
    started: std::cell::RefCell<Vec<u32>>,
    /// One test at a time: a process that is started while another thread still writes a program may hold
    /// that file open for a moment, and the system refuses to run it then.
    _alone: std::sync::MutexGuard<'static, ()>,
}

static ALONE: std::sync::Mutex<()> = std::sync::Mutex::new(());

impl Drop for Stage {
    fn drop(&mut self) {
        for pid in self.started.borrow().iter() {
            let _ = Command::new("kill").args(["-KILL", &pid.to_string()]).stderr(Stdio::null()).status();
        }
    }
}

impl Stage {
    fn new() -> Self {
        let _alone = ALONE.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let stage = Self { folder: tempfile::tempdir().unwrap(), started: Default::default(), _alone };
        std::fs::create_dir(stage.path("bin")).unwrap();
        stage
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join(name)
    }

    fn dir(&self, name: &str) -> PathBuf {
        std::fs::create_dir_all(self.path(name)).unwrap();
        self.path(name)
    }

    /// A program of that name; it sleeps, whatever its arguments are.
    fn program(&self, name: &str) -> PathBuf {
        let path = self.path("bin").join(name);
        if !path.exists() {
            // A copy of the shell: its first argument is the script that sleeps.
            std::fs::copy(std::fs::canonicalize("/bin/sh").unwrap(), &path).unwrap();
        }
        path
    }

    fn script(&self, name: &str) -> PathBuf {
        let path = self.path("bin").join(name);
        std::fs::write(&path, "#!/bin/sh\nread wait <&9\n").unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
        path
    }

    /// Starts a command line as nobody's child: relatives of this process do not count as others. Waits until
    /// the process is what it shall be.
    fn start(&self, cwd: &Path, program: &Path, args: &[&str]) -> u32 {
        // The process waits on a pipe that nobody writes to: `sleep` would be a child of its own.
        let fifo = self.path("fifo");
        if !fifo.exists() {
            assert!(Command::new("mkfifo").arg(&fifo).status().unwrap().success());
        }
        let output = Command::new("sh")
            .args(["-c", "fifo=$1; shift; \"$@\" 9<>\"$fifo\" >/dev/null 2>&1 & echo $!", "start"])
            .arg(&fifo)
            .arg(program)
            .args(args)
            .current_dir(cwd)
            .stdin(Stdio::null())
            .output()
            .unwrap();
        let pid: u32 = String::from_utf8(output.stdout).unwrap().trim().parse().unwrap();
        self.started.borrow_mut().push(pid);
        let expected = program.to_string_lossy().into_owned();
        until("it runs", || {
            let line = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
            String::from_utf8_lossy(&line).contains(&expected)
        });
        pid
    }

    /// A stand-in agent with its arguments.
    fn agent(&self, cwd: &Path, name: &str, args: &[&str]) -> u32 {
        // The copied shell runs the waiting script and shows the arguments behind it.
        let wait = self.script("wait");
        let program = self.program(name);
        let wait = wait.to_string_lossy().into_owned();
        self.start(cwd, &program, &[&[wait.as_str()], args].concat())
    }
}

fn until(what: &str, mut done: impl FnMut() -> bool) {
    let end = Instant::now() + Duration::from_secs(20);
    while !done() {
        assert!(Instant::now() < end, "waited in vain until {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn found(workspace: &Path) -> Vec<Agent> {
    let scan = scan(Some(workspace));
    assert!(!scan.partial);
    scan.agents
}

fn pids(workspace: &Path) -> Vec<u32> {
    found(workspace).iter().map(|agent| agent.pid).collect()
}

fn git(cwd: &Path, args: &[&str]) {
    let status = Command::new("git")
        .args(["-c", "user.name=test", "-c", "user.email=test@example.com", "-c", "init.defaultBranch=main"])
        .args(args)
        .current_dir(cwd)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    assert!(status.unwrap().success(), "{args:?}");
}

#[test]
fn s2_s3_s6_only_those_in_the_workspace_through_links_too() {
    let stage = Stage::new();
    let (ws, other, sub) = (stage.dir("ws"), stage.dir("ws-other"), stage.dir("ws/sub"));
    symlink(&ws, stage.path("link")).unwrap();
    let inside = stage.agent(&sub, "claude", &["-p", "hello"]);
    stage.agent(&other, "claude", &[]);
    assert_eq!(pids(&ws), [inside]);
    assert_eq!(pids(&stage.path("link")), [inside]);
    assert_eq!(pids(&stage.path("ws/")), [inside]);
    assert!(pids(&stage.dir("elsewhere")).is_empty());
    let agent = &found(&ws)[0];
    assert_eq!((agent.runtime, agent.mode, &agent.cwd), (Runtime::ClaudeCode, Mode::Autonomous, &sub));
    assert!(agent.uptime_seconds.is_some() && agent.memory_mb.is_some() && !agent.stale);
}

#[test]
fn an_interpreters_script_is_an_agent_and_an_argument_is_not() {
    let stage = Stage::new();
    let ws = stage.dir("ws");
    let script = stage.script("gptme");
    let shell = std::fs::canonicalize("/bin/bash").unwrap_or_else(|_| "/bin/sh".into());
    let agent = stage.start(&ws, &shell, &[script.to_str().unwrap(), "-n"]);
    // As `vim /home/u/claude`: a program that is no interpreter, with a path of an agent's name behind it.
    let named = stage.script("opencode");
    let editor = stage.program("editor");
    let wait = stage.script("wait");
    stage.start(&ws, &editor, &[wait.to_str().unwrap(), named.to_str().unwrap()]);
    assert_eq!(pids(&ws), [agent]);
    assert_eq!(found(&ws)[0].runtime, Runtime::Gptme);
}

#[test]
fn w2_a_name_that_the_executable_does_not_bear_out_is_no_agent() {
    let stage = Stage::new();
    let ws = stage.dir("ws");
    // A link, so that the command line says `claude` and the executable something else.
    let sleep = std::fs::canonicalize("/bin/sleep").unwrap();
    symlink(sleep, stage.path("bin").join("claude")).unwrap();
    stage.start(&ws, &stage.path("bin").join("claude"), &["60"]);
    assert!(pids(&ws).is_empty());
}

#[test]
fn w4_children_of_this_process_are_no_others() {
    let stage = Stage::new();
    let ws = stage.dir("ws");
    let program = stage.program("codex");
    let mut child = Command::new(program)
        .args(["-c", "read wait"])
        .current_dir(&ws)
        .stdin(Stdio::piped())
        .spawn()
        .unwrap();
    let before = pids(&ws);
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(before.is_empty());
}

#[test]
fn w5_a_stopped_agent_is_stale_and_one_whose_directory_is_gone_is_still_here() {
    let stage = Stage::new();
    let (ws, gone) = (stage.dir("ws"), stage.dir("ws/gone"));
    let stopped = stage.agent(&ws, "aider", &[]);
    let homeless = stage.agent(&gone, "amp", &[]);
    std::fs::remove_dir(&gone).unwrap();
    assert!(Command::new("kill").args(["-STOP", &stopped.to_string()]).status().unwrap().success());
    until("it is stopped", || {
        let status = std::fs::read_to_string(format!("/proc/{stopped}/status")).unwrap();
        status.contains("State:\tT")
    });
    let agents = found(&ws);
    let of =
        |pid| agents.iter().find(|agent| agent.pid == pid).unwrap_or_else(|| panic!("{pid} in {agents:?}"));
    assert!(of(stopped).stale && !of(homeless).stale);
    assert_eq!(of(homeless).cwd, gone);
}

#[test]
fn w10_worktrees_are_told_apart_by_their_git_directory() {
    let stage = Stage::new();
    let repo = stage.dir("repo");
    git(&repo, &["init"]);
    git(&repo, &["commit", "--allow-empty", "-m", "first"]);
    let sub = stage.dir("repo/src/deep");
    git(&repo, &["worktree", "add", "-b", "task", ".worktrees/task"]);
    let nested = repo.join(".worktrees/task");
    let (at_root, in_nested) =
        (stage.agent(&repo, "claude", &[]), stage.agent(&nested, "codex", &["exec", "x"]));
    assert_eq!(
        pids(&sub),
        [at_root],
        "from a subdirectory the one at the root is seen, the nested one is not"
    );
    assert_eq!(pids(&nested), [in_nested]);
    assert_eq!(found(&repo)[0].branch.as_deref(), Some("main"));
    assert_eq!(found(&nested)[0].branch.as_deref(), Some("task"));
    // Anywhere, both are there.
    let anywhere: Vec<u32> = scan(None).agents.iter().map(|agent| agent.pid).collect();
    assert!(anywhere.contains(&at_root) && anywhere.contains(&in_nested));
}

#[test]
fn s4_s5_two_alike_are_both_known_and_one_is_shown() {
    let stage = Stage::new();
    let ws = stage.dir("ws");
    let first = stage.agent(&ws, "claude", &[]);
    let second = stage.agent(&ws, "claude", &[]);
    let scan = scan(Some(&ws));
    let mut known: Vec<u32> = scan.agents.iter().map(|agent| agent.pid).collect();
    known.sort_unstable();
    let mut both = [first, second];
    both.sort_unstable();
    assert_eq!(known, both);
    assert_eq!(scan.shown().len(), 1);
    assert_eq!(scan.shown()[0].pid, both[1]);
}
