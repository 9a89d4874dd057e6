//! What sessions may rely on: the edge cases of the original, by their numbers in its description, as far as they are about who
//! gets which server when.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use crate::common::{Stage, call, end, rest, runs, switch_local_llm, texts, turn, words};
use hookspec::Message;
use hookspec::session::InterruptReason;
use hookspec_llm_switch::Phase;

#[tokio::test(flavor = "multi_thread")]
async fn edge_01_a_server_outlives_turns_and_ends_with_its_last_session() {
    let stage = Stage::one(&[]);
    let (first, second) = (stage.session("first"), stage.session("second"));
    turn(&first).await;
    turn(&first).await;
    turn(&second).await;
    let pid = stage.starts()[0].1;
    end(&first).await;
    assert_eq!(stage.status().phase, Phase::Ready, "the second session uses it still");
    end(&second).await;
    assert_eq!(stage.status().phase, Phase::Stopped);
    assert!(!runs(pid));
    assert_eq!(stage.starts().len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn edge_03_a_call_waits_for_a_slow_start() {
    let stage = Stage::one(&["delay=600", "loading=5"]);
    let session = stage.session("s");
    call(&session).await.unwrap();
    assert_eq!(stage.status().phase, Phase::Ready, "the call goes out only now");
    let endpoint = stage.status().endpoint;
    assert_eq!(session.model_address("ollama/write"), endpoint);
    end(&session).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn edge_03_a_start_that_nobody_waits_for_any_more_is_given_up() {
    let stage = Stage::one(&["never-ready"]);
    let session = stage.session("s");
    let (waits, _) = tokio::join!(call(&session), async {
        stage.reaches(Phase::Starting).await;
        session.interrupt(InterruptReason::User);
    });
    waits.unwrap();
    stage.reaches(Phase::Stopped).await;
    assert!(stage.starts().iter().all(|(_, pid)| !runs(*pid)));
}

#[tokio::test(flavor = "multi_thread")]
async fn edge_07_an_alias_is_no_other_model() {
    let stage = Stage::new("", &[("write", "alias = 'Qwen3-30B'")]);
    let session = stage.session("s");
    turn(&session).await;
    turn(&session).await;
    assert_eq!(stage.starts().len(), 1);
    let status = switch_local_llm(&session, "status").await.unwrap();
    assert_eq!((status["key"].as_str(), status["alias"].as_str()), (Some("write"), Some("Qwen3-30B")));
    end(&session).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn edge_13_the_file_is_read_again_when_it_changes() {
    let stage = Stage::one(&[]);
    let session = stage.session("s");
    turn(&session).await;
    // Said another way, the same: the server stays.
    stage.write("# a remark", &[("write", "description = 'For prose'\nargs = []")]);
    turn(&session).await;
    assert_eq!(stage.starts().len(), 1);
    stage.write("", &[("write", "context = 4096")]);
    turn(&session).await;
    assert_eq!(stage.starts().len(), 2, "another context is another server");
    assert!(!runs(stage.starts()[0].1));
    // A text that cannot be understood leaves things as they are, and is told once.
    std::fs::write(stage.switch.path(), "[models.write]\nggguf = 'x'\n").unwrap();
    turn(&session).await;
    turn(&session).await;
    let faults = texts(&session).into_iter().filter(|text| text.contains("ggguf")).collect::<Vec<_>>();
    assert_eq!(faults.len(), 1, "{faults:?}");
    assert!(faults[0].contains("stays in force"), "{faults:?}");
    assert_eq!(stage.starts().len(), 2);
    // A model that is none of ours any more is not looked for where ours was.
    assert!(session.model_address("ollama/write").is_some());
    stage.write("", &[("code", "")]);
    turn(&session).await;
    assert_eq!(session.model_address("ollama/write"), None);
    end(&session).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn edge_13_a_file_that_the_model_could_write_is_not_used() {
    let stage = Stage::one(&[]);
    let session = stage.build("s", |session| session.workspace(stage.path("")));
    call(&session).await.unwrap();
    assert!(stage.starts().is_empty());
    assert!(texts(&session)[0].contains("lies in the workspace"), "{:?}", texts(&session));
    let refused = switch_local_llm(&session, "write").await.unwrap_err();
    assert!(refused.to_string().contains("lies in the workspace"), "{refused}");
}

#[tokio::test(flavor = "multi_thread")]
async fn edge_14_all_who_want_one_model_share_its_one_start() {
    let stage = Stage::one(&["delay=300", "loading=2"]);
    let sessions: Vec<_> = (0..8).map(|n| stage.session(&format!("s{n}"))).collect();
    let mut calls = tokio::task::JoinSet::new();
    for (n, session) in sessions.clone().into_iter().enumerate() {
        calls.spawn(async move {
            match n % 2 {
                0 => call(&session).await,
                _ => switch_local_llm(&session, "write").await.map(|_| ()).map_err(|error| error.to_string()),
            }
        });
    }
    while let Some(called) = calls.join_next().await {
        called.unwrap().unwrap();
    }
    assert_eq!(stage.starts().len(), 1);
    for session in &sessions {
        end(session).await;
    }
    assert_eq!(stage.status().phase, Phase::Stopped);
}

#[tokio::test(flavor = "multi_thread")]
async fn edge_14_a_session_does_not_take_the_server_from_another_one_at_work() {
    let stage = Stage::new("", &[("write", ""), ("code", "")]);
    let writes = stage.session("writes");
    let codes = stage.build("codes", |session| session.model("ollama/code"));
    call(&writes).await.unwrap();
    let mut waits = Box::pin(call(&codes));
    assert!(tokio::time::timeout(Duration::from_millis(200), &mut waits).await.is_err());
    assert_eq!(stage.status().key.as_deref(), Some("write"));
    rest(&writes).await;
    waits.await.unwrap();
    assert_eq!(stage.status().key.as_deref(), Some("code"));
    assert!(!runs(stage.starts()[0].1), "never two at once");
    let refused = switch_local_llm(&writes, "stop").await.unwrap_err();
    assert!(refused.to_string().contains("`codes` works with it"), "{refused}");
    end(&codes).await;
    end(&writes).await;
    assert_eq!(stage.starts().len(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn edge_15_the_tool_switches_the_session_too() {
    let stage = Stage::new("", &[("write", "description = 'For prose'"), ("code", "")]);
    let session = stage.build("s", |session| session.model("anthropic/somewhere-else"));
    call(&session).await.unwrap();
    assert!(stage.starts().is_empty(), "no local model is used yet");
    let said = switch_local_llm(&session, "list").await.unwrap();
    assert_eq!(said, serde_json::json!({ "write": "For prose", "code": "code" }));
    let said = switch_local_llm(&session, "write").await.unwrap();
    assert_eq!((said["status"].as_str(), said["description"].as_str()), (Some("ready"), Some("For prose")));
    assert_eq!(session.model(), "ollama/write");
    turn(&session).await;
    switch_local_llm(&session, "code").await.unwrap();
    turn(&session).await;
    let aliases: Vec<_> = stage.starts().into_iter().map(|(alias, _)| alias).collect();
    assert_eq!(aliases, ["write", "code"], "the next turn does not switch back");
    let unknown = switch_local_llm(&session, "paint").await.unwrap_err().to_string();
    assert_eq!(unknown, "There is no local model `paint`; the models are `code`, `write`.");
    let said = switch_local_llm(&session, "stop").await.unwrap();
    assert_eq!(
        (said["status"].as_str(), session.model().as_str()),
        (Some("stopped"), "anthropic/somewhere-else")
    );
    assert_eq!(stage.status().phase, Phase::Stopped);
    end(&session).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn edge_15_a_switch_that_fails_leaves_the_session_where_it_was() {
    let stage = Stage::new("", &[("write", ""), ("code", &words(&["exit=1"]))]);
    let session = stage.session("s");
    turn(&session).await;
    let failed = switch_local_llm(&session, "code").await.unwrap_err();
    assert!(failed.to_string().contains("exit code 1"), "{failed}");
    assert_eq!(session.model(), "ollama/write");
    turn(&session).await;
    assert_eq!(stage.status().key.as_deref(), Some("write"));
    end(&session).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn edge_16_a_context_that_is_too_small_is_told() {
    let stage = Stage::new("", &[("write", "context = 100")]);
    let long = Message::user("word ".repeat(200));
    let session = stage.build("s", |session| session.log([long], None));
    let said = switch_local_llm(&session, "write").await.unwrap();
    assert!(said["warning"].as_str().unwrap().contains("takes 100"), "{said}");
    let other = stage.build("other", |session| session.log([Message::user("word ".repeat(200))], None));
    turn(&other).await;
    turn(&other).await;
    let told = texts(&other).into_iter().filter(|text| text.contains("takes 100")).count();
    assert_eq!(told, 1);
    end(&session).await;
    end(&other).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn edge_17_a_wait_is_told_in_notices_and_not_in_the_conversation() {
    let stage = Stage::one(&["loading=30"]);
    let told = Arc::<Mutex<Vec<String>>>::default();
    let tell = Arc::clone(&told);
    let session =
        stage.build("s", |session| session.notices(move |text| tell.lock().unwrap().push(text.to_owned())));
    turn(&session).await;
    turn(&session).await;
    let told = told.lock().unwrap().clone();
    assert_eq!(told[0], "the server of the local model `write` is started; the call waits for it");
    assert_eq!(told.last().unwrap(), "the local model `write` is ready");
    let between = &told[1..told.len() - 1];
    assert!(between.iter().any(|text| text.ends_with("it was loading the model")), "{told:?}");
    assert!(texts(&session).is_empty(), "{:?}", texts(&session));
    end(&session).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn edge_18_a_server_that_nobody_uses_is_stopped_after_a_while() {
    let stage = Stage::new("idle_seconds = 1", &[("write", "")]);
    let session = stage.session("s");
    call(&session).await.unwrap();
    // In the middle of a turn nothing is idle, however long it takes.
    tokio::time::sleep(Duration::from_millis(1300)).await;
    assert_eq!(stage.status().phase, Phase::Ready);
    session.set_model("anthropic/somewhere-else");
    call(&session).await.unwrap();
    assert_eq!(stage.status().phase, Phase::Ready, "it stays for a while");
    stage.reaches(Phase::Stopped).await;
    session.set_model("ollama/write");
    turn(&session).await;
    assert_eq!(stage.starts().len(), 2);
    stage.reaches(Phase::Stopped).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn edge_20_sub_agents_do_not_switch() {
    let stage = Stage::new("", &[("write", ""), ("code", "")]);
    let parent = stage.session("parent");
    let same = stage.build("same", |session| session.parent(&parent));
    let other = stage.build("other", |session| session.parent(&parent).model("ollama/code"));
    let refused = call(&same).await.unwrap_err();
    assert!(refused.contains("sub-agents do not switch"), "{refused}");
    call(&parent).await.unwrap();
    call(&same).await.unwrap();
    assert_eq!(same.model_address("ollama/write"), parent.model_address("ollama/write"));
    call(&other).await.unwrap_err();
    switch_local_llm(&other, "code").await.unwrap_err();
    rest(&parent).await;
    rest(&same).await;
    switch_local_llm(&other, "stop").await.unwrap_err();
    end(&same).await;
    end(&other).await;
    assert_eq!(stage.status().key.as_deref(), Some("write"));
    assert_eq!(stage.starts().len(), 1);
    end(&parent).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_file_the_plugin_is_at_rest() {
    let stage = Stage::one(&[]);
    std::fs::remove_file(stage.switch.path()).unwrap();
    let session = stage.session("s");
    turn(&session).await;
    assert!(texts(&session).is_empty());
    let said = switch_local_llm(&session, "list").await.unwrap_err().to_string();
    assert!(said.contains("there is no file that names them"), "{said}");
    end(&session).await;
}
