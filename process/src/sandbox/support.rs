//! What this system can hold.

use std::sync::LazyLock;

/// A part of the system that the sandbox builds on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Part {
    /// Namespaces of users, mounts and processes: they hide secrets and end what runs.
    Namespaces,
    /// Landlock: it says where may be written.
    Landlock,
    /// Seccomp: it refuses system calls.
    Seccomp,
}

/// What this system can hold, and what it cannot.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Support {
    held: Vec<String>,
    missing: Vec<String>,
}

impl Support {
    /// Whether all of the sandbox is held.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.missing.is_empty()
    }

    /// What is held, a sentence each.
    #[must_use]
    pub fn held(&self) -> &[String] {
        &self.held
    }

    /// What is not held, with the reason and the remedy, a sentence each.
    #[must_use]
    pub fn missing(&self) -> &[String] {
        &self.missing
    }
}

/// What this system can hold. Tried once.
#[must_use]
pub fn support() -> &'static Support {
    static SUPPORT: LazyLock<Support> = LazyLock::new(|| {
        Support {
        held: vec!["Variables with keys are kept from commands.".to_owned()],
        missing: vec!["Secrets can be read and everything can be written, since this system has no sandbox that hookspec knows.".to_owned()],
    }
    });
    &SUPPORT
}
