//! `redact`: a text without the credentials in it.

use std::io::Read;
use std::process::ExitCode;

use clap::Args;
use hookspec::registry::Plugin;
use hookspec::{Hooks, Session};

use crate::hooks::{Asking, builder};
use crate::output;
use crate::settings::{Common, Settings};

use super::CommandResult;

/// Reads a text from standard input and writes it without the credentials in it: what a session of this folder would keep or send.
/// For scripts that keep something themselves.
#[derive(Debug, Args)]
pub(crate) struct Redact {}

impl Redact {
    pub(crate) fn run(&self, common: &Common, plugins: &[&'static Plugin]) -> CommandResult {
        let settings = Settings::load(common)?;
        settings.check_workspace()?;
        let workspace = std::path::absolute(&settings.workspace)?;
        let registry =
            builder(&settings, common, plugins, Asking::choose(false, false)).strict(false).build()?;
        let session = Session::builder(&Hooks::new(registry), "redact").workspace(workspace).build();
        let mut bytes = Vec::new();
        std::io::stdin().read_to_end(&mut bytes)?;
        output::raw(&session.redacted(&String::from_utf8_lossy(&bytes)));
        Ok(ExitCode::SUCCESS)
    }
}
