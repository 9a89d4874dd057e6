//! Pushing over a default branch.

use std::path::Path;

use hookspec_process::command::{Simple, Word};

use super::{Finding, Kind};

/// What default branches are called.
const DEFAULT: [&str; 4] = ["default", "main", "master", "trunk"];

/// Options of `git push` that take a word.
const TAKES: [&str; 6] =
    ["--exec", "--push-option", "--receive-pack", "--recurse-submodules", "--repo", "-o"];

pub(super) fn pushes(command: &Simple) -> Option<Finding> {
    let mut words = command.args().iter();
    if command.program != "git" || words.next().is_none_or(|word| word.text != "push") {
        return None;
    }
    let (mut force, mut deletes, mut all, mut operands) = (false, false, false, Vec::new());
    while let Some(word) = words.next() {
        let text = word.text.as_str();
        let name = text.split_once('=').map_or(text, |(name, _)| name);
        if TAKES.contains(&name) {
            if !text.contains('=') {
                words.next();
            }
        } else if let Some(name) = name.strip_prefix("--") {
            force |= name.len() > 2 && ("force".starts_with(name) || name.starts_with("force"));
            deletes |= name.len() > 1 && "delete".starts_with(name);
            force |= name.len() > 1 && "mirror".starts_with(name);
            all |= name.len() > 1
                && ("mirror".starts_with(name) || "branches".starts_with(name) || name == "all");
        } else if let Some(letters) = text.strip_prefix('-').filter(|_| text.len() > 1) {
            force |= letters.contains('f');
            deletes |= letters.contains('d');
        } else {
            operands.push(word);
        }
    }
    let refspecs = operands.get(1..).unwrap_or_default();
    let mut maybe = false;
    let mut hit = all && force;
    for word in refspecs {
        let plus = word.text.starts_with('+') || word.text.starts_with(':');
        if !(force || deletes || plus) {
            continue;
        }
        match branch(word, command) {
            Some(branch) => hit |= is_default(&branch, command.cwd.as_deref()),
            None => maybe = true,
        }
    }
    if refspecs.is_empty() && force && !all {
        // The branch that is checked out.
        match command.cwd.as_deref().and_then(current) {
            Some(branch) => hit |= is_default(&branch, command.cwd.as_deref()),
            None => maybe = true,
        }
    }
    if !(hit || maybe) {
        return None;
    }
    let line = command.line();
    let why = if hit {
        format!("`{line}` takes back what others have of the default branch")
    } else {
        format!("`{line}` may take back what others have of the default branch")
    };
    Some(Finding { kind: Kind::ForcePush, sure: hit, why })
}

/// The branch that a refspec writes.
fn branch(word: &Word, command: &Simple) -> Option<String> {
    let text = word.exact()?.trim_start_matches('+');
    let to = text.rsplit(':').next().unwrap_or(text);
    if matches!(to, "HEAD" | "@") {
        return current(command.cwd.as_deref()?);
    }
    // All branches.
    if to.contains('*') {
        return Some("main".to_owned());
    }
    Some(to.strip_prefix("refs/heads/").unwrap_or(to).to_owned())
}

fn is_default(branch: &str, cwd: Option<&Path>) -> bool {
    DEFAULT.contains(&branch)
        || cwd.and_then(git_folder).is_some_and(|git| {
            let head = std::fs::read_to_string(git.join("refs/remotes/origin/HEAD")).unwrap_or_default();
            head.trim().strip_prefix("ref: refs/remotes/origin/") == Some(branch)
        })
}

/// The branch that is checked out, if the repository says so in the usual way.
fn current(cwd: &Path) -> Option<String> {
    let head = std::fs::read_to_string(git_folder(cwd)?.join("HEAD")).ok()?;
    head.trim().strip_prefix("ref: refs/heads/").map(str::to_owned)
}

fn git_folder(cwd: &Path) -> Option<std::path::PathBuf> {
    let found = cwd.ancestors().map(|folder| folder.join(".git")).find(|path| path.exists())?;
    if found.is_dir() {
        return Some(found);
    }
    // A work tree's `.git` names the folder.
    let text = std::fs::read_to_string(&found).ok()?;
    let named = text.trim().strip_prefix("gitdir: ")?;
    Some(found.parent()?.join(named))
}
