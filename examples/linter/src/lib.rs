//! Lints a Python file after a tool has saved it, and tells the model what was found.

use std::io::ErrorKind;
use std::path::Path;
use std::process::{Command, Stdio};

use hookspec::points::FILE_POST_SAVE;
use hookspec::{Message, Session, hook};
use serde::{Deserialize, Serialize};

hookspec::plugin!();

/// `[hooks.linter]` in `hookspec.toml`.
#[derive(Debug, Serialize, Deserialize)]
#[serde(default)]
pub struct Settings {
    command: String,
    args: Vec<String>,
    extensions: Vec<String>,
}

impl Default for Settings {
    fn default() -> Self {
        let args = ["check", "--quiet", "--output-format", "concise"].map(str::to_owned);
        Self { command: "ruff".into(), args: args.into(), extensions: vec!["py".into()] }
    }
}

/// What this session has been told already.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Told {
    missing: bool,
}

/// Runs the linter on the file.
#[hook(FILE_POST_SAVE, priority = 5, blocking, timeout = "30s")]
fn lint(path: &Path, session: &Session, settings: &Settings, state: &mut Told) -> Option<Message> {
    let extension = path.extension()?.to_str()?;
    if !settings.extensions.iter().any(|wanted| wanted == extension) {
        return None;
    }
    let mut linter = Command::new(&settings.command);
    // `--` keeps a file's name from being read as an option.
    linter.args(&settings.args).arg("--").arg(path).current_dir(session.cwd()).stdin(Stdio::null());
    match linter.output() {
        Ok(output) if output.status.success() => None,
        Ok(output) => Some(Message::system(String::from_utf8_lossy(&output.stdout).trim().to_owned())),
        Err(error) if error.kind() == ErrorKind::NotFound => {
            let first = !std::mem::replace(&mut state.missing, true);
            first.then(|| {
                Message::system(format!("`{}` is not installed: files are not linted", settings.command))
            })
        }
        Err(error) => Some(Message::system(format!("`{}` could not be run: {error}", settings.command))),
    }
}
