//! The program `hookspec` as a library, so that a plugin's own binary is three lines:
//!
//! ```no_run
//! use std::process::ExitCode;
//!
//! fn main() -> ExitCode {
//!     hookspec_cli::main(hookspec::plugins![]) // your plugin crates go into the brackets
//! }
//! ```
//!
//! The built-in hooks and tools are always in it; naming them again does no harm. A plugin crate may bring subcommands
//! too: see [`command!`].

mod commands;
mod extension;
mod foreign;
mod hooks;
mod markdown;
mod names;
mod others;
mod output;
mod places;
mod post;
mod progress;
mod project;
mod screen;
mod settings;
mod show;
mod table;
mod variables;

use std::process::ExitCode;

use clap::{CommandFactory, FromArgMatches, Parser};
use hookspec::registry::Plugin;

/// The version of clap that [`PluginCommand`] speaks.
pub use clap;
#[doc(hidden)]
pub use extension::COMMANDS;
pub use extension::{Invocation, PluginCommand, plugin_commands};
#[doc(hidden)]
pub use linkme;

use commands::Command;
use settings::Common;

/// Lifecycle hooks for AI agents: an agent in the terminal, and everything to look at its hooks.
#[derive(Debug, Parser)]
#[command(name = "hookspec", version, arg_required_else_help = true)]
struct Arguments {
    #[command(flatten)]
    common: Common,
    #[command(subcommand)]
    command: Command,
}

/// What is logged unless `HOOKSPEC_LOG` says otherwise. A model that fails is told by the session, in words.
const QUIET: &str = "warn,genai=off";

/// Runs the program with these plugin crates beside the built-in ones.
///
/// Exit status: 0 when all is well, 1 when `doctor` found a problem, 2 when the command could not be run.
pub fn main(plugins: impl IntoIterator<Item = &'static Plugin>) -> ExitCode {
    let command = match extension::with_plugins(Arguments::command()) {
        Ok(command) => command,
        Err(error) => {
            output::error(&*error);
            return ExitCode::from(2);
        }
    };
    let matches = command.get_matches();
    let common = Common::from_arg_matches(&matches).unwrap_or_else(|error| error.exit());
    if common.no_color {
        anstream::ColorChoice::Never.write_global();
    }
    screen::start(common.wide);
    // What goes wrong in the tour is what it shows.
    let quiet = if matches.subcommand_name() == Some("tour") { "off" } else { QUIET };
    tracing_subscriber::fmt()
        .with_writer(std::io::stderr)
        .with_ansi(output::errors_are_coloured())
        .with_target(false)
        .without_time()
        .with_env_filter(
            tracing_subscriber::EnvFilter::try_from_env("HOOKSPEC_LOG")
                .unwrap_or_else(|_| tracing_subscriber::EnvFilter::new(quiet)),
        )
        .init();
    let mut linked: Vec<&'static Plugin> = hookspec::plugins![hookspec_agent, hookspec_builtins].collect();
    for plugin in plugins {
        if !linked.iter().any(|held| std::ptr::eq(*held, plugin)) {
            linked.push(plugin);
        }
    }
    let brought = matches.subcommand().and_then(|(name, own)| extension::run(name, own, &common, &linked));
    let ended = brought.unwrap_or_else(|| {
        let arguments = Arguments::from_arg_matches(&matches).unwrap_or_else(|error| error.exit());
        arguments.command.run(&arguments.common, &linked)
    });
    match ended {
        Ok(code) => code,
        Err(error) => {
            output::error(&*error);
            ExitCode::from(2)
        }
    }
}
