//! Which names hooks, tools and points may have, and why not.

/// A hook's full name: `group.name`.
pub(crate) fn hook(name: &str) -> Result<(), &'static str> {
    let good = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    if name.is_empty() || !name.chars().all(good) || name.split('.').any(str::is_empty) {
        return Err(
            "a hook's name is letters, digits, `_` and `-`, with `.` between group and name, as in \"linter.lint\"",
        );
    }
    Ok(())
}

/// A tool's name, as every provider of models takes it.
pub(crate) fn tool(name: &str) -> Result<(), &'static str> {
    let good = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    if name.is_empty() || name.len() > 64 || !name.chars().all(good) {
        return Err(
            "a tool's name is 1 to 64 letters (a to z, A to Z), digits, `_` and `-`, as in \"read_file\": models' providers refuse any other",
        );
    }
    Ok(())
}

/// A point's name on the wire.
pub(crate) fn wire(name: &str) -> Result<(), &'static str> {
    let good = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    if !name.chars().all(good) || name.split('.').any(str::is_empty) {
        return Err(
            "a hook point's name on the wire is letters, digits, `_` and `-`, with `.` between its parts, as in \"bake.pre\"",
        );
    }
    Ok(())
}

/// Whether a word is written as hook points' names are: `FILE_POST_SAVE`.
pub(crate) fn is_point(name: &str) -> bool {
    let capital = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
    name.len() > 1 && name.starts_with(|c: char| c.is_ascii_uppercase()) && name.chars().all(capital)
}

/// `FilePostSave`, `file_post_save`, `file.save` as a point's name would be written.
pub(crate) fn as_point(name: &str) -> String {
    let mut out = String::new();
    let mut after_small = false;
    for letter in name.chars() {
        if letter.is_ascii_uppercase() && after_small {
            out.push('_');
        }
        after_small = letter.is_ascii_lowercase() || letter.is_ascii_digit();
        out.push(if letter.is_ascii_alphanumeric() { letter.to_ascii_uppercase() } else { '_' });
    }
    out
}

#[cfg(test)]
mod tests {
    use super::{as_point, hook, is_point, tool, wire};

    #[test]
    fn hooks_have_dotted_names() {
        for good in ["lint", "linter.lint", "a-b.c_d", "x.y.z", "9"] {
            assert!(hook(good).is_ok(), "{good}");
        }
        for bad in ["", ".", "a.", ".a", "a..b", "a b", "ä", "a\n", "a/b"] {
            assert!(hook(bad).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn tools_have_the_names_that_providers_take() {
        assert!(tool("read_file").is_ok() && tool("mcp__x-Y").is_ok() && tool(&"a".repeat(64)).is_ok());
        for bad in ["", "read file", "read.file", "größe", &"a".repeat(65)] {
            assert!(tool(bad).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn wire_names_hold_no_spaces() {
        for good in ["bake.pre", "updatedInput", "PRE_TOOL", "a"] {
            assert!(wire(good).is_ok(), "{good}");
        }
        for bad in ["", "bake pre", "bake.", ".pre", "a..b", "bäke"] {
            assert!(wire(bad).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn points_are_in_capitals() {
        assert!(is_point("BAKE") && is_point("FILE_POST_SAVE") && is_point("STEP_2"));
        assert!(
            !is_point("B") && !is_point("Bake") && !is_point("bake") && !is_point("_BAKE") && !is_point("2B")
        );
        for name in ["FilePostSave", "file_post_save", "file-post.save", "FILE_POST_SAVE"] {
            assert_eq!(as_point(name), "FILE_POST_SAVE", "{name}");
        }
    }
}
