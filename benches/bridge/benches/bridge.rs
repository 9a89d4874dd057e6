//! What one event costs: a whole process, from its start to its end, contestants in turn.
//!
//! `cargo bench -p hookspec-bridge-bench`; with HOOKSPEC_PROGRAM, that `hookspec` takes part. Python and Node take part where they are installed. Without `--bench`
//! (as a test) each contestant runs twice. On a busy machine the fastest run tells the cost, and the median how long
//! it waited for its turn.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const EVENT: &str = r#"{"session_id":"s","turn_id":"t","transcript_path":null,"cwd":"/","hook_event_name":"PreToolUse","model":"m","permission_mode":"default","tool_name":"Bash","tool_input":{"command":"cargo test"},"tool_use_id":"c"}"#;
const PYTHON: &str = "import json,sys\njson.load(sys.stdin)";
const NODE: &str = "let t='';process.stdin.on('data',d=>t+=d).on('end',()=>JSON.parse(t))";

struct Contestant {
    name: &'static str,
    command: Vec<String>,
    times: Vec<Duration>,
}

fn run(command: &[String]) -> Option<Duration> {
    let began = Instant::now();
    let mut child = Command::new(&command[0])
        .args(&command[1..])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    child.stdin.take()?.write_all(EVENT.as_bytes()).ok()?;
    child.wait().ok()?.success().then(|| began.elapsed())
}

#[allow(clippy::print_stdout)] // printing is what it is for
fn main() {
    let rounds = if std::env::args().any(|argument| argument == "--bench") { 210 } else { 2 };
    let Ok(folder) = tempfile::tempdir() else { return };
    let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
    let ours =
        |count: &str| words(&[env!("CARGO_BIN_EXE_hooks"), count, &folder.path().display().to_string()]);
    let mut contestants = vec![
        ("bare native process", words(&[env!("CARGO_BIN_EXE_bare")])),
        ("ours, no hook", ours("0")),
        ("ours, 1 hook and state", ours("1")),
        ("ours, 20 hooks and state", ours("20")),
    ];
    if let Some(program) = std::env::var_os("HOOKSPEC_PROGRAM").filter(|program| Path::new(program).is_file())
    {
        let program = program.to_string_lossy().into_owned();
        let event = [&program, "bridge", "codex", "--event", "PreToolUse"];
        contestants.push(("hookspec, all built-ins", words(&event)));
        let resident = [&event[..], &["--resident", "--idle", "30"]].concat();
        contestants.push(("the same, by a resident", words(&resident)));
    }
    contestants.push(("python3, json", words(&["python3", "-c", PYTHON])));
    contestants.push(("node, JSON.parse", words(&["node", "-e", NODE])));
    let mut contestants: Vec<_> = contestants
        .into_iter()
        .filter(|(_, command)| run(command).is_some())
        .map(|(name, command)| Contestant { name, command, times: Vec::new() })
        .collect();
    for round in 0..rounds {
        // From another place each time, forwards and backwards: who runs behind Node finds the caches empty.
        let count = contestants.len();
        for step in 0..count {
            let place = if round % 2 == 0 { step } else { count - 1 - step };
            let index = (round / 2 + place) % count;
            let contestant = &mut contestants[index];
            contestant.times.extend(run(&contestant.command));
        }
    }
    println!("{:<28} {:>10} {:>8} {:>10} {:>8}", "one event, ms", "median", "ratio", "fastest", "ratio");
    let mut first = None;
    for contestant in &mut contestants {
        contestant.times.sort_unstable();
        let times = &contestant.times;
        let (Some(median), Some(fastest)) = (times.get(times.len() / 2), times.first()) else { continue };
        let (median, fastest) = (median.as_secs_f64() * 1000.0, fastest.as_secs_f64() * 1000.0);
        let (median_of_first, fastest_of_first) = *first.get_or_insert((median, fastest));
        println!(
            "{:<28} {median:>10.2} {:>8.2} {fastest:>10.2} {:>8.2}",
            contestant.name,
            median / median_of_first,
            fastest / fastest_of_first
        );
    }
}
