//! The quality score of a workspace, 0 to 100.
//!
//! Sixteen parts of together 100 points (the original's table; [`parts`] has it as functions). A part that cannot be measured
//! is left out of the total, named, and the rest is scaled: no figure is made up, and none is a gift. Every part says what
//! was found and what would raise it. Measuring reads: files (ignore files respected, at most 50 000, under a deadline),
//! git's history, and reports that other programs left. The only program it starts by itself is `ruff`, which runs nothing
//! of the project; others run when `lint` in `[hooks.buddy]` names them.

mod found;
pub mod parts;
mod reports;
mod tree;

use std::path::Path;
use std::time::{Duration, Instant};

use hookspec::{First, Session, hook};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::points::QUALITY_MEASURE;
use crate::settings::Settings;

pub(crate) use tree::is_test_path;

/// One part of the score.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Part {
    /// What is measured.
    pub name: String,
    /// The most it can give.
    pub most: u8,
    /// What it gives; `None` where it could not be measured.
    pub points: Option<f64>,
    /// What was found, or why it could not be measured.
    pub found: String,
    /// What would raise it; empty where nothing would.
    pub raise: String,
}

impl Part {
    pub(crate) fn measured(name: &str, most: u8, points: f64, found: impl Into<String>, raise: &str) -> Self {
        let raise = if points < f64::from(most) { raise } else { "" };
        Self { name: name.into(), most, points: Some(points), found: found.into(), raise: raise.into() }
    }

    pub(crate) fn unmeasured(name: &str, most: u8, why: impl Into<String>, raise: &str) -> Self {
        Self { name: name.into(), most, points: None, found: why.into(), raise: raise.into() }
    }
}

/// The score and how it came about.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Quality {
    /// 0 to 100: the points, scaled to what could be measured, rounded down.
    pub score: u8,
    /// The points.
    pub points: f64,
    /// Out of how many that could be measured: the scale.
    pub of: f64,
    /// The parts.
    pub parts: Vec<Part>,
}

impl Quality {
    /// The score of parts.
    ///
    /// ```
    /// use hookspec_session_buddy::quality::Quality;
    /// assert_eq!(Quality::of(Vec::new()).score, 0);
    /// ```
    #[must_use]
    pub fn of(parts: Vec<Part>) -> Self {
        let points: f64 = parts.iter().filter_map(|part| part.points).sum();
        let of: f64 =
            parts.iter().filter(|part| part.points.is_some()).map(|part| f64::from(part.most)).sum();
        // A sum of fractions may miss a whole number by a hair.
        let score = if of > 0.0 { (points / of * 100.0 + 1e-6).floor().clamp(0.0, 100.0) as u8 } else { 0 };
        Self { score, points, of, parts }
    }

    /// The names of parts that could not be measured.
    pub fn unmeasured(&self) -> impl Iterator<Item = &str> {
        self.parts.iter().filter(|part| part.points.is_none()).map(|part| part.name.as_str())
    }

    /// What would raise it most: the parts that lack most, with their remedies.
    pub fn remedies(&self, most: usize) -> Vec<String> {
        let mut lacking: Vec<(&Part, f64)> = self
            .parts
            .iter()
            .filter_map(|part| Some((part, f64::from(part.most) - part.points?)))
            .filter(|(part, lack)| *lack > 0.0 && !part.raise.is_empty())
            .collect();
        lacking.sort_by(|one, two| two.1.total_cmp(&one.1).then_with(|| one.0.name.cmp(&two.0.name)));
        lacking
            .into_iter()
            .take(most)
            .map(|(part, lack)| format!("{}: {} (up to {lack:.1} more)", part.name, part.raise))
            .collect()
    }

    /// The score in one sentence, with its scale.
    #[must_use]
    pub fn sentence(&self) -> String {
        let unmeasured: Vec<&str> = self.unmeasured().collect();
        if self.of == 0.0 {
            return "Nothing could be measured, so the score is 0.".to_owned();
        }
        let left_out = if unmeasured.is_empty() {
            String::new()
        } else {
            format!(" Not measured: {}.", unmeasured.join(", "))
        };
        format!(
            "Quality {} of 100 ({:.1} of {} points that could be measured).{left_out}",
            self.score, self.points, self.of
        )
    }
}

/// Measures the workspace, unless a hook before it has.
#[hook(QUALITY_MEASURE, name = "buddy.measure", priority = 0, blocking, timeout = "60s", budget = "60s")]
fn measure_workspace(workspace: &Path, session: &Session, settings: &Settings) -> First<Quality> {
    First(measure(workspace, session, settings))
}

fn measure(workspace: &Path, session: &Session, settings: &Settings) -> Quality {
    let deadline = Instant::now() + Duration::from_secs(settings.measure_s.min(50));
    let tree = tree::Tree::walk(workspace, deadline);
    Quality::of(found::parts(workspace, &tree, session.clock().now(), settings, deadline))
}
