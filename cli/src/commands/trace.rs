//! `hookspec trace`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use hookspec::{HookRun, TimelineEntry};
use svg::Document;
use svg::node::element::{Group, Rectangle, Text, Title};

use crate::output::{self, ACCENT, BAD, DIM, paint};
use crate::settings::{Common, Settings};

use super::CommandResult;

#[derive(Debug, Args)]
pub(crate) struct Trace {
    /// The session; the latest one unless given.
    session: Option<String>,
    /// Write a picture.
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
}

#[derive(Debug, thiserror::Error)]
enum TraceError {
    #[error("there is no session yet; `hookspec tour` makes one")]
    NoSession,
    #[error("the session `{session}` has no timeline at {path}: {source}")]
    NoTimeline { session: String, path: PathBuf, source: std::io::Error },
    #[error("{path} cannot be written: {source}")]
    Picture { path: PathBuf, source: std::io::Error },
}

impl Trace {
    pub(crate) fn run(&self, common: &Common) -> CommandResult {
        let settings = Settings::load(common)?;
        let session = match &self.session {
            Some(session) => session.clone(),
            None => {
                let sessions = hookspec_agent::log::list(&settings.paths.logs_dir)?;
                sessions.into_iter().next().ok_or(TraceError::NoSession)?.id
            }
        };
        let path = settings.paths.logs_dir.join(&session).join("timeline.jsonl");
        let entries = read(&path).map_err(|source| TraceError::NoTimeline {
            session: session.clone(),
            path,
            source,
        })?;
        if let Some(file) = &self.svg {
            let picture = picture(&session, &entries);
            svg::save(file, &picture).map_err(|source| TraceError::Picture { path: file.clone(), source })?;
            output::note(format!("wrote {}", file.display()));
        } else if common.json {
            for entry in &entries {
                output::json(entry)?;
            }
        } else {
            print(&session, &entries);
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// Every good line; a broken one costs itself.
fn read(path: &Path) -> std::io::Result<Vec<TimelineEntry>> {
    let text = std::fs::read(path)?;
    let text = String::from_utf8_lossy(&text);
    let mut entries = Vec::new();
    for (index, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        match serde_json::from_str(line) {
            Ok(entry) => entries.push(entry),
            Err(error) => {
                output::note(format!("{}, line {} was skipped: {error}", path.display(), index + 1));
            }
        }
    }
    Ok(entries)
}

/// What a run came to, in a few words.
fn verdict(run: &HookRun) -> String {
    if let Some(error) = &run.error {
        return error.clone();
    }
    let mut parts = Vec::new();
    if let Some(gate) = &run.gate {
        parts.push(match gate.reason() {
            Some(reason) => {
                format!("{}: {reason}", if matches!(gate, hookspec::Gate::Deny(_)) { "deny" } else { "ask" })
            }
            None => "allow".to_owned(),
        });
    }
    if run.fold.is_some() {
        parts.push("rewrote".to_owned());
    }
    if run.first.is_some() {
        parts.push("answered".to_owned());
    }
    if let Some(flow) = &run.flow {
        parts.push(format!("{flow:?}").to_lowercase());
    }
    parts.extend(run.messages.iter().map(|text| {
        let first: String = text.lines().next().unwrap_or_default().chars().take(60).collect();
        format!("“{first}”")
    }));
    if run.background {
        parts.push("(background)".to_owned());
    }
    parts.join(" ")
}

/// The session as text: points in order, hooks below them with a bar as long as they took.
pub(crate) fn print(session: &str, entries: &[TimelineEntry]) {
    let runs = || {
        entries.iter().filter_map(|entry| match entry {
            TimelineEntry::Ran(run) => Some(&**run),
            TimelineEntry::Fired { .. } => None,
        })
    };
    let longest = runs().map(|run| run.duration_us).max().unwrap_or(1).max(1);
    let width = runs().map(|run| run.hook.chars().count()).max().unwrap_or(0).max(12);
    output::line(format!(
        "{}  {} points fired, {} hooks ran",
        paint(output::BOLD, session),
        entries.len() - runs().count(),
        runs().count()
    ));
    let mut chunks = 0;
    for entry in entries {
        match entry {
            TimelineEntry::Fired { point, offset_us, .. } => {
                // A stream fires once a piece: one line for all of them.
                chunks = if point == "generation.chunk" { chunks + 1 } else { 0 };
                if chunks <= 1 {
                    output::line(paint(DIM, format!("{:>9.3} s  {point}", seconds(*offset_us))));
                }
            }
            TimelineEntry::Ran(run) => {
                // Logarithmic: a hook of 20 µs shall be seen beside one of 2 s.
                let share = (1.0 + run.duration_us as f64).ln() / (1.0 + longest as f64).ln();
                let bar = "█".repeat((share * 16.0).ceil() as usize);
                let style = if run.error.is_some() { BAD } else { ACCENT };
                let name = format!("{:<width$}", run.hook);
                output::line(format!(
                    "{:>11}  {} {:>9} {:<16} {}",
                    "",
                    name,
                    took(run.duration_us),
                    paint(style, bar),
                    verdict(run)
                ));
            }
        }
    }
}

fn seconds(micros: u64) -> f64 {
    micros as f64 / 1e6
}

fn took(micros: u64) -> String {
    match micros {
        0..1_000 => format!("{micros} µs"),
        1_000..1_000_000 => format!("{:.1} ms", micros as f64 / 1e3),
        _ => format!("{:.2} s", seconds(micros)),
    }
}

const LEFT: f64 = 190.0;
const WIDTH: f64 = 760.0;
const ROW: f64 = 22.0;

/// The session as a picture: a row for each point, a bar for each hook that ran there. Time goes from event
/// to event rather than by the clock, so that what happened within a millisecond can be told apart.
fn picture(session: &str, entries: &[TimelineEntry]) -> Document {
    let mut rows: Vec<&str> = Vec::new();
    let mut names: BTreeMap<&str, usize> = BTreeMap::new();
    for entry in entries {
        let point = match entry {
            TimelineEntry::Fired { point, .. } => point.as_str(),
            TimelineEntry::Ran(run) => run.point.as_str(),
        };
        if !names.contains_key(point) {
            names.insert(point, rows.len());
            rows.push(point);
        }
    }
    let step = WIDTH / (entries.len().max(1) as f64);
    let height = 60.0 + ROW * rows.len() as f64 + 30.0;
    let mut document = Document::new()
        .set("viewBox", (0, 0, (LEFT + WIDTH + 20.0) as i32, height as i32))
        .set("font-family", "system-ui, sans-serif")
        .add(Rectangle::new().set("width", "100%").set("height", "100%").set("fill", "#ffffff"))
        .add(
            Text::new(format!("Session {session}"))
                .set("x", 12)
                .set("y", 24)
                .set("font-size", 15)
                .set("font-weight", 600),
        )
        .add(legend());
    for (index, point) in rows.iter().enumerate() {
        let y = 56.0 + ROW * index as f64;
        if index % 2 == 0 {
            document = document.add(
                Rectangle::new()
                    .set("x", 0)
                    .set("y", y - 15.0)
                    .set("width", LEFT + WIDTH + 20.0)
                    .set("height", ROW)
                    .set("fill", "#f5f6f8"),
            );
        }
        document =
            document.add(Text::new(*point).set("x", 12).set("y", y).set("font-size", 12).set("fill", "#333"));
    }
    for (index, entry) in entries.iter().enumerate() {
        let x = LEFT + step * index as f64;
        match entry {
            TimelineEntry::Fired { point, offset_us, .. } => {
                let y = 52.0 + ROW * names[point.as_str()] as f64;
                let title = format!("{point} at {:.3} s", seconds(*offset_us));
                let dot = Rectangle::new()
                    .set("x", x)
                    .set("y", y - 2.0)
                    .set("width", 3)
                    .set("height", 5)
                    .set("fill", "#c3c8d0");
                document = document.add(Group::new().add(Title::new(title)).add(dot));
            }
            TimelineEntry::Ran(run) => {
                let y = 42.0 + ROW * names[run.point.as_str()] as f64;
                let title = format!("{} · {} · {}", run.hook, took(run.duration_us), verdict(run));
                let width = (step * (1.0 + (1.0 + run.duration_us as f64).ln() / 2.0)).clamp(4.0, 90.0);
                let width = width.min(LEFT + WIDTH + 10.0 - x);
                let bar = Rectangle::new()
                    .set("x", x)
                    .set("y", y)
                    .set("width", width)
                    .set("height", 14)
                    .set("rx", 3)
                    .set("fill", colour(run))
                    .set("fill-opacity", 0.85);
                document = document.add(Group::new().add(Title::new(title)).add(bar));
            }
        }
    }
    document
}

const COLOURS: [(&str, &str); 5] = [
    ("spoke", "#2f6feb"),
    ("silent", "#9aa4b2"),
    ("rewrote or answered", "#8957e5"),
    ("denied", "#d29922"),
    ("failed", "#d1242f"),
];

fn colour(run: &HookRun) -> &'static str {
    let kind = if run.error.is_some() {
        4
    } else if matches!(run.gate, Some(hookspec::Gate::Deny(_))) {
        3
    } else if run.fold.is_some() || run.first.is_some() || run.flow.is_some() {
        2
    } else if run.messages.is_empty() {
        1
    } else {
        0
    };
    COLOURS[kind].1
}

fn legend() -> Group {
    let mut group = Group::new();
    let mut x = LEFT + 120.0;
    for (name, colour) in COLOURS {
        group = group
            .add(
                Rectangle::new()
                    .set("x", x)
                    .set("y", 14)
                    .set("width", 12)
                    .set("height", 12)
                    .set("rx", 3)
                    .set("fill", colour),
            )
            .add(Text::new(name).set("x", x + 17.0).set("y", 24).set("font-size", 11).set("fill", "#333"));
        x += 36.0 + 6.2 * name.len() as f64;
    }
    group
}
