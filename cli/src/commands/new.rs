//! `hookspec new`.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;

use crate::output;

use super::CommandResult;

#[derive(Debug, Args)]
pub(crate) struct New {
    /// The crate's name: small letters, digits, `-` and `_`.
    name: String,
    /// The folder to make it in; the current one unless given.
    #[arg(long, value_name = "DIR", default_value = ".")]
    into: PathBuf,
    /// Use hookspec from a checkout instead of the registry.
    #[arg(long, value_name = "DIR", env = "HOOKSPEC_PATH")]
    hookspec: Option<PathBuf>,
}

#[derive(Debug, thiserror::Error)]
enum NewError {
    #[error(
        "`{0}` cannot be a crate's name: begin with a small letter, go on with small letters, digits, `-` and `_`"
    )]
    BadName(String),
    #[error("{0} exists already; choose another name, or remove it")]
    Exists(PathBuf),
    #[error("{path}: {source}")]
    Io { path: PathBuf, source: std::io::Error },
}

impl New {
    pub(crate) fn run(&self) -> CommandResult {
        let good = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '-' | '_');
        if !self.name.starts_with(|c: char| c.is_ascii_lowercase()) || !self.name.chars().all(good) {
            return Err(NewError::BadName(self.name.clone()).into());
        }
        let folder = self.into.join(&self.name);
        if folder.exists() {
            return Err(NewError::Exists(folder).into());
        }
        let krate = self.name.replace('-', "_");
        let fill = |template: &str| template.replace("{name}", &self.name).replace("{krate}", &krate);
        let dependency = |package: &str, dir: &str| match &self.hookspec {
            Some(checkout) => {
                let path = std::path::absolute(checkout.join(dir)).unwrap_or_else(|_| checkout.join(dir));
                format!("{package} = {{ path = {:?} }}", path.display().to_string())
            }
            None => format!("{package} = \"{}\"", env!("CARGO_PKG_VERSION")),
        };
        let manifest = fill(MANIFEST)
            .replace("{hookspec}", &dependency("hookspec", "hooks-core"))
            .replace("{cli}", &dependency("hookspec-cli", "cli"));
        write(&folder.join("Cargo.toml"), &manifest)?;
        write(&folder.join("src/lib.rs"), &fill(LIBRARY))?;
        write(&folder.join("src/main.rs"), &fill(PROGRAM))?;
        write(&folder.join("README.md"), &fill(README))?;
        output::line(format!("made {}", folder.display()));
        output::line(format!(
            "\n  cd {}\n  cargo test            # its hook, tested\n  cargo run -- list     # the built-in hooks and yours\n  cargo run -- chat     # an agent with all of them",
            folder.display()
        ));
        Ok(ExitCode::SUCCESS)
    }
}

fn write(path: &Path, text: &str) -> Result<(), NewError> {
    let io = |source| NewError::Io { path: path.to_owned(), source };
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).map_err(io)?;
    }
    std::fs::write(path, text).map_err(io)
}

const MANIFEST: &str = r#"[package]
name = "{name}"
version = "0.1.0"
edition = "2024"

[dependencies]
{hookspec}
{cli}

[workspace]
"#;

const LIBRARY: &str = r#"//! Hooks of the plugin `{name}`.

use std::path::Path;

use hookspec::points::FILE_POST_SAVE;
use hookspec::{Message, hook};

hookspec::plugin!();

/// Says how long a new file is.
#[hook(FILE_POST_SAVE)]
fn measure(path: &Path, content: &str, created: bool) -> Option<Message> {
    let lines = content.lines().count();
    created.then(|| Message::system(format!("{} has {lines} lines", path.display())))
}

#[cfg(test)]
mod tests {
    use hookspec::{Hooks, Registry, Session, fire_now};

    use super::*;

    #[test]
    fn new_files_are_measured() {
        let registry = Registry::builder().allow(["{krate}"]).build().unwrap();
        let session = Session::builder(&Hooks::new(registry), "test").build();
        let path = Path::new("/tmp/a.txt");
        let fired = fire_now!(session, FILE_POST_SAVE { path, content: "a\nb\n", created: true });
        assert_eq!(fired.messages()[0].content, "/tmp/a.txt has 2 lines");
        let fired = fire_now!(session, FILE_POST_SAVE { path, content: "a\n", created: false });
        assert!(fired.messages().is_empty());
    }
}
"#;

const PROGRAM: &str = r#"//! An agent with the built-in hooks and those of `{name}`.

fn main() -> std::process::ExitCode {
    hookspec_cli::main(hookspec::plugins![{krate}])
}
"#;

const README: &str = r#"# {name}

Hooks for AI agents, made with hookspec. `cargo test` tests them, `cargo run -- list` shows them beside the
built-in ones, `cargo run -- chat` talks to an agent that has them.
"#;
