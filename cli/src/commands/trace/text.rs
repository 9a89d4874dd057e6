//! The session as text: the points in order, and below each the hooks that ran, with their time as a bar.

use std::collections::BTreeMap;

use anstyle::Style;
use hookspec::hooks::Shadowed;
use hookspec::timeline::{HookRun, TimelineEntry};

use super::axis::{Step, steps};
use super::scale::Scale;
use super::words::{Kind, took, words};
use crate::foreign;
use crate::output::{self, ACCENT, BAD, BOLD, DIM, WARN, paint};
use crate::screen::{self, behind, columns, shorten};

/// Cells of the bars' column, where there is room for them, and where there is not.
const CELLS: usize = 32;
const FEW_CELLS: usize = 8;
/// Columns before a hook's name, and of its time.
const INDENT: usize = 4;
const TIME: usize = 9;

/// Prints the session.
pub(crate) fn print(session: &str, entries: &[TimelineEntry]) {
    print_steps(session, entries, false);
}

/// The same without what had nothing to say, and without the points at which nobody had.
pub(crate) fn print_speaking(session: &str, entries: &[TimelineEntry]) {
    print_steps(session, entries, true);
}

fn print_steps(session: &str, entries: &[TimelineEntry], speaking: bool) {
    let steps = steps(entries);
    let speaks = |step: &Step<'_>| run(step).is_some_and(|run| !words(run).is_empty());
    let columns = columns();
    let cells = if columns.is_some_and(|columns| columns < 140) { FEW_CELLS } else { CELLS };
    let scale = Scale::new(&steps);
    let runs: Vec<&HookRun> = steps.iter().filter_map(run).collect();
    let width = runs.iter().map(|run| run.hook.chars().count()).max().unwrap_or(0).clamp(12, 40);
    // What a run came to gets what is left of the line, or else a line of its own.
    let before = INDENT + width + 1 + TIME + 1 + cells + 3;
    let lasted = steps.iter().map(|step| step.end).max().unwrap_or(0);
    output::line(format!(
        "{}  {} · {} · {}",
        paint(BOLD, foreign::line(session)),
        count(steps.len() - runs.len(), "point fired", "points fired"),
        count(runs.len(), "hook ran", "hooks ran"),
        took(lasted),
    ));
    for (hook, shadowed) in in_shadow(&runs) {
        let text = format!("{} in shadow: {shadowed}", foreign::line(hook));
        output::line(paint(WARN, behind(&text, 0)));
    }
    let mut at = 0;
    let mut here = "";
    while let Some(step) = steps.get(at) {
        at += 1;
        let told = match step.entry {
            _ if !speaking => true,
            TimelineEntry::Fired { .. } => {
                steps[at..].iter().take_while(|next| run(next).is_some()).any(speaks)
            }
            TimelineEntry::Ran(_) => speaks(step),
        };
        if !told {
            continue;
        }
        match step.entry {
            TimelineEntry::Fired { point, .. } => {
                // A stream fires once a piece: one line for as many as nobody listened to.
                let same = steps[at..].iter().take_while(|next| fires(next, point)).count();
                at += same;
                here = point;
                let times = if same > 0 { format!(" × {}", same + 1) } else { String::new() };
                let when = format!("{:>7.3} s", step.start as f64 / 1e6);
                output::line(paint(DIM, format!("{when}  {}{times}", foreign::line(point))));
            }
            TimelineEntry::Ran(run) => {
                let elsewhere = if run.point == here {
                    String::new()
                } else {
                    format!(" at {}", foreign::line(&run.point))
                };
                let style = match Kind::of(run) {
                    _ if run.shadow => DIM,
                    Kind::Failed => BAD,
                    Kind::Denied | Kind::Asked => WARN,
                    Kind::Changed | Kind::Spoke => ACCENT,
                    Kind::Silent => Style::new(),
                };
                let hook = shorten(&foreign::line(&run.hook), width);
                let line = format!(
                    "{:INDENT$}{hook:<width$} {:>TIME$} │{}│",
                    "",
                    took(run.duration_us),
                    paint(style, scale.bar(step, cells)),
                );
                let said = format!("{}{elsewhere}", words(run));
                let fits = columns.is_none_or(|columns| before + screen::width(&said) <= columns);
                output::line(match said.as_str() {
                    "" => line,
                    _ if fits => format!("{line} {said}"),
                    _ => format!("{line}\n{:>indent$}{}", "", behind(&said, 2 * INDENT), indent = 2 * INDENT),
                });
            }
        }
    }
}

fn run<'a>(step: &Step<'a>) -> Option<&'a HookRun> {
    match step.entry {
        TimelineEntry::Ran(run) => Some(run),
        TimelineEntry::Fired { .. } => None,
    }
}

/// What each hook in shadow said that was not made.
fn in_shadow<'r>(runs: &[&'r HookRun]) -> BTreeMap<&'r str, Shadowed> {
    let mut hooks: BTreeMap<&str, Shadowed> = BTreeMap::new();
    for run in runs.iter().filter(|run| run.shadow) {
        hooks.entry(&run.hook).or_default().add(Shadowed::in_runs([*run]));
    }
    hooks
}

fn fires(step: &Step<'_>, wire: &str) -> bool {
    matches!(step.entry, TimelineEntry::Fired { point, .. } if point == wire)
}

fn count(number: usize, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
}
