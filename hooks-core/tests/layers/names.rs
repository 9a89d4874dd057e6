//! What the crate's root shows: every type, trait, function, constant, macro and module that its documentation lists there.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::{fs, str::FromStr as _};

use proc_macro2::{Delimiter, TokenStream, TokenTree};

/// The names. Those that are `doc(hidden)` are not shown; macros are at the root wherever they stand.
pub(crate) fn at_the_root() -> BTreeSet<String> {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut names = declared(&fs::read_to_string(root.join("lib.rs")).expect("it is there"));
    for file in files(&root) {
        names.extend(exported(&fs::read_to_string(file).expect("it is there")));
    }
    names
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    entries.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect()
}

fn tokens(text: &str) -> Vec<TokenTree> {
    TokenStream::from_str(text).expect("the file is Rust").into_iter().collect()
}

/// The public names that a file declares or hands on, without those of its modules.
fn declared(text: &str) -> BTreeSet<String> {
    let tokens = tokens(text);
    let mut names = BTreeSet::new();
    let mut hidden = false;
    for (at, token) in tokens.iter().enumerate() {
        let text = token.to_string();
        if let TokenTree::Group(group) = token
            && group.delimiter() == Delimiter::Bracket
        {
            hidden |= is_hidden(&text);
        }
        if text == "pub" {
            let rest = tokens[at + 1..].iter().take_while(|token| token.to_string() != ";");
            let rest: Vec<String> = rest.map(ToString::to_string).collect();
            if !hidden && !rest[0].starts_with('(') {
                names.extend(if rest[0] == "use" {
                    handed_on(&rest[1..].join(" "))
                } else {
                    vec![rest[1].clone()]
                });
            }
        }
        if text == ";" || matches!(token, TokenTree::Group(group) if group.delimiter() == Delimiter::Brace) {
            hidden = false;
        }
    }
    names
}

fn is_hidden(attribute: &str) -> bool {
    attribute.replace(' ', "").contains("doc(hidden)")
}

/// The names that a flat `use` gives: `a::b::{C, d as E}`.
fn handed_on(tree: &str) -> Vec<String> {
    let inner = tree.split_once('{').map_or(tree, |(_, inner)| inner.trim_end_matches(['}', ' ']));
    let last = |name: &str| name.rsplit([':', ' ']).next().unwrap_or_default().to_owned();
    inner.split(',').map(|name| last(name.trim())).filter(|name| !name.is_empty()).collect()
}

/// The macros of a file that are for everybody.
fn exported(text: &str) -> BTreeSet<String> {
    let tokens = tokens(text);
    let mut names = BTreeSet::new();
    let mut attributes = String::new();
    for (at, token) in tokens.iter().enumerate() {
        match token {
            TokenTree::Group(group) if group.delimiter() == Delimiter::Bracket => {
                attributes += &token.to_string();
            }
            TokenTree::Ident(ident) if ident == "macro_rules" => {
                let name = tokens[at + 2].to_string();
                if attributes.contains("macro_export") && !is_hidden(&attributes) {
                    names.insert(name);
                }
                attributes.clear();
            }
            TokenTree::Punct(_) => {}
            _ => attributes.clear(),
        }
    }
    names
}
