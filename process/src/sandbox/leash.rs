//! What a confined command hangs on.

/// Holds a confined command and all that it starts: dropped, or with the death of this process, all of it ends.
#[derive(Debug, Default)]
#[must_use = "what runs ends when its leash is dropped"]
pub struct Leash {}

impl Leash {
    /// Whether nothing runs in it any more.
    #[must_use]
    pub fn is_over(&self) -> bool {
        true
    }

    /// What the command made that would decide which programs run later, and that was moved aside, as sentences. To be asked when
    /// the command has ended; a second time tells what was found since.
    pub fn findings(&mut self) -> Vec<String> {
        Vec::new()
    }
}
