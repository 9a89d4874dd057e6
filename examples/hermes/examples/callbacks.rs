//! One scripted turn with callbacks of Hermes's kind: a push is refused, a file's content changed, a context added, an
//! agent sent back once. Prints what the callbacks were told and what came of it.
//!
//! `cargo run -p hookspec-hermes --example callbacks`

use std::path::Path;
use std::process::ExitCode;
use std::sync::{Arc, Mutex, PoisonError};

use hookspec::hooks::BoxError;
use hookspec::points::{EndReason, GENERATION_PRE};
use hookspec::session::Clock;
use hookspec::{Hook, Hooks, Message, Mode, Registry, Role};
use hookspec_agent::Agent;
use hookspec_agent::engine::{Begin, Limits, Opening, Silent};
use hookspec_agent::models::ModelOptions;
use hookspec_agent::spawn::TokioSpawn;
use hookspec_hermes::Callbacks;
use serde_json::{Value, json};

/// What the model says, line by line.
const SCRIPT: &str = r#"
{"text": "First I push.", "tool_calls": [{"tool": "shell", "kwargs": {"command": "git push"}}]}
{"text": "Then I write.", "tool_calls": [{"tool": "save", "kwargs": {"path": "notes.txt", "content": "my key is k-1234\n"}}]}
{"text": "Done."}
{"text": "They pass."}
"#;

/// What happened, line by line.
type Lines = Arc<Mutex<Vec<String>>>;

fn say(lines: &Lines, line: String) {
    lines.lock().unwrap_or_else(PoisonError::into_inner).push(line);
}

fn callbacks(lines: &Lines) -> Result<Callbacks, BoxError> {
    let (turns, ends, calls) = (Arc::clone(lines), Arc::clone(lines), Arc::clone(lines));
    let callbacks = Callbacks::new()
        .platform("cli")
        .on("pre_llm_call", "day", |_, _| Ok(json!({ "context": "Today is Monday." })))?
        .on("pre_tool_call", "no_push", |told, _| {
            let pushes = told["args"]["command"].as_str().is_some_and(|command| command.contains("git push"));
            Ok(if pushes { json!({ "action": "block", "message": "I push myself." }) } else { Value::Null })
        })?
        .on("pre_tool_call", "no_keys", |told, _| {
            let Some(content) = told["args"]["content"].as_str() else { return Ok(Value::Null) };
            Ok(json!({ "action": "modify", "args": { "content": content.replace("k-1234", "***") } }))
        })?
        .on("pre_verify", "tests", |told, _| {
            let first = told["attempt"] == 0;
            Ok(if first { json!({ "decision": "block", "reason": "Run the tests." }) } else { Value::Null })
        })?
        .on("post_tool_call", "log", move |told, _| {
            say(&calls, format!("{} ended: {}", told["tool_name"], told["status"]));
            Ok(Value::Null)
        })?
        .on("on_session_end", "turns", move |told, _| {
            say(&turns, format!("a turn ended: {}", told["turn_exit_reason"]));
            Ok(Value::Null)
        })?
        .on("on_session_finalize", "end", move |told, _| {
            say(&ends, format!("the session ended: {}", told["reason"]));
            Ok(Value::Null)
        })?;
    Ok(callbacks)
}

/// Plays the script in this folder and tells what happened.
///
/// # Errors
/// If the folder cannot be written.
pub(crate) async fn play(folder: &Path) -> Result<Vec<String>, BoxError> {
    let workspace = folder.join("workspace");
    std::fs::create_dir_all(&workspace)?;
    let script = folder.join("script.jsonl");
    std::fs::write(&script, SCRIPT.trim_start())?;

    let lines = Lines::default();
    let sent = Arc::clone(&lines);
    let builder = Registry::builder()
        .plugins(hookspec::plugins![hookspec_hermes, hookspec_agent])
        .mode(Mode::Embedded)
        .register(Hook::new(hookspec::points::TOOL_CONFIRM, "host.yes", |_, _| {
            hookspec::First(hookspec::ask::Confirmation::Confirm)
        }))
        .register(
            Hook::new(GENERATION_PRE, "host.sent", move |event, _| {
                let messages = event.request.messages.iter();
                if let Some(last) = messages.rev().find(|message| message.role == Role::User) {
                    say(&sent, format!("the model reads: {:?}", last.content));
                }
            })
            .priority(-2000),
        );
    let spawn = TokioSpawn::current().ok_or("this needs a runtime")?;
    let opening = Opening {
        hooks: Hooks::with_spawn(callbacks(&lines)?.register(builder).build()?, Arc::new(spawn)),
        begin: Begin::New("demo".into()),
        logs: folder.join("logs"),
        workspace: workspace.canonicalize()?,
        model: Some(format!("replay:{}", script.display())),
        model_options: ModelOptions::default(),
        frontend: Arc::new(Silent),
        limits: Limits::default(),
        clock: Clock::system(),
        observer: None,
    };
    let mut agent = Agent::open(opening, |session| session).await?;
    agent.prompt(Message::user("Note my key and push.")).await;
    agent.end(EndReason::Exit).await;
    say(&lines, format!("notes.txt: {:?}", std::fs::read_to_string(workspace.join("notes.txt"))?));
    let lines = lines.lock().unwrap_or_else(PoisonError::into_inner);
    Ok(lines.clone())
}

#[allow(clippy::print_stdout, dead_code)] // a program that shows something; as a test's module it is not run
#[tokio::main]
async fn main() -> ExitCode {
    let played = async { play(tempfile::tempdir()?.path()).await };
    match played.await {
        Ok(lines) => {
            lines.iter().for_each(|line| println!("{line}"));
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}
