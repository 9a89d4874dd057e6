//! Coverage, from reports that test runs leave: nothing is run for it.

use std::path::Path;
use std::sync::LazyLock;

use regex::Regex;
use serde_json::Value;

/// Bytes of a report that is read.
const MOST_BYTES: u64 = 64 * 1024 * 1024;

/// Reads the share of covered lines out of a report.
type Read = fn(&str) -> Option<f64>;

/// Reports, in the order in which they are looked for, and how each is read.
const REPORTS: [(&str, Read); 9] = [
    ("lcov.info", lcov),
    ("coverage/lcov.info", lcov),
    ("target/llvm-cov/lcov.info", lcov),
    ("coverage.xml", cobertura),
    ("cobertura.xml", cobertura),
    ("coverage.json", python_json),
    ("coverage/coverage-summary.json", istanbul),
    ("coverage.out", go_profile),
    ("cover.out", go_profile),
];

/// The share of lines that tests run, and the report that says so.
pub(crate) fn coverage(workspace: &Path) -> Option<(f64, &'static str)> {
    REPORTS.iter().find_map(|(path, read)| {
        let path_here = workspace.join(path);
        // A pipe would never end, and a report has a size.
        let known =
            std::fs::metadata(&path_here).ok().filter(|data| data.is_file() && data.len() <= MOST_BYTES);
        known?;
        let text = std::fs::read_to_string(path_here).ok()?;
        Some((read(&text)?, *path))
    })
}

fn share(hit: f64, all: f64) -> Option<f64> {
    (all > 0.0).then(|| hit / all)
}

/// `LF:` lines found and `LH:` lines hit, for each file.
fn lcov(text: &str) -> Option<f64> {
    let sum =
        |key: &str| text.lines().filter_map(|line| line.strip_prefix(key)?.trim().parse::<f64>().ok()).sum();
    share(sum("LH:"), sum("LF:"))
}

static LINE_RATE: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r#"<coverage\b[^>]*\bline-rate="([0-9.]+)""#).ok());

/// The root element's `line-rate`.
fn cobertura(text: &str) -> Option<f64> {
    LINE_RATE.as_ref()?.captures(text)?.get(1)?.as_str().parse().ok()
}

/// `coverage json`: `totals.percent_covered`.
fn python_json(text: &str) -> Option<f64> {
    let report: Value = serde_json::from_str(text).ok()?;
    Some(report.pointer("/totals/percent_covered")?.as_f64()? / 100.0)
}

/// `total.lines.pct`.
fn istanbul(text: &str) -> Option<f64> {
    let report: Value = serde_json::from_str(text).ok()?;
    Some(report.pointer("/total/lines/pct")?.as_f64()? / 100.0)
}

/// Lines `file:from,to statements count`.
fn go_profile(text: &str) -> Option<f64> {
    let (mut hit, mut all) = (0.0, 0.0);
    for line in text.lines().filter(|line| !line.starts_with("mode:")) {
        let mut fields = line.rsplit(' ');
        let (Some(count), Some(statements)) = (fields.next(), fields.next()) else { continue };
        let (Ok(count), Ok(statements)) = (count.parse::<f64>(), statements.parse::<f64>()) else { continue };
        all += statements;
        hit += if count > 0.0 { statements } else { 0.0 };
    }
    share(hit, all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_report_is_read() {
        let near =
            |found: Option<f64>, wanted: f64| assert!((found.unwrap() - wanted).abs() < 1e-9, "{found:?}");
        near(lcov("SF:a\nLF:10\nLH:5\nend_of_record\nSF:b\nLF:10\nLH:10\n"), 0.75);
        near(cobertura(r#"<?xml version="1.0"?><coverage version="7" line-rate="0.83">"#), 0.83);
        near(python_json(r#"{"totals": {"percent_covered": 91.5}}"#), 0.915);
        near(istanbul(r#"{"total": {"lines": {"pct": 40}}}"#), 0.4);
        near(go_profile("mode: set\na.go:1.1,2.2 3 1\na.go:3.1,4.2 1 0\n"), 0.75);
        assert!(lcov("").is_none() && go_profile("mode: set\n").is_none() && cobertura("<x>").is_none());
    }
}
