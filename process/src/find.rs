//! Where a program is.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use crate::executable::program as program_in;

/// The program of that name on `PATH`, as an absolute path.
///
/// Entries of `PATH` that are not absolute are passed over, and so is everything under `not_under`: a
/// repository that brings a file called `git` must not have it run in git's place.
#[must_use]
pub fn find(program: &str, not_under: Option<&Path>) -> Option<PathBuf> {
    find_in(&std::env::var_os("PATH")?, program, not_under)
}

fn find_in(path: &OsStr, program: &str, not_under: Option<&Path>) -> Option<PathBuf> {
    if program.is_empty()
        || program.contains(std::path::is_separator)
        || program.contains(':') && cfg!(windows)
    {
        return None;
    }
    std::env::split_paths(path)
        .filter(|folder| folder.is_absolute())
        .filter_map(|folder| program_in(&folder, program))
        .find(|file| !not_under.is_some_and(|top| lies_under(file, top)))
}

/// Both as written and through links.
fn lies_under(file: &Path, top: &Path) -> bool {
    let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    file.starts_with(top) || real(file).starts_with(real(top))
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    fn plant(folder: &Path, name: &str, mode: u32) {
        let file = folder.join(name);
        std::fs::write(&file, "#!/bin/sh\n").unwrap();
        std::fs::set_permissions(file, std::fs::Permissions::from_mode(mode)).unwrap();
    }

    #[test]
    fn planted_programs_and_relative_entries_are_passed_over() {
        let (workspace, system) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        plant(workspace.path(), "git", 0o755);
        plant(system.path(), "git", 0o755);
        plant(system.path(), "data", 0o644);
        let path = std::env::join_paths([Path::new("."), Path::new(""), workspace.path(), system.path()]);
        let path = path.unwrap();
        assert_eq!(find_in(&path, "git", None), Some(workspace.path().join("git")));
        assert_eq!(find_in(&path, "git", Some(workspace.path())), Some(system.path().join("git")));
        assert_eq!(find_in(&path, "data", None), None, "not executable");
        assert_eq!(find_in(&path, "./git", None), None);
    }
}
