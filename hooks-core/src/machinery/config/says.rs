//! What may be said of a hook from outside of it, and where it is said.

use std::time::Duration;

use super::Named;

/// One key of what is said of a hook, a group, a package or a glob, and where it is said.
#[derive(Clone, Debug)]
pub(crate) struct Rule {
    pub(crate) named: Named,
    pub(crate) says: Says,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Says {
    Priority(i32),
    Before(Vec<String>),
    After(Vec<String>),
    Tools(Vec<String>),
    Paths(Vec<String>),
    /// `None`: never.
    Timeout(Option<Duration>),
    Budget(Duration),
    /// `None`: never.
    Quarantine(Option<u32>),
    /// Whether a failure at a gate lets things pass.
    FailOpen(bool),
    Shadow(bool),
}

impl Says {
    pub(crate) fn key(&self) -> &'static str {
        match self {
            Self::Priority(_) => "priority",
            Self::Before(_) => "before",
            Self::After(_) => "after",
            Self::Tools(_) => "tools",
            Self::Paths(_) => "paths",
            Self::Timeout(_) => "timeout",
            Self::Budget(_) => "budget",
            Self::Quarantine(_) => "quarantine",
            Self::FailOpen(_) => "on_failure",
            Self::Shadow(_) => "shadow",
        }
    }

    /// The value, as it would be written.
    pub(crate) fn shown(&self) -> String {
        match self {
            Self::Priority(priority) => priority.to_string(),
            Self::Before(names) | Self::After(names) | Self::Tools(names) | Self::Paths(names) => {
                format!("{names:?}")
            }
            Self::Timeout(None) | Self::Quarantine(None) => "\"never\"".to_owned(),
            Self::Timeout(Some(limit)) | Self::Budget(limit) => format!("\"{limit:?}\""),
            Self::Quarantine(Some(most)) => most.to_string(),
            Self::FailOpen(open) => if *open { "\"pass\"" } else { "\"deny\"" }.to_owned(),
            Self::Shadow(shadow) => shadow.to_string(),
        }
    }
}
