//! The audit: a JSON line for each finding, in a file that stays small.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use hookspec::Session;
use jiff::Timestamp;
use serde::Serialize;
use sha2::{Digest, Sha256};

use super::Hygiene;
use super::rules::{Finding, Severity};

/// At most so many findings of one result are recorded.
const MOST: usize = 100;

/// Where a host wants the audit: lent through the session, it goes before the setting `audit`.
#[derive(Clone, Debug)]
pub struct AuditPath(pub PathBuf);

/// Why the audit was not written.
#[derive(Debug, thiserror::Error)]
pub(super) enum AuditError {
    #[error("{}: {source}", .path.display())]
    Io { path: PathBuf, source: io::Error },
    #[error("{} holds something else than an audit; name a file of its own", .0.display())]
    NotOurs(PathBuf),
}

/// One line. What was found is not in it: only where, and the start of its hash.
#[derive(Serialize)]
struct Line<'a> {
    timestamp: Timestamp,
    session: &'a str,
    tool: &'a str,
    rule: &'a str,
    severity: Severity,
    mode: Hygiene,
    offset: usize,
    length: usize,
    sha256: String,
}

/// Appends findings about `text` to the audit at `path`.
///
/// The lines go out in one write and are on disk when this returns; a file over `limit` bytes is moved to
/// `<path>.1` first, in place of the one before.
pub(super) fn append(
    path: &Path,
    limit: u64,
    session: &Session,
    tool: &str,
    mode: Hygiene,
    text: &str,
    findings: &[&Finding],
) -> Result<(), AuditError> {
    let timestamp = session.clock().now();
    let mut lines = Vec::new();
    for finding in findings.iter().take(MOST) {
        let passage = text.get(finding.start..finding.end).unwrap_or_default();
        let line = Line {
            timestamp,
            session: session.id(),
            tool,
            rule: finding.rule,
            severity: finding.severity,
            mode,
            offset: finding.start,
            length: passage.len(),
            sha256: digest(passage),
        };
        let failed =
            |error: serde_json::Error| AuditError::Io { path: path.to_owned(), source: error.into() };
        serde_json::to_writer(&mut lines, &line).map_err(failed)?;
        lines.push(b'\n');
    }
    let failed = |source| AuditError::Io { path: path.to_owned(), source };
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).map_err(failed)?;
    }
    // One at a time, other processes included: whoever moves the file away must not move a fresh one.
    let lock = open(&beside(path, ".lock")).map_err(failed)?;
    lock.lock().map_err(failed)?;
    let mut file = open(path).map_err(failed)?;
    if !is_audit(&mut file).map_err(failed)? {
        return Err(AuditError::NotOurs(path.to_owned()));
    }
    let size = file.metadata().map_err(failed)?.len();
    let more = u64::try_from(lines.len()).unwrap_or(u64::MAX);
    if size > 0 && size.saturating_add(more) > limit {
        std::fs::rename(path, beside(path, ".1")).map_err(failed)?;
        file = open(path).map_err(failed)?;
    }
    file.write_all(&lines).and_then(|()| file.sync_data()).map_err(failed)
}

fn open(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).append(true).create(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        options.mode(0o600);
    }
    options.open(path)
}

/// A setting must not make us write into somebody else's file.
fn is_audit(file: &mut File) -> io::Result<bool> {
    let mut first = [0];
    Ok(file.metadata()?.is_file() && (file.read(&mut first)? == 0 || first == *b"{"))
}

fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

/// The first eight bytes of the hash, in hex: enough to tell passages apart.
fn digest(passage: &str) -> String {
    Sha256::digest(passage).iter().take(8).map(|byte| format!("{byte:02x}")).collect()
}
