//! The one run of a once-only hook.

use super::Session;

/// A once-only hook that runs. Unless it is [done](Self::done) it counts as not run.
pub(crate) struct OnceRun {
    session: Session,
    what: (&'static str, String),
}

impl OnceRun {
    fn begin(session: &Session, point: &'static str, hook: &str) -> Option<Self> {
        let what = (point, hook.to_owned());
        session.once().begin(&what).then(|| Self { session: session.clone(), what })
    }

    /// It ran to its end.
    pub(crate) fn done(self) {
        self.session.once().done(&self.what);
    }
}

impl Drop for OnceRun {
    fn drop(&mut self) {
        self.session.once().end(&self.what);
    }
}

impl Session {
    /// Begins the one run of a once-only hook; `None` if it ran already.
    pub(crate) fn begin_once(&self, point: &'static str, hook: &str) -> Option<OnceRun> {
        OnceRun::begin(self, point, hook)
    }
}
