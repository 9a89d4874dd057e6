//! A home and a workspace of their own for each test, and the program run in them.

#![allow(clippy::unwrap_used, clippy::expect_used, dead_code, unreachable_pub)]

pub mod commands;
pub mod server;

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;

pub struct Home {
    folder: tempfile::TempDir,
}

impl Home {
    pub fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("workspace")).unwrap();
        Self { folder }
    }

    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    pub fn workspace(&self) -> PathBuf {
        self.path().join("workspace")
    }

    pub fn command(&self, args: &[&str]) -> Command {
        self.command_of(Path::new(env!("CARGO_BIN_EXE_hookspec")), args)
    }

    pub fn command_of(&self, program: &Path, args: &[&str]) -> Command {
        let mut command = Command::new(program);
        command.args(args).current_dir(self.workspace()).stdin(Stdio::null());
        for (name, _) in std::env::vars() {
            if name.starts_with("HOOKSPEC_") || name.starts_with("GPTME_") || name == "HOOK_ALLOWLIST" {
                command.env_remove(name);
            }
        }
        command.env("HOOKSPEC_HOME", self.path().join("home")).env_remove("CI");
        command
    }

    pub fn run(&self, args: &[&str]) -> Output {
        self.command(args).output().unwrap()
    }

    pub fn good(&self, args: &[&str]) -> String {
        let output = self.run(args);
        assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }

    pub fn bad(&self, args: &[&str]) -> String {
        let output = self.run(args);
        assert!(!output.status.success(), "{args:?}");
        String::from_utf8(output.stderr).unwrap()
    }

    /// Writes the project's configuration, and trusts it.
    pub fn config(&self, text: &str) {
        std::fs::write(self.workspace().join("hookspec.toml"), text).unwrap();
        self.good(&["trust", "grant", "--all"]);
    }

    pub fn script(&self, lines: &[Value]) -> String {
        let path = self.path().join("script.jsonl");
        let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
        std::fs::write(&path, text).unwrap();
        format!("replay:{}", path.display())
    }
}

pub fn hook<'r>(rows: &'r Value, name: &str) -> &'r Value {
    let rows = rows["hooks"].as_array().unwrap();
    rows.iter().find(|row| row["name"] == name).unwrap_or_else(|| panic!("{name} in {rows:?}"))
}

/// The example host with its own hooks; `cargo test` builds it, `cargo test --test NAME` alone does not.
pub fn demo() -> PathBuf {
    let bin = Path::new(env!("CARGO_BIN_EXE_hookspec"));
    let name = format!("demo_host{}", std::env::consts::EXE_SUFFIX);
    let path = bin.parent().unwrap().join("examples").join(name);
    assert!(path.is_file(), "{} is not built: `cargo build --example demo_host`", path.display());
    path
}

/// Runs the example host; gives its status, the JSON of each line it printed, and what it told the person.
pub fn demo_lines(home: &Home, args: &[&str]) -> (Option<i32>, Vec<Value>, String) {
    let output = home.command_of(&demo(), args).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let lines = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    (output.status.code(), lines, String::from_utf8(output.stderr).unwrap())
}
