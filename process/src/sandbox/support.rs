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
    /// A profile of `sandbox-exec`, on macOS.
    Profile,
}

/// What this system can hold, and what it cannot.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Support {
    parts: Vec<Part>,
    held: Vec<String>,
    missing: Vec<String>,
}

impl Support {
    /// Whether all of the sandbox is held.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.missing.is_empty()
    }

    /// Whether this system has a part.
    #[must_use]
    pub fn has(&self, part: Part) -> bool {
        self.parts.contains(&part)
    }

    /// What is held, a sentence each.
    #[must_use]
    pub fn held(&self) -> &[String] {
        &self.held
    }

    /// What is not held, with the reason and the remedy, an entry each.
    #[must_use]
    pub fn missing(&self) -> &[String] {
        &self.missing
    }

    #[cfg_attr(not(any(target_os = "linux", target_os = "macos")), allow(dead_code))]
    pub(super) fn holds(&mut self, part: Part, what: &str) {
        self.parts.push(part);
        self.held.push(what.to_owned());
    }

    pub(super) fn lacks(&mut self, what: String) {
        self.missing.push(what);
    }
}

/// What this system can hold. Tried once.
#[must_use]
pub fn support() -> &'static Support {
    static SUPPORT: LazyLock<Support> = LazyLock::new(super::system::try_support);
    &SUPPORT
}
