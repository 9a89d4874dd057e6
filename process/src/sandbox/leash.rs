//! What a confined command hangs on.

use super::system::Held;

/// Holds a confined command and all that it starts: dropped, or with the death of this process, all of it ends, daemons included.
///
/// Dropping waits until it has ended, which takes milliseconds.
#[derive(Debug)]
#[must_use = "what runs ends when its leash is dropped"]
pub struct Leash {
    held: Held,
}

impl Leash {
    pub(super) fn new(held: Held) -> Self {
        Self { held }
    }

    /// Whether nothing runs in it any more. A command that was not started yet is not over.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.held.is_over()
    }

    /// Why the sandbox refused to start the command, if it did: what `spawn` returned then is a number of the system only.
    #[must_use]
    pub fn failure(&self) -> Option<String> {
        self.held.failure()
    }

    /// What the command made that would decide which programs run later, and that was moved aside, as sentences. To be asked when
    /// the command has ended; a second time tells what was found since.
    pub fn findings(&mut self) -> Vec<String> {
        self.held.findings()
    }
}
