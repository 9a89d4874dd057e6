//! The walls around the scripts of a session.

use std::fmt;
use std::path::Path;
use std::sync::OnceLock;

use hookspec::Session;
use hookspec_process::sandbox::Sandbox;

type Make = dyn Fn(&Path) -> Sandbox + Send + Sync;

/// What the scripts of a session may do: an extension that a host lends. In a session without it they run as the user's own
/// programs do, as in other agents, where their client runs beside us as it likes.
pub struct Walls {
    make: Box<Make>,
    made: OnceLock<Sandbox>,
}

impl Walls {
    /// The sandbox that `make` gives for the session's workspace; it is asked once.
    pub fn new(make: impl Fn(&Path) -> Sandbox + Send + Sync + 'static) -> Self {
        Self { make: Box::new(make), made: OnceLock::new() }
    }

    /// The sandbox of a session's scripts, if they have one.
    pub(crate) fn of(session: &Session, workspace: &Path) -> Option<Sandbox> {
        let walls = session.extension::<Self>()?;
        Some(walls.made.get_or_init(|| (walls.make)(workspace)).clone())
    }
}

impl fmt::Debug for Walls {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Walls").field("made", &self.made).finish_non_exhaustive()
    }
}
