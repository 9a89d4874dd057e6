//! Folders that nobody means to remove.

use std::path::{Component, Path, PathBuf};

use hookspec_process::command::{Simple, Word};

/// Folders of the system's, with all in them. What lies within is somebody's business.
const SYSTEM: [&str; 28] = [
    "/",
    "/Applications",
    "/Library",
    "/System",
    "/Users",
    "/Volumes",
    "/bin",
    "/boot",
    "/dev",
    "/etc",
    "/home",
    "/lib",
    "/lib32",
    "/lib64",
    "/nix",
    "/opt",
    "/private",
    "/proc",
    "/root",
    "/run",
    "/sbin",
    "/srv",
    "/sys",
    "/usr",
    "/usr/bin",
    "/usr/lib",
    "/var",
    "/var/lib",
];

pub(super) struct Places {
    home: Option<PathBuf>,
}

/// What a word means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// The system's, or the user's whole folder.
    Whole,
    /// That, if a variable is empty.
    MaybeWhole,
    Other,
}

impl Places {
    pub(super) fn new(home: Option<&Path>) -> Self {
        Self { home: home.map(Path::to_owned) }
    }

    pub(super) fn of(&self, word: &Word, command: &Simple) -> Place {
        let text = word.text.as_str();
        if !word.known && word.pattern.is_none() {
            return if falls_back(text) { Place::MaybeWhole } else { Place::Other };
        }
        // A pattern stands for all that lies in a folder, whatever that is now.
        let all = word.pattern.as_deref().is_some_and(|pattern| {
            let last = pattern.rsplit('/').next().unwrap_or(pattern);
            last.contains('*') && last.chars().all(|c| "*.?[!]".contains(c))
        });
        let path = normal(&command.path(text));
        if !path.is_absolute() {
            return Place::Other;
        }
        let is_whole =
            self.is_whole(&path) || all && path.parent().is_some_and(|parent| self.is_whole(parent));
        if is_whole { Place::Whole } else { Place::Other }
    }

    fn is_whole(&self, path: &Path) -> bool {
        let home = self.home.as_deref().is_some_and(|home| home.starts_with(path));
        home || SYSTEM.iter().any(|system| path == Path::new(system))
    }
}

/// Whether what is left when a variable is empty is the root, or all in it: `$X/`, `"${X}"/*`.
fn falls_back(text: &str) -> bool {
    let Some(rest) = text.strip_prefix('$') else { return false };
    let rest = match rest.strip_prefix('{') {
        // `${X:?}` stops where it is empty.
        Some(braced) => match braced.split_once('}') {
            Some((name, rest)) if !name.contains([':', '?', '-']) => rest,
            _ => return false,
        },
        None => rest.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || c == '_'),
    };
    rest.starts_with('/') && rest.chars().all(|c| matches!(c, '/' | '*' | '.'))
}

/// A path without `.` and `..`.
fn normal(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                out.pop();
            }
            other => out.push(other),
        }
    }
    out
}

/// Whether a path is that of a device that holds data. `/dev/null` and its like hold none.
pub(super) fn is_device(text: &str) -> bool {
    let harmless = [
        "console", "fd", "full", "null", "ptmx", "pts", "random", "shm", "stderr", "stdin", "stdout", "tcp",
        "tty", "udp", "urandom", "zero", "mqueue", "dsp", "snd",
    ];
    let path = normal(Path::new(text));
    let Ok(rest) = path.strip_prefix("/dev") else { return false };
    let first = rest.components().next().and_then(|first| first.as_os_str().to_str());
    first.is_some_and(|first| {
        !harmless.contains(&first.trim_end_matches(|c: char| c.is_ascii_digit())) && !first.starts_with("tty")
    })
}
