//! `workspace_agents`: tells the model which other coding agents work in the same tree.
//!
//! **Watches** the session's start and the beginning of each step. **Speaks** at the start, in one hidden
//! message, if others are there; then, looking at most once a minute, when one arrives or departs, visibly:
//! `<workspace-agents-warning>`, `<workspace-agent-arrived>`, `<workspace-agent-departed>`. **Keeps** whom it knows,
//! per session. **Costs** one pass over the process table (a few milliseconds with hundreds of processes),
//! on a thread that may block, bounded to two seconds; between passes a comparison of two times.
//!
//! An agent is a live process whose program, or the script that an interpreter runs, has an agent's name,
//! and whose directory is in the same worktree. No lock files, no logs of others are needed.
//!
//! Different from gptme:
//! - a name counts only as the program or as an interpreter's script, so `vim claude` is no agent and
//!   `claude "fix server.py"` is one; where the executable can be seen it must fit;
//! - this program's own ancestors and descendants do not count; a launcher and the agent it runs are one;
//! - the same git worktree counts, not the same path: an agent in the enclosing repository's root is seen from a
//!   subdirectory, one in a worktree nested below is not a conflict. Git is read, never run;
//! - everybody is tracked by process id and start time; of several alike only one is shown, but none is said
//!   to have left while it is there;
//! - one process that cannot be read costs only itself; time is measured on the steady clock;
//! - a gptme that was started without a name is given no conversation, rather than the newest one there is;
//! - aider, amp, goose and opencode count as talked to unless their command line says otherwise, so that one that
//!   waits for its user is not stale after an hour;
//! - an agent that turns stale is neither announced again nor forgotten.

mod claude;
mod detect;
mod format;
mod parse;
mod scan;
mod stale;
mod tracker;
mod worktree;

#[cfg(test)]
mod tests;

use hookspec::points::{SESSION_START, STEP_PRE};
use hookspec::{Message, Session, hook};

pub use detect::Runtime;
pub use parse::Mode;
pub use scan::{Agent, Scan, scan};
pub use tracker::Tracker;

/// Says who is there.
#[hook(SESSION_START, priority = 100, blocking, timeout = "5s")]
fn session_start(session: &Session, state: &mut Tracker) -> Option<Message> {
    let workspace = session.workspace()?;
    let now = session.clock().elapsed();
    tracker::begin(state, scan(Some(workspace)), now)
}

/// Says who came and who went since the last look.
#[hook(STEP_PRE, priority = 10, blocking, timeout = "5s")]
fn step_pre(session: &Session, state: &mut Tracker) -> Vec<Message> {
    let now = session.clock().elapsed();
    match session.workspace() {
        Some(workspace) if tracker::is_due(state, now) => tracker::look(state, scan(Some(workspace)), now),
        _ => Vec::new(),
    }
}
