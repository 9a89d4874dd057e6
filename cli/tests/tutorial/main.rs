//! docs/tutorial.md, followed to the letter: every block that is a file is written, every command is run, and what the
//! page shows of its output is there.
//!
//! Only these differ from what a reader does: the checkout is this one, whose `Cargo.lock` comes along so that no network is
//! needed; what is built lies beside this test's own build; and the model that Claude Code asks is on 127.0.0.1.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stderr)] // a test that cannot go on has failed

mod model;
mod page;

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use model::Model;
use page::{Block, Section, sections};
use serde_json::Value;

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

/// What must come back to Claude Code's model: the second from a process of its own, which knows of the first.
const COMMANDS: [&str; 2] = ["git push --force", "sudo git -C . push origin +main"];
const REFUSALS: [&str; 2] = ["`--force` overwrites what others pushed", "This is refusal 2: ask the user"];

/// Somebody who has only the page.
struct Reader {
    folder: tempfile::TempDir,
    cwd: PathBuf,
    environment: Vec<(String, String)>,
}

impl Reader {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let start = folder.path().join("start");
        std::fs::create_dir_all(folder.path().join("home")).unwrap();
        std::fs::create_dir(&start).unwrap();
        Self { folder, cwd: start, environment: Vec::new() }
    }

    fn start(&self) -> PathBuf {
        self.folder.path().join("start")
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.start().join(path);
        let root = Path::new(ROOT).canonicalize().unwrap();
        let text = text.replace("../../hookspec/", "../hookspec/");
        let text = text.replace("../hookspec/", &format!("{}/", root.display()));
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        let lock = path.with_file_name("Cargo.lock");
        let is_of_a_program = path.ends_with("program/Cargo.toml");
        if path.ends_with("Cargo.toml") && !is_of_a_program && !lock.exists() {
            std::fs::copy(root.join("Cargo.lock"), lock).unwrap();
        }
    }

    fn shell(&self, script: &str) -> Output {
        let home = self.folder.path().join("home");
        let own = |name: &str| format!("{}/{name}", std::env::var("HOME").unwrap_or_default());
        let cargo_home = std::env::var("CARGO_HOME").unwrap_or_else(|_| own(".cargo"));
        let mut path = vec![Path::new(env!("CARGO")).parent().unwrap().to_owned()];
        path.extend(std::env::split_paths(&std::env::var_os("PATH").unwrap()));
        let mut bash = Command::new("bash");
        bash.args(["-c", script]).current_dir(&self.cwd).stdin(Stdio::null());
        for (name, _) in std::env::vars() {
            let ours = ["HOOKSPEC_", "GPTME_", "CARGO", "CLAUDE", "ANTHROPIC_", "XDG_"];
            if ours.iter().any(|prefix| name.starts_with(prefix)) {
                bash.env_remove(name);
            }
        }
        bash.env_remove("CI")
            .env("PATH", std::env::join_paths(path).unwrap())
            .env("HOME", home)
            .env("CARGO_HOME", cargo_home)
            .env("CARGO_NET_OFFLINE", "true")
            .env("CARGO_TARGET_DIR", Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap())
            // As this checkout's own profiles say, or nothing that is in the target folder already would do.
            .env("CARGO_PROFILE_DEV_DEBUG", "false")
            .env("CARGO_PROFILE_RELEASE_OPT_LEVEL", "1")
            .envs(self.environment.iter().map(|(name, value)| (name, value)))
            .output()
            .unwrap()
    }

    fn run(&mut self, command: &str, shown: &[String]) {
        let note = self.folder.path().join("cwd");
        let output =
            self.shell(&format!("exec 2>&1\n{command}\nstatus=$?\npwd >'{}'\nexit $status", note.display()));
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success(), "$ {command}\n{text}");
        let mut printed = text.lines();
        for line in shown {
            assert!(
                printed.any(|printed| page::is_like(line, printed)),
                "$ {command}\nnot there: {line}\n{text}"
            );
        }
        self.cwd = std::fs::read_to_string(note).unwrap().trim().into();
    }

    fn follow(&mut self, section: &Section, skips: &dyn Fn(&str) -> bool) {
        for block in &section.blocks {
            match block {
                Block::File { path, text } => self.write(path, text),
                Block::Commands(commands) => {
                    for (command, shown) in commands.iter().filter(|(command, _)| !skips(command)) {
                        self.run(command, shown);
                    }
                }
            }
        }
    }
}

fn tutorial() -> Vec<Section> {
    sections(&std::fs::read_to_string(Path::new(ROOT).join("docs/tutorial.md")).unwrap())
}

/// The sections that need hookspec's whole program.
fn is_slow(section: &Section) -> bool {
    ["In the terminal", "In Claude Code"].contains(&section.title.as_str())
}

#[test]
fn the_crate_its_tests_and_the_host_of_ones_own() {
    let mut reader = Reader::new();
    let sections = tutorial();
    assert_eq!(sections.iter().filter(|section| is_slow(section)).count(), 2);
    for section in sections.iter().filter(|section| !is_slow(section)) {
        reader.follow(section, &|_| false);
    }
    for folder in ["push-guard", "my-host"] {
        reader.cwd = reader.start().join(folder);
        reader.run("cargo fmt --check", &[]);
        reader.run("cargo clippy -q --all-targets -- -D warnings", &[]);
    }
}

/// Claude Code, from a folder that later runs find again; `None` where npm or its registry is out of reach.
fn claude() -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("claude-code");
    let programs = folder.join("node_modules/.bin");
    if !programs.join("claude").exists() {
        let npm = Command::new("npm")
            .args(["install", "--no-audit", "--no-fund", "--prefix"])
            .args([folder.as_os_str(), "@anthropic-ai/claude-code".as_ref()])
            .output();
        let works = npm.is_ok_and(|output| output.status.success());
        if !works {
            eprintln!("Claude Code could not be installed from npm: its section is left out");
            return None;
        }
    }
    Some(programs)
}

#[test]
#[ignore = "slow: builds all of hookspec once more, installs a real client and runs it"]
fn slow_the_whole_page() {
    let mut reader = Reader::new();
    let model = Model::start(&COMMANDS);
    let claude = claude();
    if let Some(programs) = &claude {
        let path = format!("{}:{}", std::env::var("PATH").unwrap(), programs.display());
        let said = [
            ("PATH", path.as_str()),
            ("ANTHROPIC_BASE_URL", &model.address),
            ("ANTHROPIC_API_KEY", "x"),
            ("DISABLE_TELEMETRY", "1"),
            ("DISABLE_ERROR_REPORTING", "1"),
            ("DISABLE_AUTOUPDATER", "1"),
            ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1"),
            ("IS_SANDBOX", "1"),
        ];
        reader.environment = said.map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec();
    }
    for section in tutorial() {
        reader.follow(&section, &|command| claude.is_none() && command.starts_with("claude "));
    }
    let settings = reader.folder.path().join("home/.claude/settings.json");
    assert!(!std::fs::read_to_string(settings).unwrap().contains("push-guard"), "it was taken out again");
    if claude.is_some() {
        let results = model.results();
        assert_eq!(results.len(), COMMANDS.len(), "{results:?}");
        for (result, refusal) in results.iter().zip(REFUSALS) {
            assert!(result["is_error"] == Value::Bool(true), "{result}");
            assert!(result.to_string().contains(refusal), "{refusal} is not in {result}");
        }
    }
}
