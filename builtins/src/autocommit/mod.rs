//! `autocommit`: commits what a turn changed, and nothing else.
//!
//! **Watches** each file that a tool is about to write, and the end of each turn. **Speaks** after a commit, in one visible
//! message with its id and subject, and when files had to be left out. **Keeps** which files it found clean before the
//! agent wrote them, and which not, until they are committed. **Costs** nothing unless `enabled`; then a few short runs of
//! git per new file of a turn and a dozen at its end, on a thread that may block.
//!
//! Committed are exactly the files that the turn's tools changed, whatever else is changed or staged. Left out, and named,
//! are files that had changes of somebody else's before, and files with staged changes. Nothing is committed in the middle
//! of a merge, rebase, cherry-pick or revert, without a branch, or after a turn that was cut short or failed: what it
//! changed goes with the next one that completes. Commits are not signed, and the repository's own git hooks are not run,
//! since an agent works in repositories that somebody else wrote; `precommit` runs checks where they are wanted.
//!
//! A commit per turn and not per message or file: a turn is what the user asked for, its subject is the user's own words,
//! and steps in between need not even compile.

mod commit;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

use hookspec::points::{
    FILE_POST_PATCH, FILE_POST_SAVE, FILE_PRE_PATCH, FILE_PRE_SAVE, TURN_POST, TurnOutcome,
};
use hookspec::{Message, Role, Session, hook};
use serde::{Deserialize, Serialize};

pub use commit::CommitError;
use commit::Repository;

/// `[hooks.autocommit]` in `hookspec.toml`.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(default)]
pub struct Settings {
    /// Whether turns are committed.
    pub enabled: bool,
    /// The commit's message: `{prompt}` is the first line of what the user asked, `{files}` names the changed files,
    /// `{session}` is the session's id.
    pub message: String,
    /// How long each run of git may take, in seconds.
    pub timeout: u64,
}

impl Default for Settings {
    fn default() -> Self {
        Self { enabled: false, message: "{prompt}".to_owned(), timeout: 10 }
    }
}

/// The files that tools have changed and that are not committed yet.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Pending {
    /// Those that were as committed before.
    ours: BTreeSet<PathBuf>,
    /// Those that somebody else had changed before.
    mixed: BTreeSet<PathBuf>,
    /// What somebody else has changed, of what a tool was about to change; whether it did is in the other two.
    theirs: BTreeSet<PathBuf>,
}

/// Looks at a file before it is written first. It has no opinion on the write.
#[hook(FILE_PRE_SAVE, blocking, timeout = "never", fail_open)]
fn before_save(
    path: &Path,
    session: &Session,
    settings: &Settings,
    state: &mut Pending,
) -> Result<(), CommitError> {
    look(path, session, settings, state)
}

/// Looks at a file before it is changed first.
#[hook(FILE_PRE_PATCH, blocking, timeout = "never", fail_open)]
fn before_patch(
    path: &Path,
    session: &Session,
    settings: &Settings,
    state: &mut Pending,
) -> Result<(), CommitError> {
    look(path, session, settings, state)
}

/// Notes a file that was written.
#[hook(FILE_POST_SAVE)]
fn after_save(path: &Path, settings: &Settings, state: &mut Pending) {
    note(path, settings, state);
}

/// Notes a file that was changed.
#[hook(FILE_POST_PATCH)]
fn after_patch(path: &Path, settings: &Settings, state: &mut Pending) {
    note(path, settings, state);
}

/// Commits what the turn changed.
#[hook(TURN_POST, priority = -10, blocking, timeout = "never")]
fn commit_turn(
    changed: &[PathBuf],
    outcome: TurnOutcome,
    session: &Session,
    settings: &Settings,
    state: &mut Pending,
) -> Result<Option<Message>, CommitError> {
    for path in changed {
        note(path, settings, state);
    }
    let Some(workspace) = session.workspace().filter(|_| settings.enabled) else { return Ok(None) };
    if outcome != TurnOutcome::Complete {
        return Ok(None);
    }
    if state.ours.is_empty() && state.mixed.is_empty() {
        state.theirs.clear();
        return Ok(None);
    }
    let Some(repository) = Repository::around(workspace, deadline(settings))? else { return Ok(None) };
    if let Some(why) = repository.is_busy()? {
        return Ok(Some(Message::system(format!("Nothing was committed: {why}."))));
    }
    let plan = repository.plan(&state.ours, &state.mixed)?;
    let said = if plan.files.is_empty() {
        None
    } else {
        let message = message(&settings.message, &asked(session), &plan.files, session.id());
        Some((repository.commit(&plan, &message)?, plan.files.len()))
    };
    *state = Pending::default();
    Ok(report(said, &plan.left_out).map(Message::system))
}

fn deadline(settings: &Settings) -> Duration {
    Duration::from_secs(settings.timeout.max(1))
}

/// Whether a file that is about to be written has changes of somebody else's.
fn look(path: &Path, session: &Session, settings: &Settings, state: &mut Pending) -> Result<(), CommitError> {
    let Some(workspace) = session.workspace().filter(|_| settings.enabled) else { return Ok(()) };
    if state.ours.contains(path) || state.mixed.contains(path) {
        return Ok(());
    }
    if let Some(repository) = Repository::around(workspace, deadline(settings))?
        && repository.has_changed(path)?
    {
        state.theirs.insert(path.to_owned());
    }
    Ok(())
}

fn note(path: &Path, settings: &Settings, state: &mut Pending) {
    if settings.enabled {
        let into = if state.theirs.contains(path) { &mut state.mixed } else { &mut state.ours };
        into.insert(path.to_owned());
    }
}

/// The first line of what the user asked last.
fn asked(session: &Session) -> String {
    let log = session.log();
    // A message with which a hook keeps the agent going is nobody's wish.
    let is_asked = |message: &Message| message.role == Role::User && !message.hide && message.hook.is_none();
    let asked = log.iter().rev().find(|message| is_asked(message));
    let line = asked.and_then(|message| message.content.lines().map(str::trim).find(|line| !line.is_empty()));
    line.unwrap_or_default().to_owned()
}

/// A commit's message from its template; what is put in is not read as a template again.
fn message(template: &str, prompt: &str, files: &[PathBuf], session: &str) -> String {
    let named = names(files);
    let prompt = if prompt.is_empty() { format!("Change {named}") } else { shortened(prompt) };
    let mut text = String::new();
    let mut rest = template;
    while let Some(at) = rest.find('{') {
        text.push_str(&rest[..at]);
        rest = &rest[at..];
        let known = [("{prompt}", prompt.as_str()), ("{files}", named.as_str()), ("{session}", session)];
        if let Some((name, value)) = known.iter().find(|(name, _)| rest.starts_with(name)) {
            text.push_str(value);
            rest = &rest[name.len()..];
        } else {
            text.push('{');
            rest = &rest[1..];
        }
    }
    text.push_str(rest);
    if text.trim().is_empty() { prompt } else { text }
}

fn names(files: &[PathBuf]) -> String {
    let name = |path: &PathBuf| path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
    match files {
        [] => String::new(),
        [one] => name(one),
        [one, other] => format!("{} and {}", name(one), name(other)),
        [one, rest @ ..] => format!("{} and {} more", name(one), rest.len()),
    }
}

/// A subject of at most 72 characters, cut between words where there are some.
fn shortened(line: &str) -> String {
    const LONGEST: usize = 72;
    let line: String = line.chars().filter(|c| !c.is_control()).collect();
    if line.chars().count() <= LONGEST {
        return line;
    }
    let short: String = line.chars().take(LONGEST - 1).collect();
    let words = short.rsplit_once(' ').map_or(short.as_str(), |(words, _)| words);
    format!("{}…", words.trim_end())
}

fn report(committed: Option<(String, usize)>, left_out: &[String]) -> Option<String> {
    let mut lines = Vec::new();
    if let Some((commit, files)) = committed {
        let files = if files == 1 { "1 file".to_owned() } else { format!("{files} files") };
        lines.push(format!("Committed {files}: {commit}"));
    }
    if !left_out.is_empty() {
        lines.push(format!("Not committed: {}", left_out.join(", ")));
    }
    (!lines.is_empty()).then(|| lines.join("\n"))
}
