//! `before`, `after`, `tools` and `paths`: lists of names and patterns that the dispatcher reads.

use syn::LitStr;

use crate::errors::Errors;
use crate::options::Opts;

/// The lists that are given, as they are written.
pub(super) fn read(
    options: &Opts,
    own_name: Option<&str>,
    errors: &mut Errors,
) -> Vec<(&'static str, Vec<LitStr>)> {
    let mut lists = Vec::new();
    for key in ["before", "after", "tools", "paths"] {
        let Some(option) = options.get(key) else { continue };
        let texts = options.text_or_texts(key, errors);
        // An empty list that is no list is told already.
        if texts.is_empty()
            && matches!(option.value, Some(syn::Expr::Array(ref list)) if list.elems.is_empty())
        {
            errors.at(&option.value, format!("`{key} = []` says nothing; leave `{key}` out"));
        }
        for text in &texts {
            if let Err(why) = check(key, &text.value(), own_name) {
                errors.at(text, why);
            }
        }
        lists.push((key, texts));
    }
    lists
}

fn check(key: &str, text: &str, own_name: Option<&str>) -> Result<(), String> {
    match key {
        "tools" => pattern(text, &['[', ']', '{', '}', '!']),
        "paths" => path(text),
        _ if own_name == Some(text) => Err("a hook runs neither before nor after itself".to_owned()),
        _ => name(text),
    }
}

/// A hook's full name, a group, or a glob.
fn name(text: &str) -> Result<(), String> {
    let good = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '*' | '?');
    if text.is_empty() || !text.chars().all(good) {
        return Err("a hook is named as in lists, by its full name, its group or a glob, as in \"linter.lint\", \"linter\" or \"linter.*\"".to_owned());
    }
    Ok(())
}

fn pattern(text: &str, letters: &[char]) -> Result<(), String> {
    if text.trim().is_empty() || text.trim() != text {
        return Err(format!("`{text}` fits nothing: it is empty, or has spaces around it"));
    }
    match text.chars().find(|letter| letters.contains(letter)) {
        Some(letter) => Err(format!(
            "`{letter}` means nothing here: there are `*`, `?` and, in paths, `**`; a list takes several patterns"
        )),
        None => Ok(()),
    }
}

fn path(text: &str) -> Result<(), String> {
    pattern(text, &['[', ']', '{', '}', '\\'])?;
    if text.starts_with('!') {
        return Err(
            "`!` means nothing here: a list says what fits, the hook looks for what does not".to_owned()
        );
    }
    if text.starts_with('~') {
        return Err("`~` is known to shells only: a path is absolute or within the workspace, and `**/name` is that name wherever it is".to_owned());
    }
    let parts = || text.split('/').filter(|part| !part.is_empty() && *part != ".");
    if parts().any(|part| part == "..") {
        return Err(format!("`{text}` leads out of where it begins: write the path without `..`"));
    }
    if parts().next().is_none() {
        return Err(format!("`{text}` names no file"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::check;

    #[test]
    fn what_fits_nothing_is_told() {
        for (key, text, part) in [
            ("tools", "", "fits nothing"),
            ("tools", "shell ", "spaces"),
            ("tools", "{a,b}", "`{` means nothing"),
            ("paths", "*.{a,b}", "`{` means nothing"),
            ("paths", "a\\b", "`\\` means nothing"),
            ("paths", "!a", "`!` means nothing"),
            ("paths", "~/a", "shells"),
            ("paths", "a/../b", "without `..`"),
            ("paths", "./", "no file"),
            ("before", "a b", "as in lists"),
            ("after", "", "as in lists"),
            ("before", "own.name", "itself"),
        ] {
            let why = check(key, text, Some("own.name")).unwrap_err();
            assert!(why.contains(part), "{key} {text}: {why}");
        }
        for (key, text) in [
            ("tools", "mcp.*"),
            ("paths", "src/**"),
            ("paths", "*.py"),
            ("before", "linter.*"),
            ("after", "own"),
        ] {
            assert_eq!(check(key, text, Some("own.name")), Ok(()), "{key} {text}");
        }
    }
}
