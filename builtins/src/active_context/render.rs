//! The message: which of the ranked files fit, and how they are shown.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Component, Path, PathBuf};

use crate::tokens;

use super::candidates::Workspace;
use super::score::Ranked;

/// Files that programs write for programs.
const SKIP_NAMES: [&str; 11] = [
    "poetry.lock",
    "uv.lock",
    "package-lock.json",
    "yarn.lock",
    "pnpm-lock.yaml",
    "Cargo.lock",
    "Gemfile.lock",
    "composer.lock",
    "go.sum",
    "flake.lock",
    "Pipfile.lock",
];
const SKIP_SUFFIXES: [&str; 7] = [".min.js", ".min.css", ".map", ".pyc", ".pyo", ".whl", ".egg-info"];
/// Files that are for no model to see.
const SECRET_NAMES: [&str; 6] = [".env", ".netrc", ".pgpass", "id_rsa", "id_ecdsa", "id_ed25519"];
const SECRET_SUFFIXES: [&str; 4] = [".pem", ".key", ".p12", ".pfx"];

/// Characters of the git status.
const STATUS_CHARS: usize = 10_000;
/// Ranked files, of those that are there, that are looked at for each one that is shown.
const TRIES: usize = 10;

/// How much goes into one request.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    pub(super) files: usize,
    pub(super) file_chars: usize,
    pub(super) tokens: usize,
}

/// Where paths are seen from.
#[derive(Debug)]
pub(super) struct Place<'p> {
    pub(super) workspace: &'p Workspace,
    pub(super) cwd: &'p Path,
    pub(super) home: Option<&'p Path>,
}

/// The message's text; `None` when there is nothing to show.
pub(super) fn message(
    ranked: &[Ranked],
    status: Option<&str>,
    place: &Place<'_>,
    limits: Limits,
) -> Option<String> {
    let mut text = format!(
        "# Context\n\nWorking directory: {}\n\nThis is how things are now. It holds against whatever was shown earlier, and is made anew for each request.",
        one_line(&place.cwd.display().to_string())
    );
    let mut left = limits.tokens.saturating_sub(tokens::count(&text));
    let mut add = |section: String| {
        let fits = tokens::count_up_to(&section, left);
        if let Some(tokens) = fits {
            left -= tokens;
            text.push_str(&section);
        }
        fits.is_some()
    };
    let (mut shown, mut looked_at) = (0, 0);
    let mut seen = BTreeSet::new();
    let said = status.is_some_and(|status| add(section("git status", &cut(status, STATUS_CHARS))));
    for file in ranked.iter().filter(|file| !is_left_out(&file.path)) {
        if shown == limits.files || looked_at == limits.files.saturating_mul(TRIES) {
            break;
        }
        let Ok(real) = file.path.canonicalize() else { continue };
        looked_at += 1;
        // A link may lead out of the workspace, to what only the user may show, or to a file that is shown.
        let is_outside = !file.attached && !real.starts_with(&place.workspace.root);
        if is_outside || is_left_out(&real) {
            continue;
        }
        if seen.insert(real.clone())
            && let Some(content) = content(&real, limits.file_chars)
            && add(section(&display(&file.path, place), &content))
        {
            shown += 1;
        }
    }
    (said || shown > 0).then_some(text)
}

/// A file's text; `None` for one that is left out.
fn content(path: &Path, most: usize) -> Option<String> {
    match read(path, most) {
        Ok(Some(Ok(text))) if text.chars().count() > most => None,
        Ok(Some(Ok(text))) => Some(text),
        Ok(Some(Err(_))) => Some("<binary file>".to_owned()),
        Ok(None) => None,
        Err(error) => {
            tracing::warn!(path = %path.display(), %error, "left out of the context");
            None
        }
    }
}

/// Whether nobody wants to see a file of that name, or nobody should.
fn is_left_out(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let is_example = [".example", ".sample", ".template"].iter().any(|suffix| name.ends_with(suffix));
    SKIP_NAMES.contains(&&*name)
        || SKIP_SUFFIXES.iter().any(|suffix| name.ends_with(suffix))
        || SECRET_NAMES.contains(&&*name)
        || SECRET_SUFFIXES.iter().any(|suffix| name.ends_with(suffix))
        || (name.starts_with(".env.") && !is_example)
}

type Text = Result<String, std::string::FromUtf8Error>;

/// A file's text, if it is a file and can have so few characters.
fn read(path: &Path, most: usize) -> io::Result<Option<Text>> {
    let data = path.metadata()?;
    let limit = (most as u64).saturating_mul(4);
    // Anything but a file, a pipe say, might never end.
    if !data.is_file() || data.len() > limit {
        return Ok(None);
    }
    let mut bytes = Vec::new();
    // It may grow meanwhile.
    File::open(path)?.take(limit).read_to_end(&mut bytes)?;
    Ok(Some(String::from_utf8(bytes)))
}

/// A blank line, and the text in a fence longer than any in it.
fn section(tag: &str, text: &str) -> String {
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(4.max(longest + 1));
    let end = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
    format!("\n\n{fence}{tag}\n{text}{end}{fence}")
}

fn cut(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((at, _)) => format!("{}\n… (cut)", &text[..at]),
        None => text.to_owned(),
    }
}

/// A path as the model would write it: from the current directory where both are in the workspace, `~/…`
/// below home, else absolute.
fn display(path: &Path, place: &Place<'_>) -> String {
    let root = &place.workspace.root;
    let cwd = place.cwd.canonicalize().unwrap_or_else(|_| place.cwd.to_owned());
    let shown = if path.starts_with(root) && cwd.starts_with(root) {
        from(&cwd, path).display().to_string()
    } else {
        match place.home.and_then(|home| path.strip_prefix(home).ok()) {
            Some(rest) => format!("~/{}", rest.display()),
            None => path.display().to_string(),
        }
    };
    one_line(&shown)
}

fn from(cwd: &Path, path: &Path) -> PathBuf {
    let common = cwd.components().zip(path.components()).take_while(|(a, b)| a == b).count();
    let up = cwd.components().skip(common).map(|_| Component::ParentDir);
    up.chain(path.components().skip(common)).collect()
}

/// What a fence's tag and a line can hold.
fn one_line(text: &str) -> String {
    text.chars().map(|c| if c.is_control() || c == '`' { '\u{fffd}' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fence_is_longer_than_any_in_its_text() {
        assert_eq!(section("a.md", "x"), "\n\n````a.md\nx\n````");
        assert_eq!(section("a", "```\n`````\n"), "\n\n``````a\n```\n`````\n``````");
        assert_eq!(section("a", ""), "\n\n````a\n````");
    }

    #[test]
    fn names_that_are_left_out() {
        for name in ["Cargo.lock", "a.min.js", "b.map", ".env", ".env.local", "server.pem", "id_rsa"] {
            assert!(is_left_out(Path::new(name)), "{name}");
        }
        for name in ["cargo.lock", "min.js", ".env.example", "keys.rs", "environment"] {
            assert!(!is_left_out(Path::new(name)), "{name}");
        }
    }

    #[test]
    fn paths_are_shown_as_seen_from_the_current_directory() {
        let workspace = Workspace::at(Path::new("/nowhere/h/w"));
        let show = |cwd: &str, path: &str| {
            let place =
                Place { workspace: &workspace, cwd: Path::new(cwd), home: Some(Path::new("/nowhere/h")) };
            display(Path::new(path), &place)
        };
        assert_eq!(show("/nowhere/h/w", "/nowhere/h/w/src/a"), "src/a");
        assert_eq!(show("/nowhere/h/w/src", "/nowhere/h/w/src/a"), "a");
        assert_eq!(show("/nowhere/h/w/docs", "/nowhere/h/w/src/a"), "../src/a");
        assert_eq!(show("/nowhere", "/nowhere/h/w/src/a"), "~/w/src/a");
        assert_eq!(show("/nowhere/h/w", "/nowhere/x"), "/nowhere/x");
        assert_eq!(show("/nowhere/h/w", "/nowhere/h/w/a\n```b"), "a\u{fffd}\u{fffd}\u{fffd}\u{fffd}b");
    }

    #[test]
    fn a_long_status_is_cut() {
        assert_eq!(cut("äöü", 2), "äö\n… (cut)");
        assert_eq!(cut("äöü", 3), "äöü");
    }
}
