//! Metrics as a picture: one SVG with the figures and two trends, quality and work, session by session.
//!
//! Sessions are drawn in at most 200 columns; where there are more, neighbours share one and their mean is drawn.

use jiff::Timestamp;
use svg::Document;
use svg::node::element::{Polyline, Rectangle, Text, Title};

use super::{SessionRow, Summary, Trend, minutes};

const WIDTH: f64 = 960.0;
const LEFT: f64 = 60.0;
const INNER: f64 = WIDTH - 2.0 * LEFT;
const COLUMNS: usize = 200;
const STYLE: &str = "text { font: 14px system-ui, sans-serif; fill: #333 } .big { font-size: 22px; font-weight: 600 } .dim { fill: #777; font-size: 12px } rect.back { fill: #fff } .line { fill: none; stroke: #2563a8; stroke-width: 2 } .bar { fill: #4b9b6a } .axis { stroke: #ccc } @media (prefers-color-scheme: dark) { text { fill: #ddd } .dim { fill: #999 } rect.back { fill: #16181c } .line { stroke: #6aa9e9 } .axis { stroke: #444 } }";

/// The picture.
#[must_use]
pub fn picture(summary: &Summary, sessions: &[SessionRow]) -> String {
    let trend = match summary.trend {
        Trend::Improving => "improving",
        Trend::Declining => "declining",
        Trend::Stable => "stable",
    };
    let figures = [
        ("sessions", summary.sessions.to_string()),
        ("length", minutes(summary.minutes)),
        ("commits an hour", format!("{:.1}", summary.velocity)),
        ("quality", format!("{:.0}, {trend}", summary.quality)),
        ("best time", summary.best_time.clone()),
        ("files", summary.files.to_string()),
    ];
    let mut page = Document::new()
        .set("viewBox", (0, 0, WIDTH as i32, 490))
        .set("role", "img")
        .add(Title::new("Workflow metrics"))
        .add(svg::node::element::Style::new(STYLE))
        .add(Rectangle::new().set("class", "back").set("width", "100%").set("height", "100%"))
        .add(text(LEFT, 34.0, "big", "Workflow metrics"));
    for (index, (name, value)) in figures.iter().enumerate() {
        let x = LEFT + INNER / 6.0 * index as f64;
        page = page.add(text(x, 70.0, "", value)).add(text(x, 88.0, "dim", name));
    }
    let qualities: Vec<f64> = sessions.iter().filter_map(|row| row.quality).collect();
    let work: Vec<f64> = sessions.iter().map(|row| f64::from(row.commits + row.checkpoints)).collect();
    page = page.add(text(
        LEFT,
        124.0,
        "dim",
        "quality (mean of a session's first and last checkpoint), 0 to 100",
    ));
    page = page.add(axis(264.0)).add(line(&columns(&qualities), 134.0, 130.0));
    let most = work.iter().copied().fold(0.0, f64::max);
    page = page.add(text(LEFT, 294.0, "dim", &format!("commits and checkpoints, 0 to {most:.0}")));
    page = bars(page.add(axis(404.0)), &columns(&work), 304.0, 100.0);
    if let (Some(first), Some(last)) = (summary.first, summary.last) {
        let last = text(WIDTH - LEFT, 422.0, "dim", &day(last)).set("text-anchor", "end");
        page = page.add(text(LEFT, 422.0, "dim", &day(first))).add(last);
    }
    let times: Vec<String> = summary
        .times
        .iter()
        .map(|row| format!("{} {} ({:.1} each)", row.time, row.sessions, row.done))
        .collect();
    let tools: Vec<String> = summary.tools.iter().map(|(name, calls)| format!("{name} {calls}")).collect();
    let or =
        |list: Vec<String>, nothing: &str| if list.is_empty() { nothing.to_owned() } else { list.join(", ") };
    page.add(text(LEFT, 450.0, "dim", &format!("sessions by time of day: {}", or(times, "none"))))
        .add(text(LEFT, 470.0, "dim", &format!("tools: {}", or(tools, "none"))))
        .to_string()
}

fn day(time: Timestamp) -> String {
    time.strftime("%Y-%m-%d").to_string()
}

fn text(x: f64, y: f64, class: &str, content: &str) -> Text {
    Text::new(content).set("x", round(x)).set("y", round(y)).set("class", class)
}

fn axis(y: f64) -> svg::node::element::Line {
    svg::node::element::Line::new()
        .set("class", "axis")
        .set("x1", LEFT)
        .set("x2", WIDTH - LEFT)
        .set("y1", y)
        .set("y2", y)
}

/// At most as many values as there are columns; neighbours become their mean.
fn columns(values: &[f64]) -> Vec<f64> {
    let share = values.len().div_ceil(COLUMNS).max(1);
    values.chunks(share).map(super::mean).collect()
}

fn line(values: &[f64], top: f64, height: f64) -> Polyline {
    let step = INNER / (values.len().max(2) - 1) as f64;
    let point = |(index, value): (usize, &f64)| {
        let x = LEFT + step * index as f64;
        format!("{},{}", round(x), round(top + height * (1.0 - value.clamp(0.0, 100.0) / 100.0)))
    };
    let points: Vec<String> = values.iter().enumerate().map(point).collect();
    Polyline::new().set("class", "line").set("points", points.join(" "))
}

fn bars(mut page: Document, values: &[f64], top: f64, height: f64) -> Document {
    let most = values.iter().copied().fold(1.0, f64::max);
    let step = INNER / values.len().max(1) as f64;
    for (index, value) in values.iter().enumerate() {
        let tall = height * value / most;
        let bar = Rectangle::new()
            .set("class", "bar")
            .set("x", round(LEFT + step * index as f64))
            .set("y", round(top + height - tall))
            .set("width", round((step - 1.0).clamp(0.5, 40.0)))
            .set("height", round(tall));
        page = page.add(bar);
    }
    page
}

fn round(value: f64) -> f64 {
    (value * 10.0).round() / 10.0
}
