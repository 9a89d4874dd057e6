//! `hookspec new`: a plugin crate with one hook, its test, and a program of its own.
//!
//! The crate must build at once. So it depends on hookspec where hookspec is: a checkout that was named, else
//! the checkout around the current folder, else the one that this program was built from, as long as it is still
//! there; else the registry's release of this version.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;

use crate::output::{self, BOLD, GOOD, paint};

use super::CommandResult;

#[derive(Debug, Args)]
pub(crate) struct New {
    /// The crate's name: small letters, digits, `-` and `_`.
    name: String,
    /// The folder to make it in; the current one unless given.
    #[arg(long, value_name = "DIR", default_value = ".")]
    into: PathBuf,
    /// Use hookspec from this checkout; by default the one this program was built from, else the registry's.
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
    #[error("{0} is no checkout of hookspec: there is no hooks-core/Cargo.toml in it")]
    NoCheckout(PathBuf),
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
        let checkout = self.checkout()?;
        let dependency = |package: &str, dir: &str| match &checkout {
            Some(checkout) => {
                let path = toml::Value::String(checkout.join(dir).display().to_string());
                format!("{package} = {{ path = {path} }}")
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
        let place = folder.strip_prefix(".").unwrap_or(&folder).display();
        output::line(format!("{} {place}", paint(GOOD, "made")));
        let files = [
            ("src/lib.rs", "one hook and its test: begin here"),
            ("src/main.rs", "a program with the built-in hooks and this one"),
            ("Cargo.toml", if checkout.is_some() { "with hookspec from the checkout" } else { "" }),
            ("README.md", ""),
        ];
        for (file, what) in files {
            output::hint(file, 12, what);
        }
        output::line(format!("\n{}", paint(BOLD, "What to type next")));
        let enter = format!("cd {place}");
        for (command, what) in [
            (enter.as_str(), ""),
            ("cargo test", "its hook, tested"),
            ("cargo run -- list", "the built-in hooks and yours"),
            ("cargo run -- chat", "an agent with all of them"),
        ] {
            output::hint(command, 18, what);
        }
        Ok(ExitCode::SUCCESS)
    }

    /// Where hookspec is, absolute; `None` for the registry.
    fn checkout(&self) -> Result<Option<PathBuf>, NewError> {
        let is_checkout = |folder: &Path| folder.join("hooks-core/Cargo.toml").is_file();
        let whole =
            |folder: PathBuf| folder.canonicalize().map_err(|source| NewError::Io { path: folder, source });
        if let Some(named) = &self.hookspec {
            return if is_checkout(named) {
                whole(named.clone()).map(Some)
            } else {
                Err(NewError::NoCheckout(named.clone()))
            };
        }
        let here = self.into.canonicalize().ok();
        let around = here.iter().flat_map(|folder| folder.ancestors());
        let built_from = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."));
        let found = around.chain([built_from]).find(|folder| is_checkout(folder));
        found.map(|folder| whole(folder.to_owned())).transpose()
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
