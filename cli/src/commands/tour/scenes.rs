//! The scenes: the session's log, told.

use std::path::Path;
use std::sync::Arc;

use hookspec::timeline::{HookRun, TimelineEntry};
use hookspec::{Message, Role};

use crate::foreign;
use crate::output::{self, ACCENT, BAD, BOLD, DIM, WARN, paint};
use crate::screen::{behind, columns, width, wrap};
use crate::show::{describe, untagged};

use super::PROMPT;

/// One scene.
pub(super) struct Scene {
    pub(super) title: &'static str,
    /// What is staged in it, and what to look at.
    pub(super) staged: &'static str,
    pub(super) lines: Vec<String>,
}

const SCENES: [(&str, &str); 4] = [
    (
        "Who else is here",
        "Staged: a program called `claude`, which only sleeps, was started in the same folder. A hook notices it before the first word, and tells the model.",
    ),
    (
        "A file is saved, and linted",
        "The model saves a file with an import it does not need. The plugin `linter` runs a linter, here a small script, on what was saved.",
    ),
    (
        "A gate says no, and time flies",
        "The model wants to change production settings. The hook `tour.guard` denies it: the file stays as it is, and the model reads why. Staged: `tour.time_flies` moves the session's clock by seven minutes a step.",
    ),
    (
        "A bug, and the rest",
        "Staged: `tour.fragile` panics at every shell command. The session goes on, and the model learns where it is and how late it is.",
    ),
];

/// The scenes of a session: each answer of the model but the last begins one. What hooks said and how they failed stands
/// where it happened.
pub(super) fn of(log: &[Arc<Message>], entries: &[TimelineEntry], workspace: &Path) -> Vec<Scene> {
    let mut scenes = SCENES.map(|(title, staged)| Scene { title, staged, lines: Vec::new() });
    let mut failures = failures(entries).into_iter().peekable();
    let (mut at, mut said, last) = (0, 0, SCENES.len() - 1);
    for message in log {
        match message.role {
            Role::Assistant => at = (at + 1).min(last),
            // The prompt that tells the model what it is, and what the user typed, which is told below.
            Role::System if message.hook.is_none() && message.hide => continue,
            Role::User | Role::System => {}
        }
        scenes[at].lines.extend(told(message, workspace));
        said += usize::from(message.hook.is_some());
        while let Some((_, line)) = failures.next_if(|(before, _)| *before <= said) {
            scenes[at].lines.push(line);
        }
    }
    scenes[at].lines.extend(failures.map(|(_, line)| line));
    scenes.into()
}

/// Hooks that failed and how, each with how many messages of hooks there were before. The log has no other time in common
/// with the timeline: the session's clock is moved.
fn failures(entries: &[TimelineEntry]) -> Vec<(usize, String)> {
    let mut runs: Vec<&HookRun> = entries
        .iter()
        .filter_map(|entry| match entry {
            TimelineEntry::Ran(run) => Some(&**run),
            TimelineEntry::Fired { .. } => None,
        })
        .collect();
    runs.sort_by_key(|run| run.offset_us);
    let mut said = 0;
    let mut failures = Vec::new();
    for run in runs {
        said += run.messages.len();
        if let Some(error) = &run.error {
            let hook = paint(BAD, format!("✗ {}", foreign::line(&run.hook)));
            failures.push((said, format!("  {hook} {}", foreign::line(error))));
        }
    }
    failures
}

fn told(message: &Message, workspace: &Path) -> Vec<String> {
    let here = workspace.display().to_string();
    let text = foreign::text(&untagged(&message.content))
        .replace(&format!("{here}/"), "")
        .replace(&here, "the workspace");
    let indented = |text: &str| behind(text.trim(), 4);
    let tool = message.metadata.as_ref().and_then(|metadata| metadata.tool.as_deref());
    match (message.role, &message.hook, tool) {
        (Role::User, _, _) => vec![format!("{} {PROMPT}", paint(BOLD, ">"))],
        (Role::Assistant, _, _) => {
            let calls = message.metadata.iter().flat_map(|metadata| &metadata.tool_calls);
            let calls = calls.map(|call| paint(DIM, format!("  → {}", behind(&describe(call), 4))));
            std::iter::once(behind(&text, 0)).chain(calls).collect()
        }
        (_, Some(hook), _) => {
            vec![format!("  {} tells the model\n    {}", paint(ACCENT, format!("⚑ {hook}")), indented(&text))]
        }
        (_, None, Some(tool)) => {
            let style = if text.starts_with("Denied") { WARN } else { DIM };
            vec![format!("  {}\n    {}", paint(style, format!("⚙ {tool}")), indented(&text))]
        }
        (_, None, None) => Vec::new(),
    }
}

/// Columns that are enough for any command and what it does.
const ROOMY: usize = 150;

/// The last screen: what to type next, as it works where this program lies.
pub(super) fn next(kept: bool) {
    output::line(format!("\n{}", paint(BOLD, "What to type next")));
    let program = program();
    let rows = [
        (kept, "trace --svg tour.svg", "this session as a picture"),
        (kept, "trace", "every hook that ran in it, also those that said nothing"),
        (true, "list", "the hooks that are on, and why"),
        (true, "points FILE_POST_SAVE", "what a hook can ask for"),
        (true, "new my-hooks", "a plugin crate with a hook and a test"),
    ];
    let with_models = if cfg!(feature = "models") { program.clone() } else { full(&program) };
    let mut commands: Vec<(String, &str)> = rows
        .iter()
        .filter(|row| row.0)
        .map(|(_, arguments, what)| (format!("{program} {arguments}"), *what))
        .collect();
    commands.push((format!("{with_models} chat --model ollama/llama3.2"), "an agent, with your model"));
    // One below the other, but where there is room for the longest commands, those of cargo, and what they do.
    let wide = commands.iter().map(|(command, _)| width(command)).max().unwrap_or(0);
    let beside = columns().is_none_or(|columns| columns >= ROOMY);
    for (command, what) in commands {
        output::line(match beside {
            true => format!("  {command:<wide$}  {}", paint(DIM, what)),
            false => format!("  {}\n      {}", over_lines(&command), paint(DIM, behind(what, 6))),
        });
    }
}

/// A command that is longer than the screen, over several lines, as a shell takes it.
fn over_lines(command: &str) -> String {
    match columns() {
        Some(columns) if width(command) + 2 > columns => {
            wrap(command, columns.saturating_sub(4)).join(" \\\n  ")
        }
        _ => command.to_owned(),
    }
}

/// The program's name as one types it: what cargo has just built is not on the path.
fn program() -> String {
    let exe = std::env::current_exe().ok();
    let folder = exe.as_deref().and_then(Path::parent).filter(|folder| folder.join(".cargo-lock").exists());
    match folder.and_then(Path::file_name).and_then(|name| name.to_str()) {
        Some("release") => "cargo run --release -p hookspec-cli --".to_owned(),
        Some("debug") => "cargo run -p hookspec-cli --".to_owned(),
        _ => "hookspec".to_owned(),
    }
}

/// The same for what this program was built without.
fn full(program: &str) -> String {
    match program.strip_suffix(" --") {
        Some(cargo) => format!("{cargo} --features full --"),
        None => program.to_owned(),
    }
}
