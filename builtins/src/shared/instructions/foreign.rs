//! Parts of a repository in which strangers' files lie: what is vendored, and what git ignores.

use std::path::Path;

use ignore::Match;
use ignore::gitignore::Gitignore;

/// Folders of packages, and of what programs build.
const VENDORED: [&str; 16] = [
    ".cargo",
    ".git",
    ".tox",
    ".venv",
    ".yarn",
    "Pods",
    "__pycache__",
    "bower_components",
    "jspm_packages",
    "node_modules",
    "site-packages",
    "third-party",
    "third_party",
    "vendor",
    "vendored",
    "venv",
];

/// Why nothing of a directory below `top` counts, if so.
pub(super) fn why(directory: &Path, top: &Path) -> Option<&'static str> {
    let within = directory.strip_prefix(top).ok()?;
    let is_vendored = |name: &str| VENDORED.iter().any(|vendored| vendored.eq_ignore_ascii_case(name));
    if within.components().any(|part| part.as_os_str().to_str().is_some_and(is_vendored)) {
        return Some("it is vendored");
    }
    is_ignored(directory, top).then_some("git ignores it")
}

/// Whether git ignores a path below `top`, by the repository's own files: those of the folders above it, the nearest first, and
/// `.git/info/exclude`.
pub(super) fn is_ignored(path: &Path, top: &Path) -> bool {
    if !top.join(".git").exists() {
        return false;
    }
    let mut above: Vec<&Path> =
        path.ancestors().skip(1).take_while(|folder| folder.starts_with(top)).collect();
    above.reverse();
    // What an outer folder ignores nothing within can take back.
    let parts: Vec<&Path> =
        path.ancestors().take_while(|part| *part != top && part.starts_with(top)).collect();
    parts.iter().rev().any(|part| {
        let is_dir = part.is_dir();
        let mut ignored = says(&top.join(".git/info/exclude"), top, part, is_dir).unwrap_or(false);
        for folder in above.iter().filter(|folder| part.starts_with(folder) && part != *folder) {
            ignored = says(&folder.join(".gitignore"), folder, part, is_dir).unwrap_or(ignored);
        }
        ignored
    })
}

/// What one file with patterns says of a path.
fn says(file: &Path, folder: &Path, path: &Path, is_dir: bool) -> Option<bool> {
    if !file.is_file() {
        return None;
    }
    let mut builder = ignore::gitignore::GitignoreBuilder::new(folder);
    // A pattern that cannot be read says nothing.
    let _ = builder.add(file);
    let patterns = builder.build().unwrap_or_else(|_| Gitignore::empty());
    match patterns.matched(path, is_dir) {
        Match::Ignore(_) => Some(true),
        Match::Whitelist(_) => Some(false),
        Match::None => None,
    }
}
