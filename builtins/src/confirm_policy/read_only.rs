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
    let known = match program.text.as_str() {
        "grep" => args.iter().all(|arg| !follows_links(&arg.text)),
        name => SHOW.contains(&name),
    };
    known && args.iter().all(|arg| is_inside(arg, session))
}

fn follows_links(arg: &str) -> bool {
    arg.starts_with("--d") || arg.starts_with('-') && !arg.starts_with("--") && arg.contains('R')
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
