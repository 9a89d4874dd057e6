//! The tour's stage: a temporary workspace, a script for the model, and a stand-in for another agent.

use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::json;
use tempfile::TempDir;

const PROGRAM: &str =
    "import os\n\n\ndef greet(name):\n    print(f\"Hello, {name}\")\n\n\ngreet(\"world\")\n";
const PRODUCTION: &str = "[server]\nworkers = 8\n";
/// What the linter plugin runs here, so that the tour does not depend on what is installed.
const LINTER: &str = "#!/bin/sh\nshift\ngrep -n '^import os' \"$1\" | sed 's/:.*/: F401 `os` imported but unused/' | sed \"s|^|greet.py:|\" | grep . && exit 1\nexit 0\n";

pub(super) struct Stage {
    folder: TempDir,
    other: Option<u32>,
}

impl Stage {
    pub(super) fn build() -> io::Result<Self> {
        let folder = tempfile::Builder::new().prefix("hookspec-tour-").tempdir()?;
        let mut stage = Self { folder, other: None };
        let workspace = stage.workspace();
        std::fs::create_dir_all(workspace.join("config"))?;
        std::fs::write(workspace.join("config/production.toml"), PRODUCTION)?;
        std::fs::write(stage.script(), script())?;
        std::fs::write(stage.folder("lint.sh"), LINTER)?;
        // A repository of its own, if there is a git; without its settings and the user's.
        let git = Command::new("git")
            .args(["-c", "init.defaultBranch=main", "-c", "core.hooksPath=/dev/null", "init", "--quiet"])
            .current_dir(&workspace)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status();
        if git.is_err() {
            tracing::debug!("no git: the workspace is a plain folder");
        }
        stage.other = stand_in(&stage.folder("bin"), &workspace);
        Ok(stage)
    }

    pub(super) fn workspace(&self) -> PathBuf {
        self.folder("workspace")
    }

    pub(super) fn folder(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(super) fn script(&self) -> PathBuf {
        self.folder("script.jsonl")
    }

    pub(super) fn config(&self) -> String {
        let script = self.folder("lint.sh").display().to_string();
        format!("[hooks.linter]\ncommand = \"sh\"\nargs = [{script:?}]\n")
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        if let Some(pid) = self.other {
            let killed = Command::new("kill").arg(pid.to_string()).stderr(Stdio::null()).status();
            if killed.is_err() {
                tracing::warn!(pid, "the stand-in ends by itself within a minute");
            }
        }
    }
}

/// Starts a process that has an agent's name and only sleeps. It is not this program's child: relatives do
/// not count as others. Ends by itself after a minute, whatever happens.
fn stand_in(bin: &Path, workspace: &Path) -> Option<u32> {
    let program = bin.join("claude");
    std::fs::create_dir_all(bin).ok()?;
    let sleep = ["/bin/sleep", "/usr/bin/sleep"].into_iter().find(|path| Path::new(path).exists())?;
    std::fs::copy(sleep, &program).ok()?;
    let output = Command::new("sh")
        .args(["-c", "\"$0\" 60 >/dev/null 2>&1 & echo $!"])
        .arg(&program)
        .current_dir(workspace)
        .stdin(Stdio::null())
        .output()
        .ok()?;
    String::from_utf8_lossy(&output.stdout).trim().parse().ok()
}

/// What the model says, as a replay script.
fn script() -> String {
    let patch = "<<<<<<< ORIGINAL\nworkers = 8\n=======\nworkers = 1\n>>>>>>> UPDATED\n";
    let lines = [
        json!({
            "text": "I'll write the program first.",
            "tool_calls": [{ "tool": "save", "kwargs": { "path": "greet.py", "content": PROGRAM } }],
            "usage": { "input_tokens": 812, "output_tokens": 64 },
        }),
        json!({
            "text": "The linter is right, I'll come back to that. Now the settings.",
            "tool_calls": [{ "tool": "patch", "kwargs": { "path": "config/production.toml", "patch": patch } }],
            "usage": { "input_tokens": 990, "output_tokens": 71 },
        }),
        json!({
            "text": "I may not change those. A look around, then.",
            "tool_calls": [{ "tool": "shell", "kwargs": { "command": "ls && cd config" } }],
            "usage": { "input_tokens": 1_130, "output_tokens": 38 },
        }),
        json!({
            "text": "greet.py is written; one unused import is left, and the production settings are for you to change.",
            "usage": { "input_tokens": 1_240, "output_tokens": 31 },
        }),
    ];
    lines.map(|line| line.to_string() + "\n").concat()
}
