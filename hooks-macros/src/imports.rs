//! Whether a name can have been imported at all: only a file's text tells a macro that.
//!
//! rustc says of a point that nobody imported that it cannot find a macro, and not what to write. So the file is read, and
//! where nothing in it can bring the name into scope, the macro says it. In doubt rustc has the word.

use std::cell::RefCell;
use std::collections::HashMap;
use std::path::PathBuf;
use std::time::SystemTime;

use proc_macro2::Ident;

/// Whether nothing in the file that `name` stands in can have brought it into scope.
pub(crate) fn cannot_be_here(name: &Ident) -> bool {
    if !proc_macro::is_available() {
        return false;
    }
    let Some(file) = name.span().unwrap().local_file() else { return false };
    answered(file, name.to_string())
}

/// When the file was written, and whether nothing in it can have brought the name into scope.
type Answer = (Option<SystemTime>, bool);

/// The answer for a name in a file, which is the same for all hooks that are expanded by and by: a file of a thousand hooks is read
/// once. In an editor, where the macro lives on, the file's time tells whether it is still that file.
fn answered(file: PathBuf, name: String) -> bool {
    thread_local! {
        static ANSWERS: RefCell<HashMap<(PathBuf, String), Answer>> = RefCell::default();
    }
    let written = std::fs::metadata(&file).and_then(|file| file.modified()).ok();
    let key = (file, name);
    ANSWERS.with_borrow_mut(|answers| match answers.get(&key) {
        Some((then, answer)) if *then == written && written.is_some() => *answer,
        _ => {
            let (file, name) = &key;
            let generated = std::env::var_os("OUT_DIR").is_some_and(|folder| file.starts_with(folder));
            let answer = !generated && says_nowhere(&std::fs::read_to_string(file).unwrap_or_default(), name);
            answers.insert(key, (written, answer));
            answer
        }
    })
}

/// Whether a source neither imports `name` nor holds what may do so unseen: a glob, a macro's definition or call.
///
/// Where the name is imported, that is seen at the file's top, and no more of it is looked at.
fn says_nowhere(source: &str, name: &str) -> bool {
    let code = || source.lines().map(|line| line.split("//").next().unwrap_or_default());
    let word = |c: char| c.is_alphanumeric() || c == '_';
    let mut seen = false;
    for line in code() {
        for (at, _) in line.match_indices(name) {
            let (before, after) = (&line[..at], &line[at + name.len()..]);
            if before.ends_with(word) || after.starts_with(word) {
                continue;
            }
            if !before.trim_end().ends_with("hook(") {
                return false;
            }
            seen = true;
        }
    }
    let glob = |line: &str| {
        ["*;", "*,", "*}"].iter().any(|end| line.contains(end)) || line.trim_end().ends_with('*')
    };
    seen && !code().any(|line| glob(line) || calls_a_macro(line))
}

/// Whether a macro that may bring in names is called between items here, or one is defined.
fn calls_a_macro(line: &str) -> bool {
    let line = line.trim_start_matches("hookspec::");
    let name = line.split(['!', ' ']).next().unwrap_or_default();
    let called = line[name.len()..].trim_start().starts_with('!') && !line.starts_with([' ', '\t', '#']);
    line.contains("macro_rules") || (called && !matches!(name, "plugin" | "hook_point"))
}

#[cfg(test)]
mod tests {
    use super::says_nowhere;

    #[test]
    fn a_name_that_nothing_can_have_imported_is_found_out() {
        for source in [
            "use hookspec::hook;\n#[hook(BAKE)]\nfn f() {}\n",
            "use hookspec::hook;\n// BAKE is a point\n#[hook(BAKE, once)]\nfn f() { println!(\"{}\", 2 * 3); }\n",
            "use x::BAKE_2;\nhookspec::plugin!();\n#[hook( BAKE )]\nfn f() {}\n",
        ] {
            assert!(says_nowhere(source, "BAKE"), "{source}");
        }
    }

    #[test]
    fn in_doubt_rustc_has_the_word() {
        for source in [
            "use hookspec::{hook, points::BAKE};\n#[hook(BAKE)]\nfn f() {}\n",
            "use hookspec::points::*;\n#[hook(BAKE)]\nfn f() {}\n",
            "use hookspec::{points::*, hook};\n#[hook(BAKE)]\nfn f() {}\n",
            "use hookspec::{hook, points::*};\n#[hook(BAKE)]\nfn f() {}\n",
            "prelude!();\n#[hook(BAKE)]\nfn f() {}\n",
            "macro_rules! m { () => { #[hook(BAKE)] fn f() {} } }\n",
            "mod a { use x::BAKE; }\n#[hook(BAKE)]\nfn f() {}\n",
            "m! { #[hook(BAKE)] fn f() {} }\n",
            "#[hook(OTHER)]\nfn f() {}\n",
        ] {
            assert!(!says_nowhere(source, "BAKE"), "{source}");
        }
    }
}
