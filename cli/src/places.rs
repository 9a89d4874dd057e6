//! Where configuration was looked for, and what was found there: for `list` and `doctor`.

use std::fmt;
use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::output::{self, BAD, BOLD, DIM, GOOD, WARN, paint};
use crate::screen::behind;
use crate::settings::Settings;

/// A place of configuration.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Looked {
    /// The file.
    pub(crate) file: PathBuf,
    /// Whose word it is, in words.
    pub(crate) whose: &'static str,
    /// What was found there.
    #[serde(flatten)]
    pub(crate) found: Found,
}

/// What was found at a place of configuration.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "found", content = "why", rename_all = "snake_case")]
pub(crate) enum Found {
    /// Nothing.
    Nothing,
    /// A file that counts.
    Read,
    /// gptme's file without scripts: nothing in it is for us.
    Empty,
    /// The file that another place has brought already.
    Same,
    /// A file that does not count, and why.
    Untrusted(String),
    /// A file where none belongs, and where it belongs.
    Misplaced(PathBuf),
    /// A file that cannot be used; what is wrong is told as an error.
    Failed,
}

impl fmt::Display for Found {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Nothing => "not there",
            Self::Read => "read",
            Self::Empty => "no scripts",
            Self::Same => "read above",
            Self::Untrusted(_) => "not trusted",
            Self::Misplaced(_) => "ignored",
            Self::Failed => "unusable",
        })
    }
}

impl Looked {
    /// A file that lies where people put one and where none is read: beside the folder of settings, not in it.
    pub(crate) fn misplaced(settings: &Path, workspace: &Path) -> Option<Self> {
        let file = settings.parent()?.join("hookspec.toml");
        let stray = file.is_file() && !is_same(&file, &workspace.join("hookspec.toml"));
        let found = Found::Misplaced(settings.join("hookspec.toml"));
        stray.then_some(Self { file, whose: "nobody's", found })
    }

    /// What to say of it in one line, without its file.
    pub(crate) fn words(&self) -> String {
        match &self.found {
            Found::Untrusted(why) => format!("not trusted: {why}"),
            Found::Misplaced(belongs) => format!("ignored: it belongs in {}", belongs.display()),
            found => found.to_string(),
        }
    }

    /// Whether an error or a warning of the settings tells of it already.
    pub(crate) fn is_told(&self) -> bool {
        matches!(self.found, Found::Untrusted(_) | Found::Failed)
    }

    /// Whether it is something to mend that nothing else tells of.
    pub(crate) fn is_wrong(&self) -> bool {
        matches!(self.found, Found::Misplaced(_))
    }
}

pub(crate) fn is_same(one: &Path, two: &Path) -> bool {
    matches!((one.canonicalize(), two.canonicalize()), (Ok(one), Ok(two)) if one == two)
}

/// Prints the places for `list`: a line each, and where a file that is ignored belongs.
pub(crate) fn print(settings: &Settings) {
    output::line(format!("\n{}", paint(BOLD, "CONFIGURATION")));
    for looked in &settings.places {
        let word = format!("{:<11}", looked.found.to_string());
        let word = match looked.found {
            Found::Read => paint(GOOD, word),
            Found::Untrusted(_) => paint(WARN, word),
            Found::Misplaced(_) | Found::Failed => paint(BAD, word),
            Found::Nothing | Found::Empty | Found::Same => paint(DIM, word),
        };
        output::line(format!("  {word} {}", behind(&looked.file.display().to_string(), 14)));
        if let Found::Misplaced(belongs) = &looked.found {
            let text = behind(&format!("it belongs in {}", belongs.display()), 14);
            output::line(format!("{:14}{text}", ""));
        }
    }
}
