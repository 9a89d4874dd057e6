//! `hookspec list`: what would run here, in which order, and why the rest would not.
//!
//! It shows what `chat` would run with; `-y` and `--non-interactive` change that as they do there;
//! `--interactive` shows what it would be at a terminal, where there is none. A hook that never runs in this
//! program is listed with a warning, also where the configuration makes it an error.

use std::path::Path;
use std::process::ExitCode;

use clap::Args;
use hookspec::Registry;
use hookspec::hooks::{HookInfo, HookRow, Ruled, Setting};
use hookspec::registry::Plugin;
use hookspec_bridge::client::Client;
use serde_json::json;

use crate::hooks::{Asking, Host, host_builder};
use crate::markdown;
use crate::names;
use crate::output::{self, BAD, BOLD, DIM, GOOD, WARN, paint};
use crate::places;
use crate::screen;
use crate::settings::{Common, Settings};
use crate::table::{self, Cell, Fit};

use super::{CommandResult, bridge};

#[derive(Debug, Args)]
pub(crate) struct List {
    /// Explain a hook, or all of a group: documentation, options, settings in force.
    #[arg(long, value_name = "NAME")]
    explain: Option<String>,
    /// What is off as well.
    #[arg(long)]
    all: bool,
    /// As it would be in another kind of host.
    #[arg(long, value_enum, value_name = "HOST", default_value_t)]
    host: Host,
    /// As it would be at a terminal, with somebody to ask.
    #[arg(long, conflicts_with_all = ["non_interactive", "yes"])]
    interactive: bool,
    /// As it would be with nobody to ask.
    #[arg(long)]
    non_interactive: bool,
    /// As it would be when everything is confirmed beforehand.
    #[arg(short = 'y', long)]
    yes: bool,
}

#[derive(Debug, thiserror::Error)]
#[error("no hook is called `{name}`{nearest}; `hookspec list --all` shows them all")]
struct UnknownHook {
    name: String,
    nearest: String,
}

impl List {
    pub(crate) fn run(&self, common: &Common, plugins: &[&'static Plugin]) -> CommandResult {
        let settings = Settings::load(common)?;
        settings.check_workspace()?;
        let asking = match self.interactive {
            true => Asking::Person,
            false => Asking::choose(self.non_interactive, self.yes),
        };
        let mut registry = host_builder(&settings, common, plugins, self.host, asking);
        if self.host == Host::Bridge {
            // Be it which client it will.
            registry = registry.fires(Client::ALL.into_iter().flat_map(bridge::fires));
        }
        let registry = registry.strict(false).build()?;
        if let Some(name) = &self.explain {
            return explain(&registry, plugins, name, common.json);
        }
        let rows = registry.list();
        if common.json {
            let tools: Vec<_> = registry.tools().iter().map(|tool| tool.name).collect();
            output::json(
                &json!({ "hooks": rows, "tools": tools, "report": registry.report(), "places": settings.places }),
            )?;
            return Ok(ExitCode::SUCCESS);
        }
        let off = rows.iter().filter(|row| !row.on).count();
        let shown: Vec<_> = rows.iter().filter(|row| self.all || row.on).collect();
        let (switch, whole, wide) = (("", Fit::Whole), Fit::Whole, Fit::Wide);
        let heading = [
            switch,
            ("HOOK", Fit::Middle(20)),
            ("POINT", whole),
            ("PRIO", whole),
            ("KIND", wide),
            ("PLUGIN", wide),
            ("WHY", Fit::Wrap(16)),
            ("WHERE", wide),
        ];
        table::print(
            &heading,
            &shown.into_iter().map(|row| cells(row, &settings.workspace)).collect::<Vec<_>>(),
        );
        output::line("");
        let tools = registry.tools();
        let on = tools.on().map(|(tool, why)| (true, tool, why));
        let tools: Vec<Vec<Cell>> = on
            .chain(tools.off().filter(|_| self.all).map(|(tool, why)| (false, tool, why)))
            .map(|(on, tool, why)| {
                let asks = if tool.confirm { "asks first" } else { "" };
                vec![switched(on), tool.name.into(), asks.into(), tool.package.into(), why.into()]
            })
            .collect();
        let heading =
            [switch, ("TOOL", Fit::Middle(20)), ("", whole), ("PLUGIN", wide), ("WHY", Fit::Wrap(16))];
        table::print(&heading, &tools);
        if off > 0 && !self.all {
            let text = format!("{} off, shown with --all; why one is off: --explain NAME", count_off(off));
            output::line(paint(DIM, format!("\n{}", screen::behind(&text, 0))));
        }
        if let Some(text) = in_shadow(&rows) {
            output::line(format!("\n{} {}", paint(WARN, "SHADOW"), screen::behind(&text, "SHADOW ".len())));
        }
        let text = screen::behind(&confirmations(&rows), "CONFIRMATIONS ".len());
        output::line(format!("\n{} {text}", paint(BOLD, "CONFIRMATIONS")));
        places::print(&settings);
        for warning in &registry.report().warnings {
            output::warning(warning);
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// What the operator's rules take from a hook, and where that is said: a gate that is on and asked of few things looks like any other.
fn taken(info: &HookInfo) -> impl Iterator<Item = String> {
    let said = info.ruled.iter().filter(|said| match said.key {
        "shadow" => info.shadow,
        "on_failure" => info.fail_open,
        key => key == "tools" || key == "paths",
    });
    said.map(|said| format!("; {} in {}", said.key, said.source))
}

/// The hooks that run for trial.
pub(super) fn in_shadow(rows: &[HookRow]) -> Option<String> {
    let tried: Vec<&str> =
        rows.iter().filter(|row| row.on && row.info.shadow).map(|row| row.info.name.as_str()).collect();
    let (they, run, say) = if tried.len() == 1 { ("it", "runs", "says") } else { ("they", "run", "say") };
    let names = tried.join(", ");
    (!tried.is_empty()).then(|| {
        format!(
            "{names}: {they} {run}, and nothing that {they} {say} is done; `hookspec trace` counts what that was in a session"
        )
    })
}

/// Who answers when a tool call needs to be confirmed.
fn confirmations(rows: &[HookRow]) -> String {
    // Ways to ask belong to a kind of host; the policy, which asks nobody, to all of them.
    let asked: Vec<_> = rows
        .iter()
        .filter(|row| row.on && row.info.confirmation && row.info.point.name == "TOOL_CONFIRM")
        .filter(|row| !row.info.modes.is_empty())
        .map(|row| row.info.name.as_str())
        .collect();
    if asked.is_empty() {
        return "nobody can be asked: a call that needs one is refused, unless -y or the policy in \
                [hooks.confirm_policy] allows it"
            .to_owned();
    }
    format!("answered by {}", asked.join(", "))
}

fn kind(row: &HookRow) -> String {
    match row.info.placement {
        hookspec::hooks::Placement::Inline => row.info.kind.to_owned(),
        hookspec::hooks::Placement::Blocking => "blocking".to_owned(),
        hookspec::hooks::Placement::Background => "background".to_owned(),
    }
}

fn cells(row: &HookRow, workspace: &Path) -> Vec<Cell> {
    let info = &row.info;
    // A file of this folder is known by its name here.
    let here = format!("{}/", workspace.display());
    let taken: String = if row.on { taken(info).collect() } else { String::new() };
    let decided = format!("{}{taken}", why(row)).replace(&here, "");
    vec![
        if row.on && info.shadow { Cell::styled("shadow", WARN) } else { switched(row.on) },
        info.name.as_str().into(),
        info.point.name.into(),
        info.priority.to_string().into(),
        kind(row).into(),
        (&*info.package).into(),
        decided.into(),
        format!("{}:{}", info.file, info.line).into(),
    ]
}

/// What decided, in the width of a column: that something is off by default, and what would turn it on, is a line of
/// `--explain`.
fn why(row: &HookRow) -> &str {
    let by_default = !row.on && row.why.starts_with("off unless ");
    if by_default && screen::columns().is_some() { "default" } else { &row.why }
}

fn switched(on: bool) -> Cell {
    if on { Cell::styled("on", GOOD) } else { Cell::styled("off", DIM) }
}

fn count_off(off: usize) -> String {
    if off == 1 { "1 hook is".to_owned() } else { format!("{off} hooks are") }
}

fn explain(registry: &Registry, plugins: &[&Plugin], name: &str, as_json: bool) -> CommandResult {
    let all = registry.list();
    let rows: Vec<_> = all.iter().filter(|row| row.info.answers_to(name)).collect();
    let Some(first) = rows.first() else {
        let known = all.iter().flat_map(|row| [row.info.group(), row.info.name.as_str()]);
        return Err(UnknownHook { name: name.to_owned(), nearest: names::did_you_mean(name, known) }.into());
    };
    let group = first.info.group();
    let settings = registry.settings_of(group);
    let essay = plugins
        .iter()
        .find(|plugin| plugin.package == first.info.package)
        .and_then(|plugin| plugin.essay(&first.info.module));
    if as_json {
        output::json(&json!({ "essay": essay, "hooks": rows, "settings": settings }))?;
        return Ok(ExitCode::SUCCESS);
    }
    if let Some(essay) = essay {
        output::code(format!("{}\n", markdown::shown(essay, 0)));
    }
    for row in &rows {
        let info = &row.info;
        let on = if row.on { paint(GOOD, "on") } else { paint(BAD, "off") };
        let why =
            row.why.strip_prefix("off ").map_or_else(|| format!(": {}", row.why), |why| format!(" {why}"));
        output::line(format!("{}  {on}{why}", paint(BOLD, &info.name)));
        if !info.docs.is_empty() {
            output::code(format!("\n  {}\n", markdown::shown(&info.docs, 2)));
        }
        output::line(format!("  point     {} ({})", info.point.name, info.point.wire));
        output::line(format!("  priority  {}", info.priority));
        if let Some(shadowed) = row.shadowed {
            let text = format!("it runs for trial, and nothing that it says is done: {shadowed}");
            output::line(format!("  shadow    {}", screen::behind(&text, 12)));
        }
        output::line(format!("  kind      {}", kind(row)));
        for (name, value) in options(info) {
            output::line(format!("  {name:<9} {}", screen::behind(&value, 12)));
        }
        for Ruled { key, value, source, .. } in &info.ruled {
            output::code(format!("  rule      {key} = {value}  {}", paint(DIM, format!("# {source}"))));
        }
        // A command from a file has no package.
        let place = format!("{} {}:{}", info.package, info.file, info.line);
        output::line(paint(DIM, format!("  {}\n", place.trim_start())));
    }
    match settings {
        Some(settings) => {
            output::line(format!("settings in force, as in {}", paint(BOLD, format!("[hooks.{group}]"))));
            for Setting { key, value, source, .. } in settings {
                // TOML has no word for it.
                if value.is_null() {
                    output::line(format!("  {}", paint(DIM, format!("# {key}: not set"))));
                    continue;
                }
                let source = source.as_deref().unwrap_or("default");
                output::code(format!("  {key} = {value}  {}", paint(DIM, format!("# {source}"))));
            }
        }
        None => output::line(paint(DIM, "no settings")),
    }
    Ok(ExitCode::SUCCESS)
}

/// The options that are not as they are when nothing is said.
fn options(info: &HookInfo) -> Vec<(&'static str, String)> {
    let mut all = Vec::new();
    if !info.modes.is_empty() {
        let modes: Vec<_> =
            info.modes.iter().map(|mode| json!(mode).as_str().unwrap_or_default().to_owned()).collect();
        all.push(("hosts", modes.join(", ")));
    }
    let flags = [
        (info.once, "once", "at most once a session"),
        (info.fail_open, "fail_open", "lets things pass when it fails, instead of denying them"),
        (
            info.confirmation,
            "confirms",
            "belongs to how tool calls are confirmed; an allowlist does not remove it",
        ),
    ];
    all.extend(flags.into_iter().filter(|flag| flag.0).map(|(_, name, what)| (name, what.to_owned())));
    let lists = [
        ("before", &info.before),
        ("after", &info.after),
        ("tools", &info.tools),
        ("paths", &info.paths),
        ("aliases", &info.aliases),
    ];
    all.extend(
        lists.into_iter().filter(|(_, list)| !list.is_empty()).map(|(name, list)| (name, list.join(", "))),
    );
    all.extend(info.timeout.map(|time| ("timeout", format!("{time:?}"))));
    all.extend(info.budget.map(|time| ("budget", format!("a warning after {time:?}"))));
    all.extend(info.quarantine.map(|most| ("quarantine", format!("switched off after {most} failures"))));
    all.extend(info.tool.map(|tool| ("tool", format!("on exactly when the tool `{tool}` is"))));
    all
}
