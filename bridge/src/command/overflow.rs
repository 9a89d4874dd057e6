//! Texts that are too long for a conversation: the beginning goes there, the whole into a file.

use std::io::Write;
use std::path::{Path, PathBuf};

/// Characters that a text may have to go on whole.
pub const WHOLE: usize = 10_000;
/// Characters of a longer one that go on.
pub const PREVIEW: usize = 2_000;

/// What their files' names begin with.
const PREFIX: &str = "hook-";
/// So many of them are kept for a session; then the oldest go.
pub(super) const KEPT: usize = 100;

/// Where the wholes of long texts are kept.
#[derive(Clone, Debug)]
pub struct Overflow {
    folder: PathBuf,
}

impl Overflow {
    /// Keeps them in this folder, one folder a session below it. It is made when it is first needed.
    pub fn in_folder(folder: impl Into<PathBuf>) -> Self {
        Self { folder: folder.into() }
    }

    /// The text itself, or its beginning and where the whole is.
    #[must_use]
    pub fn fit(&self, session: &str, text: String) -> String {
        let count = text.chars().count();
        if count <= WHOLE {
            return text;
        }
        let end = text.char_indices().nth(PREVIEW).map_or(text.len(), |(index, _)| index);
        let preview = &text[..end];
        match self.keep(session, &text) {
            Ok(path) => format!("{preview}\n… all {count} characters are in {}", path.display()),
            Err(error) => {
                tracing::warn!(folder = %self.folder.display(), %error, "a hook's long text could not be kept");
                format!("{preview}\n… {count} characters in all; the rest could not be kept: {error}")
            }
        }
    }

    fn keep(&self, session: &str, text: &str) -> std::io::Result<PathBuf> {
        let folder = self.folder.join(file_name(session));
        std::fs::create_dir_all(&folder)?;
        let mut file = tempfile::Builder::new().prefix(PREFIX).suffix(".txt").tempfile_in(&folder)?;
        file.write_all(text.as_bytes())?;
        let path = file.keep()?.1;
        forget_oldest(&folder);
        Ok(path)
    }
}

/// A hook may write a long text after each tool call of a session that lasts for days.
fn forget_oldest(folder: &Path) {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let ours = entries.filter(|entry| entry.file_name().to_string_lossy().starts_with(PREFIX));
    let mut kept: Vec<_> =
        ours.filter_map(|entry| Some((entry.metadata().ok()?.modified().ok()?, entry.path()))).collect();
    kept.sort_unstable();
    for (_, path) in kept.iter().take(kept.len().saturating_sub(KEPT)) {
        if let Err(error) = std::fs::remove_file(path) {
            tracing::warn!(path = %path.display(), %error, "an old long text of a hook could not be removed");
        }
    }
}

/// A session's id as a file's name: no way up, no way elsewhere.
fn file_name(session: &str) -> PathBuf {
    let safe = |c: char| if c.is_alphanumeric() || c == '-' || c == '_' { c } else { '_' };
    let name: String = session.chars().take(100).map(safe).collect();
    Path::new(if name.is_empty() { "_" } else { &name }).to_owned()
}
