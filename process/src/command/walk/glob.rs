//! The files that a pattern stands for now.

use std::path::{Path, PathBuf};

use super::pattern::Pattern;

/// Names that are looked at for one pattern.
const LOOKED_AT: usize = 20_000;
/// Files that one pattern may stand for.
const FOUND: usize = 2_000;

/// What a pattern stands for, sorted; empty where it fits nothing; none where that cannot be told.
pub(super) fn expand(pattern: &str, cwd: Option<&Path>) -> Option<Vec<String>> {
    let mut left = LOOKED_AT;
    let base = if pattern.starts_with('/') { Path::new("/") } else { cwd? };
    let mut found = vec![(String::new(), base.to_owned())];
    let parts: Vec<&str> = pattern.split('/').collect();
    for (index, part) in parts.iter().enumerate() {
        let last = index + 1 == parts.len();
        if part.is_empty() {
            found.iter_mut().for_each(|(text, _)| text.push('/'));
            // Two signs in a row, or one at the end, want a folder.
            found.retain(|(_, path)| index == 0 || path.is_dir());
            continue;
        }
        let fits = Pattern::new(part)?;
        let mut next = Vec::new();
        for (text, path) in found {
            let text = if index > 0 && !text.is_empty() && !text.ends_with('/') { text + "/" } else { text };
            if fits.is_open() {
                below(&fits, part, &text, &path, &mut left, &mut next)?;
            } else {
                let name = plain(part);
                let path = path.join(&name);
                if if last { std::fs::symlink_metadata(&path).is_ok() } else { path.is_dir() } {
                    next.push((text + &name, path));
                }
            }
        }
        if !last {
            next.retain(|(_, path)| path.is_dir());
        }
        found = next;
        if found.len() > FOUND {
            return None;
        }
    }
    let mut names: Vec<String> = found.into_iter().map(|(text, _)| text).collect();
    names.sort_unstable();
    Some(names)
}

fn below(
    fits: &Pattern,
    part: &str,
    text: &str,
    folder: &Path,
    left: &mut usize,
    found: &mut Vec<(String, PathBuf)>,
) -> Option<()> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Some(()) };
    let mut names: Vec<String> = Vec::new();
    for entry in entries {
        *left = left.checked_sub(1)?;
        names.push(entry.ok()?.file_name().into_string().ok()?);
    }
    if part.starts_with('.') {
        names.extend([".".to_owned(), "..".to_owned()]);
    }
    for name in names {
        if (!name.starts_with('.') || part.starts_with('.') || part.starts_with("\\.")) && fits.fits(&name) {
            found.push((format!("{text}{name}"), folder.join(name)));
        }
    }
    Some(())
}

/// A part of a pattern without its backslashes.
fn plain(part: &str) -> String {
    let mut out = String::new();
    let mut chars = part.chars();
    while let Some(c) = chars.next() {
        out.push(if c == '\\' { chars.next().unwrap_or('\\') } else { c });
    }
    out
}
