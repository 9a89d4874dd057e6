//! The callbacks of one hook: asked in order, each by itself.

use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Mutex, PoisonError};

use hookspec::Session;
use hookspec::hooks::BoxError;
use serde_json::{Map, Value};

use crate::directive::{Directive, lower};
use crate::kwargs::kwargs;
use crate::table::Row;

use super::{About, Named};

/// The callbacks of one hook.
pub(crate) struct Set {
    pub(crate) row: &'static Row,
    pub(crate) callbacks: Vec<Named>,
    pub(crate) about: About,
    /// What was complained about already.
    warned: Mutex<BTreeSet<String>>,
}

/// What the callbacks of a set said, in order; a callback that failed said nothing.
pub(crate) struct Answers {
    pub(crate) said: Vec<Directive>,
    /// The first that failed, and how.
    pub(crate) failed: Option<String>,
}

impl Set {
    pub(crate) fn new(row: &'static Row, first: Named, about: About) -> Self {
        Self { row, callbacks: vec![first], about, warned: Mutex::default() }
    }

    /// What they are told of an event.
    pub(crate) fn told(&self, event: &Value, session: &Session) -> Result<Map<String, Value>, BoxError> {
        kwargs(self.row.name, event, session, &self.about.platform)
    }

    /// Asks them all. None hears of what another said, and none keeps another from being asked.
    pub(crate) fn ask(&self, told: &Map<String, Value>, session: &Session) -> Answers {
        let mut answers = Answers { said: Vec::new(), failed: None };
        for callback in &self.callbacks {
            match call(callback, told, session) {
                Ok(returned) => match lower(self.row.name, &returned) {
                    Ok(directive) => answers.said.push(directive),
                    Err(error) => self.warn_once(callback, &format!("{error}; it is ignored")),
                },
                Err(error) => {
                    let fields: Vec<_> = told.keys().map(String::as_str).collect();
                    let text = format!("{error}; it is told {}", fields.join(", "));
                    self.warn_once(callback, &text);
                    answers.failed.get_or_insert(format!("the callback `{}` {error}", callback.name));
                }
            }
        }
        answers
    }

    fn warn_once(&self, callback: &Named, text: &str) {
        /// Two texts that begin alike are the same complaint.
        const TOLD_APART: usize = 200;
        let beginning: String = text.chars().take(TOLD_APART).collect();
        let key = format!("{}: {beginning}", callback.name);
        let first = self.warned.lock().unwrap_or_else(PoisonError::into_inner).insert(key);
        if first {
            tracing::warn!(hook = self.row.name, callback = callback.name, "{text}");
        } else {
            tracing::debug!(hook = self.row.name, callback = callback.name, "{text}");
        }
    }
}

/// Calls one callback; its failure, a panic included, as the end of a sentence.
pub(crate) fn call(callback: &Named, told: &Map<String, Value>, session: &Session) -> Result<Value, String> {
    match catch_unwind(AssertUnwindSafe(|| (callback.call)(told, session))) {
        Ok(Ok(returned)) => Ok(returned),
        Ok(Err(error)) => Err(format!("failed: {error}")),
        Err(payload) => {
            let text = payload.downcast_ref::<&str>().map(|text| (*text).to_owned());
            let text = text.or_else(|| payload.downcast_ref::<String>().cloned());
            Err(format!("panicked: {}", text.unwrap_or_else(|| "with something that is no text".to_owned())))
        }
    }
}
