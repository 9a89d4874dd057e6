//! A sandbox under whatever starts programs: what a command's text may hide, its process still cannot do.
//!
//! A guard that reads commands sees `cat .env`, and does not see a program that opens the file by a name it computed. So the
//! promise is held below: [`Sandbox::confine`] prepares a [`Command`] such that what it starts can write only beneath the
//! workspace and the temporary folder, cannot read what [`sensitive`](crate::sensitive) calls a secret, cannot write what decides
//! which programs run later, and ends with its [`Leash`], daemons included. What the user allows is a [`Grant`], for one command
//! ([`Sandbox::granted`]).
//!
//! ```
//! use std::process::Command;
//! use hookspec_process::sandbox::{Profile, Sandbox};
//!
//! let workspace = tempfile::tempdir()?;
//! let sandbox = Sandbox::new(Profile::Workspace, workspace.path());
//! assert!(sandbox.forbids_reading(&workspace.path().join(".env")));
//!
//! let mut command = Command::new("true");
//! command.current_dir(workspace.path());
//! let leash = sandbox.confine(&mut command)?;
//! assert!(command.status()?.success());
//! drop(leash); // whatever it left behind ends here
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! What this system can hold, and what it cannot, is [`support`], in sentences for those who must know.

#[cfg(not(any(target_os = "linux", target_os = "macos")))]
mod elsewhere;
mod environment;
mod leash;
#[cfg(target_os = "linux")]
mod linux;
#[cfg(any(test, target_os = "macos"))]
mod macos;
mod profile;
#[cfg_attr(not(target_os = "linux"), allow(dead_code, reason = "Linux asks about more"))]
mod rules;
mod support;

use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

pub use leash::Leash;
pub use profile::{Grant, Network, Profile};
pub use support::{Part, Support, support};

use crate::sensitive::Pattern;
#[cfg(not(any(target_os = "linux", target_os = "macos")))]
use elsewhere as system;
#[cfg(target_os = "linux")]
use linux as system;
#[cfg(target_os = "macos")]
use macos as system;
use rules::Rules;

/// What a session's programs may do. Clones are one sandbox: what one command starts, the next can see, signal and reach.
#[derive(Clone, Debug)]
pub struct Sandbox {
    rules: Arc<Rules>,
    shared: Arc<system::Shared>,
}

/// A command that was not confined, and must not be started.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SandboxError {
    /// The sandbox is required, and this system cannot hold all of it.
    #[error(
        "No command runs here, since the sandbox is required and cannot be held: {0} `required = false` under `[sandbox]` lets commands run without it."
    )]
    NotHeld(String),
    /// The command was forked, and could not be brought into the sandbox: it did not run.
    #[error("The command did not run: {0}.")]
    Refused(String),
    /// The system failed us.
    #[error("The sandbox could not be made: {doing}: {source}.")]
    System {
        /// What was tried.
        doing: &'static str,
        /// What the system said.
        source: io::Error,
    },
}

impl Sandbox {
    /// A sandbox over a workspace: with the network, and nothing opened beside what the profile opens.
    #[must_use]
    pub fn new(profile: Profile, workspace: &Path) -> Self {
        Self { rules: Arc::new(Rules::new(profile, workspace)), shared: Arc::default() }
    }

    fn with(mut self, change: impl FnOnce(&mut Rules)) -> Self {
        change(Arc::make_mut(&mut self.rules));
        self
    }

    /// What can be reached over the network.
    #[must_use]
    pub fn network(self, network: Network) -> Self {
        self.with(|rules| rules.network = network)
    }

    /// Lets a file or folder be written, also where the profile is [`Profile::ReadOnly`]. A relative path begins in the workspace.
    #[must_use]
    pub fn writable(self, path: impl Into<PathBuf>) -> Self {
        self.with(|rules| rules.writable.push(path.into()))
    }

    /// Files that are no secrets, whatever they are called: `dev.env`, `config/*.pem`, `/srv/app/.env`. A pattern without a slash
    /// is a name; one with slashes fits the end of a path.
    #[must_use]
    pub fn shown(self, globs: impl IntoIterator<Item = impl AsRef<str>>) -> Self {
        self.with(|rules| rules.shown.extend(globs.into_iter().map(|glob| Pattern::new(glob.as_ref()))))
    }

    /// A file or folder that is not written, wherever it lies.
    #[must_use]
    pub fn protected(self, path: impl Into<PathBuf>) -> Self {
        self.with(|rules| rules.protected.push(path.into()))
    }

    /// A file or folder that is neither read nor written, wherever it lies.
    #[must_use]
    pub fn hidden(self, path: impl Into<PathBuf>) -> Self {
        self.with(|rules| rules.hidden.push(path.into()))
    }

    /// Variables of ours that are let through, whatever they are called.
    #[must_use]
    pub fn variables(self, names: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.with(|rules| rules.variables.extend(names.into_iter().map(Into::into)))
    }

    /// Whether no command runs where the sandbox cannot be held: [`Sandbox::confine`] is an error there.
    #[must_use]
    pub fn required(self, is_required: bool) -> Self {
        self.with(|rules| rules.is_required = is_required)
    }

    /// The same without a part of what the system offers, to try what is held then.
    #[doc(hidden)]
    #[must_use]
    pub fn without(self, parts: impl IntoIterator<Item = Part>) -> Self {
        self.with(|rules| rules.without.extend(parts))
    }

    /// The same sandbox with something opened.
    #[must_use]
    pub fn granted(&self, grants: &[Grant]) -> Self {
        self.clone().with(|rules| rules.grants.extend_from_slice(grants))
    }

    /// What it leaves open.
    #[must_use]
    pub fn profile(&self) -> Profile {
        if self.rules.is_open() { Profile::Full } else { self.rules.profile }
    }

    /// What it lets be reached.
    #[must_use]
    pub fn reaches(&self) -> Network {
        if self.rules.is_open() { Network::On } else { self.rules.network() }
    }

    /// Where it may write, beside the temporary folder.
    #[must_use]
    pub fn workspace(&self) -> &Path {
        &self.rules.workspace
    }

    /// Whether a file is kept from being read. Links are followed.
    #[must_use]
    pub fn forbids_reading(&self, path: &Path) -> bool {
        self.rules.forbids_reading(path)
    }

    /// Whether a file is kept from being written, made or removed. Links are followed.
    #[must_use]
    pub fn forbids_writing(&self, path: &Path) -> bool {
        self.rules.forbids_writing(path)
    }

    /// Whether a variable of ours is let through.
    #[must_use]
    pub fn passes(&self, variable: &str) -> bool {
        self.rules.is_open()
            || environment::passes(
                variable,
                std::env::var(variable).ok().as_deref(),
                &self.variables_let_through(),
            )
    }

    fn variables_let_through(&self) -> Vec<String> {
        let granted = self.rules.grants.iter().filter_map(|grant| match grant {
            Grant::Variable(name) => Some(name.clone()),
            _ => None,
        });
        self.rules.variables.iter().cloned().chain(granted).collect()
    }

    /// Confines what a command starts. Its program, arguments, directory and variables are set before, since they are made ready for
    /// the kernel here; its streams before or after. Variables of ours that do not pass are taken away, those that are set on it stay. The command is started once, and the leash held as
    /// long as anything of it may run. On macOS, where another program is put before the command's, its streams are set afterwards.
    ///
    /// # Errors
    /// If the sandbox is [required](Sandbox::required) and cannot be held, or the system fails us: the command must not be started.
    pub fn confine(&self, command: &mut Command) -> Result<Leash, SandboxError> {
        if !self.rules.is_open() {
            environment::set(command, &self.variables_let_through());
        }
        self.arm(command)
    }

    /// The same, with the variables that the command has.
    pub(crate) fn arm(&self, command: &mut Command) -> Result<Leash, SandboxError> {
        if self.rules.is_required && !self.rules.is_open() {
            self.check_that_it_is_held()?;
        }
        system::confine(&self.rules, &self.shared, command).map(Leash::new)
    }

    fn check_that_it_is_held(&self) -> Result<(), SandboxError> {
        let support = support();
        let missing: Vec<String> =
            self.rules.without.iter().map(|part| format!("{part:?} was left out.")).collect();
        if support.is_complete() && missing.is_empty() {
            return Ok(());
        }
        Err(SandboxError::NotHeld([support.missing(), &missing].concat().join(" ")))
    }
}

#[cfg(test)]
mod tests;
