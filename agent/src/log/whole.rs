//! Files that are written whole.

use std::io::{self, Write};
use std::path::Path;

/// Writes a file through a temporary one beside it: whoever reads it, after a crash too, finds the old
/// text or the new.
///
/// # Errors
/// What the system says; the old file is untouched then.
pub fn write_whole(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let folder = path.parent().ok_or_else(|| io::Error::other("the path has no folder"))?;
    let mut file = tempfile::Builder::new().prefix(".hookspec-").tempfile_in(folder)?;
    file.write_all(bytes)?;
    file.as_file().sync_all()?;
    file.persist(path).map_err(|error| error.error)?;
    Ok(())
}
