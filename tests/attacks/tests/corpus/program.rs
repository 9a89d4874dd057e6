//! Starts the program for a row.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use hookspec_attacks::probe::{DRY, Event, GATES, JOURNAL};
use serde_json::Value;

use super::play::Player;
use super::row::Row;
use super::stage::Stage;
use super::told::bridged;

/// So long it may take at most.
const LONGEST: Duration = Duration::from_secs(40);

/// What was observed of a row.
#[derive(Debug, Default)]
pub struct Seen {
    pub events: Vec<Event>,
    pub requests: Vec<Vec<u8>>,
    pub output: Vec<u8>,
    pub trouble: Option<String>,
}

/// Once, for `told`, which is the row or what follows in it.
pub fn run(player: &Player, id: &str, (row, told): (&Row, &Row), stage: &Stage, seen: &mut Seen) {
    let fill = |value: &Value| -> Value {
        // In a string of JSON, where line breaks and quotes are escaped; what is filled in has none.
        serde_json::from_str(&stage.filled(&value.to_string())).unwrap()
    };
    let url = player.models.script(id, told.replies().iter().map(fill).collect());
    let journal = stage.path("journal");
    let program = env!("CARGO_BIN_EXE_hookspec-attacked");
    let mut command = match &told.script {
        None => Command::new(program),
        Some(script) => {
            let first = "hookspec() { \"$PROGRAM\" \"$@\"; }; first() { hookspec snapshots list | tail -1 | cut -d' ' -f1; }";
            let mut bash = Command::new("bash");
            bash.args(["-c", &format!("{first}\n{}", stage.filled(script))]);
            bash
        }
    };
    command
        .current_dir(stage.workspace(told))
        .stdin(Stdio::null())
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap())
        .env("HOME", stage.path("home"))
        .env("HOOKSPEC_HOME", stage.path("hookspec"))
        .env("TMPDIR", stage.path("tmp"))
        .env("LANG", "C.UTF-8")
        .env("USER", "ann")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env(JOURNAL, &journal);
    if told.script.is_some() {
        command.env("PROGRAM", program);
    }
    command.env(DRY, if row.dry == Some(true) { "yes" } else { "no" });
    let nobody = |word: &String| word == "-y" || word == "-n";
    if !told.args.iter().chain(&row.args).flatten().any(nobody) {
        command.env(GATES, if row.gates == Some(true) { "yes" } else { "no" });
    }
    for name in ["OPENAI_API_KEY", "GITHUB_TOKEN", "AWS_SECRET_ACCESS_KEY", "DATABASE_PASSWORD"] {
        command.env(name, &stage.variable_secret);
    }
    for (name, value) in row.env.iter().chain(&told.env) {
        command.env(name, stage.filled(value));
    }
    match (&told.run, &told.script) {
        (Some(words), _) => {
            command.args(words.iter().map(|word| stage.filled(word)));
        }
        (None, Some(_)) => {}
        (None, None) => {
            command.args(["chat", "--model", "openai/attack", "--base-url", &url]);
            if player.bare {
                command.args(["--allow", "probe,tool.*,hookspec_attacks"]);
            }
            for word in told.args.iter().flatten() {
                command.arg(stage.filled(word));
            }
            command.arg("--").arg(stage.filled(told.prompt.as_deref().unwrap_or("Please go on.")));
        }
    }
    if let Some(text) = &told.stdin {
        let input = stage.path("stdin");
        std::fs::write(&input, stage.filled(text)).unwrap();
        command.stdin(std::fs::File::open(&input).unwrap());
    }
    let output = stage.path("output");
    let file = std::fs::File::options().create(true).append(true).open(&output).unwrap();
    command.stdout(file.try_clone().unwrap()).stderr(file);
    let mut child = command.spawn().unwrap();
    let began = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if began.elapsed() > LONGEST {
            let _ = child.kill();
            let _ = child.wait();
            seen.trouble = Some(format!("it took longer than {} s", LONGEST.as_secs()));
            break;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    seen.output = std::fs::read(&output).unwrap();
    let text = std::fs::read_to_string(&journal).unwrap_or_default();
    seen.events = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let requests = player.models.seen(id);
    if told.run.as_ref().is_some_and(|words| words[0] == "bridge") {
        seen.events.extend(bridged(&seen.output));
    }
    if told.run.is_none() && told.script.is_none() && requests.is_empty() && !row.expects("deny") {
        let said = String::from_utf8_lossy(&seen.output).into_owned();
        seen.trouble = Some(format!("the model was never asked: {said}"));
    }
    seen.requests.extend(requests);
}
