//! The guest's hooks inside the real Codex CLI and Gemini CLI, against a server on this machine that plays the model.
//!
//! Slow, and the clients come from the npm registry: `cargo test -p hookspec-example-guest --test real_clients --
//! --ignored`. A machine without npm or without a network skips them, and says so. The clients get a home of their
//! own and a proxy that leads nowhere, so that they reach nothing but the loopback.

#![allow(clippy::unwrap_used, clippy::expect_used)]

mod loopback;

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use hookspec_bridge::client::Client;
use hookspec_bridge::install::{Entries, Places, Scope, file, installed, quoted};
use loopback::Model;
use serde_json::{Value, json};

/// The versions against which this was last run.
const CODEX: &str = "@openai/codex@0.169.0";
const GEMINI: &str = "@google/gemini-cli@0.61.0";

/// What the model wants to run, one command a request.
const COMMANDS: [&str; 3] = ["rm -rf ./nothing", "echo loud", "true"];
const REASON: &str = "Folders are not deleted here; move it to the trash instead.";

/// A folder with a client, a home and a workspace.
struct Stage {
    folder: tempfile::TempDir,
    program: PathBuf,
}

impl Stage {
    /// `None` where the client cannot be had.
    fn new(package: &str, name: &str) -> Option<Self> {
        let folder = tempfile::tempdir().unwrap();
        for name in ["home", "workspace", "client"] {
            std::fs::create_dir(folder.path().join(name)).unwrap();
        }
        let installed = Command::new("npm")
            .args(["install", "--no-audit", "--no-fund", "--ignore-scripts", "--prefix"])
            .arg(folder.path().join("client"))
            .arg(package)
            .stdin(Stdio::null())
            .output();
        match installed {
            Ok(output) if output.status.success() => {}
            Ok(output) => {
                eprintln!(
                    "skipped: {package} cannot be installed: {}",
                    String::from_utf8_lossy(&output.stderr)
                );
                return None;
            }
            Err(error) => {
                eprintln!("skipped: npm cannot be started: {error}");
                return None;
            }
        }
        let program = folder.path().join("client/node_modules/.bin").join(name);
        Some(Self { folder, program })
    }

    fn home(&self) -> PathBuf {
        self.folder.path().join("home")
    }

    /// Writes our hooks into the client's configuration, as `hookspec install` does.
    fn install(&self, client: Client, events: &[&'static str]) -> PathBuf {
        let entries = Entries {
            client,
            program: quoted(env!("CARGO_BIN_EXE_guest")),
            allow: Vec::new(),
            events: events.to_vec(),
        };
        let places = Places {
            home: self.home(),
            project: self.folder.path().join("workspace"),
            codex_home: None,
            claude_config_dir: None,
            hermes_home: None,
        };
        let path = file(client, Scope::User, &places).unwrap();
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        let text = std::fs::read_to_string(&path).unwrap_or_default();
        std::fs::write(&path, installed(&entries, &path, &text).unwrap()).unwrap();
        path
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(&self.program);
        command
            .args(arguments)
            .current_dir(self.folder.path().join("workspace"))
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap())
            .env("HOME", self.home())
            .env("SHELL", "/bin/sh")
            .envs(["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"].map(|name| (name, "http://127.0.0.1:9")))
            .env("NO_PROXY", "127.0.0.1")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }
}

/// Runs a client to its end, at most two minutes.
fn run(command: &mut Command) -> Output {
    let mut child = command.spawn().unwrap();
    let (out, err) = (child.stdout.take().unwrap(), child.stderr.take().unwrap());
    let (out, err) = (read(out), read(err));
    let began = Instant::now();
    let status = loop {
        match child.try_wait().unwrap() {
            Some(status) => break status,
            None if began.elapsed() > Duration::from_secs(120) => {
                child.kill().unwrap();
                break child.wait().unwrap();
            }
            None => std::thread::sleep(Duration::from_millis(50)),
        }
    };
    Output { status, stdout: out.join().unwrap(), stderr: err.join().unwrap() }
}

fn read(mut from: impl std::io::Read + Send + 'static) -> std::thread::JoinHandle<Vec<u8>> {
    std::thread::spawn(move || {
        let mut text = Vec::new();
        from.read_to_end(&mut text).map(|_| text).unwrap_or_default()
    })
}

fn said(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

/// The model's side of Codex: a command a request, then a last word.
fn codex_model() -> Model {
    Model::start(Arc::new(|(path, body), before| {
        if body.is_null() || !path.ends_with("/responses") {
            return ("application/json", r#"{"data":[],"models":[]}"#.to_owned());
        }
        let item = match COMMANDS.get(before) {
            Some(command) => json!({
                "type": "function_call", "id": format!("f{before}"), "call_id": format!("c{before}"),
                "name": "exec_command", "arguments": json!({"cmd": command}).to_string()
            }),
            None => json!({
                "type": "message", "id": "m", "role": "assistant", "content": [{"type": "output_text", "text": "done"}]
            }),
        };
        let id = format!("r{before}");
        let usage = json!({"input_tokens": 1, "output_tokens": 1, "total_tokens": 2});
        let events = [
            json!({"type": "response.created", "response": {"id": id}}),
            json!({"type": "response.output_item.done", "output_index": 0, "item": item}),
            json!({"type": "response.completed", "response": {"id": id, "usage": usage}}),
        ];
        let text = events
            .iter()
            .map(|event| format!("event: {}\ndata: {event}\n\n", event["type"].as_str().unwrap()));
        ("text/event-stream", text.collect())
    }))
}

#[test]
#[ignore = "slow: installs Codex CLI from the npm registry"]
fn codex_is_refused_corrected_told_and_counted_once_it_trusts_us() {
    let Some(stage) = Stage::new(CODEX, "codex") else { return };
    let model = codex_model();
    let hooks = stage
        .install(Client::Codex, &["SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "Stop"]);
    let config = format!(
        "model = \"test\"\nmodel_provider = \"loopback\"\napproval_policy = \"never\"\nsandbox_mode = \"danger-full-access\"\n\
         [model_providers.loopback]\nname = \"loopback\"\nbase_url = \"http://127.0.0.1:{}/v1\"\nwire_api = \"responses\"\n\
         request_max_retries = 0\nstream_max_retries = 0\n",
        model.port
    );
    let config_path = stage.home().join(".codex/config.toml");
    std::fs::write(&config_path, &config).unwrap();
    let prompt = ["exec", "--skip-git-repo-check", "say hello"];

    // Not trusted: Codex runs none of them, without a word.
    let output = run(&mut stage.command(&prompt));
    let last = model.asked().pop().unwrap_or_else(|| panic!("{}", said(&output))).to_string();
    assert!(!last.contains(REASON) && !last.contains("Tool calls so far"), "{last}");

    // Trusted as its own list of hooks says.
    std::fs::write(&config_path, format!("{config}{}", trust(&stage, &hooks))).unwrap();
    model.forget();
    let output = run(&mut stage.command(&prompt));
    seen(&model, &said(&output));
    assert!(said(&output).contains("hook: Stop Completed"), "{}", said(&output));

    // Without any trust, where the user says so.
    std::fs::write(&config_path, &config).unwrap();
    model.forget();
    let bypass = ["exec", "--skip-git-repo-check", "--dangerously-bypass-hook-trust", "say hello"];
    let output = run(&mut stage.command(&bypass));
    seen(&model, &said(&output));
}

/// The lines that trust each hook of a file, from Codex's own list of them.
fn trust(stage: &Stage, hooks: &Path) -> String {
    use std::io::{BufRead, BufReader, Write};
    let mut child =
        stage.command(&["app-server"]).stdin(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let workspace = stage.folder.path().join("workspace");
    for message in [
        json!({"id": 1, "method": "initialize", "params": {"clientInfo": {"name": "test", "version": "1"}}}),
        json!({"method": "initialized"}),
        json!({"id": 2, "method": "hooks/list", "params": {"cwds": [workspace]}}),
    ] {
        writeln!(stdin, "{message}").unwrap();
    }
    let lines = BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok);
    let list = lines
        .filter_map(|line| serde_json::from_str::<Value>(&line).ok())
        .find(|message| message["id"] == 2)
        .expect("the app server lists the hooks");
    drop(stdin);
    child.kill().unwrap();
    child.wait().unwrap();
    let all = list["result"]["data"][0]["hooks"].as_array().unwrap();
    assert_eq!(all.len(), 5, "{list}");
    let mut text = String::new();
    for hook in all {
        assert_eq!(hook["trustStatus"], "untrusted");
        assert_eq!(hook["sourcePath"].as_str(), hooks.to_str());
        text.push_str(&format!("[hooks.state.{}]\ntrusted_hash = {}\n", hook["key"], hook["currentHash"]));
    }
    text
}

/// What must have reached the model.
fn seen(model: &Model, said: &str) {
    let asked = model.asked();
    assert_eq!(asked.len(), 4, "{said}");
    let text = |index: usize| asked[index].to_string();
    assert!(text(0).contains("Answer in one sentence."), "context of the prompt: {said}");
    assert!(text(0).contains("keeps its notes in NOTES.md"), "context of the start: {said}");
    assert!(text(1).contains(REASON), "the refusal's reason: {said}");
    assert!(
        text(2).contains("quiet") && text(2).contains("Tool calls so far: 1."),
        "the changed call: {}",
        text(2)
    );
    assert!(text(3).contains("Tool calls so far: 2."), "state over two events: {}", text(3));
}

#[test]
#[ignore = "slow: installs Gemini CLI from the npm registry"]
fn gemini_is_refused_corrected_told_and_counted() {
    let Some(stage) = Stage::new(GEMINI, "gemini") else { return };
    let model = Model::start(Arc::new(|(path, _), before| {
        let stream = path.contains("stream");
        let part = match COMMANDS.get(before).filter(|_| stream) {
            Some(command) => {
                json!({"functionCall": {"name": "run_shell_command", "args": {"command": command}}})
            }
            None => json!({"text": "done"}),
        };
        let answer = json!({
            "candidates": [{"content": {"role": "model", "parts": [part]}, "finishReason": "STOP", "index": 0}],
            "usageMetadata": {"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2}
        });
        if stream {
            ("text/event-stream", format!("data: {answer}\r\n\r\n"))
        } else {
            ("application/json", answer.to_string())
        }
    }));
    let settings = stage.home().join(".gemini/settings.json");
    std::fs::create_dir_all(settings.parent().unwrap()).unwrap();
    let theirs = json!({
        "security": {"auth": {"selectedType": "gemini-api-key"}}, "telemetry": {"enabled": false},
        "privacy": {"usageStatisticsEnabled": false}, "general": {"disableAutoUpdate": true}
    });
    std::fs::write(&settings, theirs.to_string()).unwrap();
    stage.install(
        Client::Gemini,
        &["SessionStart", "BeforeAgent", "BeforeTool", "AfterTool", "AfterAgent", "SessionEnd"],
    );
    let mut command = stage.command(&["-m", "gemini-2.5-flash", "--yolo", "--skip-trust", "-p", "say hello"]);
    command
        .env("GOOGLE_GEMINI_BASE_URL", format!("http://127.0.0.1:{}", model.port))
        .env("GEMINI_API_KEY", "test");
    let output = run(&mut command);
    seen(&model, &said(&output));
    // The stop was told too: the session's memory knows of both calls and of the rest.
    let folder = stage.home().join(".local/state/guest/gemini");
    assert!(folder.read_dir().unwrap().count() >= 2, "{}", said(&output));
}
