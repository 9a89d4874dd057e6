//! One entry of `[[hooks.scripts]]`: what may stand in it, and what must not.

use std::path::Path;
use std::time::Duration;

use hookspec::point::{AnyPoint, PointInfo};
use serde::Deserialize;
use serde_json::Value;
use toml::Spanned;
use wildmatch::WildMatch;

use crate::command::{Command, Line};

/// Seconds that a script may ask for.
const SECONDS: std::ops::RangeInclusive<u64> = 1..=300;

/// An entry as it is written.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    event: String,
    command: Words,
    #[serde(default = "half_a_minute")]
    timeout: u64,
    #[serde(default)]
    priority: i32,
    matcher: Option<String>,
    #[serde(default, rename = "async")]
    background: bool,
    #[serde(default)]
    fail_open: bool,
    #[serde(default)]
    pass: Vec<String>,
}

fn half_a_minute() -> u64 {
    30
}

/// A line for the shell, or a program and its arguments.
#[derive(Debug, Deserialize)]
#[serde(
    untagged,
    expecting = "`command` must be a line for the shell, or a list of a program and its arguments"
)]
enum Words {
    Line(String),
    List(Vec<String>),
}

impl From<Words> for Line {
    fn from(words: Words) -> Self {
        match words {
            Words::Line(line) => Self::Shell(line),
            Words::List(words) => Self::Words(words),
        }
    }
}

/// An entry that can be used.
#[derive(Debug)]
pub(super) struct Script {
    pub(super) point: &'static dyn AnyPoint,
    pub(super) command: Command,
    pub(super) priority: i32,
    pub(super) matcher: Option<Matcher>,
    pub(super) background: bool,
    pub(super) fail_open: bool,
}

/// What is wrong with an entry.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum Unusable {
    #[error("{0}")]
    Shape(String),
    #[error("`event = \"{0}\"` is no hook point; `hookspec points` shows them all")]
    Event(String),
    #[error("`command` is blank")]
    Blank,
    #[error("`timeout = {0}` must be a whole number of seconds from 1 to 300")]
    Timeout(u64),
    #[error("`matcher` is for tools' names, and {0} has no tool; leave it out")]
    NoTool(&'static str),
    #[error("`matcher` is blank; leave it out to mean every tool")]
    NoName,
}

impl Script {
    /// Reads an entry; also gives the point where at least that is known.
    pub(super) fn read(entry: &toml::Table) -> Result<Self, (Unusable, Option<&'static dyn AnyPoint>)> {
        let event = entry.get("event").and_then(toml::Value::as_str);
        let point = event.and_then(hookspec::point::find_point);
        Self::check(entry.clone(), point).map_err(|why| (why, point))
    }

    fn check(entry: toml::Table, point: Option<&'static dyn AnyPoint>) -> Result<Self, Unusable> {
        let written: Written = entry.try_into().map_err(|error: toml::de::Error| {
            Unusable::Shape(error.message().replace('\n', " ").trim().to_owned())
        })?;
        let point = point.ok_or(Unusable::Event(written.event))?;
        let line = Line::from(written.command);
        let program = match &line {
            Line::Shell(line) => Some(line),
            Line::Words(words) => words.first(),
        };
        if program.is_none_or(|text| text.trim().is_empty()) {
            return Err(Unusable::Blank);
        }
        if !SECONDS.contains(&written.timeout) {
            return Err(Unusable::Timeout(written.timeout));
        }
        let matcher = written.matcher.map(|text| Matcher::new(&text)).transpose()?;
        if matcher.is_some() && !has_tool(point.info()) {
            return Err(Unusable::NoTool(point.info().name));
        }
        Ok(Self {
            point,
            command: Command { line, timeout: Duration::from_secs(written.timeout), pass: written.pass },
            priority: written.priority,
            matcher,
            background: written.background,
            fail_open: written.fail_open,
        })
    }
}

fn has_tool(point: &PointInfo) -> bool {
    point.fields.iter().any(|field| field.name == "tool_use")
}

/// Tools' names, separated by `|`; `*` and `?` stand for other characters.
#[derive(Clone, Debug)]
pub(super) struct Matcher(Vec<WildMatch>);

impl Matcher {
    fn new(text: &str) -> Result<Self, Unusable> {
        let names: Vec<_> = text.split('|').map(str::trim).collect();
        if names.iter().any(|name| name.is_empty()) {
            return Err(Unusable::NoName);
        }
        Ok(Self(names.into_iter().map(WildMatch::new).collect()))
    }

    /// Whether the event is about one of these tools.
    pub(super) fn takes(&self, event: &Value) -> bool {
        let tool = event.pointer("/tool_use/tool").and_then(Value::as_str).unwrap_or_default();
        self.0.iter().any(|name| name.matches(tool))
    }
}

/// The entries of a file, each with the line that it begins at. A file that is not TOML, or whose `scripts` is no
/// list of tables, has none here: whoever reads its settings complains of it.
pub(super) fn entries(text: &str) -> Vec<(u32, toml::Table)> {
    #[derive(Default, Deserialize)]
    #[serde(default)]
    struct File {
        hooks: Hooks,
    }
    #[derive(Default, Deserialize)]
    #[serde(default)]
    struct Hooks {
        scripts: Vec<Spanned<toml::Table>>,
    }
    let Ok(file) = toml::from_str::<File>(text) else { return Vec::new() };
    let line = |start: usize| 1 + text.bytes().take(start).filter(|byte| *byte == b'\n').count();
    let scripts = file.hooks.scripts.into_iter();
    scripts
        .map(|entry| (u32::try_from(line(entry.span().start)).unwrap_or(u32::MAX), entry.into_inner()))
        .collect()
}

/// The commands of a file, also of entries that cannot be used.
pub(super) fn commands(text: &str) -> Vec<Line> {
    let command = |entry: toml::Table| entry.get("command").cloned()?.try_into::<Words>().ok();
    entries(text).into_iter().filter_map(|(_, entry)| command(entry)).map(Line::from).collect()
}

/// Variables that scripts see and may use for paths.
pub(super) fn variables(workspace: &Path) -> Vec<(String, String)> {
    let workspace = workspace.display().to_string();
    let home = std::env::var("HOME").ok().map(|home| ("HOME".to_owned(), home));
    ["HOOKSPEC_WORKSPACE", "GPTME_WORKSPACE", "PWD"]
        .into_iter()
        .map(|name| (name.to_owned(), workspace.clone()))
        .chain(home)
        .collect()
}
