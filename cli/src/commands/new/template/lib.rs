//! Hooks of the plugin `{name}`.

use std::path::Path;

use hookspec::points::{FILE_PRE_PATCH, FILE_PRE_SAVE};
use hookspec::{Gate, hook};

hookspec::plugin!();

/// Refuses to write lock files anew.
#[hook(FILE_PRE_SAVE)]
fn keep_from_saves(path: &Path) -> Option<Gate> {
    keep(path)
}

/// Refuses to patch them, which is the other way to change a file.
#[hook(FILE_PRE_PATCH)]
fn keep_from_patches(path: &Path) -> Option<Gate> {
    keep(path)
}

fn keep(path: &Path) -> Option<Gate> {
    let file = path.file_name()?.to_str()?;
    let locked = file.ends_with(".lock") || file == "package-lock.json";
    let reason = format!("{file} has a program of its own: run that instead");
    locked.then(|| Gate::deny(reason))
}

#[cfg(test)]
mod tests {
    use hookspec::{Hooks, Registry, Session, fire_now};

    use super::*;

    fn session() -> Session {
        let registry = Registry::builder().allow(["{krate}"]).build().unwrap();
        Session::builder(&Hooks::new(registry), "test").build()
    }

    #[test]
    fn lock_files_are_neither_saved_nor_patched() {
        let (session, path) = (session(), Path::new("/project/Cargo.lock"));
        let saved = fire_now!(session, FILE_PRE_SAVE { path, content: "" });
        let (reason, hook) = saved.denied().unwrap();
        assert!(reason.starts_with("Cargo.lock has a program"), "{reason}");
        assert_eq!(hook, "{krate}.keep_from_saves");
        let patched = fire_now!(
            session,
            FILE_PRE_PATCH {
                path,
                patch: "",
                before: "a",
                after: "b"
            }
        );
        assert!(patched.denied().is_some());
    }

    #[test]
    fn other_files_may_be_written() {
        let path = Path::new("/project/src/lock.rs");
        let saved = fire_now!(session(), FILE_PRE_SAVE { path, content: "" });
        assert_eq!(saved.denied(), None);
    }
}
