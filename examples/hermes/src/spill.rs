//! Texts that are too long for a prompt: the whole goes into a file, the two ends go on.

use std::fs::DirBuilder;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Where long texts go, and how much of them goes on. The defaults are Hermes's (`hooks.output_spill`).
#[derive(Clone, Debug)]
pub struct Spill {
    /// Characters that a text may have to go on whole.
    pub max_chars: usize,
    /// Characters of a longer one that go on from its beginning.
    pub preview_head: usize,
    /// Characters of a longer one that go on from its end.
    pub preview_tail: usize,
    /// The folder; a folder a session below it.
    pub directory: PathBuf,
}

impl Default for Spill {
    /// `hook_outputs` in `HERMES_HOME`, or where that is not said a folder of this process among the temporary files. A
    /// host that keeps sessions names a folder of its own.
    fn default() -> Self {
        Self::in_folder(match std::env::var_os("HERMES_HOME").filter(|home| !home.is_empty()) {
            Some(home) => PathBuf::from(home).join("hook_outputs"),
            None => std::env::temp_dir().join(format!("hookspec-hermes-{}", std::process::id())),
        })
    }
}

impl Spill {
    /// Hermes's figures, in this folder.
    pub fn in_folder(directory: impl Into<PathBuf>) -> Self {
        Self { max_chars: 10_000, preview_head: 500, preview_tail: 500, directory: directory.into() }
    }

    /// The text itself, or its two ends and where the whole is.
    #[must_use]
    pub fn fit(&self, session: &str, text: String) -> String {
        let count = text.chars().count();
        if count <= self.max_chars {
            return text;
        }
        let place = match self.keep(session, &text) {
            Ok(path) => format!("the whole is in {}", path.display()),
            Err(error) => {
                let folder = self.directory.display();
                tracing::warn!(%folder, %error, "a long text of a callback could not be kept");
                format!("the whole could not be kept in {folder}: {error}")
            }
        };
        let (head, tail) = (first(&text, self.preview_head), last(&text, self.preview_tail));
        format!("[{count} characters; {place}]\n{head}\n[…]\n{tail}")
    }

    fn keep(&self, session: &str, text: &str) -> io::Result<PathBuf> {
        let folder = self.directory.join(folder_name(session));
        private_folder(&folder)?;
        // A name that nobody can guess, a file that was not there, readable by its owner only.
        let mut file = tempfile::Builder::new().prefix("context-").suffix(".txt").tempfile_in(&folder)?;
        file.write_all(text.as_bytes())?;
        file.keep().map(|(_, path)| path).map_err(|error| error.error)
    }
}

fn private_folder(folder: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.recursive(true).create(folder)
}

/// A session's id as the name of a folder: no way up, no way elsewhere.
fn folder_name(session: &str) -> String {
    let safe = |c: char| if c.is_ascii_alphanumeric() || c == '-' || c == '_' { c } else { '_' };
    let name: String = session.chars().take(100).map(safe).collect();
    if name.is_empty() { "_".to_owned() } else { name }
}

fn first(text: &str, count: usize) -> &str {
    text.char_indices().nth(count).map_or(text, |(end, _)| &text[..end])
}

fn last(text: &str, count: usize) -> &str {
    let skipped = text.chars().count().saturating_sub(count);
    text.char_indices().nth(skipped).map_or("", |(start, _)| &text[start..])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn long() -> String {
        format!("{}{}{}", "h".repeat(600), "ä".repeat(10_000), "t".repeat(600))
    }

    #[test]
    fn what_fits_goes_on_whole_and_no_folder_is_made() {
        let folder = tempfile::tempdir().unwrap();
        let spill = Spill::in_folder(folder.path().join("spill"));
        let text = "ä".repeat(10_000);
        assert_eq!(spill.fit("s", text.clone()), text);
        assert!(!folder.path().join("spill").exists());
        assert_ne!(spill.fit("s", text.clone() + "x"), text + "x", "one more is too many");
    }

    #[test]
    fn what_does_not_fit_goes_on_as_its_two_ends_and_the_file_has_all_of_it() {
        let folder = tempfile::tempdir().unwrap();
        let said = Spill::in_folder(folder.path()).fit("s", long());
        assert!(said.contains(&format!("\n{}\n[…]\n{}", "h".repeat(500), "t".repeat(500))), "{said}");
        assert!(!said.contains(&"h".repeat(501)) && !said.contains('ä'));
        let path = said.split_once(" is in ").and_then(|(_, rest)| rest.split_once(']')).unwrap().0;
        assert_eq!(std::fs::read_to_string(path).unwrap(), long());
        assert!(said.starts_with("[11200 characters; "), "{said}");
    }

    #[cfg(unix)]
    #[test]
    fn the_file_and_its_folder_are_the_owners_alone_and_no_file_is_written_twice() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let spill = Spill::in_folder(folder.path().join("deep/spill"));
        let files = [(); 2].map(|()| {
            let said = spill.fit("s", long());
            said.split_once(" is in ").and_then(|(_, rest)| rest.split_once(']')).unwrap().0.to_owned()
        });
        assert_ne!(files[0], files[1]);
        let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(Path::new(&files[0])), 0o600);
        assert_eq!(mode(Path::new(&files[0]).parent().unwrap()), 0o700);
    }

    #[test]
    fn a_sessions_name_leads_nowhere_else() {
        let folder = tempfile::tempdir().unwrap();
        let spill = Spill::in_folder(folder.path().join("in"));
        for session in ["../../out", "/etc/x", "..", "", "a/b\0c"] {
            let said = spill.fit(session, long());
            assert!(said.contains(" is in "), "{session}: {said}");
        }
        let outside: Vec<_> = std::fs::read_dir(folder.path()).unwrap().flatten().collect();
        assert_eq!(outside.len(), 1, "{outside:?}");
        assert!(
            std::fs::read_dir(folder.path().join("in")).unwrap().flatten().all(|entry| entry.path().is_dir())
        );
    }

    #[test]
    fn where_nothing_can_be_written_there_is_still_a_preview() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        std::fs::write(&file, "").unwrap();
        let said = Spill::in_folder(&file).fit("s", long());
        assert!(said.contains("could not be kept") && said.contains(&"h".repeat(500)), "{said}");
        assert!(said.ends_with(&"t".repeat(500)));
    }
}
