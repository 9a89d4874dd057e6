//! Agents and times in words.

use super::parse::Mode;
use super::scan::Agent;

/// `45s`, `5m`, `2h00m`, `1d1h`.
pub(super) fn duration(seconds: u64) -> String {
    match seconds {
        0..60 => format!("{seconds}s"),
        60..3_600 => format!("{}m", seconds / 60),
        3_600..86_400 => format!("{}h{:02}m", seconds / 3_600, seconds % 3_600 / 60),
        _ => format!("{}d{}h", seconds / 86_400, seconds % 86_400 / 3_600),
    }
}

/// `PID 7: claude-code (model=opus, autonomous, branch=main, conv=abc) up 2m mem=512MB`.
pub(super) fn line(agent: &Agent) -> String {
    let mode = match agent.mode {
        Mode::Interactive => Some("interactive".to_owned()),
        Mode::Autonomous => Some("autonomous".to_owned()),
        Mode::Server => Some("server".to_owned()),
        Mode::Unknown => None,
    };
    let parts: Vec<String> = [
        agent.model.as_ref().map(|model| format!("model={model}")),
        mode,
        agent.branch.as_ref().map(|branch| format!("branch={branch}")),
        agent.conversation_id.as_ref().map(|id| format!("conv={id}")),
    ]
    .into_iter()
    .flatten()
    .collect();
    let mut text = format!("PID {}: {}", agent.pid, agent.runtime.name());
    if !parts.is_empty() {
        text.push_str(&format!(" ({})", parts.join(", ")));
    }
    if agent.stale {
        text.push_str(" [STALE]");
    } else if let Some(uptime) = agent.uptime_seconds {
        text.push_str(&format!(" up {}", duration(uptime)));
    }
    if let Some(memory) = agent.memory_mb {
        text.push_str(&format!(" mem={memory:.0}MB"));
    }
    crate::text::escape(&text)
}
