//! The dialects of other agents' command hooks: what an answer means, and what several mean together.
//!
//! Each agent reads exit codes and output in its own way; here each way is one function, from what a process
//! left behind to the same [`Said`]. What was said is put together in the order of the configuration, so that
//! the result does not depend on who was done first.

mod action;
mod claude;
mod codex;
mod config;
mod fields;
mod hermes;
#[cfg(test)]
mod host_tests;
mod load;
mod matcher;
mod points;
mod run;
mod said;
#[cfg(test)]
mod tests;
mod tool;

pub use action::{Post, Request};
pub use config::{File, places};
pub use load::load;
pub use matcher::Matcher;
pub use said::{Said, Status, Together, Word};

use std::fmt;

use crate::client::Client;
use crate::command::{CommandError, Reply};

/// Whose answers are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Dialect {
    /// Claude Code.
    Claude,
    /// Codex.
    Codex,
    /// Hermes, its shell hooks.
    Hermes,
}

impl fmt::Display for Dialect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Claude => "Claude Code",
            Self::Codex => "Codex",
            Self::Hermes => "Hermes",
        })
    }
}

/// An event of theirs that has a meaning here.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[allow(missing_docs)] // the names are theirs
pub enum Event {
    SessionStart,
    UserPromptSubmit,
    PreToolUse,
    PermissionRequest,
    PostToolUse,
    PostToolUseFailure,
    PreCompact,
    PostCompact,
    SubagentStart,
    SubagentStop,
    Stop,
    SessionEnd,
}

impl Event {
    const ALL: [(Self, &'static str); 12] = [
        (Self::SessionStart, "SessionStart"),
        (Self::UserPromptSubmit, "UserPromptSubmit"),
        (Self::PreToolUse, "PreToolUse"),
        (Self::PermissionRequest, "PermissionRequest"),
        (Self::PostToolUse, "PostToolUse"),
        (Self::PostToolUseFailure, "PostToolUseFailure"),
        (Self::PreCompact, "PreCompact"),
        (Self::PostCompact, "PostCompact"),
        (Self::SubagentStart, "SubagentStart"),
        (Self::SubagentStop, "SubagentStop"),
        (Self::Stop, "Stop"),
        (Self::SessionEnd, "SessionEnd"),
    ];

    /// The event of that name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|(_, own)| *own == name).map(|(event, _)| event)
    }

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        Self::ALL.into_iter().find(|(event, _)| *event == self).map_or("", |(_, name)| name)
    }

    /// Whether a refusal keeps something from happening.
    #[must_use]
    pub fn gates(self) -> bool {
        matches!(self, Self::PreToolUse | Self::PermissionRequest | Self::UserPromptSubmit)
    }

    /// Whether it is about a tool call.
    fn has_tool(self) -> bool {
        matches!(
            self,
            Self::PreToolUse | Self::PermissionRequest | Self::PostToolUse | Self::PostToolUseFailure
        )
    }

    /// Whether a matcher has something to look at.
    fn has_target(self) -> bool {
        !matches!(self, Self::UserPromptSubmit | Self::Stop)
    }

    /// Whether Claude Code hears exit code 2 there.
    fn blocks(self) -> bool {
        matches!(
            self,
            Self::PreToolUse
                | Self::UserPromptSubmit
                | Self::PostToolUse
                | Self::Stop
                | Self::SubagentStop
                | Self::PreCompact
        )
    }

    /// Whether Codex takes `decision` and `reason` there.
    fn takes_decision(self) -> bool {
        matches!(
            self,
            Self::PreToolUse | Self::PostToolUse | Self::UserPromptSubmit | Self::Stop | Self::SubagentStop
        )
    }

    /// Whether Codex takes `hookSpecificOutput` there.
    fn takes_inner(self) -> bool {
        matches!(
            self,
            Self::PreToolUse
                | Self::PermissionRequest
                | Self::PostToolUse
                | Self::UserPromptSubmit
                | Self::SessionStart
                | Self::SubagentStart
        )
    }
}

/// Hermes's names of events that have a meaning here.
const HERMES: [(Event, &str); 6] = [
    (Event::SessionStart, "on_session_start"),
    (Event::UserPromptSubmit, "pre_llm_call"),
    (Event::PreToolUse, "pre_tool_call"),
    (Event::PostToolUse, "post_tool_call"),
    (Event::Stop, "pre_verify"),
    (Event::SessionEnd, "on_session_finalize"),
];

impl Dialect {
    /// The event of that name, where it has a meaning here.
    fn event(self, name: &str) -> Option<Event> {
        match self {
            Self::Claude | Self::Codex => Event::named(name).filter(|event| self.point_of(*event).is_some()),
            Self::Hermes => HERMES.into_iter().find(|(_, own)| *own == name).map(|(event, _)| event),
        }
    }

    /// Whose dialect it is.
    fn client(self) -> Client {
        match self {
            Self::Claude => Client::Claude,
            Self::Codex => Client::Codex,
            Self::Hermes => Client::Hermes,
        }
    }

    /// Its name of an event.
    fn name_of(self, event: Event) -> &'static str {
        match self {
            Self::Claude | Self::Codex => event.name(),
            Self::Hermes => HERMES.into_iter().find(|(own, _)| *own == event).map_or("", |(_, name)| name),
        }
    }

    /// What an object has said that came otherwise than from a command.
    fn read_object(self, event: Event, text: &str) -> Result<Said, String> {
        match self {
            Self::Claude => claude::parse(event, text),
            Self::Codex | Self::Hermes => Err("it has no handlers but commands".to_owned()),
        }
    }

    /// What a handler has said, or what became of it.
    #[must_use]
    pub fn read(self, event: Event, ran: &Result<Reply, CommandError>) -> Said {
        match (ran, self) {
            (Ok(reply), _) if reply.cut => {
                Said::failed("it wrote more than is read, so that its answer is torn")
            }
            (Ok(reply), Self::Claude) => claude::read(event, reply),
            (Ok(reply), Self::Codex) => codex::read(event, reply),
            (Ok(reply), Self::Hermes) => hermes::read(event, reply),
            (Err(error), _) => Said::failed(error.to_string()),
        }
    }
}
