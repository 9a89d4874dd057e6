//! A credential that comes in somewhere is in nothing that is kept, sent or handed to hooks: each way in, with the built-in redactor
//! in our engine.

#![allow(clippy::unwrap_used)] // a test that cannot go on has failed

mod common;

use std::path::Path;
use std::sync::{Arc, Mutex};

use hookspec::points::{
    ERROR, EndReason, GENERATION_CHUNK, GENERATION_POST, GENERATION_PRE, LOOP_CONTINUE, MESSAGE_POST_PROCESS,
    MESSAGE_PRE_PROCESS, MESSAGE_TRANSFORM, SESSION_START, STEP_POST, STEP_PRE, TOOL_CONFIRM, TOOL_EXECUTE,
    TOOL_POST_EXECUTE, TOOL_PRE_EXECUTE, TOOL_RESULT_TRANSFORM, TURN_PRE, TurnOutcome,
};
use hookspec::registry::RegistryBuilder;
use hookspec::{Fold, Gate, Hook, Message, Mode, Registry, Session};
use hookspec_agent::engine::{Begin, TurnEnd};
use serde::{Deserialize, Serialize};
use serde_json::json;

use common::{Stage, call, say, texts};

const RESTED: TurnEnd = TurnEnd::Rested(TurnOutcome::Complete);

/// A token, made up each time that it is wanted so that none stands in this file.
fn token() -> String {
    let letters = "k3Jq9ZtB7x".repeat(4);
    format!("ghp_{}", &letters[..36])
}

/// What was seen somewhere.
#[derive(Clone, Default)]
struct Seen(Arc<Mutex<Vec<String>>>);

impl Seen {
    fn add(&self, what: impl std::fmt::Debug) {
        self.0.lock().unwrap().push(format!("{what:?}"));
    }
    fn all(&self) -> String {
        self.0.lock().unwrap().join("\n")
    }
}

/// A host whose lists name nothing of the redactor.
fn host() -> RegistryBuilder {
    Registry::builder()
        .plugins(hookspec::plugins![hookspec_agent, hookspec_builtins])
        .mode(Mode::Cli)
        .no_confirm(true)
        .allow(["stage", "auto_confirm"])
        .register(Hook::new(STEP_PRE, "stage.silent", |_, _| ()))
}

macro_rules! watches {
    ($builder:expr, $seen:expr, $($point:ident)+) => {{
        let mut builder = $builder;
        $(
            let seen = $seen.clone();
            builder = builder.register(Hook::new($point, concat!("stage.", stringify!($point)).to_lowercase(), move |event, _| {
                seen.add((stringify!($point), event));
            }));
        )+
        builder
    }};
}

/// All files below a folder, as text.
fn kept(folder: &Path) -> String {
    let mut all = String::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            all.push_str(&kept(&path));
        } else {
            all.push_str(&String::from_utf8_lossy(&std::fs::read(&path).unwrap()));
        }
    }
    all
}

#[tokio::test(flavor = "multi_thread")]
async fn a_result_is_redacted_before_any_hook_sees_it() {
    let token = token();
    let read = |command: &str| call("shell", json!({ "command": command }));
    let stage = Stage::new(&[read("cat notes"), read("cat notes >&2; exit 3"), say("Done.")]);
    std::fs::write(stage.workspace().join("notes"), format!("first\n{token}\nlast\n")).unwrap();
    let seen = Seen::default();
    let around = seen.clone();
    let builder = watches!(host(), seen, SESSION_START TURN_PRE STEP_PRE GENERATION_PRE TOOL_POST_EXECUTE TOOL_RESULT_TRANSFORM
        ERROR MESSAGE_POST_PROCESS STEP_POST LOOP_CONTINUE)
    .register(Hook::around(TOOL_EXECUTE, "stage.around", move |_, _, next| {
        let seen = around.clone();
        Box::pin(async move { seen.add(next.run().await) })
    }));
    let mut agent = stage.open(builder, None).await;
    assert_eq!(agent.prompt(Message::user("what do they say?")).await, RESTED);
    let log = texts(&agent).join("\n");
    agent.end(EndReason::Exit).await;
    for (place, text) in [("hooks", seen.all()), ("log", log), ("files", kept(&stage.logs()))] {
        assert!(text.contains("[redacted: a GitHub token"), "{place}: {text}");
        assert!(text.contains("first") && !text.contains(&token), "{place}: {text}");
    }
    assert!(seen.all().contains("ERROR") && !format!("{:?}", stage.shown).contains(&token));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_prompt_is_redacted_before_hooks_log_and_model_get_it_and_the_user_is_told() {
    let token = token();
    let asked = json!({ "text": "Yes.", "expect": "[redacted: a GitHub token" }).to_string();
    let stage = Stage::new(&[asked]);
    let seen = Seen::default();
    let builder = watches!(host(), seen, MESSAGE_PRE_PROCESS TURN_PRE GENERATION_PRE);
    let mut agent = stage.open(builder, None).await;
    assert_eq!(agent.prompt(Message::user(format!("use {token} for it"))).await, RESTED);
    let told = format!("{:?}", stage.shown);
    assert!(told.contains("taken out of your message"), "{told}");
    assert!(!seen.all().contains(&token) && !kept(&stage.logs()).contains(&token));
    agent.end(EndReason::Exit).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_is_shown_and_kept_without_and_its_call_runs_as_it_was_written() {
    let token = token();
    let content = format!("x = '{token}'\n");
    let fenced = format!("I write {token} down.\n\n```save a.txt\n{content}```\n");
    let script = [
        json!({ "text": fenced, "chunk_size": 5, "reasoning": format!("it is {token}") }).to_string(),
        call("save", json!({ "path": "b.txt", "content": content })),
        say("Done."),
    ];
    let stage = Stage::new(&script);
    let seen = Seen::default();
    let builder = watches!(host(), seen, GENERATION_CHUNK GENERATION_POST MESSAGE_TRANSFORM MESSAGE_POST_PROCESS TOOL_CONFIRM
        TOOL_POST_EXECUTE TOOL_RESULT_TRANSFORM);
    let mut agent = stage.open(builder, None).await;
    assert_eq!(agent.prompt(Message::user("go")).await, RESTED);
    agent.end(EndReason::Exit).await;
    for name in ["a.txt", "b.txt"] {
        assert_eq!(std::fs::read_to_string(stage.workspace().join(name)).unwrap(), content, "{name}");
    }
    assert!(!seen.all().contains(&token), "{}", seen.all());
    // Nor is it there when the pieces are put together.
    let pieces: String = seen.all().lines().filter(|line| line.contains("GENERATION_CHUNK")).collect();
    assert!(pieces.contains("redacted: a GitHub token"), "{pieces}");
    assert!(!kept(&stage.logs()).contains(&token) && !format!("{:?}", stage.shown).contains(&token));
}

#[derive(Default, Serialize, Deserialize)]
struct Remembered(String);

#[tokio::test(flavor = "multi_thread")]
async fn what_hooks_say_fold_refuse_fail_with_and_remember_is_redacted() {
    let token = token();
    let of = |text: &str| format!("{text} {token}");
    let asked = json!({ "text": "Hm.", "expect": "transient [redacted: a GitHub token" }).to_string();
    let stage = Stage::new(&[call("shell", json!({ "command": "echo hi" })), asked]);
    let seen = Seen::default();
    let (said, transient, folded, denied, failed, kept_state) =
        (of("said"), of("transient"), of("folded"), of("denied"), of("failed"), of("state"));
    let builder = watches!(host(), seen, ERROR TOOL_POST_EXECUTE GENERATION_POST)
        .register(Hook::new(STEP_PRE, "stage.says", move |_, _| Message::system(said.clone())))
        .register(Hook::new(GENERATION_PRE, "stage.adds", move |_, _| Message::system(transient.clone())))
        .register(Hook::new(GENERATION_PRE, "stage.folds", move |event, _| {
            let mut request = event.request.clone();
            request.messages.push(Message::system(folded.clone()));
            Fold(request)
        }))
        .register(Hook::new(TOOL_PRE_EXECUTE, "stage.denies", move |_, _| Gate::deny(denied.clone())))
        .register(Hook::new(STEP_POST, "stage.fails", move |_, _| Err::<(), _>(failed.clone())))
        .register(Hook::new(STEP_POST, "stage.remembers", move |_, session: &Session| {
            session.try_state::<Remembered>().unwrap().0.clone_from(&kept_state);
        }));
    let mut agent = stage.open(builder, None).await;
    assert_eq!(agent.prompt(Message::user("go")).await, RESTED);
    agent.end(EndReason::Exit).await;
    assert!(!seen.all().contains(&token), "{}", seen.all());
    let kept = kept(&stage.logs());
    assert!(!kept.contains(&token), "{kept}");
    for word in ["said", "transient", "folded", "denied", "failed", "state"] {
        assert!(kept.contains(&format!("{word} [redacted: a GitHub token")), "{word}: {kept}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_log_of_before_and_a_copy_of_one_are_redacted_and_the_user_is_told() {
    let token = token();
    let stage = Stage::new(&[say("One."), say("Two.")]);
    let agent = stage.open(host(), None).await;
    agent.end(EndReason::Exit).await;
    let file = stage.logs().join("test/conversation.jsonl");
    let mut old = std::fs::read_to_string(&file).unwrap();
    old.push_str(&json!({ "role": "user", "content": format!("it is {token}") }).to_string());
    old.push('\n');
    std::fs::write(&file, old).unwrap();
    let seen = Seen::default();
    let agent = stage.resume(watches!(host(), seen, SESSION_START)).await.unwrap();
    assert!(texts(&agent)[0].starts_with("it is [redacted: a GitHub token"), "{:?}", texts(&agent));
    assert!(
        format!("{:?}", stage.shown).contains("1 messages of this conversation were stored with credentials")
    );
    assert!(!seen.all().contains(&token));
    let raw = vec![Message::user(format!("it is {token}"))];
    agent.end(EndReason::Exit).await;
    let opening = stage.opening(host(), Begin::Fork("copy".into(), raw, Vec::new()));
    let mut copy = hookspec_agent::Agent::open(opening, |session| session).await.unwrap();
    copy.edit(vec![Message::user(format!("now {token}"))]).await.unwrap();
    copy.end(EndReason::Exit).await;
    let copied = kept(&stage.logs().join("copy"));
    assert!(
        copied.contains("it is [redacted") && copied.contains("now [redacted") && !copied.contains(&token),
        "{copied}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_cut_short_is_kept_without() {
    let token = token();
    let text = format!("it is {token} and more words that nobody waits for");
    let stage = Stage::new(&[json!({ "text": text, "chunk_size": 6 }).to_string()]);
    let stop = Hook::new(GENERATION_CHUNK, "stage.stops", |event, session: &Session| {
        if event.chunk.contains("words") {
            session.interrupt(hookspec::session::InterruptReason::Hook);
        }
    });
    let mut agent = stage.open(host().register(stop), None).await;
    agent.prompt(Message::user("go")).await;
    let log = texts(&agent).join("\n");
    agent.end(EndReason::Exit).await;
    assert!(
        log.contains("it is [redacted: a GitHub token") && !kept(&stage.logs()).contains(&token),
        "{log}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_value_of_the_workspaces_secret_file_is_known_in_what_form_it_comes_and_the_session_is_labelled() {
    let value = "Xk3-9plmwQ7z";
    let read = |command: &str| call("shell", json!({ "command": command }));
    let script =
        [read("cat copy"), read("base64 copy"), read("od -An -v -tx1 copy | tr -d ' \\n'"), say("Done.")];
    let stage = Stage::new(&script);
    std::fs::write(stage.workspace().join(".env"), format!("DB_PASSWORD={value}\n")).unwrap();
    std::fs::write(stage.workspace().join("copy"), format!("user:{value}\n")).unwrap();
    let seen = Seen::default();
    let builder = watches!(host().allow(["secrets_guard"]), seen, TOOL_POST_EXECUTE);
    let mut agent = stage.open(builder, None).await;
    assert_eq!(agent.prompt(Message::user("look")).await, RESTED);
    assert!(agent.session().has_label(&hookspec::session::Label::READ_SECRET));
    let log = texts(&agent).join("\n");
    agent.end(EndReason::Exit).await;
    let base64 = "WGszLTlwbG13UTd6";
    let hex: String = value.bytes().map(|byte| format!("{byte:02x}")).collect();
    for text in [log.as_str(), &seen.all(), &kept(&stage.logs())] {
        assert!(text.matches("`DB_PASSWORD` of `.env`").count() >= 3, "{text}");
        for form in [value, base64, &base64[3..], &hex] {
            assert!(!text.contains(form), "{form} in {text}");
        }
    }
}
