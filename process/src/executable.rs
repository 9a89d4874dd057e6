//! What of a folder's files is a program.

use std::path::{Path, PathBuf};

/// The file of the program of that name in a folder, if it is one: on Unix a file that may be run, on Windows one that ends in
/// `.exe`, for only that is run by itself there.
#[cfg(unix)]
pub(crate) fn program(folder: &Path, name: &str) -> Option<PathBuf> {
    use std::os::unix::fs::PermissionsExt;

    let file = folder.join(name);
    let data = std::fs::metadata(&file).ok()?;
    (data.is_file() && data.permissions().mode() & 0o111 != 0).then_some(file)
}

/// The file of the program of that name in a folder, if it is one: on Unix a file that may be run, on Windows one that ends in
/// `.exe`, for only that is run by itself there.
#[cfg(not(unix))]
pub(crate) fn program(folder: &Path, name: &str) -> Option<PathBuf> {
    let suffix = std::env::consts::EXE_SUFFIX;
    let file =
        if name.ends_with(suffix) { folder.join(name) } else { folder.join(format!("{name}{suffix}")) };
    file.is_file().then_some(file)
}
