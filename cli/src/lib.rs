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
//! The built-in hooks and tools are always in it; naming them again does no harm.

mod commands;
mod hooks;
mod names;
mod others;
mod output;
mod post;
mod progress;
mod project;
mod projects;
mod settings;
mod show;
mod variables;

use std::process::ExitCode;

use clap::Parser;
use hookspec::Plugin;

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

/// Runs the program with these plugin crates beside the built-in ones.
///
/// Exit status: 0 when all is well, 1 when `doctor` found a problem, 2 when the command could not be run.
pub fn main(plugins: impl IntoIterator<Item = &'static Plugin>) -> ExitCode {
    let arguments = Arguments::parse();
    if arguments.common.no_color {
        anstream::ColorChoice::Never.write_global();
    }
    tracing_subscriber::fmt()
        .with_writer(std::io::stderr)
        .with_ansi(output::errors_are_coloured())
        .with_target(false)
        .without_time()
        .with_env_filter(
            tracing_subscriber::EnvFilter::try_from_env("HOOKSPEC_LOG")
                .unwrap_or_else(|_| tracing_subscriber::EnvFilter::new("warn")),
        )
        .init();
    let mut linked: Vec<&'static Plugin> = hookspec::plugins![hookspec_agent, hookspec_builtins].collect();
    for plugin in plugins {
        if !linked.iter().any(|held| std::ptr::eq(*held, plugin)) {
            linked.push(plugin);
        }
    }
    match arguments.command.run(&arguments.common, &linked) {
        Ok(code) => code,
        Err(error) => {
            output::error(&*error);
            ExitCode::from(2)
        }
    }
}
