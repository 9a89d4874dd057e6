//! What is started, asked and ended: the edge cases of the original that are about processes, ports and logs.

use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::process::{Child, Command, Stdio};

use crate::common::{FAKE, Stage, call, end, pid_of, runs, switch_local_llm, texts, turn, until, words};
use hookspec_llm_switch::Phase;
use rustix::process::{Signal, getpgid, kill_process};

/// A server that is not ours.
struct Foreign(Child);

impl Foreign {
    fn start(port: u16, alias: &str) -> Self {
        let mut command = Command::new(FAKE);
        command.args(["--port", &port.to_string(), "--alias", alias]);
        Self(command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap())
    }

    fn runs(&self) -> bool {
        runs(i32::try_from(self.0.id()).unwrap())
    }
}

impl Drop for Foreign {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A port that is free; the listener holds it until it is dropped.
fn port() -> (TcpListener, u16) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    (listener, port)
}

#[tokio::test(flavor = "multi_thread")]
async fn edge_04_nothing_is_ended_that_was_not_started() {
    let (held, other) = port();
    drop(held);
    let foreign = Foreign::start(other, "write");
    let stage = Stage::one(&[]);
    let session = stage.session("s");
    turn(&session).await;
    switch_local_llm(&session, "stop").await.unwrap();
    turn(&session).await;
    end(&session).await;
    assert!(foreign.runs());
}

#[tokio::test(flavor = "multi_thread")]
async fn edge_05_health_alone_proves_nothing() {
    let (held, port) = port();
    drop(held);
    // Ours never listens; somebody else takes the port after it was found free, and says that all is well.
    let stage = Stage::new(&format!("port = {port}"), &[("write", &words(&["delay=600000"]))]);
    let session = stage.session("s");
    let (called, foreign) = tokio::join!(call(&session), async {
        stage.reaches(Phase::Starting).await;
        Foreign::start(port, "other")
    });
    let why = called.unwrap_err();
    assert!(why.contains("serves other and not `write`"), "{why}");
    assert_eq!(session.model_address("ollama/write"), None);
    assert!(foreign.runs());
    until("our own child ends", || stage.starts().iter().all(|(_, pid)| !runs(*pid))).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn edge_06_a_server_that_ends_is_noticed_with_its_last_words() {
    // The patience is ten minutes: a test that waits for it does not end in time.
    let stage = Stage::new("start_seconds = 600", &[("write", &words(&["exit=3"]))]);
    let session = stage.session("s");
    let why = call(&session).await.unwrap_err();
    assert!(why.contains("exit code 3") && why.contains("failed to load model"), "{why}");
    assert!(texts(&session).last().unwrap().contains("exit code 3"), "the user is told");
    let stage = Stage::new("", &[("write", "gguf = 'gone.gguf'")]);
    let why = call(&stage.session("s")).await.unwrap_err();
    assert!(why.contains("gone.gguf") && why.contains("models.write.gguf"), "{why}");
}

#[tokio::test(flavor = "multi_thread")]
async fn edge_06_a_server_that_dies_later_is_started_again() {
    let stage = Stage::one(&[]);
    let session = stage.session("s");
    turn(&session).await;
    kill_process(pid_of(stage.starts()[0].1), Signal::KILL).unwrap();
    stage.reaches(Phase::Failed).await;
    let status = switch_local_llm(&session, "status").await.unwrap();
    assert!(status["error"].as_str().unwrap().contains("SIGKILL"), "{status}");
    turn(&session).await;
    assert_eq!((stage.starts().len(), stage.status().phase), (2, Phase::Ready));
    end(&session).await;
}

#[test]
fn edge_08_nothing_depends_on_one_system() {
    let source = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    for file in
        std::fs::read_dir(source).unwrap().map(|file| file.unwrap().path()).filter(|path| path.is_file())
    {
        let text = std::fs::read_to_string(&file).unwrap();
        let code = text.lines().filter(|line| !line.trim_start().starts_with("//")).collect::<String>();
        for word in ["/proc", "pkill", "/tmp", "target_os"] {
            assert!(!code.contains(word), "{} in {}", word, file.display());
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn edge_09_a_server_listens_on_this_machine_only() {
    let stage = Stage::one(&[]);
    let session = stage.session("s");
    turn(&session).await;
    let port =
        stage.status().endpoint.unwrap().rsplit(':').next().unwrap().trim_end_matches("/v1").to_owned();
    let log = std::fs::read_to_string(stage.place().join(format!("write-{port}.log"))).unwrap();
    assert!(log.contains(&format!("listening on 127.0.0.1:{port}")), "{log}");
    end(&session).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn edge_10_a_server_is_asked_where_it_was_told_to_listen() {
    let stage = Stage::new("host = 'localhost'", &[("write", "")]);
    let session = stage.session("s");
    turn(&session).await;
    assert!(stage.status().endpoint.unwrap().starts_with("http://localhost:"));
    end(&session).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn edge_11_a_port_that_is_taken_is_left_alone() {
    let (_held, port) = port();
    let stage = Stage::new(&format!("port = {port}"), &[("write", "")]);
    let why = call(&stage.session("s")).await.unwrap_err();
    assert!(why.contains(&format!("127.0.0.1:{port} is in use by another program")), "{why}");
    assert!(stage.starts().is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn edge_11_one_port_serves_one_model_after_the_other() {
    let (held, port) = port();
    drop(held);
    let stage = Stage::new(&format!("port = {port}"), &[("write", ""), ("code", "")]);
    let session = stage.session("s");
    for key in ["write", "code", "write"] {
        switch_local_llm(&session, key).await.unwrap();
        turn(&session).await;
        assert_eq!(stage.status().endpoint, Some(format!("http://127.0.0.1:{port}/v1")));
    }
    assert_eq!(stage.starts().len(), 3);
    end(&session).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn edge_12_logs_are_private_and_children_collected() {
    let stage = Stage::one(&[]);
    let session = stage.session("s");
    turn(&session).await;
    let mode = |path: &std::path::Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    let place = stage.place();
    assert_eq!(mode(&place), 0o700);
    let logs: Vec<_> = std::fs::read_dir(&place).unwrap().map(|file| file.unwrap().path()).collect();
    let logs: Vec<_> =
        logs.into_iter().filter(|path| path.extension().is_some_and(|end| end == "log")).collect();
    assert_eq!((logs.len(), mode(&logs[0])), (1, 0o600));
    // A Ctrl-C at the terminal goes to the terminal's group.
    let pid = pid_of(stage.starts()[0].1);
    let group = getpgid(Some(pid)).unwrap();
    assert_ne!(group, getpgid(None).unwrap());
    end(&session).await;
    for pid in [pid, group] {
        assert!(
            rustix::process::test_kill_process(pid).is_err(),
            "no zombie is left, neither server nor watcher"
        );
    }
    let notes = std::fs::read_dir(&place).unwrap().filter(|file| file.as_ref().unwrap().path() != logs[0]);
    assert_eq!(notes.count(), 0, "the note goes with the server");
}

#[tokio::test(flavor = "multi_thread")]
async fn edge_21_a_server_that_loads_is_waited_for_and_one_that_never_ends_to_is_not() {
    let stage = Stage::one(&["loading=10"]);
    let session = stage.session("s");
    turn(&session).await;
    end(&session).await;
    let stage = Stage::new("start_seconds = 1", &[("write", &words(&["never-ready"]))]);
    let why = call(&stage.session("s")).await.unwrap_err();
    assert!(why.contains("not ready after 1 s (it was loading the model)"), "{why}");
    stage.reaches(Phase::Failed).await;
    assert!(!runs(stage.starts()[0].1));
}

#[tokio::test(flavor = "multi_thread")]
async fn edge_22_a_program_that_is_not_there_is_not_tried_each_turn() {
    let stage = Stage::new("binary = 'no-such-model-server'", &[("write", "")]);
    let session = stage.session("s");
    let why = call(&session).await.unwrap_err();
    assert!(why.contains("`no-such-model-server` is not there") && why.contains("server.binary"), "{why}");
    let why = call(&session).await.unwrap_err();
    assert!(why.contains("tried again in"), "{why}");
    // The file changes, and with it what there is to try.
    stage.write("", &[("write", "")]);
    turn(&session).await;
    end(&session).await;
    // One that may not be run is the same.
    let plain = stage.path("plain");
    std::fs::write(&plain, "").unwrap();
    stage.write(&format!("binary = '{}'", plain.display()), &[("write", "")]);
    let why = call(&session).await.unwrap_err();
    assert!(why.contains("may not be run"), "{why}");
}

#[tokio::test(flavor = "multi_thread")]
async fn edge_22_a_start_that_failed_is_not_repeated_at_once() {
    let stage = Stage::one(&["exit=3", "starts=never"]);
    let session = stage.session("s");
    call(&session).await.unwrap_err();
    stage.reaches(Phase::Failed).await;
    let logs = || std::fs::read_dir(stage.place()).unwrap().count();
    let before = logs();
    let why = call(&session).await.unwrap_err();
    assert!(why.contains("exit code 3") && why.contains("tried again in"), "{why}");
    assert_eq!(logs(), before, "a start on a free port would leave a log of its own");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_does_not_end_when_asked_is_killed_with_what_it_started() {
    let stage = Stage::one(&["ignore-term"]);
    let helper = stage.path("helper");
    stage.write("", &[("write", &words(&["ignore-term", &format!("helper={}", helper.display())]))]);
    let session = stage.session("s");
    turn(&session).await;
    let helper: i32 = std::fs::read_to_string(helper).unwrap().parse().unwrap();
    assert!(runs(helper));
    end(&session).await;
    assert!(!runs(stage.starts()[0].1));
    until("its helper is gone", || !runs(helper)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_switch_that_goes_takes_its_server_with_it() {
    let stage = Stage::one(&[]);
    turn(&stage.session("s")).await;
    let pid = stage.starts()[0].1;
    let starts = stage.path("starts");
    drop(stage);
    until("the server is gone", || !runs(pid)).await;
    assert!(!starts.exists());
}

/// Against the real server, where it is installed and `LLM_SWITCH_TEST_GGUF` names a small model for it.
#[tokio::test(flavor = "multi_thread")]
async fn the_real_server_is_started_and_stopped() {
    let Some(model) = std::env::var_os("LLM_SWITCH_TEST_GGUF") else { return };
    if hookspec_process::find("llama-server", None).is_none() {
        return;
    }
    let server = "binary = 'llama-server'\nargs = []\ngpu_layers = 0\nflash_attention = false";
    let stage =
        Stage::new(server, &[("write", &format!("gguf = '{}'\ncontext = 512", model.to_string_lossy()))]);
    let session = stage.session("s");
    turn(&session).await;
    let pid = i32::try_from(stage.status().pid.unwrap()).unwrap();
    assert!(runs(pid));
    end(&session).await;
    assert!(!runs(pid));
}
