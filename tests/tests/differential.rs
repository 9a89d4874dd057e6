//! Our hooks over the same rows as gptme's: `tests/differential/*.json`, written by `gptme.py` there.
//!
//! Where a row says why it `differs`, ours must do what the row says instead, and not what gptme did; everywhere
//! else the two must agree.

#![allow(clippy::unwrap_used)] // a test that cannot go on has failed

use std::fmt::Debug;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use hookspec::ask::Answer;
use hookspec::model::{FinishReason, MicroDollars, Request, Usage};
use hookspec::points::{
    ELICIT, GENERATION_POST, GENERATION_PRE, LOOP_CONTINUE, MESSAGE_POST_PROCESS, SESSION_START, StartReason,
    TOOL_POST_EXECUTE, TURN_POST, TURN_PRE, TurnOutcome,
};
use hookspec::session::{Clock, SessionBuilder};
use hookspec::tool::ToolStatus;
use hookspec::{Config, First, Hook, Hooks, Message, Mode, Registry, Role, Session, ToolUse, fire, fire_now};
use hookspec_builtins::cost_awareness;
use hookspec_builtins::models::Models;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

#[derive(Deserialize)]
struct Table<I, O> {
    rows: Vec<Row<I, O>>,
}

#[derive(Deserialize)]
struct Row<I, O> {
    name: String,
    input: I,
    gptme: O,
    differs: Option<String>,
    ours: Option<Value>,
}

/// Runs every row and tells of all that are not as the table has them.
fn compare<I: DeserializeOwned, O: DeserializeOwned + PartialEq + Debug>(
    table: &str,
    run: impl Fn(&I) -> Result<O, String>,
) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("differential").join(format!("{table}.json"));
    let rows: Table<I, O> = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    assert!(!rows.rows.is_empty());
    let mut wrong = Vec::new();
    for row in rows.rows {
        let said = run(&row.input);
        let refused = row.ours == Some(Value::from("error"));
        assert_eq!(row.differs.is_some(), row.ours.is_some(), "{}: why and what belong together", row.name);
        let ours = row.ours.filter(|_| !refused).map(|ours| serde_json::from_value::<O>(ours).unwrap());
        assert!(ours.as_ref() != Some(&row.gptme), "{}: it does not differ", row.name);
        let wanted = ours.unwrap_or(row.gptme);
        let right = match &said {
            Ok(said) => !refused && *said == wanted,
            Err(_) => refused,
        };
        if !right {
            let why = row.differs.unwrap_or_else(|| "nothing said".to_owned());
            wrong.push(format!(
                "{}\n  wanted {wanted:?} (error: {refused})\n  said   {said:?}\n  differs: {why}",
                row.name
            ));
        }
    }
    assert!(wrong.is_empty(), "{table}:\n{}", wrong.join("\n"));
}

fn registry(group: &str, settings: &str) -> Result<Registry, String> {
    let mut config = Config::new();
    if !settings.is_empty() {
        let text = format!("[hooks.{group}]\n{settings}");
        config.add_toml("row", &text, &[]).map_err(|error| error.to_string())?;
    }
    let builder = Registry::builder().plugins(hookspec::plugins![hookspec_builtins]).config(config);
    let builder = builder.mode(Mode::Cli);
    // The engine's tools are linked here; their schemas are tokens that gptme does not count.
    builder.allow([group]).disable(["tool.*"]).build().map_err(|error| error.to_string())
}

fn session(registry: Registry) -> SessionBuilder {
    let clock = Clock::manual("2026-01-01T12:00:00Z".parse().unwrap());
    Session::builder(&Hooks::new(registry), "row").clock(clock)
}

fn start(session: &Session) -> Vec<Message> {
    let reason = StartReason::New;
    fire_now!(session, SESSION_START { resumed: false, reason, initial: &[] }).into_messages()
}

fn tool(session: &Session) -> Vec<Message> {
    let tool_use = ToolUse::fenced("shell", [""; 0], "ls");
    let (result, status, duration) = (&[][..], ToolStatus::Ok, Duration::ZERO);
    fire_now!(session, TOOL_POST_EXECUTE { tool_use: &tool_use, result, status, duration }).into_messages()
}

/// What stands between two parts of a text.
fn between<'t>(text: &'t str, before: &str, after: &str) -> Option<&'t str> {
    let rest = text.split_once(before)?.1;
    Some(rest.split_once(after)?.0)
}

#[derive(Deserialize)]
struct Tokens {
    context: Option<u64>,
    #[serde(default)]
    workspace: bool,
    #[serde(default)]
    logs: Vec<Vec<usize>>,
}

fn token_session(input: &Tokens) -> Session {
    let context = input.context.map(|context| format!("context = {context}")).unwrap_or_default();
    let table = format!("['test/model']\n{context}").parse().unwrap();
    let models = Models::default().with_overrides(&table).unwrap();
    let builder = session(registry("token_awareness", "").unwrap()).model("test/model");
    let builder = builder.extension(Arc::new(models));
    if input.workspace { builder.workspace("/w").build() } else { builder.build() }
}

#[test]
fn token_usage() {
    compare("token_usage", |input: &Tokens| {
        let session = token_session(input);
        let said = input.logs.iter().map(|sizes| {
            // A message of four letters a token, which both count alike.
            session.replace_log(sizes.iter().map(|size| Message::user(" the".repeat(*size))).collect());
            let messages = tool(&session);
            let text = &messages.first()?.content;
            let usage = between(text, "usage: ", ";").unwrap();
            let left = between(text, "; ", " remaining").map(str::to_owned);
            let left = left.unwrap_or_else(|| format!("over {}", between(text, "budget by ", "<").unwrap()));
            Some(format!("{usage} {left}"))
        });
        Ok(said.collect::<Vec<_>>())
    });
}

#[test]
fn token_budget() {
    compare("token_budget", |input: &Tokens| {
        let said = start(&token_session(input));
        Ok(said.into_iter().map(|message| message.content).collect::<Vec<_>>())
    });
}

#[derive(Deserialize)]
struct Time {
    minutes: Vec<f64>,
    workspace: bool,
}

#[test]
fn time() {
    compare("time", |input: &Time| {
        let builder = session(registry("time_awareness", "").unwrap());
        let session = if input.workspace { builder.workspace("/w").build() } else { builder.build() };
        start(&session);
        let mut passed = 0.0;
        let said = input.minutes.iter().map(|minutes| {
            session.clock().advance(Duration::from_secs_f64((minutes - passed) * 60.0));
            passed = *minutes;
            let messages = tool(&session);
            between(&messages.first()?.content, "going on for ", ".</").map(str::to_owned)
        });
        Ok(said.collect::<Vec<_>>())
    });
}

#[derive(Deserialize)]
struct Cost {
    settings: serde_json::Map<String, Value>,
    turns: Vec<Turn>,
}

#[derive(Deserialize)]
struct Turn {
    /// Model, millionths of a dollar, tokens in, out, read from the cache and written to it.
    requests: Vec<(String, u64, u64, u64, u64, u64)>,
    wait: u64,
    next: Option<String>,
    log: Vec<Role>,
}

fn answered(session: &Session, model: &str, cost: u64, [input, output, read, creation]: [u64; 4]) {
    let usage = Usage {
        input_tokens: input,
        output_tokens: output,
        cache_read_tokens: read,
        cache_creation_tokens: creation,
    };
    let _ = fire_now!(
        session,
        GENERATION_POST {
            response: &Message::assistant("done"),
            usage: Some(&usage),
            cost: Some(MicroDollars(cost)),
            duration: Duration::ZERO,
            finish_reason: FinishReason::Stop,
            model,
        }
    );
}

/// The numbers that a warning is about.
fn numbers(text: &str) -> String {
    if text.contains("cold") {
        return "cold".to_owned();
    }
    let mut parts = Vec::new();
    if let Some(cost) = between(text, "cost reached $", " (") {
        parts.push(cost);
    }
    if let Some(share) = between(text, "$", "budget").and_then(|share| share.split_once('(')) {
        // `0.81 (80% of $1.00 `; a token budget stands behind and has no dollars.
        if let Some((percent, amount)) = share.1.split_once(" of $") {
            parts.extend([percent, amount.trim()]);
        }
    }
    if let Some(counts) = between(text, "tokens: ", ")") {
        let (tokens, hits) = counts.split_once(" in/out, cache hit: ").unwrap();
        parts.extend([tokens, hits]);
    }
    if let Some(usage) = between(text, "token usage reached ", " token budget") {
        let (used, share) = usage.split_once(" (").unwrap();
        let (percent, budget) = share.split_once(" of ").unwrap();
        parts.extend([used, percent, budget]);
    }
    parts.join(" ")
}

#[test]
fn cost() {
    compare("cost", |input: &Cost| {
        // As somebody would write it: a number where it is one, and else a string.
        let written = input.settings.iter().map(|(key, value)| {
            let text = value.as_str().unwrap();
            let number = text.trim_start_matches('-').bytes().all(|b| b.is_ascii_digit() || b == b'.');
            let word = matches!(text.trim_start_matches('-'), "nan" | "inf");
            if number || word { format!("{key} = {text}\n") } else { format!("{key} = {text:?}\n") }
        });
        let session = session(registry("cost_awareness", &written.collect::<String>())?)
            .extension(Arc::new(Models::builtin().unwrap()))
            .build();
        let said = input.turns.iter().map(|turn| {
            let _ = fire_now!(session, TURN_PRE { message: &Message::user("go") });
            for (model, cost, input, output, read, creation) in &turn.requests {
                answered(&session, model, *cost, [*input, *output, *read, *creation]);
            }
            let (usage, outcome) = (Usage::default(), TurnOutcome::Complete);
            let _ = fire_now!(session, TURN_POST { steps: 1, changed: &[], usage: &usage, outcome });
            session.clock().advance(Duration::from_secs(turn.wait));
            let model = turn.next.clone()?;
            let _ = fire_now!(session, TURN_PRE { message: &Message::user("go") });
            let messages = turn.log.iter().map(|role| Message::new(*role, "go")).collect();
            let request = Request { messages, model, ..Request::default() };
            let fired = fire_now!(session, GENERATION_PRE { request: &request, attempt: 0 });
            Some(fired.messages().iter().map(|message| numbers(&message.content)).collect::<Vec<_>>())
        });
        Ok(said.collect::<Vec<_>>())
    });
}

#[derive(Deserialize)]
struct Summary {
    /// Millionths of a dollar, tokens in, out, read from the cache and written to it.
    requests: Vec<(u64, u64, u64, u64, u64)>,
}

#[test]
fn cost_summary() {
    compare("cost_summary", |input: &Summary| {
        let session = session(registry("cost_awareness", "")?).build();
        for (cost, input, output, read, creation) in &input.requests {
            answered(&session, "openai/gpt-5", *cost, [*input, *output, *read, *creation]);
        }
        let line = cost_awareness::summary(&session);
        let line = line.map(|line| {
            let parts: Vec<&str> = line.split(" | ").map(|part| part.split(' ').next().unwrap()).collect();
            let cost = between(&line, "Session: $", " |").unwrap();
            format!("{cost} {} {} {}", parts[1], parts[2], parts[3])
        });
        Ok(line.into_iter().collect::<Vec<_>>())
    });
}

#[test]
fn markdown() {
    // What is a tool call depends on the tools there are.
    let builder = Registry::builder().plugins(hookspec::plugins![hookspec_agent, hookspec_builtins]);
    let hooks = Hooks::new(builder.allow(["markdown_validation"]).build().unwrap());
    compare("markdown", |text: &String| {
        let session = Session::builder(&hooks, "row").build();
        let fired = fire_now!(session, MESSAGE_POST_PROCESS { message: &Message::assistant(text) });
        Ok(fired.messages().iter().any(|said| said.content.contains("Potential markdown codeblock cut-off")))
    });
}

#[tokio::test]
async fn form() {
    let mut config = Config::new();
    config.add_toml("row", "[hooks.form_autodetect]\nenabled = true", &[]).unwrap();
    let offered = Arc::new(Mutex::new(0));
    let seen = Arc::clone(&offered);
    let user = Hook::new(ELICIT, "user.sees", move |_, _| {
        *seen.lock().unwrap() += 1;
        First(Answer::Cancelled)
    });
    let builder = Registry::builder().plugins(hookspec::plugins![hookspec_builtins]).config(config);
    let builder = builder.mode(Mode::Cli);
    let registry = builder.allow(["form_autodetect", "user"]).register(user).build().unwrap();
    let hooks = Hooks::new(registry);
    let runtime = tokio::runtime::Handle::current();
    let compared = tokio::task::spawn_blocking(move || {
        compare("form", |text: &String| {
            let log = [Message::user("How?"), Message::assistant(text)];
            let session = Session::builder(&hooks, "row").log(log, None).build();
            let before = *offered.lock().unwrap();
            runtime.block_on(async {
                let outcome = TurnOutcome::Complete;
                let _ = fire!(session, LOOP_CONTINUE { outcome, queue: &[], continued: 0 }).await;
            });
            Ok(*offered.lock().unwrap() > before)
        });
    });
    compared.await.unwrap();
}
