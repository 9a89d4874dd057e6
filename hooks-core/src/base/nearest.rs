//! What somebody may have meant who wrote a name that is not there.

/// ` (did you mean …?)` with up to three similar names, or nothing.
#[cfg(feature = "json")]
pub(crate) fn nearest<'a>(wanted: &str, known: impl Iterator<Item = &'a str>) -> String {
    let mut scored: Vec<(f64, &str)> = known
        .map(|name| {
            let whole = strsim::jaro_winkler(wanted, name);
            let part = name.rsplit('.').next().map_or(0.0, |last| strsim::jaro_winkler(wanted, last));
            (whole.max(part), name)
        })
        .filter(|(score, _)| *score > 0.8)
        .collect();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(b.1)));
    scored.dedup_by(|a, b| a.1 == b.1);
    let names: Vec<_> = scored.iter().take(3).map(|(_, name)| format!("`{name}`")).collect();
    if names.is_empty() { String::new() } else { format!(" (did you mean {}?)", names.join(" or ")) }
}

/// Without the feature `json` nobody measures how near a name is.
#[cfg(not(feature = "json"))]
pub(crate) fn nearest<'a>(_: &str, _: impl Iterator<Item = &'a str>) -> String {
    String::new()
}

/// Whether a name differs from another by a letter or two: `read` and `read_file` are two tools, `raed_file` is none.
#[cfg(feature = "json")]
pub(crate) fn is_slip(written: &str, known: &str) -> bool {
    strsim::damerau_levenshtein(written, known) <= written.len() / 4
}

/// Without the feature `json` nobody measures that either.
#[cfg(not(feature = "json"))]
pub(crate) fn is_slip(_: &str, _: &str) -> bool {
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn similar_names_are_offered() {
        let known = ["linter.lint", "memory.save", "precommit.check"];
        assert_eq!(nearest("lintr", known.into_iter()), " (did you mean `linter.lint`?)");
        assert_eq!(nearest("zzz", known.into_iter()), "");
    }
}
