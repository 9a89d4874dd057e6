//! Everything that was kept or sent, piece by piece: files and their names, rows of databases, objects of repositories.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use rusqlite::Connection;
use rusqlite::types::ValueRef;

use super::needles::Needles;

/// The files beneath a folder, links not followed.
fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        match entry.file_type() {
            Ok(kind) if kind.is_dir() => files(&entry.path(), found),
            Ok(kind) if kind.is_file() => found.push(entry.path()),
            _ => {}
        }
    }
}

/// Which of the program's own files has a secret, and in which form.
pub fn in_folder(folder: &Path, needles: &Needles) -> Option<String> {
    let mut all = Vec::new();
    files(folder, &mut all);
    for path in all {
        let name = path.strip_prefix(folder).unwrap_or(&path).display().to_string();
        if name.starts_with("config") {
            continue;
        }
        if let Some(form) = needles.find(name.as_bytes()) {
            return Some(format!("{form} in the name of a file"));
        }
        let bytes = std::fs::read(&path).unwrap_or_default();
        if let Some(form) = needles.find(&bytes) {
            return Some(format!("{form} in {name}"));
        }
        if bytes.starts_with(b"SQLite format 3\0")
            && let Some(found) = in_database(&path, needles)
        {
            return Some(format!("{found} of {name}"));
        }
        // Each repository once.
        if path.file_name().is_some_and(|name| name == "HEAD")
            && let Some(repository) = path.parent().filter(|folder| folder.join("objects").is_dir())
            && let Some(found) = in_objects(repository, &BTreeSet::new(), needles)
        {
            return Some(format!("{found} of {name}"));
        }
    }
    None
}

fn in_database(path: &Path, needles: &Needles) -> Option<String> {
    let database = Connection::open(path).ok()?;
    let mut tables = database.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").ok()?;
    let tables: Vec<String> = tables.query_map([], |row| row.get(0)).ok()?.flatten().collect();
    for table in tables {
        let Ok(mut rows) = database.prepare(&format!("SELECT * FROM \"{table}\"")) else { continue };
        let columns = rows.column_count();
        let Ok(mut rows) = rows.query([]) else { continue };
        while let Ok(Some(row)) = rows.next() {
            for column in 0..columns {
                if let Ok(ValueRef::Text(bytes) | ValueRef::Blob(bytes)) = row.get_ref(column)
                    && let Some(form) = needles.find(bytes)
                {
                    return Some(format!("{form} in the table {table}"));
                }
            }
        }
    }
    None
}

fn git(repository: &Path, args: &[&str], input: Option<String>) -> Vec<u8> {
    let mut command = Command::new("git");
    command
        .arg("--git-dir")
        .arg(repository)
        .args(args)
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_NO_LAZY_FETCH", "1");
    let Some(input) = input else { return command.output().map(|output| output.stdout).unwrap_or_default() };
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), input).unwrap();
    command.stdin(file.reopen().unwrap()).output().map(|output| output.stdout).unwrap_or_default()
}

/// The names of a repository's objects.
pub fn objects(repository: &Path) -> BTreeSet<String> {
    if !repository.join("objects").is_dir() {
        return BTreeSet::new();
    }
    let listed = git(repository, &["cat-file", "--batch-all-objects", "--batch-check=%(objectname)"], None);
    String::from_utf8_lossy(&listed).lines().map(str::to_owned).collect()
}

/// Whether objects that were not there before have a secret.
pub fn in_objects(repository: &Path, before: &BTreeSet<String>, needles: &Needles) -> Option<String> {
    let now = objects(repository);
    let new: String = now.difference(before).map(|name| format!("{name}\n")).collect();
    if new.is_empty() {
        return None;
    }
    let contents = git(repository, &["cat-file", "--batch"], Some(new));
    needles.find(&contents).map(|form| format!("{form} in an object"))
}
