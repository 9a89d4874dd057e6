//! Hard links: a file that holds a secret may have another name, which says nothing of it.

use std::path::Path;

use hookspec_process::sandbox::Sandbox;

/// So many files are looked at; in a tree with more, a name further on is not found.
const MOST: usize = 100_000;

/// Whether a file is, under another name in the workspace, one that the sandbox keeps from being read. Costs a look at the file; a
/// walk through the workspace only where it has several names.
#[cfg(unix)]
pub(super) fn is_secret_elsewhere(path: &Path, sandbox: &Sandbox) -> bool {
    use std::os::unix::fs::MetadataExt;

    let Ok(data) = std::fs::metadata(path) else { return false };
    if !data.is_file() || data.nlink() < 2 {
        return false;
    }
    let is_same = |other: &Path| {
        other.symlink_metadata().is_ok_and(|other| other.ino() == data.ino() && other.dev() == data.dev())
    };
    let (mut folders, mut looked) = (vec![sandbox.workspace().to_owned()], 0);
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            looked += 1;
            if looked > MOST {
                return false;
            }
            let other = entry.path();
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => folders.push(other),
                Ok(kind) if kind.is_file() && is_same(&other) && sandbox.forbids_reading(&other) => {
                    return true;
                }
                _ => {}
            }
        }
    }
    false
}

/// Where files have one name each as far as is known here.
#[cfg(not(unix))]
pub(super) fn is_secret_elsewhere(_: &Path, _: &Sandbox) -> bool {
    false
}

#[cfg(all(test, unix))]
mod tests {
    use hookspec_process::sandbox::Profile;

    use super::*;

    #[test]
    fn another_name_of_a_secret_is_found_and_of_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::create_dir(at("sub")).unwrap();
        for name in ["sub/.env", "plain", "alone"] {
            std::fs::write(at(name), "x").unwrap();
        }
        std::fs::hard_link(at("sub/.env"), at("notes.txt")).unwrap();
        std::fs::hard_link(at("plain"), at("sub/plain")).unwrap();
        let sandbox = Sandbox::new(Profile::Workspace, folder.path());
        for (name, secret) in
            [("notes.txt", true), ("plain", false), ("alone", false), ("gone", false), ("sub", false)]
        {
            assert_eq!(is_secret_elsewhere(&at(name), &sandbox), secret, "{name}");
        }
    }
}
