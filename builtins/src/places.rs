//! Where built-ins keep files of their own.

use std::path::{Path, PathBuf};

use hookspec::session::StateDir;

/// Where a hook's files go: what its settings say, or else `default`, taken from the host's state folder where it is
/// relative. `None` where the host lends no such folder.
pub(crate) fn place(state: Option<&StateDir>, set: &Path, default: &str) -> Option<PathBuf> {
    let wanted = if set.as_os_str().is_empty() { Path::new(default) } else { set };
    if wanted.is_absolute() { Some(wanted.to_owned()) } else { state.map(|state| state.resolve(wanted)) }
}

/// A name as the name of a file: every other name gives another one, and none leaves its folder.
///
/// Letters, digits, `.`, `_` and `-` stay, other bytes become `%XX`; long names end in a hash.
pub(crate) fn file_name(name: &str) -> String {
    use std::fmt::Write;

    const LONGEST: usize = 120;
    let mut text = String::new();
    for (index, byte) in name.bytes().enumerate() {
        match byte {
            b'.' if index == 0 => text.push_str("%2E"),
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'.' | b'_' | b'-' => text.push(char::from(byte)),
            // Writing to a string cannot fail.
            _ => drop(write!(text, "%{byte:02X}")),
        }
    }
    if text.is_empty() {
        return "%".to_owned();
    }
    if text.len() > LONGEST {
        text.truncate(LONGEST);
        text.push('~');
        text.push_str(&crate::manifest::digest(name.as_bytes())[..16]);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stay_apart_and_in_their_folder() {
        for (name, file) in [
            ("2026-a_b.c", "2026-a_b.c"),
            ("..", "%2E."),
            ("../../etc", "%2E.%2F..%2Fetc"),
            ("a/b", "a%2Fb"),
            ("a%2Fb", "a%252Fb"),
            ("é", "%C3%A9"),
            ("", "%"),
        ] {
            assert_eq!(file_name(name), file);
        }
        let (a, b) = ("x".repeat(300), "x".repeat(301));
        assert_ne!(file_name(&a), file_name(&b));
        assert!(file_name(&a).len() < 140);
    }

    #[test]
    fn relative_paths_lie_in_the_state_folder() {
        let state = StateDir("/state".into());
        assert_eq!(state.resolve(Path::new("m")), Path::new("/state/m"));
        assert_eq!(state.resolve(Path::new("/m")), Path::new("/m"));
    }
}
