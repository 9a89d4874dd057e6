//! Whole hosts, as processes of their own, that are killed: edge cases 17 and 19.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use crate::common::{Stage, end, pid_of, runs, turn, until};
use hookspec_llm_switch::Phase;
use rustix::process::{Signal, kill_process};
use serde_json::{Value, json};

const FOLDER: &str = "LLM_SWITCH_TEST_FOLDER";

/// Not a test: what the tests below start as a process of its own. Its sessions are lent no switch and share the process's own; each
/// takes a turn, and they stay until they are told to go.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "a host for the other tests"]
async fn a_host() {
    let Some(folder) = std::env::var_os(FOLDER).map(PathBuf::from) else { return };
    let stage = Stage::one(&[]);
    let (first, second) = (stage.bare("first"), stage.bare("second"));
    turn(&first).await;
    turn(&second).await;
    assert_eq!(first.model_address("ollama/write"), second.model_address("ollama/write"));
    std::fs::write(folder.join("ready"), "").unwrap();
    until("told to go", || folder.join("go").exists()).await;
    end(&first).await;
    end(&second).await;
}

/// A host that has taken its turn; killed at the latest when the test is over.
struct Host(Child);

impl Host {
    async fn start(stage: &Stage) -> Self {
        let host = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "host::a_host", "--ignored", "--nocapture"])
            .env(FOLDER, stage.path(""))
            .env("HOOKSPEC_HOME", stage.path(""))
            .env("LLM_SWITCH_MODELS", stage.switch.path())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        until("the host has a server", || stage.path("ready").exists()).await;
        Self(host)
    }

    fn kill(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        self.kill();
    }
}

fn notes(place: &Path) -> Vec<(PathBuf, Value)> {
    let files = std::fs::read_dir(place).unwrap().map(|file| file.unwrap().path());
    let notes = files.filter(|path| path.extension().is_some_and(|ending| ending == "json"));
    notes.map(|path| (path.clone(), serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap())).collect()
}

fn number(note: &Value, pointer: &str) -> i32 {
    i32::try_from(note.pointer(pointer).unwrap().as_i64().unwrap()).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn edge_17_nothing_is_written_to_standard_output() {
    let stage = Stage::one(&["delay=100"]);
    let mut host = Host::start(&stage).await;
    std::fs::write(stage.path("go"), "").unwrap();
    let mut out = String::new();
    std::io::Read::read_to_string(&mut host.0.stdout.take().unwrap(), &mut out).unwrap();
    assert!(host.0.wait().unwrap().success(), "{out}");
    assert_eq!(stage.starts().len(), 1);
    assert!(!runs(stage.starts()[0].1), "the last of its sessions has ended it");
    let said: Vec<_> = out.lines().filter(|line| !line.is_empty()).collect();
    // What the test harness says, and nothing of starts, models or the server's own output.
    assert_eq!((said.len(), said[0]), (3, "running 1 test"), "{out}");
    assert!(said[1].starts_with("test host::a_host") && said[2].starts_with("test result: ok"), "{out}");
}

#[tokio::test(flavor = "multi_thread")]
async fn edge_19_a_server_does_not_outlive_a_killed_host() {
    let stage = Stage::one(&["ignore-term"]);
    let mut host = Host::start(&stage).await;
    let server = stage.starts()[0].1;
    assert!(runs(server));
    host.kill();
    until("the server is gone", || !runs(server)).await;
    // The note of it goes at the next start.
    assert_eq!(notes(&stage.place()).len(), 1);
    let session = stage.session("s");
    turn(&session).await;
    let left = notes(&stage.place());
    assert_eq!((left.len(), number(&left[0].1, "/server/pid")), (1, stage.starts()[1].1));
    end(&session).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn edge_19_an_orphan_is_ended_at_the_next_start_and_nobody_else() {
    let stage = Stage::one(&[]);
    let mut host = Host::start(&stage).await;
    let place = stage.place();
    let (_, note) = notes(&place).remove(0);
    let server = number(&note, "/server/pid");
    // The worst case: whoever would have ended the server is killed as well.
    kill_process(pid_of(number(&note, "/group")), Signal::KILL).unwrap();
    host.kill();
    assert!(runs(server));
    // A note whose pid is somebody else's by now.
    let mut innocent = Command::new("sleep").arg("600").spawn().unwrap();
    let mut other = note.clone();
    other["server"] = json!({ "pid": innocent.id(), "started": 1 });
    let other_note = place.join("server-1.json");
    std::fs::write(&other_note, other.to_string()).unwrap();

    let session = stage.session("s");
    turn(&session).await;
    until("the orphan is gone", || !runs(server)).await;
    assert!(innocent.try_wait().unwrap().is_none(), "a process with the pid of a note is not its process");
    assert!(!other_note.exists());
    end(&session).await;
    innocent.kill().unwrap();
    innocent.wait().unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn edge_19_the_server_of_a_host_that_lives_is_left_alone() {
    let stage = Stage::one(&[]);
    let host = Host::start(&stage).await;
    let server = stage.starts()[0].1;
    let session = stage.session("s");
    turn(&session).await;
    end(&session).await;
    assert_eq!(stage.status().phase, Phase::Stopped);
    tokio::time::sleep(Duration::from_millis(100)).await;
    assert!(runs(server));
    drop(host);
    until("the server is gone", || !runs(server)).await;
}
