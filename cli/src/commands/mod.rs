//! The commands, one file each.

mod bridge;
mod chat;
mod doctor;
mod fire;
mod install;
mod list;
mod new;
mod points;
#[cfg(feature = "server")]
mod serve;
#[cfg(not(feature = "server"))]
#[path = "serve/absent.rs"]
mod serve;
mod signature;
mod snapshots;
mod tour;
mod trace;
mod trust;
mod verify;

use std::process::ExitCode;
use std::sync::Arc;

use clap::Subcommand;
use hookspec::hooks::HookSettings;
use hookspec::registry::Plugin;
use hookspec::{Hooks, Session};

use crate::hooks::{Asking, builder};
use crate::settings::{Common, Settings};

pub(crate) type CommandResult = Result<ExitCode, Box<dyn std::error::Error>>;

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Watch a scripted session with hooks at work.
    Tour(tour::Tour),
    /// Talk to an agent.
    Chat(chat::Chat),
    /// Serve sessions over HTTP, with a page to watch and answer on.
    Serve(serve::Serve),
    /// List the hook points.
    Points(points::Points),
    /// List the hooks and tools: what is on, and why.
    List(list::List),
    /// Look for problems; exit with 1 if there are any.
    Doctor(doctor::Doctor),
    /// Answer one event of another agent: Codex, Claude Code, Gemini CLI and others run this.
    Bridge(bridge::BridgeCommand),
    /// Let another agent run our hooks: write this program into its configuration.
    Install(install::Install),
    /// Take this program out of another agent's configuration.
    Uninstall(install::Uninstall),
    /// Run the hooks of a point on one event.
    Fire(fire::Fire),
    /// Show a session's timeline: which hook ran when, for how long, and what it said.
    Trace(trace::Trace),
    /// List, show and grant what this folder may run and set.
    Trust(trust::Trust),
    /// Check the records of tool calls that `[hooks.manifest]` keeps; exit with 1 if something is wrong.
    Verify(verify::Verify),
    /// Look at the snapshots that `[hooks.auto_snapshots]` keeps of the workspace, or go back to one.
    Snapshots(snapshots::Snapshots),
    /// Make a plugin crate.
    New(new::New),
}

impl Command {
    pub(crate) fn run(&self, common: &Common, plugins: &[&'static Plugin]) -> CommandResult {
        match self {
            Self::Tour(tour) => tour.run(common, plugins),
            Self::Chat(chat) => chat.run(common, plugins),
            Self::Serve(serve) => serve.run(common, plugins),
            Self::Points(points) => points.run(common),
            Self::List(list) => list.run(common, plugins),
            Self::Doctor(doctor) => doctor.run(common, plugins),
            Self::Bridge(bridge) => bridge.run(common, plugins),
            Self::Install(install) => install.run(common, plugins),
            Self::Uninstall(uninstall) => uninstall.run(common),
            Self::Fire(fire) => fire.run(common, plugins),
            Self::Trace(trace) => trace.run(common),
            Self::Trust(trust) => trust.run(common),
            Self::Verify(verify) => verify.run(common, plugins),
            Self::Snapshots(snapshots) => snapshots.run(common, plugins),
            Self::New(new) => new.run(),
        }
    }
}

/// The settings of a built-in, as its hooks get them.
fn hook_settings<T: HookSettings>(
    settings: &Settings,
    common: &Common,
    plugins: &[&'static Plugin],
) -> Result<Arc<T>, hookspec::registry::BuildError> {
    let registry = builder(settings, common, plugins, Asking::choose(true, false)).strict(false).build()?;
    Ok(Session::builder(&Hooks::new(registry), "settings").build().settings())
}
