//! What a session's workspace brings along: the hooks that its files name, in force or not.
//!
//! Each session has a workspace of its own below the root, and a project's hooks are for those who work in that project:
//! they are looked up when the session is opened, and again when it is opened next, so that what was trusted or changed
//! meanwhile counts then. Which files these are, and whom the user trusts, is the program's business and not ours: it
//! gives a function.

use std::path::Path;
use std::sync::Arc;

use hookspec::Hooks;
use hookspec::hooks::BoxError;

use crate::serve::Lend;

/// The hooks of the sessions that work in one place.
#[derive(Clone, Debug)]
pub struct Brought {
    /// All hooks and tools: those of the program, and those that the place brings.
    pub hooks: Hooks,
    /// What these hooks need beside the desk.
    pub lend: Lend,
    /// What of the place is not in force, and why: a sentence each, told to the session's clients.
    pub warnings: Vec<String>,
}

type Look = dyn Fn(&Path) -> Result<Brought, BoxError> + Send + Sync;

/// Looks up what workspaces bring.
#[derive(Clone, Default)]
pub struct Projects(Option<Arc<Look>>);

impl Projects {
    /// Asks `look` each time that a session is opened, on a thread that may wait for the disk. Where it fails the session
    /// is not opened: somebody who put a guard into a folder must not find the folder worked in without it.
    pub fn new(look: impl Fn(&Path) -> Result<Brought, BoxError> + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(look)))
    }

    /// What `workspace` brings; `None`: workspaces bring nothing here.
    pub(crate) fn look(&self, workspace: &Path) -> Option<Result<Brought, BoxError>> {
        self.0.as_ref().map(|look| look(workspace))
    }
}

impl std::fmt::Debug for Projects {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Projects").finish_non_exhaustive()
    }
}
