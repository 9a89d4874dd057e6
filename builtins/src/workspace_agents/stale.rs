//! Whether a process still does anything.

use super::format::duration;
use super::parse::Mode;

/// What is known of a process's life.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Life {
    /// Seconds since it was started.
    pub(super) uptime: Option<u64>,
    /// Seconds of processor time.
    pub(super) cpu: Option<f64>,
    /// `Z` for a zombie, `T` for a stopped one.
    pub(super) state: Option<char>,
}

/// Why a process counts as stale, or nothing if it does not.
pub(super) fn stale(life: Life, mode: Mode) -> Option<String> {
    let uptime = life.uptime?;
    match life.state {
        Some('Z') => return Some("it is a zombie".to_owned()),
        Some('T') => return Some("it is stopped".to_owned()),
        _ => {}
    }
    let threshold = match mode {
        Mode::Autonomous => 7_200,
        Mode::Interactive => 86_400,
        Mode::Server => return None,
        Mode::Unknown => 3_600,
    };
    if uptime < threshold {
        return None;
    }
    if let Some(cpu) = life.cpu {
        let share = cpu / uptime as f64;
        if share < 0.001 {
            return Some(format!("up {}, {cpu:.1} s of CPU ({:.2} %)", duration(uptime), share * 100.0));
        }
    }
    (uptime > 3 * threshold).then(|| format!("up {}, 3x beyond {}", duration(uptime), duration(threshold)))
}
