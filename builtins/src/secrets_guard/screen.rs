//! The same table for built-ins that keep or send something by themselves: a commit, its message. It counts whatever `redact` says,
//! and what `hookspec: allow-secret` marks counts too, for it may be the model that wrote the mark.

use std::collections::HashSet;
use std::fmt::Write;

use hookspec::Session;

use super::{Settings, TableError, credentials, news};

/// Why a text is not to be kept: the first credential in it that was not there before, by its kind.
pub(crate) fn news_in(session: &Session, before: &str, text: &str) -> Result<Option<String>, TableError> {
    let found = credentials(text, &session.settings::<Settings>())?;
    let found = if found.is_empty() { found } else { news(found, text, before)? };
    if let Some(found) = found.first() {
        return Ok(Some(format!("line {} holds {}", found.line, found.described(text))));
    }
    // What this program knows by its value.
    let old: HashSet<&str> = before.lines().collect();
    let is_news = |line: &str| !old.contains(line) && session.redacted(line) != line;
    let line = text.lines().position(|line| session.redacts() && is_news(line));
    Ok(line.map(|index| format!("line {} holds a credential", index + 1)))
}

/// A text without what seems to be a credential.
pub(crate) fn without(session: &Session, text: &str) -> Result<String, TableError> {
    let text = session.redacted(text);
    let (mut kept, mut from) = (String::with_capacity(text.len()), 0);
    for found in credentials(&text, &session.settings::<Settings>())? {
        kept.push_str(text.get(from..found.range.start).unwrap_or_default());
        let _ = write!(kept, "[redacted: {}]", found.described(&text));
        from = found.range.end;
    }
    kept.push_str(text.get(from..).unwrap_or_default());
    Ok(kept)
}
