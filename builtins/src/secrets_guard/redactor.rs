//! The redactor: what core asks about every text that is kept or sent.

use std::borrow::Cow;
use std::collections::VecDeque;
use std::fmt::Write;
use std::hash::{BuildHasher, RandomState};
use std::path::Path;
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};

use hookspec::Hooks;
use hookspec::hooks::BoxError;
use hookspec::redact::{Cut, Opening, Redact, Redactor};

use super::known::{Known, Now};
use super::table::Found;
use super::{Redact as Wanted, Settings, credentials};

hookspec::redactor!(SecretsRedactor);

/// A text as it may be shown where there is no session, with the defaults of the settings: for what a host writes to its own
/// log. In a session [`Session::redacted`](hookspec::Session::redacted) knows more.
#[must_use]
pub fn redacted(text: &str) -> Cow<'_, str> {
    static KNOWN: LazyLock<Known> = LazyLock::new(|| Known::new(None, variables()));
    let Ok(mut cuts) = cuts(&KNOWN.now(), &Settings::default(), text) else {
        return Cow::Borrowed("[withheld: it could not be looked at]");
    };
    if cuts.is_empty() {
        return Cow::Borrowed(text);
    }
    cuts.sort_by_key(|cut| std::cmp::Reverse(cut.range.start));
    let mut out = text.to_owned();
    let mut before = text.len();
    for cut in cuts {
        // Of two that overlap the first is taken out, and the rest of the second.
        let end = cut.range.end.min(before);
        out.replace_range(cut.range.start..end, &cut.stand_in);
        before = cut.range.start;
    }
    Cow::Owned(out)
}

/// The host's variables.
fn variables() -> impl Iterator<Item = (String, String)> {
    let text = |os: std::ffi::OsString| os.into_string().ok();
    std::env::vars_os().filter_map(move |(name, value)| Some((text(name)?, text(value)?)))
}

/// Takes credentials out of texts. It is no hook, and no list of hooks takes it away: `redact` in the settings does.
#[derive(Clone, Copy, Debug)]
pub(super) struct SecretsRedactor;

impl Redactor for SecretsRedactor {
    fn name(&self) -> &'static str {
        "secrets_guard"
    }

    fn open(&self, opening: &Opening<'_>) -> Box<dyn Redact> {
        let workspace = opening.workspace().map(Path::to_owned);
        let known = Known::new(workspace, variables());
        Box::new(Opened { hooks: opening.hooks().clone(), known, clean: Clean::default() })
    }
}

/// The redactor of one session.
struct Opened {
    hooks: Hooks,
    known: Known,
    clean: Clean,
}

impl Redact for Opened {
    fn find(&self, text: &str) -> Result<Vec<Cut>, BoxError> {
        let (known, settings) = (self.known.now(), self.hooks.settings::<Settings>());
        if text.len() < REMEMBERED {
            return cuts(&known, &settings, text);
        }
        let sign = self.clean.sign(text);
        if self.clean.has(sign, &settings, known.version) {
            return Ok(Vec::new());
        }
        let cuts = cuts(&known, &settings, text)?;
        if cuts.is_empty() {
            self.clean.add(sign);
        }
        Ok(cuts)
    }
}

/// A shorter text is looked at sooner than it is remembered.
const REMEMBERED: usize = 256;
/// So many texts are remembered: a result comes by in its tool, at the hooks, in the log and in the next request.
const TEXTS: usize = 64;

/// The texts that were looked at last and have nothing in them, by a hash with a key of this process: a text that is to pass for
/// one of them cannot be made.
#[derive(Default)]
struct Clean {
    key: RandomState,
    held: Mutex<Remembered>,
}

#[derive(Default)]
struct Remembered {
    signs: VecDeque<u64>,
    /// By what it was looked at.
    settings: Option<Arc<Settings>>,
    known: u64,
}

impl Clean {
    fn sign(&self, text: &str) -> u64 {
        self.key.hash_one(text)
    }

    fn lock(&self) -> MutexGuard<'_, Remembered> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether it was found clean, by the same settings and known values.
    fn has(&self, sign: u64, settings: &Arc<Settings>, known: u64) -> bool {
        let mut held = self.lock();
        let is_same = held.settings.as_ref().is_some_and(|held| Arc::ptr_eq(held, settings));
        if !is_same || held.known != known {
            *held = Remembered { signs: VecDeque::new(), settings: Some(Arc::clone(settings)), known };
        }
        held.signs.contains(&sign)
    }

    fn add(&self, sign: u64) {
        let mut held = self.lock();
        if held.signs.len() >= TEXTS {
            held.signs.pop_front();
        }
        held.signs.push_back(sign);
    }
}

fn cuts(known: &Now, settings: &Settings, text: &str) -> Result<Vec<Cut>, BoxError> {
    if settings.redact == Wanted::Off {
        return Ok(Vec::new());
    }
    // What is known is told by where it is from, also where its form tells what it is.
    let mut cuts = known.find(text);
    cuts.retain(|cut| !text.get(cut.range.clone()).is_some_and(|value| settings.allow_values.fit(value)));
    let free = |found: &Found| {
        let (from, to) = (found.range.start, found.range.end);
        !cuts.iter().any(|cut| cut.range.start < to && from < cut.range.end)
    };
    // A mark on its line is for files: what a program prints may have one on each.
    let wanted = |found: &Found| (found.rule.sure || settings.redact == Wanted::All) && free(found);
    let found: Vec<_> = credentials(text, settings)?.into_iter().filter(wanted).collect();
    cuts.extend(found.into_iter().map(|found| cut(text, found)));
    Ok(cuts)
}

fn cut(text: &str, found: Found) -> Cut {
    let mut stand_in = String::new();
    let _ = write!(stand_in, "[redacted: {}]", found.described(text));
    Cut { range: found.range, stand_in }
}
