//! How long hooks ran, as bars: the same length is the same time, wherever it lies.
//!
//! Only the time in which hooks ran is on the line. What lies between, a model that thinks or a person who reads, is cut
//! out: beside it every bar would be a sliver.

use hookspec::timeline::TimelineEntry;

use super::axis::Step;

/// The time in which hooks ran, in microseconds.
pub(super) struct Scale {
    /// From when to when some hook ran; one after the other, none touches the next.
    spans: Vec<(u64, u64)>,
}

impl Scale {
    /// Of all steps, by their beginning; also of those that are not shown.
    pub(super) fn new(steps: &[Step<'_>]) -> Self {
        let mut spans: Vec<(u64, u64)> = Vec::new();
        for step in steps.iter().filter(|step| matches!(step.entry, TimelineEntry::Ran(_))) {
            match spans.last_mut() {
                Some(last) if step.start <= last.1 => last.1 = last.1.max(step.end),
                _ => spans.push((step.start, step.end)),
            }
        }
        Self { spans }
    }

    /// How long hooks ran until then.
    fn until(&self, time: u64) -> u64 {
        self.spans.iter().map(|(start, end)| time.clamp(*start, *end) - start).sum()
    }

    /// A line of so many cells with a run's time filled in; a mark for what is less than half a cell.
    pub(super) fn bar(&self, step: &Step<'_>, cells: usize) -> String {
        let all = self.until(u64::MAX).max(1) as f64;
        let in_cells = |time: u64| time as f64 / all * cells as f64;
        let length = (in_cells(step.end - step.start).round() as usize).min(cells);
        let width = length.max(1);
        let first = (in_cells(self.until(step.start)) as usize).min(cells - width);
        let filled = if length == 0 { "▏".to_owned() } else { "█".repeat(length) };
        format!("{:first$}{filled}{:rest$}", "", "", rest = cells - first - width)
    }
}

#[cfg(test)]
mod tests {
    use super::super::axis::steps;
    use super::*;

    fn bars(runs: &[(u64, u64)]) -> Vec<String> {
        let entries: Vec<TimelineEntry> = runs
            .iter()
            .map(|(offset, took)| {
                serde_json::from_value(serde_json::json!({ "what": "ran", "hook": "h", "point": "p",
                    "at": "2026-01-01T00:00:00Z", "offset_us": offset, "duration_us": took }))
                .unwrap()
            })
            .collect();
        let steps = steps(&entries);
        let scale = Scale::new(&steps);
        steps.iter().map(|step| scale.bar(step, 8)).collect()
    }

    #[test]
    fn a_bar_is_as_long_as_its_time_and_waits_have_no_room() {
        // 2 µs, 4.3 ms, and 30 ms in the background, which end last.
        assert_eq!(bars(&[(0, 2), (50, 4_300), (5_000, 30_000)]), ["▏       ", "█       ", " ███████"]);
        // A minute between two of the same length.
        assert_eq!(bars(&[(0, 500), (60_000_000, 500)]), ["████    ", "    ████"]);
        // One beside another, and one that ends after it.
        assert_eq!(bars(&[(0, 800), (100, 100), (400, 400)]), ["████████", " █      ", "    ████"]);
        // What is too short has a mark, at the end too.
        assert_eq!(bars(&[(0, 1_000_000), (2_000_000, 0)]), ["████████", "       ▏"]);
        assert_eq!(bars(&[(0, 0)]), ["▏       "]);
        assert!(bars(&[(u64::MAX - 1, 5), (3, u64::MAX)]).iter().all(|bar| bar.chars().count() == 8));
    }
}
