//! Files: where a path leads, and the one way to write.
//!
//! A path is taken relative to the session's directory and resolved through symbolic links before anybody
//! judges it. What lies outside the workspace needs the user's yes; nobody there to ask is a no.

use std::io::{self, Write};
use std::path::{Component, Path, PathBuf};

use hookspec::point::Fired;
use hookspec::points::{FILE_POST_PATCH, FILE_POST_SAVE, FILE_PRE_PATCH, FILE_PRE_SAVE};
use hookspec::tool::ToolError;
use hookspec::{Fold, Gate, Session, fire};
use similar::TextDiff;

use crate::engine::{agreed, report_failures};

use super::Changes;

/// A file that cannot be read or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FileError {
    /// The system said no.
    #[error("{path}: {source}")]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// It lies outside the workspace, and nobody agreed.
    #[error("{0} lies outside the workspace, and nobody agreed to that; use a path inside it")]
    Outside(PathBuf),
    /// It holds no text.
    #[error("{0} is not UTF-8 text")]
    NotText(PathBuf),
    /// A hook refused.
    #[error("Denied by the hook `{hook}`: {reason}")]
    Denied {
        /// The hook.
        hook: String,
        /// Why.
        reason: String,
    },
}

impl From<FileError> for ToolError {
    fn from(error: FileError) -> Self {
        match error {
            FileError::Denied { .. } | FileError::Outside(_) => Self::Denied(error.to_string()),
            FileError::Io { .. } | FileError::NotText(_) => Self::Failed(error.to_string()),
        }
    }
}

/// Where a path leads: absolute, `~` expanded, without `..`, through the links of whatever exists of it.
#[must_use]
pub fn resolve(session: &Session, path: &str) -> PathBuf {
    let home = std::env::var_os("HOME").map(PathBuf::from);
    let expanded = match (path.strip_prefix("~/"), home) {
        (Some(rest), Some(home)) => home.join(rest),
        _ => PathBuf::from(path),
    };
    let mut resolved = PathBuf::new();
    for component in session.cwd().join(expanded).components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                resolved.pop();
            }
            other => {
                resolved.push(other);
                // Link by link, so that `link/..` means what the system means by it.
                if let Ok(real) = resolved.canonicalize() {
                    resolved = real;
                }
            }
        }
    }
    resolved
}

/// Resolves a path and makes sure that it may be used.
///
/// # Errors
/// If it lies outside the workspace and the user does not agree.
pub(super) async fn checked(session: &Session, path: &str) -> Result<PathBuf, FileError> {
    let resolved = resolve(session, path);
    let inside = session.workspace().is_some_and(|workspace| {
        let workspace = workspace.canonicalize().unwrap_or_else(|_| workspace.to_owned());
        resolved.starts_with(workspace)
    });
    if inside || agreed(session, format!("Use {} outside the workspace?", resolved.display())).await {
        Ok(resolved)
    } else {
        Err(FileError::Outside(resolved))
    }
}

/// The text of a file; `None` if there is none.
pub(super) fn read_text(path: &Path) -> Result<Option<String>, FileError> {
    match std::fs::read(path) {
        Ok(bytes) => match String::from_utf8(bytes) {
            Ok(text) => Ok(Some(text)),
            Err(_) => Err(FileError::NotText(path.to_owned())),
        },
        Err(source) if source.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(source) => Err(FileError::Io { path: path.to_owned(), source }),
    }
}

/// Writes a file for a tool: asks the gate, writes it whole, tells the hooks. Gives whether it is new.
///
/// # Errors
/// If a hook refuses, or the system does.
pub async fn write(session: &Session, path: &Path, content: &str) -> Result<bool, FileError> {
    let mut fired = fire!(session, FILE_PRE_SAVE { path, content }).await;
    permitted(session, &fired).await?;
    let changed = fired.take_value();
    let content = changed.as_deref().unwrap_or(content);
    let created = !path.exists();
    put(session, path, content)?;
    let fired = fire!(session, FILE_POST_SAVE { path, content, created }).await;
    report_failures(session, &fired).await;
    Ok(created)
}

/// Replaces a file's text for a tool that changes part of it. Gives the difference.
///
/// # Errors
/// If a hook refuses, or the system does.
pub(super) async fn rewrite(
    session: &Session,
    path: &Path,
    patch: &str,
    before: &str,
    after: &str,
) -> Result<String, FileError> {
    let mut fired = fire!(session, FILE_PRE_PATCH { path, patch, before, after }).await;
    permitted(session, &fired).await?;
    let changed = fired.take_value();
    let after = changed.as_deref().unwrap_or(after);
    put(session, path, after)?;
    let diff = diff(path, before, after);
    let fired = fire!(session, FILE_POST_PATCH { path, before, after, diff: &diff }).await;
    report_failures(session, &fired).await;
    Ok(diff)
}

/// The difference of two texts, unified.
pub(super) fn diff(path: &Path, before: &str, after: &str) -> String {
    let name = path.display().to_string();
    TextDiff::from_lines(before, after).unified_diff().header(&name, &name).to_string()
}

async fn permitted(session: &Session, fired: &Fired<(Gate, Fold<String>)>) -> Result<(), FileError> {
    report_failures(session, fired).await;
    let hook = fired.gate_hook().unwrap_or_default().to_owned();
    match fired.gate() {
        Some(Gate::Deny(reason)) => Err(FileError::Denied { hook, reason: reason.clone() }),
        Some(Gate::Ask(reason)) if !agreed(session, format!("Write the file? {reason}")).await => {
            Err(FileError::Denied { hook, reason: format!("{reason} (nobody agreed)") })
        }
        _ => Ok(()),
    }
}

fn put(session: &Session, path: &Path, content: &str) -> Result<(), FileError> {
    let io = |source| FileError::Io { path: path.to_owned(), source };
    replace(path, content.as_bytes()).map_err(io)?;
    if let Some(changes) = session.extension::<Changes>() {
        changes.add(path);
    }
    Ok(())
}

/// Writes a file whole: a reader sees the old text or the new, never half of one. An existing file keeps
/// its permissions.
fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let folder = path.parent().ok_or_else(|| io::Error::other("the path has no folder"))?;
    std::fs::create_dir_all(folder)?;
    let mut builder = tempfile::Builder::new();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(std::fs::Permissions::from_mode(0o666)); // less the user's umask
    }
    let mut file = builder.prefix(".hookspec-").tempfile_in(folder)?;
    file.write_all(bytes)?;
    if let Ok(metadata) = std::fs::metadata(path) {
        if metadata.is_dir() {
            return Err(io::Error::new(io::ErrorKind::IsADirectory, "is a directory"));
        }
        file.as_file().set_permissions(metadata.permissions())?;
    }
    file.as_file().sync_all()?;
    file.persist(path).map_err(|error| error.error)?;
    Ok(())
}
