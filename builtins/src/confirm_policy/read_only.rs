//! Commands that only show something of the workspace, whatever their arguments.
//!
//! Not here, though they look harmless: `find` (`-exec`), `sort`, `uniq`, `tree` and `file` (write files), `diff` (follows
//! links), `git` (starts what the repository's configuration names), `rg` (`--pre`), `printf` (`-v PATH`), `test` (evaluates), `date` (sets), `cd` (moves what follows).

use hookspec::Session;

use super::shell::{SimpleCommand, Word};

const SHOW: [&str; 23] = [
    "basename", "cat", "cmp", "cut", "df", "dirname", "du", "echo", "false", "head", "id", "ls", "nl", "pwd",
    "readlink", "rev", "stat", "tac", "tail", "true", "uname", "wc", "whoami",
];

pub(super) fn only_shows(command: &SimpleCommand, session: &Session) -> bool {
    let Some((program, args)) = command.words.split_first() else { return false };
    let program = program.text.as_str();
    (program == "grep" || SHOW.contains(&program))
        && args.iter().all(|arg| !leads_elsewhere(program, &arg.text) && is_inside(arg, session))
}

/// Whether an option follows the links that a program finds, reads a list of files from a file, or waits for what is
/// written later. Long options may be cut short.
fn leads_elsewhere(program: &str, arg: &str) -> bool {
    let Some(option) = arg.strip_prefix('-') else { return false };
    let (long, short): (&[&str], &[char]) = match program {
        "grep" => (&["d", "fil"], &['R', 'f']),
        "du" => (&["d", "f"], &['L']),
        "ls" | "stat" => (&["de"], &['L']),
        "tail" => (&["f", "r"], &['f', 'F']),
        "wc" => (&["f"], &[]),
        _ => return false,
    };
    match option.strip_prefix('-') {
        Some(option) => long.iter().any(|long| option.starts_with(long)) && !option.starts_with("files-with"),
        None => option.contains(short),
    }
}

/// Whether an argument cannot name anything outside the workspace, links that are there now included.
fn is_inside(arg: &Word, session: &Session) -> bool {
    let text = arg.text.as_str();
    if arg.glob || text.contains("..") || text.starts_with(['/', '~']) {
        return false;
    }
    if text.starts_with('-') {
        return !text.contains('/');
    }
    let Some(workspace) = session.workspace().and_then(|path| path.canonicalize().ok()) else { return false };
    let cwd = session.cwd();
    let inside = |path: &std::path::Path| path.canonicalize().is_ok_and(|path| path.starts_with(&workspace));
    // What is not there cannot be shown; what is not a path at all is no harm.
    inside(&cwd) && (std::fs::symlink_metadata(cwd.join(text)).is_err() || inside(&cwd.join(text)))
}
