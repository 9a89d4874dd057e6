//! Where the sandbox has nothing to build on: variables with keys are kept from commands, and nothing else is held.

use std::process::Command;
use std::sync::Arc;

use super::rules::Rules;
use super::{SandboxError, Support};

#[derive(Debug, Default)]
pub(super) struct Shared;

#[derive(Debug)]
pub(super) struct Held;

impl Held {
    pub(super) fn is_over(&self) -> bool {
        true
    }

    pub(super) fn failure(&self) -> Option<String> {
        None
    }

    pub(super) fn findings(&mut self) -> Vec<String> {
        Vec::new()
    }
}

pub(super) fn confine(_: &Arc<Rules>, _: &Arc<Shared>, _: &mut Command) -> Result<Held, SandboxError> {
    Ok(Held)
}

pub(super) fn try_support() -> Support {
    let mut support = Support::default();
    support.lacks(
        "Secrets can be read and everything can be written by commands: hookspec has a sandbox on Linux and macOS only. Only variables \
         with keys are kept from them."
            .to_owned(),
    );
    support
}
