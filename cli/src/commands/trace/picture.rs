//! The session as a picture: a row for each point and, below it, one for each hook that ran there; time goes to
//! the right, on the squeezed axis. Pointing at a mark tells what it was.

use std::collections::BTreeMap;

use hookspec::timeline::{HookRun, TimelineEntry};
use svg::Document;
use svg::node::element::{Group, Line, Rectangle, Text, Title};

use super::axis::{Axis, Step, steps};
use super::words::{Kind, took, words};
use crate::foreign;

const LEFT: f64 = 270.0;
const RIGHT: f64 = 30.0;
const TOP: f64 = 84.0;
const ROW: f64 = 20.0;
const INK: &str = "#1f2328";
const FAINT: &str = "#818b98";

impl Kind {
    fn colour(self) -> &'static str {
        match self {
            Self::Failed => "#cf222e",
            Self::Denied => "#e16f24",
            Self::Asked => "#d4a72c",
            Self::Changed => "#8250df",
            Self::Spoke => "#2f6feb",
            Self::Silent => "#8c959f",
        }
    }
}

/// Rows from top to bottom: points as they first fired, below each its hooks as they first ran.
struct Rows<'a> {
    points: Vec<(&'a str, Vec<&'a str>)>,
    place: BTreeMap<(&'a str, Option<&'a str>), f64>,
    height: f64,
}

impl<'a> Rows<'a> {
    fn new(steps: &[Step<'a>]) -> Self {
        let mut points: Vec<(&str, Vec<&str>)> = Vec::new();
        for step in steps {
            let (point, hook) = match step.entry {
                TimelineEntry::Fired { point, .. } => (point.as_str(), None),
                TimelineEntry::Ran(run) => (run.point.as_str(), Some(run.hook.as_str())),
            };
            let index = points.iter().position(|(name, _)| *name == point).unwrap_or_else(|| {
                points.push((point, Vec::new()));
                points.len() - 1
            });
            let hooks = &mut points[index].1;
            hooks.extend(hook.filter(|hook| !hooks.contains(hook)));
        }
        let mut place = BTreeMap::new();
        let mut y = TOP;
        for (point, hooks) in &points {
            for row in std::iter::once(None).chain(hooks.iter().copied().map(Some)) {
                place.insert((*point, row), y);
                y += ROW;
            }
        }
        Self { points, place, height: y }
    }

    fn y(&self, point: &'a str, hook: Option<&'a str>) -> f64 {
        self.place.get(&(point, hook)).copied().unwrap_or(TOP)
    }
}

/// Draws the session.
pub(super) fn picture(session: &str, entries: &[TimelineEntry]) -> Document {
    let steps = steps(entries);
    let axis = Axis::new(&steps);
    let rows = Rows::new(&steps);
    // Long sessions get a wide picture, up to what viewers still open.
    let room = (steps.len() as f64 * 9.0).clamp(780.0, 12_000.0);
    let x = |time| LEFT + room * axis.place(time);
    let (width, height) = (LEFT + room + RIGHT, rows.height + 40.0);
    let lasted = steps.iter().map(|step| step.end).max().unwrap_or(0);
    let hooks = steps.iter().filter(|step| matches!(step.entry, TimelineEntry::Ran(_))).count();

    let mut document = Document::new()
        .set("viewBox", (0, 0, width.ceil() as u32, height.ceil() as u32))
        .set("width", width.ceil())
        .set("height", height.ceil())
        .set("font-family", "system-ui, sans-serif")
        .add(Rectangle::new().set("width", "100%").set("height", "100%").set("fill", "#ffffff"))
        .add(words_at(12.0, 26.0, 16, INK, &format!("Session {session}")).set("font-weight", 600))
        .add(words_at(
            12.0,
            46.0,
            12,
            FAINT,
            &format!(
                "{} points fired, {hooks} hooks ran in {}; waits are shortened",
                steps.len() - hooks,
                took(lasted)
            ),
        ))
        .add(legend());
    for (time, _) in axis.labels(95.0 / room) {
        let line = Line::new()
            .set("x1", x(time))
            .set("x2", x(time))
            .set("y1", TOP - 8.0)
            .set("y2", rows.height)
            .set("stroke", "#e6e9ed");
        document = document
            .add(line)
            .add(words_at(x(time), rows.height + 18.0, 11, FAINT, &took(time)).set("text-anchor", "middle"));
    }
    for (index, (point, hooks)) in rows.points.iter().enumerate() {
        let y = rows.y(point, None);
        if index % 2 == 0 {
            document = document.add(
                Rectangle::new()
                    .set("y", y - 2.0)
                    .set("width", width)
                    .set("height", ROW * (1.0 + hooks.len() as f64))
                    .set("fill", "#8c959f")
                    .set("fill-opacity", 0.08),
            );
        }
        document = document.add(words_at(12.0, y + 12.0, 12, INK, &short(point)).set("font-weight", 600));
        for hook in hooks {
            document = document.add(words_at(26.0, rows.y(point, Some(hook)) + 12.0, 12, INK, &short(hook)));
        }
    }
    for step in &steps {
        document = document.add(match step.entry {
            TimelineEntry::Fired { point, .. } => {
                let title = format!("{point} fired at {}", took(step.start));
                let mark = Rectangle::new()
                    .set("x", x(step.start) - 1.0)
                    .set("y", rows.y(point, None) + 3.0)
                    .set("width", 2)
                    .set("height", 10)
                    .set("fill", FAINT);
                titled(&title).add(mark)
            }
            TimelineEntry::Ran(run) => {
                let y = rows.y(&run.point, Some(&run.hook));
                bar(run, (x(step.start), y), x(step.end) - x(step.start), step.start)
            }
        });
    }
    document
}

fn bar(run: &HookRun, (x, y): (f64, f64), width: f64, start: u64) -> Group {
    let kind = Kind::of(run);
    let title = format!(
        "{} at {}\n{}{}, from {} for {}\n{}",
        run.hook,
        run.point,
        kind.name(),
        if run.shadow { ", in shadow" } else { "" },
        took(start),
        took(run.duration_us),
        words(run)
    );
    let shape = Rectangle::new()
        .set("x", x)
        .set("y", y + 2.0)
        .set("width", width.max(3.0))
        .set("height", 12)
        .set("rx", 2)
        .set("fill", kind.colour())
        .set("stroke", kind.colour())
        // Beside the chain, or without effect: an outline.
        .set("fill-opacity", if run.background || run.shadow { 0.25 } else { 1.0 });
    let mut group = titled(&title).add(shape);
    if matches!(kind, Kind::Failed | Kind::Denied) && !run.shadow {
        // Not by colour alone.
        let sign = if kind == Kind::Failed { "✗" } else { "⊘" };
        group = group.add(
            words_at(x + width.max(3.0) + 4.0, y + 12.0, 12, kind.colour(), sign).set("font-weight", 600),
        );
    }
    group
}

fn titled(title: &str) -> Group {
    let lines: Vec<_> = title.lines().map(foreign::line).collect();
    Group::new().add(Title::new(lines.join("\n").trim_end()))
}

fn words_at(x: f64, y: f64, size: u32, colour: &str, text: &str) -> Text {
    Text::new(foreign::line(text)).set("x", x).set("y", y).set("font-size", size).set("fill", colour)
}

/// A name that fits into the left column.
fn short(name: &str) -> String {
    if name.chars().count() <= 36 {
        return name.to_owned();
    }
    name.chars().take(35).chain(['…']).collect()
}

fn legend() -> Group {
    let mut x = 12.0;
    let mut group = Group::new();
    for kind in Kind::ALL {
        let square = Rectangle::new()
            .set("x", x)
            .set("y", 56)
            .set("width", 10)
            .set("height", 10)
            .set("rx", 2)
            .set("fill", kind.colour());
        group = group.add(square).add(words_at(x + 15.0, 65.0, 11, INK, kind.name()));
        x += 34.0 + 6.0 * kind.name().chars().count() as f64;
    }
    let outline = Rectangle::new()
        .set("x", x)
        .set("y", 56)
        .set("width", 10)
        .set("height", 10)
        .set("rx", 2)
        .set("fill", "#8c959f")
        .set("fill-opacity", 0.25)
        .set("stroke", "#8c959f");
    group.add(outline).add(words_at(x + 15.0, 65.0, 11, INK, "in the background"))
}
