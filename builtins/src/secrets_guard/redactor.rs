//! The redactor: what core asks about every text that is kept or sent.

use std::fmt::Write;

use hookspec::Hooks;
use hookspec::hooks::BoxError;
use hookspec::redact::{Cut, Opening, Redact, Redactor};

use super::table::Found;
use super::{Redact as Wanted, Settings, credentials};

hookspec::redactor!(SecretsRedactor);

/// Takes credentials out of texts. It is no hook, and no list of hooks takes it away: `redact` in the settings does.
#[derive(Clone, Copy, Debug)]
pub(super) struct SecretsRedactor;

impl Redactor for SecretsRedactor {
    fn name(&self) -> &'static str {
        "secrets_guard"
    }

    fn open(&self, opening: &Opening<'_>) -> Box<dyn Redact> {
        Box::new(Opened { hooks: opening.hooks().clone() })
    }
}

/// The redactor of one session.
struct Opened {
    hooks: Hooks,
}

impl Redact for Opened {
    fn find(&self, text: &str) -> Result<Vec<Cut>, BoxError> {
        let settings = self.hooks.settings::<Settings>();
        if settings.redact == Wanted::Off {
            return Ok(Vec::new());
        }
        let found = credentials(text, &settings)?;
        let wanted = |found: &Found| !found.marked && (found.rule.sure || settings.redact == Wanted::All);
        Ok(found.into_iter().filter(wanted).map(|found| cut(text, found)).collect())
    }
}

fn cut(text: &str, found: Found) -> Cut {
    let mut stand_in = String::new();
    let _ = write!(stand_in, "[redacted: {}]", found.described(text));
    Cut { range: found.range, stand_in }
}
