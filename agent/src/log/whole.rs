//! Files that are written whole: old or new, never half.
//!
//! The bytes go to a temporary file in the same folder, to disk, and then over the old file by rename. What
//! a kill leaves behind is a temporary file, which [`sweep`] removes when the folder is next opened.

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};

use super::LogError;

/// How the names of temporary files start.
const TEMPORARY: &str = ".hookspec-tmp-";

/// Replaces the file at `path` by `bytes`, in one step as far as any reader or crash can see.
///
/// On Unix the file is readable by its owner only. A symbolic link at `path` is replaced, not followed.
///
/// # Errors
/// When the folder can't be written to or the disk is full; the old file is then as it was.
pub fn write_whole(path: &Path, bytes: &[u8]) -> Result<(), LogError> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new("."));
    let mut file = tempfile::Builder::new()
        .prefix(TEMPORARY)
        .tempfile_in(folder)
        .map_err(LogError::io("create a temporary file in", folder))?;
    file.write_all(bytes).map_err(LogError::io("write", path))?;
    file.as_file().sync_all().map_err(LogError::io("write to disk", path))?;
    file.persist(path).map_err(|error| LogError::io("replace", path)(error.error))?;
    sync_folder(folder)
}

/// Makes names that were created in or renamed within `folder` durable.
pub(super) fn sync_folder(folder: &Path) -> Result<(), LogError> {
    // Only Unix opens folders as files; elsewhere the file system's journal has to do.
    if cfg!(unix) {
        let synced = File::open(folder).and_then(|folder| folder.sync_all());
        synced.map_err(LogError::io("write to disk", folder))?;
    }
    Ok(())
}

/// Removes what killed writers left in `folder`. Only its one writer may call this.
pub(super) fn sweep(folder: &Path) {
    let Ok(entries) = fs::read_dir(folder) else {
        return;
    };
    for entry in entries.flatten() {
        if entry.file_name().to_string_lossy().starts_with(TEMPORARY)
            && let Err(error) = fs::remove_file(entry.path())
        {
            tracing::warn!(file = %entry.path().display(), %error, "a left-over temporary file could not be removed");
        }
    }
}

/// The first of `<path>.<label>-1`, `-2`, … that is free.
fn free_name(path: &Path, label: &str) -> PathBuf {
    let mut number = 1_u64;
    loop {
        let mut name = path.as_os_str().to_owned();
        name.push(format!(".{label}-{number}"));
        let name = PathBuf::from(name);
        if fs::symlink_metadata(&name).is_err() {
            return name;
        }
        number += 1;
    }
}

/// Renames a file that can't be used, so that a new one may take its place; returns the new name.
pub(super) fn set_aside(path: &Path, label: &str) -> Result<PathBuf, LogError> {
    let aside = free_name(path, label);
    fs::rename(path, &aside).map_err(LogError::io("set aside", path))?;
    Ok(aside)
}

/// Keeps `bytes` in a new file beside `path`; returns its name.
pub(super) fn keep_beside(path: &Path, label: &str, bytes: &[u8]) -> Result<PathBuf, LogError> {
    let aside = free_name(path, label);
    write_whole(&aside, bytes)?;
    Ok(aside)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_replaced_and_nothing_is_left_over() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("state.json");
        write_whole(&path, b"one").unwrap();
        write_whole(&path, b"two").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"two");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_missing_folder_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let error = write_whole(&folder.path().join("no/state.json"), b"x").unwrap_err();
        assert!(error.to_string().contains("no"), "{error}");
    }

    #[test]
    fn sweeping_takes_only_our_temporary_files() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join(".hookspec-tmp-1"), "half").unwrap();
        fs::write(folder.path().join(".tmp"), "theirs").unwrap();
        sweep(folder.path());
        let left: Vec<_> = fs::read_dir(folder.path()).unwrap().map(|e| e.unwrap().file_name()).collect();
        assert_eq!(left, [".tmp"]);
    }
}
