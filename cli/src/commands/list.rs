//! `hookspec list`.

use std::process::ExitCode;

use clap::Args;
use hookspec::{HookRow, Plugin, Registry};
use serde_json::json;

use crate::hooks::{Asking, build};
use crate::output::{self, BAD, BOLD, DIM, GOOD, paint};
use crate::settings::{Common, Settings};

use super::CommandResult;

#[derive(Debug, Args)]
pub(crate) struct List {
    /// Explain one hook: its documentation, options and settings.
    #[arg(long, value_name = "NAME")]
    explain: Option<String>,
    /// As it would be with nobody to ask.
    #[arg(long)]
    non_interactive: bool,
    /// As it would be when everything is confirmed beforehand.
    #[arg(short = 'y', long)]
    yes: bool,
}

#[derive(Debug, thiserror::Error)]
#[error("no hook is called `{0}`; `hookspec list` shows them all")]
struct UnknownHook(String);

impl List {
    pub(crate) fn run(&self, common: &Common, plugins: &[&'static Plugin]) -> CommandResult {
        let settings = Settings::load(common)?;
        let registry = build(&settings, common, plugins, Asking::choose(self.non_interactive, self.yes))?;
        if let Some(name) = &self.explain {
            return explain(&registry, name, common.json);
        }
        let rows = registry.list();
        if common.json {
            let tools: Vec<_> = registry.tools().iter().map(|tool| tool.name).collect();
            output::json(&json!({ "hooks": rows, "tools": tools, "report": registry.report() }))?;
            return Ok(ExitCode::SUCCESS);
        }
        let cells: Vec<Vec<String>> = rows.iter().map(cells).collect();
        output::table(&["", "HOOK", "POINT", "PRIO", "KIND", "PLUGIN", "WHY", "WHERE"], &cells);
        output::line("");
        let tools: Vec<Vec<String>> = registry
            .tools()
            .iter()
            .map(|tool| (tool, "selected".to_owned(), "on"))
            .chain(registry.tools().off().map(|(tool, why)| (tool, why.to_owned(), "off")))
            .map(|(tool, why, on)| {
                let asks = if tool.confirm { "asks first" } else { "" };
                vec![on.to_owned(), tool.name.to_owned(), asks.to_owned(), tool.package.to_owned(), why]
            })
            .collect();
        output::table(&["", "TOOL", "", "PLUGIN", "WHY"], &tools);
        for warning in &registry.report().warnings {
            output::note(format!("{} {warning}", paint(output::WARN, "warning:")));
        }
        Ok(ExitCode::SUCCESS)
    }
}

fn kind(row: &HookRow) -> String {
    match row.info.placement {
        hookspec::Placement::Inline => row.info.kind.to_owned(),
        hookspec::Placement::Blocking => "blocking".to_owned(),
        hookspec::Placement::Background => "background".to_owned(),
    }
}

fn cells(row: &HookRow) -> Vec<String> {
    let info = &row.info;
    vec![
        if row.on { "on" } else { "off" }.to_owned(),
        info.name.clone(),
        info.point.name.to_owned(),
        info.priority.to_string(),
        kind(row),
        info.package.to_owned(),
        row.why.clone(),
        format!("{}:{}", info.file, info.line),
    ]
}

fn explain(registry: &Registry, name: &str, as_json: bool) -> CommandResult {
    let rows: Vec<_> = registry.list().into_iter().filter(|row| row.info.name == name).collect();
    let first = rows.first().ok_or_else(|| UnknownHook(name.to_owned()))?;
    let settings = registry.shown_settings().get(first.info.group());
    if as_json {
        output::json(&json!({ "hooks": rows, "settings": settings }))?;
        return Ok(ExitCode::SUCCESS);
    }
    for row in &rows {
        let info = &row.info;
        let on = if row.on { paint(GOOD, "on") } else { paint(BAD, "off") };
        output::line(format!("{}  {on}: {}", paint(BOLD, &info.name), row.why));
        output::line(format!(
            "at {} ({}), priority {}, {}",
            info.point.name,
            info.point.wire,
            info.priority,
            kind(row)
        ));
        if !info.docs.is_empty() {
            output::line(format!("\n{}\n", info.docs));
        }
        output::line(paint(DIM, format!("{} {}:{}", info.package, info.file, info.line)));
    }
    if let Some(settings) = settings {
        output::line(format!(
            "\n[hooks.{}]\n{}",
            first.info.group(),
            serde_json::to_string_pretty(settings)?
        ));
    }
    Ok(ExitCode::SUCCESS)
}
