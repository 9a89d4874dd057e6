//! Notices: what the user should know now, and the conversation need not keep.

use std::fmt;

type Show = Box<dyn Fn(&str) + Send + Sync>;

/// How a host shows a notice, if it does.
#[derive(Default)]
pub(crate) struct Notices(pub(crate) Option<Show>);

impl Notices {
    pub(crate) fn show(&self, session: &str, text: &str) {
        match &self.0 {
            Some(show) => show(text),
            None => tracing::info!(session, "{text}"),
        }
    }
}

impl fmt::Debug for Notices {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "Notices(shown)" } else { "Notices(logged)" })
    }
}
