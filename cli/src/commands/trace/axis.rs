//! When things happened, and where that lies on the picture's line.
//!
//! Hooks take microseconds and models minutes, so a true scale would show one dot beside nothing. The axis here
//! is squeezed: the time between two neighbouring moments gets room by its logarithm. It is still one axis: what
//! was earlier is further left, what overlapped overlaps, and what touched touches. Labels tell the true times.

use hookspec::timeline::TimelineEntry;

/// One entry, placed in time.
pub(super) struct Step<'a> {
    /// Microseconds since the session began. A session that was resumed goes on where it stopped.
    pub(super) start: u64,
    pub(super) end: u64,
    pub(super) entry: &'a TimelineEntry,
}

/// The entries by the time at which they began; background hooks report late.
pub(super) fn steps(entries: &[TimelineEntry]) -> Vec<Step<'_>> {
    let (mut base, mut latest, mut end) = (0_u64, 0, 0);
    let mut steps: Vec<Step<'_>> = entries
        .iter()
        .map(|entry| {
            let (offset, took) = match entry {
                TimelineEntry::Fired { offset_us, .. } => {
                    // Points fire in order; only a new process counts from zero again.
                    if *offset_us < latest {
                        base = end;
                    }
                    latest = *offset_us;
                    (*offset_us, 0)
                }
                TimelineEntry::Ran(run) => (run.offset_us, run.duration_us),
            };
            let start = base.saturating_add(offset);
            let step = Step { start, end: start.saturating_add(took), entry };
            end = end.max(step.end);
            step
        })
        .collect();
    steps.sort_by_key(|step| step.start);
    steps
}

/// The squeezed axis.
pub(super) struct Axis {
    /// Every moment at which something began or ended, and where it lies, from 0 to 1.
    moments: Vec<(u64, f64)>,
}

/// Less than this, in microseconds, is hardly any time.
const GRAIN: f64 = 20.0;

impl Axis {
    pub(super) fn new(steps: &[Step<'_>]) -> Self {
        let mut times: Vec<u64> = steps.iter().flat_map(|step| [step.start, step.end]).collect();
        times.sort_unstable();
        times.dedup();
        let mut before = times.first().copied().unwrap_or(0);
        let mut place = 0.0;
        let mut moments = Vec::with_capacity(times.len());
        for time in times {
            place += ((time - before) as f64 / GRAIN).ln_1p();
            moments.push((time, place));
            before = time;
        }
        if place > 0.0 {
            moments.iter_mut().for_each(|moment| moment.1 /= place);
        }
        Self { moments }
    }

    /// Where a moment lies, from 0 to 1.
    pub(super) fn place(&self, time: u64) -> f64 {
        let index = self.moments.partition_point(|(moment, _)| *moment < time);
        self.moments.get(index).or(self.moments.last()).map_or(0.0, |(_, place)| *place)
    }

    /// Moments to label, at least `apart` from each other.
    pub(super) fn labels(&self, apart: f64) -> Vec<(u64, f64)> {
        let mut labels: Vec<(u64, f64)> = Vec::new();
        for moment in &self.moments {
            if labels.last().is_none_or(|last| moment.1 - last.1 >= apart) {
                labels.push(*moment);
            }
        }
        labels
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entries(json: &[serde_json::Value]) -> Vec<TimelineEntry> {
        json.iter().map(|entry| serde_json::from_value(entry.clone()).unwrap()).collect()
    }

    fn fired(offset: u64) -> serde_json::Value {
        serde_json::json!({ "what": "fired", "point": "p", "at": "2026-01-01T00:00:00Z", "offset_us": offset })
    }

    fn ran(offset: u64, took: u64) -> serde_json::Value {
        serde_json::json!({ "what": "ran", "hook": "h", "point": "p", "at": "2026-01-01T00:00:00Z",
            "offset_us": offset, "duration_us": took })
    }

    #[test]
    fn a_late_report_goes_to_its_beginning_and_a_resumed_session_goes_on() {
        let entries = entries(&[fired(0), fired(50), ran(10, 100), fired(5), ran(6, 1)]);
        let times: Vec<_> = steps(&entries).iter().map(|step| (step.start, step.end)).collect();
        assert_eq!(times, [(0, 0), (10, 110), (50, 50), (115, 115), (116, 117)]);
    }

    #[test]
    fn the_axis_keeps_order_and_gives_short_things_room() {
        let entries = entries(&[fired(0), ran(0, 40), fired(60_000_000), ran(60_000_000, 40)]);
        let steps = steps(&entries);
        let axis = Axis::new(&steps);
        let places: Vec<_> = [0, 40, 60_000_000, 60_000_040].map(|time| axis.place(time)).into();
        assert!(places.is_sorted_by(|a, b| a < b), "{places:?}");
        assert_eq!((places[0], places[3]), (0.0, 1.0));
        assert!(places[1] > 0.04, "40 µs beside a minute: {places:?}");
        assert_eq!(axis.labels(0.5).len(), 2);
        assert_eq!(Axis::new(&[]).place(5), 0.0);
    }
}
