//! `hookspec points`.

use std::process::ExitCode;

use clap::Args;
use serde_json::json;

use crate::names;
use crate::output::{self, BOLD, DIM, paint};
use crate::screen::behind;
use crate::settings::Common;
use crate::table::{self, Cell, Fit};

use super::CommandResult;
use super::signature::{both, to_paste};

#[derive(Debug, Args)]
pub(crate) struct Points {
    /// One point, by any of its names: its fields, aliases and documentation, and a hook to paste.
    point: Option<String>,
    /// Print the JSON Schema of the point's event.
    #[arg(long, requires = "point")]
    schema: bool,
    /// Print the reference page of all points, as Markdown.
    #[arg(long, conflicts_with = "point")]
    markdown: bool,
}

impl Points {
    pub(crate) fn run(&self, common: &Common) -> CommandResult {
        if self.markdown {
            output::raw(&markdown());
        } else if let Some(name) = &self.point {
            let point = names::point(name)?;
            if self.schema {
                output::code(serde_json::to_string_pretty(&point.schema())?);
            } else if common.json {
                let signatures = both(point.info());
                output::json(
                    &json!({ "point": point.info(), "schema": point.schema(), "signatures": signatures }),
                )?;
            } else {
                describe(point.info());
            }
        } else if common.json {
            let infos: Vec<_> = hookspec::point::all_points().iter().map(|point| point.info()).collect();
            output::json(&infos)?;
        } else {
            let rows: Vec<Vec<Cell>> = hookspec::point::all_points()
                .iter()
                .map(|point| point.info())
                .map(|info| {
                    let fields: Vec<_> = info.fields.iter().map(|field| field.name).collect();
                    vec![info.name.into(), info.wire.into(), info.verdict.into(), fields.join(", ").into()]
                })
                .collect();
            let heading = [
                ("POINT", Fit::Whole),
                ("WIRE NAME", Fit::Wide),
                ("VERDICT", Fit::Whole),
                ("FIELDS", Fit::Wrap(24)),
            ];
            table::print(&heading, &rows);
        }
        Ok(ExitCode::SUCCESS)
    }
}

fn describe(info: &hookspec::point::PointInfo) {
    output::line(format!("{}  {}  -> {}", paint(BOLD, info.name), info.wire, info.verdict));
    if !info.aliases.is_empty() {
        output::line(paint(DIM, format!("also called {}", info.aliases.join(", "))));
    }
    if info.local {
        output::line(paint(DIM, "local: for hooks in this program only; it has no JSON and no schema"));
    }
    output::line(format!("\n{}\n", behind(info.docs, 0)));
    for field in info.fields {
        output::hint(&format!("{}: {}", field.name, field.ty), 0, field.docs);
    }
    output::code(format!("\n{}", to_paste(info)));
    output::line(paint(DIM, format!("declared in {}, {}:{}", info.package, info.file, info.line)));
}

/// The reference page of all points; `docs/points.md` is made by it.
fn markdown() -> String {
    let mut text = String::from("# Hook points\n\nMade by `hookspec points --markdown`; do not edit.\n");
    for point in hookspec::point::all_points() {
        let info = point.info();
        text.push_str(&format!("\n## `{}`\n\n{}\n\n", info.name, info.docs));
        text.push_str(&format!("- wire name: `{}`\n- verdict: `{}`\n", info.wire, info.verdict));
        if !info.aliases.is_empty() {
            text.push_str(&format!("- also called: `{}`\n", info.aliases.join("`, `")));
        }
        if info.transient {
            text.push_str("- messages go into the one request and are not stored\n");
        }
        if info.local {
            text.push_str("- local: for hooks in this program only; it has no JSON and no schema\n");
        }
        if !info.fields.is_empty() {
            text.push_str("\n| field | type | |\n|---|---|---|\n");
            for field in info.fields {
                text.push_str(&format!("| `{}` | `{}` | {} |\n", field.name, field.ty, field.docs));
            }
        }
    }
    text
}
