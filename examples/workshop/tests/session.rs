//! One scripted session with all plugins, in the terminal and on a server: the same conversation, and the same left behind.

#![allow(clippy::unwrap_used)] // a test that cannot go on has failed

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

const TOKEN: &str = "ann-ann-ann-ann-ann";

/// A folder with an empty workspace, the script, and a fake model server in the plugin's file.
struct Place(tempfile::TempDir);

impl Place {
    fn new(model_server: &Path) -> Self {
        let place = Self(tempfile::tempdir().unwrap());
        std::fs::create_dir(place.path("work")).unwrap();
        for file in ["session.jsonl", "prepare.sh"] {
            std::fs::copy(Path::new(env!("CARGO_MANIFEST_DIR")).join(file), place.path(file)).unwrap();
        }
        std::fs::write(place.path("tiny.gguf"), "").unwrap();
        let models = format!(
            "[server]\nbinary = {:?}\nmodels_dir = {:?}\nport = 0\n[models.write]\ngguf = 'tiny.gguf'\nargs = ['--fake', 'loading=2', '--fake', {:?}]\n",
            model_server,
            place.0.path(),
            format!("starts={}", place.path("starts").display()),
        );
        std::fs::write(place.path("models.toml"), models).unwrap();
        let tokens = place.path("tokens");
        std::fs::write(&tokens, format!("ann {TOKEN}\n")).unwrap();
        std::fs::set_permissions(&tokens, std::os::unix::fs::PermissionsExt::from_mode(0o600)).unwrap();
        place
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn command(&self) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_workshop"));
        command
            .current_dir(self.0.path())
            .env("HOOKSPEC_HOME", self.path("home"))
            .env("LLM_SWITCH_MODELS", self.path("models.toml"))
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env_remove("HOOK_ALLOWLIST")
            .stdin(Stdio::null());
        command
    }

    fn said(&self, args: &[&str]) -> String {
        let output = self.command().current_dir(self.path("work")).args(args).output().unwrap();
        assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }

    fn json(&self, args: &[&str]) -> Value {
        serde_json::from_str(&self.said(&[args, &["--json"]].concat())).unwrap()
    }

    /// The processes of the fake model server that were started, by number.
    fn starts(&self) -> Vec<String> {
        let text = std::fs::read_to_string(self.path("starts")).unwrap_or_default();
        text.lines().map(|line| line.split(' ').next_back().unwrap().to_owned()).collect()
    }

    /// The conversation in a line a message, without what differs from run to run.
    fn lines(&self, log: &str) -> Vec<String> {
        let work = self.path("work").canonicalize().unwrap().display().to_string();
        let port = |text: &str| match text.split_once("http://127.0.0.1:") {
            Some((head, tail)) => format!("{head}{}", tail.trim_start_matches(|c: char| c.is_ascii_digit())),
            None => text.to_owned(),
        };
        // How long a repair took is how busy the machine was.
        let seconds = |text: &str| {
            let mut parts = text.split(" after ");
            let first = parts.next().unwrap_or_default().to_owned();
            parts.fold(first, |text, part| {
                let part = match part.trim_start_matches(|c: char| c.is_ascii_digit()).strip_prefix(" s") {
                    Some(rest) => format!("SOME s{rest}"),
                    None => part.to_owned(),
                };
                format!("{text} after {part}")
            })
        };
        log.lines()
            .map(|line| {
                let message: Value = serde_json::from_str(line).unwrap();
                let by =
                    message["hook"].as_str().or(message["metadata"]["tool"].as_str()).unwrap_or_default();
                let text = seconds(&port(&message["content"].as_str().unwrap().replace(&work, "WORK")));
                format!("{} {by}: {text}", message["role"].as_str().unwrap())
            })
            .collect()
    }

    /// What plugins have left: skills, what fixed the error, checkpoints, and the file that was formatted.
    fn left(&self) -> Value {
        let without_times = |rows: Value| {
            let mut rows = rows;
            for row in rows.as_array_mut().unwrap() {
                row.as_object_mut().unwrap().retain(|_, value| !is_time(value));
            }
            rows
        };
        json!({
            "skills": without_times(self.json(&["buddy", "skills"])).as_array().unwrap().iter()
                .map(|skill| json!([skill["kind"], skill["uses"], skill["successes"]])).collect::<Vec<_>>(),
            "errors": self.said(&["buddy", "errors", "FileNotFoundError: config.toml"]).lines().map(str::trim)
                .filter(|line| !line.starts_with("fixed after")).collect::<Vec<_>>(),
            "checkpoints": without_times(self.json(&["buddy", "checkpoints"])).as_array().unwrap().iter()
                .map(|row| json!([row["label"], row["score"], row["refused"]])).collect::<Vec<_>>(),
            "formatted": std::fs::read_to_string(self.path("work/src/lib.rs")).unwrap(),
        })
    }
}

fn is_time(value: &Value) -> bool {
    value.as_str().is_some_and(|text| text.ends_with('Z') && text.contains('T'))
}

/// The fake model server, which another package brings.
fn model_server() -> PathBuf {
    let built = Command::new(env!("CARGO"))
        .args(["build", "--quiet", "-p", "hookspec-llm-switch", "--bin", "fake-model-server"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .status();
    assert!(built.unwrap().success());
    Path::new(env!("CARGO_BIN_EXE_workshop")).with_file_name("fake-model-server")
}

fn runs(process: &str) -> bool {
    // A process that has ended and was not waited for is no longer one.
    std::fs::read_to_string(format!("/proc/{process}/stat")).is_ok_and(|stat| !stat.contains(") Z "))
}

/// Waits for something for half a minute at most.
fn wait(what: &str, mut holds: impl FnMut() -> bool) {
    let began = Instant::now();
    while !holds() {
        assert!(began.elapsed() < Duration::from_secs(30), "in vain: {what}");
        std::thread::sleep(Duration::from_millis(30));
    }
}

fn in_the_terminal(place: &Place) -> Vec<String> {
    let output = place
        .command()
        .args(["chat", "--model", "replay:session.jsonl", "--workspace", "work", "-n", "-y", "go"])
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let logs = std::fs::read_dir(place.path("home/logs")).unwrap();
    let log = logs.flatten().map(|entry| entry.path().join("conversation.jsonl")).find(|path| path.is_file());
    place.lines(&std::fs::read_to_string(log.unwrap()).unwrap())
}

/// A server, ended with the test.
struct Server(Child);

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

async fn on_a_server(place: &Place) -> Vec<String> {
    let mut server = place.command();
    server.args([
        "serve",
        "--listen",
        "127.0.0.1:0",
        "--model",
        "replay:session.jsonl",
        "--workspace",
        "work",
    ]);
    let server =
        server.args(["--token-file", "tokens"]).stdout(Stdio::piped()).stderr(Stdio::inherit()).spawn();
    let mut server = Server(server.unwrap());
    let mut link = String::new();
    BufReader::new(server.0.stdout.as_mut().unwrap()).read_line(&mut link).unwrap();
    let api = format!("{}/api/v2", link.trim().trim_end_matches('/'));
    let client = reqwest::Client::new();
    let ask = async |method: reqwest::Method, path: &str, body: Value| {
        let request = client.request(method, format!("{api}{path}")).bearer_auth(TOKEN).json(&body);
        let answer = request.send().await.unwrap();
        let (status, text) = (answer.status(), answer.text().await.unwrap());
        assert!(status.is_success(), "{path}: {status} {text}");
        text
    };
    let put = json!({ "messages": [{ "role": "user", "content": "go" }] });
    ask(reqwest::Method::PUT, "/conversations/all", put).await;
    ask(reqwest::Method::POST, "/conversations/all/step", json!({ "auto_confirm": 1000 })).await;
    let began = Instant::now();
    let log = loop {
        let log = ask(reqwest::Method::GET, "/conversations/all/export", json!({})).await;
        if log.contains("This is write.") {
            break log;
        }
        assert!(began.elapsed() < Duration::from_secs(120), "it does not come to its end:\n{log}");
        tokio::time::sleep(Duration::from_millis(100)).await;
    };
    assert!(runs(&place.starts()[0]), "the model's server stays while the session does");
    let ended = Command::new("kill").args(["-TERM", &server.0.id().to_string()]).status();
    assert!(ended.unwrap().success());
    wait("the server's end", || server.0.try_wait().unwrap().is_some());
    place.lines(&log)
}

#[tokio::test(flavor = "multi_thread")]
async fn all_plugins_in_one_session_say_and_leave_the_same_in_both_hosts() {
    let model_server = model_server();
    let (one, other) = (Place::new(&model_server), Place::new(&model_server));
    let terminal = in_the_terminal(&one);
    let server = on_a_server(&other).await;
    assert_eq!(terminal, server);

    let text = terminal.join("\n");
    let parts = [
        "buddy.format_saved: WORK/src/lib.rs was formatted with `rustfmt`",
        "The command ended with exit code 1.\nFileNotFoundError: config.toml",
        "… 20 lines …",
        "buddy.track_error: <session_buddy>An error like this was fixed before",
        "The fix: created config.toml",
        "The checkpoint was refused by `buddy.validate_quality`",
        "Checkpoint 2 (one). Quality 100 of 100",
        "Checkpoint 4 (three). Quality 100 of 100",
        "switch_local_llm: {\"status\":\"ready\",\"model\":\"write\"",
        "assistant : This is write.",
    ];
    let mut rest = text.as_str();
    for part in parts {
        let Some(at) = rest.find(part) else { panic!("{part:?} is not where it belongs in:\n{text}") };
        rest = &rest[at + part.len()..];
    }

    let left = one.left();
    assert_eq!(left, other.left());
    assert_eq!(left["formatted"], "pub fn one() -> u32 {\n    1\n}\n");
    assert_eq!(left["skills"], json!([["test_driven_quality", 3, 3]]));
    assert_eq!(left["checkpoints"][3][0], "too early");
    assert!(left["errors"].to_string().contains("FileNotFoundError"), "{left}");
    for place in [&one, &other] {
        let starts = place.starts();
        assert_eq!(starts.len(), 1, "one server, started once: {starts:?}");
        wait("the end of the model's server", || !runs(&starts[0]));
    }
}
