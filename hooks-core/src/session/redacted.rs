//! What a session gives to be kept or sent is redacted.

use std::borrow::Cow;

use super::Session;
use super::redact::Redactable;

impl Session {
    /// A text as it may be kept or sent: without what the redactors of this program take out. For whatever a hook or a tool
    /// puts into a file, a database, a program or a request of its own. What it gives to the session is redacted there.
    ///
    /// ```
    /// use hookspec::hooks::BoxError;
    /// use hookspec::redact::{Cut, Opening, Redact, Redactor};
    /// use hookspec::{Hooks, Message, Registry, Session};
    ///
    /// struct Swearwords;
    ///
    /// impl Redactor for Swearwords {
    ///     fn name(&self) -> &'static str {
    ///         "manners"
    ///     }
    ///     fn open(&self, _: &Opening<'_>) -> Box<dyn Redact> {
    ///         Box::new(Self)
    ///     }
    /// }
    ///
    /// impl Redact for Swearwords {
    ///     fn find(&self, text: &str) -> Result<Vec<Cut>, BoxError> {
    ///         let found = text.match_indices("blast").map(|(at, word)| at..at + word.len());
    ///         Ok(found.map(|range| Cut { range, stand_in: "b…".into() }).collect())
    ///     }
    /// }
    ///
    /// let registry = Registry::builder().linked(false).redactor(&Swearwords).build()?;
    /// let session = Session::builder(&Hooks::new(registry), "s").build();
    /// assert_eq!(session.redacted("oh blast it"), "oh b… it");
    /// assert_eq!(session.append(Message::user("blast"))?.content, "b…");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn redacted<'t>(&self, text: &'t str) -> Cow<'t, str> {
        self.0.redactions.redacted(text).map_or(Cow::Borrowed(text), Cow::Owned)
    }

    /// Takes out of a message, a call, a value what may not be kept or sent. Says whether there was anything.
    pub fn redact(&self, what: &mut (impl Redactable + ?Sized)) -> bool {
        !self.0.redactions.is_empty() && what.redact(&|text| self.0.redactions.redacted(text))
    }

    /// Whether anything is ever taken out.
    #[must_use]
    pub fn redacts(&self) -> bool {
        !self.0.redactions.is_empty()
    }
}
