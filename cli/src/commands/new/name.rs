//! Names that a plugin can have: whatever is refused here would not build, or would be mistaken for something that there is.

use hookspec::point::AnyPoint;

/// The longest name that the crate registry takes, which also keeps files' names within what file systems take.
const LONGEST: usize = 64;

/// What cannot be an identifier, in any edition.
const KEYWORDS: &[&str] = &[
    "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "crate", "do", "dyn",
    "else", "enum", "extern", "false", "final", "fn", "for", "gen", "if", "impl", "in", "let", "loop",
    "macro", "match", "mod", "move", "mut", "override", "priv", "pub", "ref", "return", "self", "static",
    "struct", "super", "trait", "true", "try", "type", "typeof", "unsafe", "unsized", "use", "virtual",
    "where", "while", "yield",
];

const TYPES: &[&str] = &[
    "bool", "char", "f16", "f32", "f64", "f128", "i8", "i16", "i32", "i64", "i128", "isize", "str", "u8",
    "u16", "u32", "u64", "u128", "usize",
];

const OF_RUST: &[&str] = &["alloc", "core", "proc_macro", "std", "test"];

/// The folders in which cargo builds: it makes no program of such a name.
const OF_CARGO: &[&str] = &["build", "deps", "examples", "incremental"];

/// What state, settings and tools of a plugin are derived with.
const NEEDED: &[&str] = &["schemars", "serde", "serde_json"];

const DEVICES: &[&str] = &["aux", "con", "nul", "prn"];

/// Why a name will not do.
#[derive(Debug, PartialEq, thiserror::Error)]
pub(super) enum BadName {
    #[error(
        "`{name}` cannot be a crate's name: begin with a small letter, go on with small letters, digits, `-` and `_`, end with a letter or digit{instead}"
    )]
    Letters { name: String, instead: String },
    #[error("a crate's name has at most {LONGEST} letters, and `{0}` has more; choose a shorter one")]
    Long(String),
    #[error("a crate cannot be called `{name}`, which is {what}; {instead}")]
    Taken { name: String, what: &'static str, instead: String },
    #[error(
        "there are hooks of the group `{group}` in this program, and settings and lists could not tell yours from them; {instead}"
    )]
    Group { name: String, group: String, instead: String },
}

/// Checks a plugin's name; gives the name that its crate has in code.
pub(super) fn check(name: &str) -> Result<String, BadName> {
    let good = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '-' | '_');
    if !name.starts_with(|c: char| c.is_ascii_lowercase())
        || !name.chars().all(good)
        || name.ends_with(['-', '_'])
    {
        return Err(BadName::Letters { name: name.to_owned(), instead: instead(name) });
    }
    if name.len() > LONGEST {
        return Err(BadName::Long(name.to_owned()));
    }
    let krate = name.replace('-', "_");
    if let Some(what) = taken(&krate) {
        return Err(BadName::Taken { name: name.to_owned(), what, instead: would_do(name, "", "-hooks") });
    }
    if has_hooks(&krate) {
        return Err(BadName::Group {
            name: name.to_owned(),
            group: krate,
            instead: would_do(name, "my-", ""),
        });
    }
    Ok(krate)
}

/// A name around the one that is refused which is not refused in turn.
fn would_do(name: &str, before: &str, behind: &str) -> String {
    let likely = [format!("{before}{name}{behind}"), format!("my-{name}"), format!("my-{name}-hooks")];
    let good = likely.into_iter().find(|name| check(name).is_ok());
    good.map_or_else(|| "choose another".to_owned(), |good| format!("`{good}` would do"))
}

/// What already has that name.
fn taken(krate: &str) -> Option<&'static str> {
    let is_device = DEVICES.contains(&krate)
        || ["com", "lpt"].iter().any(|port| {
            krate.strip_prefix(port).is_some_and(|rest| matches!(rest.as_bytes(), [b'0'..=b'9']))
        });
    if KEYWORDS.contains(&krate) {
        Some("a word of the language")
    } else if TYPES.contains(&krate) {
        Some("a type of the language")
    } else if OF_RUST.contains(&krate) {
        Some("a crate of Rust itself")
    } else if OF_CARGO.contains(&krate) {
        Some("a folder that cargo builds in")
    } else if is_device {
        Some("a device on Windows, where no folder can have this name")
    } else if krate == "hookspec" || krate.starts_with("hookspec_") {
        Some("what packages of hookspec itself are called")
    } else if NEEDED.contains(&krate) {
        Some("a crate that plugins are written with")
    } else {
        None
    }
}

/// Whether hooks or tools of this program are in a group, or a crate, of that name.
fn has_hooks(krate: &str) -> bool {
    let group = |name: &str| name.split('.').next() == Some(krate);
    let mut linked = hookspec::point::all_points().into_iter().flat_map(AnyPoint::linked_hooks);
    krate == "script"
        || krate == "tool"
        || linked.any(|hook| group(&hook.name) || hook.package.replace('-', "_") == krate)
}

/// A name like the one that was tried, where there is one that would do.
fn instead(name: &str) -> String {
    let mut better = String::new();
    for c in name.chars() {
        match c.to_ascii_lowercase() {
            c if c.is_ascii_alphanumeric() || c == '_' => better.push(c),
            _ if better.ends_with('-') => {}
            _ => better.push('-'),
        }
    }
    let better = better.trim_matches(['-', '_']).trim_start_matches(|c: char| !c.is_ascii_lowercase());
    let is_other = !better.is_empty() && better != name && name.is_ascii();
    match is_other.then(|| check(better)) {
        Some(Ok(_)) => format!(", as in `{better}`"),
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn good_names_are_taken_as_they_are() {
        for (name, krate) in [
            ("my-hooks", "my_hooks"),
            ("a", "a"),
            ("push_guard", "push_guard"),
            ("fn2", "fn2"),
            ("test-hooks", "test_hooks"),
            ("union", "union"),
            ("com10", "com10"),
            ("hookspecs", "hookspecs"),
        ] {
            assert_eq!(check(name).as_deref(), Ok(krate), "{name}");
        }
        assert!(check(&"a".repeat(LONGEST)).is_ok());
    }

    #[test]
    fn a_refusal_says_why_and_what_would_do() {
        for (name, why) in [
            ("", "begin with a small letter"),
            ("No", "as in `no`"),
            ("My Hooks", "as in `my-hooks`"),
            ("2fast", "as in `fast`"),
            ("-x", "as in `x`"),
            ("a-", "as in `a`"),
            ("a_", "end with a letter or digit, as in `a`"),
            ("hookspec-builtins", "`my-hookspec-builtins` would do"),
            ("_", "begin with a small letter"),
            ("../x", "as in `x`"),
            (".", "begin with a small letter"),
            ("/tmp/hooks", "as in `tmp-hooks`"),
            ("größe", "begin with a small letter"),
            ("a\nb", "as in `a-b`"),
            ("Fn", "begin with a small letter"),
            ("fn", "a word of the language; `fn-hooks` would do"),
            ("self", "a word of the language"),
            ("gen", "a word of the language"),
            ("str", "a type of the language"),
            ("core", "a crate of Rust itself; `core-hooks` would do"),
            ("test", "a crate of Rust itself"),
            ("proc-macro", "a crate of Rust itself"),
            ("deps", "cargo builds in"),
            ("nul", "a device on Windows"),
            ("com1", "a device on Windows"),
            ("hookspec", "packages of hookspec"),
            ("hookspec-cli", "packages of hookspec"),
            ("hookspec_new", "packages of hookspec"),
            ("serde", "plugins are written with"),
            ("script", "hooks of the group `script`"),
            ("tool", "hooks of the group `tool`"),
        ] {
            let refused = check(name).unwrap_err().to_string();
            assert!(refused.contains(why), "{name:?}: {refused}");
        }
        assert!(check(&"a".repeat(LONGEST + 1)).unwrap_err().to_string().contains("at most 64"));
    }

    #[test]
    fn no_suggestion_is_refused_in_turn() {
        let words = [KEYWORDS, TYPES, OF_RUST, OF_CARGO, NEEDED, DEVICES].concat();
        let long = format!("hookspec-{}", "a".repeat(LONGEST - 9));
        let more =
            ["hookspec", "hookspec-builtins", "hookspec_x-hooks", "script", "tool", "com1", "a-", "Fn", "2-"];
        for name in words.into_iter().chain(more) {
            let refused = check(name).unwrap_err().to_string();
            let (_, instead) =
                refused.rsplit_once("; ").or(refused.rsplit_once(", as in ")).unwrap_or_default();
            let suggested = instead.split('`').nth(1);
            assert!(suggested.is_none_or(|name| check(name).is_ok()), "{refused}");
            assert!(suggested.is_some() || refused.contains("cannot be a crate's name"), "{refused}");
        }
        assert!(check(&long).unwrap_err().to_string().ends_with("choose another"));
    }

    #[test]
    fn the_name_that_would_do_does() {
        let words = [KEYWORDS, TYPES, OF_RUST, OF_CARGO, NEEDED, DEVICES].concat();
        for name in words {
            assert!(check(name).is_err(), "{name}");
            assert!(check(&format!("{name}-hooks")).is_ok(), "{name}");
        }
    }
}
