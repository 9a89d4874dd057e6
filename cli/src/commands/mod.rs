//! The commands, one file each.

mod chat;
mod doctor;
mod fire;
mod list;
mod new;
mod points;
mod serve;
mod tour;
mod trace;

use std::process::ExitCode;

use clap::Subcommand;
use hookspec::Plugin;

use crate::settings::Common;

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
    /// Run the hooks of a point on one event.
    Fire(fire::Fire),
    /// Show a session's timeline: which hook ran when, for how long, and what it said.
    Trace(trace::Trace),
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
            Self::Fire(fire) => fire.run(common, plugins),
            Self::Trace(trace) => trace.run(common),
            Self::New(new) => new.run(),
        }
    }
}
