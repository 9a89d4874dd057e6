//! Redaction: what must not be kept or sent is taken out of every text on its way in, by core itself.
//!
//! A redactor is no hook. No hook sees a result, a prompt or an error before it; no allowlist, no switch and no quarantine takes
//! it away; and what it says is not recorded with what it found. Core and the engine ask it, in one place for each way in: what is
//! appended to a log or restored into one, what a tool gave back, what goes to a model and what streams from it, errors, and all
//! that an observer is told. Plugins ask it with [`Session::redacted`](crate::Session::redacted) for what they keep or send themselves.
//!
//! One that fails holds the text back, and says so in its place.

mod redactable;

use std::fmt;
use std::ops::Range;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::base::boxed::BoxError;
use crate::base::gathered::list;
use crate::base::guard::guarded;
use crate::set::Hooks;

pub use redactable::{Redactable, With};

/// Takes out of texts what must not be kept or sent. A crate of hooks brings one with [`redactor!`](crate::redactor).
pub trait Redactor: Sync + 'static {
    /// What it is called where it fails: the group of hooks that it belongs to.
    fn name(&self) -> &'static str;

    /// One for a session. Called while the session is made: what takes long is done when the first text comes.
    fn open(&self, opening: &Opening<'_>) -> Box<dyn Redact>;
}

/// A redactor in one session.
pub trait Redact: Send + Sync {
    /// What is to be taken out of a text. Called for every text, on the thread that has it: be quick.
    ///
    /// # Errors
    /// If it cannot tell. The text is withheld then.
    fn find(&self, text: &str) -> Result<Vec<Cut>, BoxError>;
}

/// Something that is taken out of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cut {
    /// Where it is, in bytes.
    pub range: Range<usize>,
    /// What stands there instead.
    pub stand_in: String,
}

/// What a redactor is opened for.
#[derive(Debug)]
pub struct Opening<'a> {
    hooks: &'a Hooks,
    workspace: Option<&'a Path>,
}

impl<'a> Opening<'a> {
    pub(super) fn new(hooks: &'a Hooks, workspace: Option<&'a Path>) -> Self {
        Self { hooks, workspace }
    }

    /// The hooks of the session: they have the settings, as they are now and as they will be.
    #[must_use]
    pub fn hooks(&self) -> &'a Hooks {
        self.hooks
    }

    /// The directory tree that the session works in.
    #[must_use]
    pub fn workspace(&self) -> Option<&'a Path> {
        self.workspace
    }
}

list! {
    /// Every linked redactor.
    REDACTORS: &'static dyn Redactor;
}

/// The redactors of a registry.
pub(crate) struct Redactors(pub(crate) Vec<&'static dyn Redactor>);

impl Redactors {
    /// Those that are linked, if they are wanted, and those that were brought by hand.
    pub(crate) fn of(linked: bool, by_hand: &[&'static dyn Redactor]) -> Self {
        let mut all = by_hand.to_vec();
        if linked {
            all.extend(REDACTORS.iter().copied());
        }
        all.sort_by_key(|redactor| redactor.name());
        all.dedup_by_key(|redactor| redactor.name());
        Self(all)
    }
}

/// The redactors of a session.
#[derive(Default)]
pub(super) struct Redactions {
    all: Vec<(&'static str, Box<dyn Redact>)>,
    /// Whether somebody was told that one failed.
    told: AtomicBool,
}

/// The redactor that could not look at a text.
pub(super) struct Failed<'a>(&'a str);

impl Failed<'_> {
    /// What stands in the place of a text that was not looked at. What the redactor said of it may hold it.
    pub(super) fn stand_in(&self) -> String {
        format!("[withheld: the redactor `{}` failed, so this text is neither kept nor sent]", self.0)
    }
}

impl Redactions {
    pub(super) fn open(opening: &Opening<'_>) -> Self {
        let registry = opening.hooks.load();
        let redactors = registry.kept::<Redactors>().map_or(&[][..], |redactors| &redactors.0);
        let all = redactors.iter().map(|redactor| {
            let opened = guarded(|| redactor.open(opening));
            (redactor.name(), opened.unwrap_or_else(|_| Box::new(Never)))
        });
        Self { all: all.collect(), told: AtomicBool::default() }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// What is to be taken out, in the order of the text; none of it lies in another.
    pub(super) fn cuts(&self, text: &str) -> Result<Vec<Cut>, Failed<'_>> {
        let mut cuts = Vec::new();
        for (name, redact) in &self.all {
            match guarded(|| redact.find(text)) {
                Ok(Ok(found)) if found.iter().all(|cut| text.get(cut.range.clone()).is_some()) => {
                    cuts.extend(found);
                }
                _ => {
                    if !self.told.swap(true, Ordering::Relaxed) {
                        tracing::error!(
                            redactor = name,
                            "this redactor failed: what it cannot look at is withheld"
                        );
                    }
                    return Err(Failed(name));
                }
            }
        }
        cuts.retain(|cut| !cut.range.is_empty());
        cuts.sort_by_key(|cut| (cut.range.start, std::cmp::Reverse(cut.range.end)));
        let mut apart: Vec<Cut> = Vec::with_capacity(cuts.len());
        for cut in cuts {
            match apart.last_mut().filter(|last| cut.range.start < last.range.end) {
                Some(last) => last.range.end = last.range.end.max(cut.range.end),
                None => apart.push(cut),
            }
        }
        Ok(apart)
    }

    /// The text without what must not be kept; `None` where it may be as it is.
    pub(super) fn redacted(&self, text: &str) -> Option<String> {
        if self.all.is_empty() || text.is_empty() {
            return None;
        }
        let cuts = match self.cuts(text) {
            Ok(cuts) if cuts.is_empty() => return None,
            Ok(cuts) => cuts,
            Err(failed) => return Some(failed.stand_in()),
        };
        let mut redacted = String::with_capacity(text.len());
        let mut from = 0;
        for Cut { range, stand_in } in cuts {
            redacted.push_str(text.get(from..range.start).unwrap_or_default());
            redacted.push_str(&stand_in);
            from = range.end;
        }
        redacted.push_str(text.get(from..).unwrap_or_default());
        Some(redacted)
    }
}

/// A redactor that could not be opened.
struct Never;

impl Redact for Never {
    fn find(&self, _: &str) -> Result<Vec<Cut>, BoxError> {
        Err("it could not be opened".into())
    }
}

impl fmt::Debug for Redactions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.all.iter().map(|(name, _)| name)).finish()
    }
}

/// Brings a [`Redactor`] into every program that links this crate: `hookspec::redactor!(MyRedactor);` with a constant of a type
/// that implements it.
#[macro_export]
macro_rules! redactor {
    ($redactor:expr) => {
        const _: () = {
            $crate::__gathered!([$crate::__private::REDACTORS] &'static dyn $crate::redact::Redactor = &$redactor);
        };
    };
}
