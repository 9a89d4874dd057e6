//! Similar names, for the messages about names that mean nothing.

/// ` (did you mean …?)` with up to three names that look like `wanted`, or nothing.
pub(crate) fn did_you_mean<'a>(wanted: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    let wanted = wanted.to_lowercase();
    let mut scored: Vec<(f64, &str)> = known
        .into_iter()
        .map(|name| {
            let lower = name.to_lowercase();
            let whole = strsim::jaro_winkler(&wanted, &lower);
            // Also the last part of a dotted name, since people remember a function better than its module.
            let last = lower.rsplit('.').next().map_or(0.0, |last| strsim::jaro_winkler(&wanted, last));
            (whole.max(last), name)
        })
        .filter(|(score, _)| *score > 0.8)
        .collect();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(b.1)));
    scored.dedup_by(|a, b| a.1 == b.1);
    let names: Vec<_> = scored.iter().take(3).map(|(_, name)| format!("`{name}`")).collect();
    if names.is_empty() { String::new() } else { format!(" (did you mean {}?)", names.join(" or ")) }
}

/// The hook point of that name, by any of its names.
pub(crate) fn point(name: &str) -> Result<&'static dyn hookspec::point::AnyPoint, UnknownPoint> {
    hookspec::point::find_point(name).ok_or_else(|| {
        let all = hookspec::point::all_points();
        let known = all
            .iter()
            .map(|point| point.info())
            .flat_map(|info| [info.name, info.wire].into_iter().chain(info.aliases.iter().copied()));
        UnknownPoint { name: name.to_owned(), nearest: did_you_mean(name, known) }
    })
}

/// A name that no hook point has.
#[derive(Debug, thiserror::Error)]
#[error("no hook point is called `{name}`{nearest}; `hookspec points` lists them")]
pub(crate) struct UnknownPoint {
    name: String,
    nearest: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn capitals_and_the_last_part_of_a_name_are_enough() {
        assert_eq!(did_you_mean("lintt", ["linter.lint", "memory.save"]), " (did you mean `linter.lint`?)");
        assert_eq!(did_you_mean("file_post_sav", ["FILE_POST_SAVE"]), " (did you mean `FILE_POST_SAVE`?)");
        assert_eq!(did_you_mean("zzz", ["linter.lint"]), "");
    }
}
