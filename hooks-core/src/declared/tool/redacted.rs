//! What a tool gives is redacted before anybody sees it.

use crate::session::redact::{Redactable, With};

use super::entry::{ToolError, ToolOutput};

impl Redactable for ToolOutput {
    fn redact(&mut self, with: With<'_>) -> bool {
        self.messages.redact(with)
    }
}

impl Redactable for ToolError {
    fn redact(&mut self, with: With<'_>) -> bool {
        match self {
            Self::Arguments { why: text, .. }
            | Self::Denied(text)
            | Self::Timeout(text)
            | Self::Interrupted(text)
            | Self::Failed(text) => text.redact(with),
        }
    }
}
