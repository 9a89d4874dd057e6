//! Where hooks may keep files.

use std::path::{Path, PathBuf};

/// The folder in which the host lets hooks keep files that outlive a session: an extension of the session. Absolute; it
/// need not exist yet. A host that lends none has nowhere for them.
///
/// ```
/// use std::path::Path;
/// use std::sync::Arc;
/// use hookspec::{Hooks, Registry, Session, session::StateDir};
///
/// let hooks = Hooks::new(Registry::builder().build()?);
/// let session = Session::builder(&hooks, "demo").extension(Arc::new(StateDir("/var/agent".into()))).build();
/// let place = session.extension::<StateDir>().map(|state| state.resolve(Path::new("notes.sqlite")));
/// assert_eq!(place.as_deref(), Some(Path::new("/var/agent/notes.sqlite")));
/// # Ok::<(), hookspec::registry::BuildError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StateDir(
    /// The folder.
    pub PathBuf,
);

impl StateDir {
    /// A path from the settings: as it is where it is absolute, else within this folder.
    #[must_use]
    pub fn resolve(&self, path: &Path) -> PathBuf {
        self.0.join(path)
    }
}
