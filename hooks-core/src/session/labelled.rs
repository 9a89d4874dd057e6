//! The labels of a session, as hooks and hosts ask for them and set them.

use std::sync::{Arc, Weak};

use crate::plain::label::{Label, Labelled};

use super::timeline::{Recorded, RecordedLabel};
use super::{Inner, Session};

impl Session {
    /// What the session has met so far, by name.
    ///
    /// ```
    /// use hookspec::session::Label;
    /// use hookspec::{Hooks, Registry, Session};
    ///
    /// let session = Session::builder(&Hooks::new(Registry::builder().linked(false).build()?), "s").build();
    /// assert!(session.add_label(Label::FOREIGN_TEXT, "a page was fetched"));
    /// assert!(!session.add_label(Label::FOREIGN_TEXT, "and another one"), "it has it");
    /// let labels = session.labels();
    /// assert_eq!((labels.len(), &*labels[0].why), (1, "a page was fetched"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn labels(&self) -> Vec<Labelled> {
        self.0.labels.all()
    }

    /// Whether it carries a label.
    #[must_use]
    pub fn has_label(&self, label: &Label) -> bool {
        self.0.labels.has(label)
    }

    /// Sets a label for good, and tells why in a few words that hold nothing private: users read them. Every hook that asks
    /// from now on sees it, on whatever thread, also after the session was resumed. So does the session that started this one.
    ///
    /// Gives whether it is new. Where it could not be stored it stands all the same, and the next
    /// [`flush`](Self::flush) tries again, and fails where that fails: nothing goes on from it.
    pub fn add_label(&self, label: Label, why: impl AsRef<str>) -> bool {
        let why = &*self.redacted(why.as_ref());
        let labelled = Labelled::new(label, why, self.clock().now());
        if !self.0.labels.add(&labelled) {
            return false;
        }
        self.keep_labels(Some(&labelled));
        tracing::info!(session = self.id(), %labelled, "a session is labelled");
        let (label, at, offset) = (labelled.label.clone(), labelled.at, self.age());
        self.observe(Recorded::Labelled(RecordedLabel { labelled, at, offset }));
        if let Some(parent) = self.0.parent_labels.upgrade() {
            Self(parent).add_label(label, format!("its sub-session `{}`: {why}", self.0.id));
        }
        true
    }

    /// Hands the sink what it does not have yet.
    pub(super) fn keep_labels(&self, new: Option<&Labelled>) {
        self.0.labels.keep(|all| self.0.log.keep_labels(&self.0.id, new, all));
    }

    pub(super) fn weak(&self) -> Weak<Inner> {
        Arc::downgrade(&self.0)
    }
}
