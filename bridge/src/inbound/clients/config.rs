//! The configuration files of Claude Code and Codex: `hooks` → event → groups → handlers.
//!
//! Each handler is read by itself: one that cannot be used, or a whole group in the wrong shape, is told with its
//! place and takes no other with it.

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::{Map, Value};

use super::action::{Action, Address};
use super::{Dialect, Event, Matcher, matcher};
use crate::command::{Command, Line};
use crate::inbound::Complaint;
use crate::install;

/// A configuration file of another agent, as it was read.
#[derive(Clone, Debug)]
pub struct File {
    /// Whose it is.
    pub dialect: Dialect,
    /// Where it is.
    pub path: PathBuf,
    /// Its text.
    pub text: String,
    /// The plugin's folder, if it belongs to one.
    pub plugin: Option<PathBuf>,
}

/// One handler.
#[derive(Clone, Debug)]
pub(super) struct Handler {
    pub(super) event: Event,
    pub(super) matcher: Matcher,
    pub(super) condition: Option<Condition>,
    pub(super) action: Action,
    pub(super) background: bool,
    pub(super) closed: bool,
    /// The file that it stands in.
    pub(super) file: PathBuf,
    /// Where it stands in that: `hooks.PreToolUse[0].hooks[1]`.
    pub(super) place: String,
    pub(super) line: u32,
    /// All of it that decides what runs and when.
    pub(super) text: String,
    pub(super) plugin: Option<PathBuf>,
}

/// What a file holds.
#[derive(Debug, Default)]
pub(super) struct Read {
    pub(super) handlers: Vec<Handler>,
    /// Mistakes.
    pub(super) complaints: Vec<Complaint>,
    /// What is right and has no meaning here.
    pub(super) idle: Vec<Complaint>,
}

pub(super) fn read(file: &File) -> Read {
    let mut reading = Reading { file, read: Read::default() };
    if file.dialect == Dialect::Hermes {
        reading.hermes();
        return reading.read;
    }
    if file.path.extension().is_some_and(|extension| extension == "toml") {
        reading.codex_toml();
        return reading.read;
    }
    match serde_json::from_str::<Value>(&file.text) {
        Ok(Value::Object(top)) if top.get("disableAllHooks") == Some(&Value::Bool(true)) => {}
        Ok(Value::Object(top)) => reading.events(top.get("hooks")),
        Ok(_) => reading.complain("the file", "it is no JSON object"),
        Err(error) => reading.complain("the file", format!("it is no JSON: {error}")),
    }
    reading.read
}

/// Why an entry of `hookspec install` is left out.
const BRIDGE: &str = "it is the bridge to this program, whose hooks run here anyway";

/// Keys beside events in Hermes's `hooks`.
const RESERVED: [&str; 2] = ["output_spill", "outbound"];

struct Reading<'f> {
    file: &'f File,
    read: Read,
}

impl Reading<'_> {
    fn complaint(&self, entry: &str, why: impl Into<String>) -> Complaint {
        let (file, entry) = (self.file.path.clone(), entry.to_owned());
        Complaint { file, line: 1, entry, why: why.into() }
    }

    fn complain(&mut self, entry: &str, why: impl Into<String>) {
        let complaint = self.complaint(entry, why);
        self.read.complaints.push(complaint);
    }

    fn events(&mut self, hooks: Option<&Value>) {
        let events = match hooks {
            None | Some(Value::Null) => return,
            Some(Value::Object(events)) => events,
            Some(_) => return self.complain("hooks", "it must be an object of events"),
        };
        for (name, groups) in events {
            let place = format!("hooks.{name}");
            let Some(groups) = groups.as_array() else {
                self.complain(&place, "it must be a list of groups, as in [{\"hooks\": […]}]");
                continue;
            };
            let Some(event) = self.event(name, &place, groups) else { continue };
            for (index, group) in groups.iter().enumerate() {
                self.group(event, group, &format!("{place}[{index}]"));
            }
        }
    }

    /// The event, or a word on that it has no meaning here.
    fn event(&mut self, name: &str, place: &str, entries: &[Value]) -> Option<Event> {
        let event = self.file.dialect.event(name);
        if event.is_none() {
            let client = self.file.dialect.client();
            let is_bridge =
                !entries.is_empty() && entries.iter().all(|entry| install::is_ours(client, entry));
            let why = match is_bridge {
                true => BRIDGE.to_owned(),
                false => format!("no hook point here is `{name}`, so that it never runs"),
            };
            self.read.idle.push(self.complaint(place, why));
        }
        event
    }

    /// `[[hooks.EVENT]]` of Codex's settings. `hooks.state` is what it keeps of its own trust.
    fn codex_toml(&mut self) {
        match toml::from_str::<Map<String, Value>>(&self.file.text) {
            Ok(mut top) => {
                let mut hooks = top.remove("hooks").unwrap_or_default();
                if let Value::Object(hooks) = &mut hooks {
                    hooks.retain(|event, _| event != "state");
                }
                let off = top.get("features").and_then(|features| features.get("hooks"))
                    == Some(&Value::Bool(false));
                if !off {
                    self.events(Some(&hooks));
                }
            }
            Err(error) => self.complain("the file", format!("it is no TOML: {error}")),
        }
    }

    /// `hooks:` → event → entries, in YAML.
    fn hermes(&mut self) {
        let top: Value = match serde_saphyr::from_str(&self.file.text) {
            Ok(top) => top,
            Err(error) => return self.complain("the file", format!("it is no YAML: {error}")),
        };
        let Some(events) = top.get("hooks").and_then(Value::as_object) else { return };
        for (name, entries) in events.iter().filter(|(name, _)| !RESERVED.contains(&name.as_str())) {
            let place = format!("hooks.{name}");
            let held = entries.as_array().map_or(&[][..], Vec::as_slice);
            let Some(event) = self.event(name, &place, held) else { continue };
            let Some(entries) = entries.as_array() else {
                self.complain(&place, "it must be a list of entries");
                continue;
            };
            for (index, entry) in entries.iter().enumerate() {
                let place = format!("{place}[{index}]");
                match self.shell_hook(event, entry, &place) {
                    Ok(handler) => self.keep(handler),
                    Err(why) => self.complain(&place, why),
                }
            }
        }
    }

    fn shell_hook(&self, event: Event, entry: &Value, place: &str) -> Result<Handler, String> {
        let entry = entry.as_object().ok_or("an entry must be a map")?;
        let command = text(entry, "command")?.filter(|text| !text.trim().is_empty());
        let command = command.ok_or("`command` is missing or blank")?;
        let home = std::env::var("HOME").unwrap_or_default();
        let mut words = shlex::split(command).ok_or("`command` has a quotation without an end")?;
        for word in &mut words {
            if let Some(rest) = word.strip_prefix("~/") {
                *word = format!("{home}/{rest}");
            }
        }
        let matched = text(entry, "matcher")?.filter(|_| event.has_tool()).unwrap_or_default();
        let seconds = entry.get("timeout").and_then(Value::as_i64).filter(|seconds| *seconds >= 1);
        let seconds = seconds.map_or(60, |seconds| seconds.unsigned_abs().min(300));
        let closed = entry.get("fail_closed").or(entry.get("failClosed")).and_then(Value::as_bool);
        let line = self.file.text.lines().position(|line| line.contains(command));
        Ok(Handler {
            event,
            matcher: Matcher::new(Dialect::Hermes, matched)?,
            condition: None,
            action: Action::Run(Command {
                line: Line::Words(words),
                timeout: Duration::from_secs(seconds),
                pass: Vec::new(),
            }),
            background: false,
            closed: closed.unwrap_or(false),
            file: self.file.path.clone(),
            place: place.to_owned(),
            line: line.and_then(|line| u32::try_from(line + 1).ok()).unwrap_or(1),
            text: format!("{} {matched}\n{}", Dialect::Hermes.name_of(event), Value::Object(entry.clone())),
            plugin: None,
        })
    }

    /// What `hookspec install` wrote there would run the hooks of this program a second time.
    fn keep(&mut self, handler: Handler) {
        if install::event_of(self.file.dialect.client(), &handler.action.to_string()).is_none() {
            return self.read.handlers.push(handler);
        }
        self.read.idle.push(self.complaint(&handler.place, BRIDGE));
    }

    fn group(&mut self, event: Event, group: &Value, place: &str) {
        let Some(handlers) = group.get("hooks").and_then(Value::as_array) else {
            let flat = group.get("command").is_some();
            let why = if flat {
                "a handler stands where a group belongs; put it into {\"hooks\": […]}"
            } else {
                "a group must have a list `hooks`"
            };
            return self.complain(place, why);
        };
        let text = match group.get("matcher") {
            None | Some(Value::Null) => "",
            Some(Value::String(text)) => text,
            Some(_) => return self.complain(place, "`matcher` must be a text"),
        };
        let matcher = match Matcher::new(self.file.dialect, text) {
            Ok(matcher) if event.has_target() => matcher,
            Ok(_) => Matcher::All,
            Err(why) => return self.complain(place, why),
        };
        if let Some(doubt) = matcher::doubt(self.file.dialect, text) {
            self.complain(place, doubt);
        }
        for (index, handler) in handlers.iter().enumerate() {
            let place = format!("{place}.hooks[{index}]");
            match self.handler(event, &matcher, text, handler, &place) {
                Ok(handler) => self.keep(handler),
                Err(why) => self.complain(&place, why),
            }
        }
    }

    fn handler(
        &self,
        event: Event,
        matcher: &Matcher,
        matched: &str,
        handler: &Value,
        place: &str,
    ) -> Result<Handler, String> {
        let handler = handler.as_object().ok_or("a handler must be an object")?;
        let claude = self.file.dialect == Dialect::Claude;
        let timeout = timeout(handler.get("timeout"), event, self.file.dialect)?;
        let action = match handler.get("type").and_then(Value::as_str) {
            Some("command") => Action::Run(command(handler, claude, timeout)?),
            Some("http") if claude => Action::Post(Address::read(handler, timeout)?),
            Some(other) => return Err(format!("handlers of type `{other}` do not run here, only `command`")),
            None => return Err("it has no `type`".to_owned()),
        };
        let condition = match text(handler, "if")?.filter(|_| claude) {
            None => None,
            Some(_) if !event.has_tool() => {
                return Err("`if` is for events of tools, so that it never runs".to_owned());
            }
            Some(rule) => Some(
                Condition::new(rule)
                    .ok_or_else(|| format!("`if`: `{rule}` is no rule such as `Bash(git *)`"))?,
            ),
        };
        let flag = |key: &str| handler.get(key).and_then(Value::as_bool).unwrap_or(false);
        let closed = claude && handler.get("onFailure").and_then(Value::as_str) == Some("block");
        let background = flag("async") && event != Event::SessionEnd || flag("asyncRewake");
        // The line by which people find it; where the text is written otherwise, the beginning of the file.
        let written = match &action {
            Action::Run(_) => handler.get("command"),
            Action::Post(_) => handler.get("url"),
        };
        let quoted = written.map(Value::to_string).unwrap_or_default();
        let line_of = self.file.text.lines().position(|line| line.contains(&quoted));
        Ok(Handler {
            event,
            matcher: matcher.clone(),
            condition,
            action,
            background,
            closed: closed && !background,
            file: self.file.path.clone(),
            place: place.to_owned(),
            line: line_of.and_then(|line| u32::try_from(line + 1).ok()).unwrap_or(1),
            text: format!("{} {matched}\n{}", event.name(), Value::Object(handler.clone())),
            plugin: self.file.plugin.clone(),
        })
    }
}

fn command(handler: &Map<String, Value>, claude: bool, timeout: Duration) -> Result<Command, String> {
    let program = text(handler, "command")?.filter(|text| !text.trim().is_empty());
    let program = program.ok_or("`command` is missing or blank")?.to_owned();
    let line = match handler.get("args").filter(|_| claude) {
        None => Line::Shell(program),
        Some(args) => {
            let args: Vec<String> =
                serde_json::from_value(args.clone()).map_err(|_| "`args` must be a list of texts")?;
            Line::Words(std::iter::once(program).chain(args).collect())
        }
    };
    Ok(Command { line, timeout, pass: Vec::new() })
}

fn text<'h>(handler: &'h Map<String, Value>, key: &str) -> Result<Option<&'h str>, String> {
    match handler.get(key) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text)),
        Some(_) => Err(format!("`{key}` must be a text")),
    }
}

/// Longest that a handler may ask for.
const LONGEST: Duration = Duration::from_secs(600);

fn timeout(value: Option<&Value>, event: Event, dialect: Dialect) -> Result<Duration, String> {
    let (default, longest) = match (event, dialect) {
        (Event::SessionEnd, Dialect::Codex) => (Duration::from_secs(1), Duration::from_secs(3)),
        (Event::SessionEnd, Dialect::Claude) => (Duration::from_millis(1500), Duration::from_secs(60)),
        (Event::UserPromptSubmit, Dialect::Claude) => (Duration::from_secs(30), LONGEST),
        _ => (LONGEST, LONGEST),
    };
    let Some(value) = value else { return Ok(default) };
    let seconds = match dialect {
        Dialect::Codex => value.as_u64().map(Duration::from_secs),
        Dialect::Claude | Dialect::Hermes => {
            value.as_f64().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok())
        }
    };
    let seconds = seconds.ok_or_else(|| format!("`timeout` is {value}, and must be a number of seconds"))?;
    Ok(seconds.clamp(Duration::from_secs(1), longest))
}

/// A rule of Claude Code's: a tool, and what it is called with. `Bash(git *)`, `Read`, `Edit(src/*)`.
#[derive(Clone, Debug)]
pub(super) struct Condition {
    tool: String,
    what: Option<wildmatch::WildMatch>,
}

impl Condition {
    fn new(rule: &str) -> Option<Self> {
        let (tool, what) = match rule.trim().strip_suffix(')') {
            Some(rule) => {
                let (tool, what) = rule.split_once('(')?;
                (tool, Some(wildmatch::WildMatch::new(&what.replace(":*", "*"))))
            }
            None => (rule.trim(), None),
        };
        let plain = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
        (!tool.is_empty() && tool.chars().all(plain)).then(|| Self { tool: tool.to_owned(), what })
    }

    pub(super) fn holds(&self, tool: &str, input: &Value) -> bool {
        let said = ["command", "file_path", "path", "url", "pattern"];
        let said = said.iter().find_map(|key| input.get(key)?.as_str()).unwrap_or_default();
        self.tool == tool && self.what.as_ref().is_none_or(|what| what.matches(said))
    }
}

/// The files that there may be in a folder, in the order in which their handlers run.
#[must_use]
pub fn places(folder: &Path, own: bool) -> Vec<(Dialect, PathBuf, Option<PathBuf>)> {
    let mut all = vec![(Dialect::Claude, folder.join(".claude/settings.json"), None)];
    if !own {
        all.push((Dialect::Claude, folder.join(".claude/settings.local.json"), None));
        all.push((Dialect::Claude, folder.join("hooks/hooks.json"), Some(folder.to_owned())));
        let plugins = std::fs::read_dir(folder.join(".claude/plugins"));
        let mut plugins: Vec<_> = plugins.into_iter().flatten().flatten().map(|entry| entry.path()).collect();
        plugins.sort();
        all.extend(
            plugins
                .into_iter()
                .map(|plugin| (Dialect::Claude, plugin.join("hooks/hooks.json"), Some(plugin))),
        );
    }
    all.push((Dialect::Codex, folder.join(".codex/hooks.json"), None));
    all.push((Dialect::Codex, folder.join(".codex/config.toml"), None));
    all
}
