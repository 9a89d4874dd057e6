//! Who is known, and what is said when that changes.

use std::collections::BTreeMap;
use std::time::Duration;

use hookspec::Message;
use serde::{Deserialize, Serialize};

use super::detect::Runtime;
use super::format::line;
use super::scan::{Agent, Scan};

/// At most one look in so long.
pub(super) const PAUSE: Duration = Duration::from_secs(60);

/// Whom a session knows.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tracker {
    known: BTreeMap<u32, Known>,
    began: bool,
    /// On the steady clock of this process: not kept beyond it.
    #[serde(skip)]
    last: Option<Duration>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Known {
    started: u64,
    runtime: Runtime,
}

fn remember(state: &mut Tracker, scan: &Scan, now: Duration) {
    let known = |agent: &Agent| (agent.pid, Known { started: agent.started, runtime: agent.runtime });
    state.known = scan.agents.iter().map(known).collect();
    state.last = Some(now);
    state.began = true;
}

/// At the session's start: one hidden message if anybody is there.
pub(super) fn begin(state: &mut Tracker, scan: Scan, now: Duration) -> Option<Message> {
    remember(state, &scan, now);
    let shown = scan.shown();
    let (stale, active): (Vec<&Agent>, Vec<&Agent>) = shown.into_iter().partition(|agent| agent.stale);
    if stale.is_empty() && active.is_empty() {
        return None;
    }
    let mut text = String::from("<workspace-agents-warning>\n");
    if !active.is_empty() {
        let many = if active.len() == 1 { "agent works" } else { "agents work" };
        text.push_str(&format!("{} other {many} in this tree:\n", active.len()));
        for agent in &active {
            tracing::warn!("another agent works in this tree: {}", line(agent));
            text.push_str(&format!("  {}\n", line(agent)));
        }
        text.push_str(
            "You may overwrite each other's changes. A git worktree of your own avoids that: git worktree add /tmp/worktrees/<task> -b <task>\n",
        );
    }
    if !stale.is_empty() {
        let many = if stale.len() == 1 { "agent seems" } else { "agents seem" };
        text.push_str(&format!("({} stale {many} to be left over.)\n", stale.len()));
    }
    text.push_str("</workspace-agents-warning>");
    Some(Message::system(text).hidden())
}

/// Whether it is time for another look.
pub(super) fn is_due(state: &Tracker, now: Duration) -> bool {
    // A new process that goes on with the session looks at once: its clock began anew.
    state.began && state.last.is_none_or(|last| now.saturating_sub(last) >= PAUSE)
}

/// Who came and who went: arrivals first, each by process id. Those that arrive stale are noted silently.
pub(super) fn look(state: &mut Tracker, scan: Scan, now: Duration) -> Vec<Message> {
    if scan.partial {
        // Half a table would say that the other half has left.
        state.last = Some(now);
        return Vec::new();
    }
    let same = |agent: &Agent, known: &Known| agent.started == known.started;
    let is_new = |agent: &Agent| !state.known.get(&agent.pid).is_some_and(|known| same(agent, known));
    let arrived = scan.agents.iter().filter(|agent| is_new(agent) && !agent.stale).map(|agent| {
        Message::system(format!("<workspace-agent-arrived>{}</workspace-agent-arrived>", line(agent)))
    });
    let is_here =
        |pid: u32, known: &Known| scan.agents.iter().any(|agent| agent.pid == pid && same(agent, known));
    let departed = state.known.iter().filter(|(pid, known)| !is_here(**pid, known)).map(|(pid, known)| {
        let name = known.runtime.name();
        Message::system(format!("<workspace-agent-departed>{name} (PID {pid})</workspace-agent-departed>"))
    });
    let messages = arrived.chain(departed).collect();
    remember(state, &scan, now);
    messages
}
