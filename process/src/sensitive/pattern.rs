//! Patterns of paths, as `data/sensitive.toml` writes them: small enough that nothing is compiled where a process starts per event.

use std::collections::HashSet;
use std::path::{Component, Path};

use serde::Deserialize;

/// The parts of a path in small letters, with `/` first where it is absolute.
pub(crate) fn lowered(path: &Path) -> Vec<String> {
    path.components()
        .filter_map(|part| match part {
            Component::RootDir => Some("/".to_owned()),
            Component::Normal(name) => Some(name.to_string_lossy().to_lowercase()),
            Component::ParentDir => Some("..".to_owned()),
            Component::CurDir | Component::Prefix(_) => None,
        })
        .collect()
}

/// Folders, names and stars: `.git/hooks/**`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Pattern {
    #[cfg(any(test, target_os = "macos"))]
    written: String,
    parts: Vec<String>,
    is_anchored: bool,
}

impl Pattern {
    pub(crate) fn new(written: &str) -> Self {
        let is_anchored = written.starts_with('/');
        let mut parts: Vec<String> = written
            .split('/')
            .filter(|part| !part.is_empty() && *part != ".")
            .map(str::to_lowercase)
            .collect();
        if is_anchored {
            parts.insert(0, "/".to_owned());
        }
        Self {
            #[cfg(any(test, target_os = "macos"))]
            written: written.to_owned(),
            parts,
            is_anchored,
        }
    }

    #[cfg(any(test, target_os = "macos"))]
    pub(crate) fn written(&self) -> &str {
        &self.written
    }

    /// Whether it fits the path: all of it where the pattern begins at the root, else its end. `x/**` fits `x` too.
    pub(crate) fn fits(&self, path: &[String]) -> bool {
        if self.is_anchored {
            return fit(&self.parts, path);
        }
        if !self.parts.iter().any(|part| part == "**") {
            let start = path.len().checked_sub(self.parts.len()).filter(|_| !self.parts.is_empty());
            return start.and_then(|start| path.get(start..)).is_some_and(|end| fit(&self.parts, end));
        }
        (0..path.len()).any(|start| path.get(start..).is_some_and(|rest| fit(&self.parts, rest)))
    }
}

fn fit(pattern: &[String], path: &[String]) -> bool {
    match (pattern.split_first(), path.split_first()) {
        (None, None) => true,
        (Some((star, rest)), _) if star == "**" => {
            (0..=path.len()).any(|taken| path.get(taken..).is_some_and(|left| fit(rest, left)))
        }
        (Some((first, rest)), Some((name, left))) => fits_name(first, name) && fit(rest, left),
        _ => false,
    }
}

/// `*` is any number of characters, `?` is one.
pub(crate) fn fits_name(pattern: &str, name: &str) -> bool {
    let (pattern, name): (Vec<char>, Vec<char>) = (pattern.chars().collect(), name.chars().collect());
    let (mut at, mut here) = (0, 0);
    // Where to go on if what follows the last star does not fit.
    let mut again: Option<(usize, usize)> = None;
    while here < name.len() {
        match pattern.get(at) {
            Some('*') => {
                again = Some((at + 1, here));
                at += 1;
            }
            Some(c) if *c == '?' || Some(c) == name.get(here) => (at, here) = (at + 1, here + 1),
            _ => {
                let Some((after, from)) = again else { return false };
                again = Some((after, from + 1));
                (at, here) = (after, from + 1);
            }
        }
    }
    pattern.get(at..).is_some_and(|rest| rest.iter().all(|c| *c == '*'))
}

/// Many patterns, of which plain names are looked up at once.
#[derive(Clone, Debug, Default)]
pub(crate) struct Patterns {
    names: HashSet<String>,
    wild: Vec<String>,
    paths: Vec<Pattern>,
    /// The last name that is written out in each path, of those whose last part is one.
    ends: HashSet<String>,
    /// The last folder that is written out in each other path.
    folders: HashSet<String>,
    #[cfg(any(test, target_os = "macos"))]
    written: Vec<String>,
}

impl Patterns {
    pub(crate) fn new(written: impl IntoIterator<Item = impl AsRef<str>>) -> Self {
        let mut all = Self::default();
        for written in written {
            let written = written.as_ref();
            #[cfg(any(test, target_os = "macos"))]
            all.written.push(written.to_owned());
            match (written.contains('/'), written.contains(['*', '?'])) {
                (true, _) => {
                    let pattern = Pattern::new(written);
                    let is_plain = |part: &&String| !part.contains(['*', '?']);
                    match pattern.parts.iter().rev().enumerate().find(|(_, part)| is_plain(part)) {
                        // `x/**` is `x` too.
                        Some((0, end)) => _ = all.ends.insert(end.clone()),
                        Some((_, folder)) => {
                            all.folders.insert(folder.clone());
                            if pattern.parts.last().is_some_and(|last| last == "**") {
                                all.ends.insert(folder.clone());
                            }
                        }
                        None => {}
                    }
                    all.paths.push(pattern);
                }
                (false, true) => all.wild.push(written.to_lowercase()),
                (false, false) => _ = all.names.insert(written.to_lowercase()),
            }
        }
        all
    }

    pub(crate) fn fit(&self, path: &[String]) -> bool {
        let Some(name) = path.last().filter(|name| *name != "/") else { return false };
        self.fit_name(name) || self.paths.iter().any(|pattern| pattern.fits(path))
    }

    /// Whether a pattern without a slash fits the name, which is in small letters.
    pub(crate) fn fit_name(&self, name: &str) -> bool {
        self.names.contains(name) || self.wild.iter().any(|pattern| fits_name(pattern, name))
    }

    /// Whether any pattern may fit a path that ends with this name, in small letters, but for those that name a folder above.
    pub(crate) fn may_end_with(&self, name: &str) -> bool {
        self.fit_name(name) || self.ends.contains(name)
    }

    /// Whether any pattern may fit a path for the folder that it lies in.
    pub(crate) fn may_lie_in(&self, folder: &[String]) -> bool {
        folder.iter().any(|part| self.folders.contains(part))
    }

    #[cfg(any(test, target_os = "macos"))]
    pub(crate) fn written(&self) -> impl Iterator<Item = &str> {
        self.written.iter().map(String::as_str)
    }

    #[cfg(test)]
    pub(crate) fn is_empty(&self) -> bool {
        self.names.is_empty() && self.wild.is_empty() && self.paths.is_empty()
    }
}

impl<'de> Deserialize<'de> for Patterns {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        Vec::<String>::deserialize(from).map(Self::new)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stars_and_folders() {
        for (pattern, path, fits) in [
            ("a", "x/a", true),
            ("*.env", "x/prod.env", true),
            ("*.env", "x/prod.env.txt", false),
            ("a*b*c", "aXbYbZc", true),
            ("a?c", "abc", true),
            ("a?c", "ac", false),
            ("**", "a/b", true),
            ("x/**", "x/a/b", true),
            ("x/**/c", "x/c", true),
            ("x/**/c", "x/a/b/c", true),
            ("/etc/*", "/etc/a", true),
            ("/etc/*", "/w/etc/a", false),
            ("x/*", "x/a/b", false),
            ("", "a", false),
        ] {
            assert_eq!(Pattern::new(pattern).fits(&lowered(Path::new(path))), fits, "{pattern} {path}");
            assert_eq!(Patterns::new([pattern]).fit(&lowered(Path::new(path))), fits, "{pattern} {path}");
        }
    }

    #[test]
    fn a_pattern_made_to_be_slow_is_not() {
        let began = std::time::Instant::now();
        assert!(!fits_name(&"*a".repeat(200), &"b".repeat(100_000)));
        assert!(!fits_name(&format!("{}c", "*a".repeat(20)), &"a".repeat(20_000)));
        assert!(began.elapsed() < std::time::Duration::from_secs(5));
    }
}
