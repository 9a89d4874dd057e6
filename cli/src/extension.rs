//! Subcommands of plugin crates.
//!
//! A plugin's hooks and tools are in a program as soon as the crate is linked; so are its subcommands. It leaves a
//! [`PluginCommand`] for the linker with [`command!`](crate::command!), and gets an [`Invocation`] when it is called: what the
//! program was told, and a session with all hooks as any host would open one.
//!
//! ```
//! use std::process::ExitCode;
//! use hookspec_cli::{PluginCommand, clap};
//!
//! hookspec_cli::command! {
//!     PluginCommand {
//!         command: || clap::Command::new("greet").about("Greet the workspace."),
//!         run: |_, invocation| Box::pin(async move {
//!             invocation.line(format_args!("hello, {}", invocation.workspace().display()));
//!             Ok(ExitCode::SUCCESS)
//!         }),
//!     }
//! }
//! # fn main() { assert_eq!(hookspec_cli::plugin_commands().count(), 1); }
//! ```

use std::fmt;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use clap::ArgMatches;
use hookspec::hooks::{BoxError, BoxFuture};
use hookspec::registry::Plugin;
use hookspec::{Hooks, Session};
use hookspec_agent::spawn::TokioSpawn;
use serde::Serialize;

use crate::commands::CommandResult;
use crate::hooks::{Asking, builder, lend};
use crate::output;
use crate::settings::{Common, Settings};
use crate::table;

/// A subcommand that a plugin crate brings.
pub struct PluginCommand {
    /// Its name, arguments and help. It is asked for on each start of the program, so it reads nothing.
    pub command: fn() -> clap::Command,
    /// Runs it.
    pub run: for<'a> fn(&'a ArgMatches, &'a Invocation<'a>) -> BoxFuture<'a, Result<ExitCode, BoxError>>,
}

impl fmt::Debug for PluginCommand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PluginCommand({})", (self.command)().get_name())
    }
}

#[doc(hidden)]
#[linkme::distributed_slice]
pub static COMMANDS: [PluginCommand];

/// Adds a subcommand to every program that this crate is linked into: `command! { PluginCommand { … } }`.
#[macro_export]
macro_rules! command {
    ($command:expr) => {
        const _: () = {
            #[$crate::linkme::distributed_slice($crate::COMMANDS)]
            #[linkme(crate = $crate::linkme)]
            static COMMAND: $crate::PluginCommand = $command;
        };
    };
}

/// The subcommands of linked plugin crates.
pub fn plugin_commands() -> impl Iterator<Item = &'static PluginCommand> {
    COMMANDS.iter()
}

/// What a plugin's subcommand is run with.
#[derive(Debug)]
pub struct Invocation<'a> {
    common: &'a Common,
    plugins: &'a [&'static Plugin],
    settings: &'a Settings,
}

impl Invocation<'_> {
    /// Whether data shall be printed as JSON.
    #[must_use]
    pub fn json(&self) -> bool {
        self.common.json
    }

    /// The workspace, absolute.
    #[must_use]
    pub fn workspace(&self) -> &Path {
        &self.settings.place.workspace
    }

    /// A session of that name in the workspace, with the hooks and settings of `hookspec chat` and everything it lends.
    /// Nothing is kept of its log and states, and no point is fired for it: it is there for what the plugin fires.
    ///
    /// # Errors
    /// If the configuration cannot be used.
    pub fn session(&self, id: &str) -> Result<Session, BoxError> {
        let registry =
            builder(self.settings, self.common, self.plugins, Asking::choose(false, false)).build()?;
        let hooks = match TokioSpawn::current() {
            Some(spawn) => Hooks::with_spawn(registry, Arc::new(spawn)),
            None => Hooks::new(registry),
        };
        Ok(lend(Session::builder(&hooks, id).workspace(self.workspace()), self.settings).build())
    }

    /// Prints a line of what was asked for.
    pub fn line(&self, text: impl fmt::Display) {
        output::code(text);
    }

    /// Prints a remark for the person, beside the data.
    pub fn note(&self, text: impl fmt::Display) {
        output::note(text);
    }

    /// Prints data as one line of JSON.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn data(&self, value: &impl Serialize) -> Result<(), BoxError> {
        Ok(output::json(value)?)
    }

    /// Prints rows under a heading, in columns.
    pub fn table(&self, heading: &[&str], rows: &[Vec<String>]) {
        table::plain(heading, rows);
    }
}

/// Two commands of one name.
#[derive(Debug, thiserror::Error)]
#[error("two commands are called `{0}`: leave out one of the plugin crates that bring them, or rename one")]
struct Taken(String);

/// The program's own commands and those of plugin crates.
pub(crate) fn with_plugins(own: clap::Command) -> Result<clap::Command, Box<dyn std::error::Error>> {
    Ok(joined(own, plugin_commands().map(|brought| (brought.command)()).collect())?)
}

fn joined(mut own: clap::Command, mut brought: Vec<clap::Command>) -> Result<clap::Command, Taken> {
    // The linker's order is not stable.
    brought.sort_by(|one, two| one.get_name().cmp(two.get_name()));
    for command in brought {
        let name = command.get_name().to_owned();
        if name == "help" || own.get_subcommands().any(|held| held.get_name() == name) {
            return Err(Taken(name));
        }
        own = own.subcommand(command);
    }
    Ok(own)
}

/// Runs a plugin's command; `None` where no plugin has it.
pub(crate) fn run(
    name: &str,
    arguments: &ArgMatches,
    common: &Common,
    plugins: &[&'static Plugin],
) -> Option<CommandResult> {
    let brought = plugin_commands().find(|brought| (brought.command)().get_name() == name)?;
    Some(begin(brought, arguments, common, plugins))
}

fn begin(
    brought: &PluginCommand,
    arguments: &ArgMatches,
    common: &Common,
    plugins: &[&'static Plugin],
) -> CommandResult {
    let settings = Settings::load(common)?;
    settings.check_workspace()?;
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let invocation = Invocation { common, plugins, settings: &settings };
    let ended = runtime.block_on((brought.run)(arguments, &invocation));
    runtime.shutdown_background();
    ended.map_err(|error| -> Box<dyn std::error::Error> { error })
}

#[cfg(test)]
mod tests {
    use clap::Command;

    use super::*;

    #[test]
    fn commands_of_plugins_follow_our_own_by_name_and_none_takes_the_place_of_another() {
        let own = || Command::new("hookspec").subcommand(Command::new("list"));
        let all = joined(own(), vec![Command::new("b"), Command::new("a")]).unwrap();
        assert_eq!(all.get_subcommands().map(Command::get_name).collect::<Vec<_>>(), ["list", "a", "b"]);
        for taken in [vec!["list"], vec!["help"], vec!["a", "a"]] {
            let error = joined(own(), taken.iter().map(|name| Command::new(*name)).collect()).unwrap_err();
            assert!(
                error.to_string().contains(&format!("two commands are called `{}`", taken[0])),
                "{error}"
            );
        }
    }
}
