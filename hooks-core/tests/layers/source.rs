//! One file of the library, read as tokens: what it declares, imports, re-exports and names by path.

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::{Delimiter, TokenStream, TokenTree};

/// A path from the crate's root, without `crate`.
pub(crate) type Path = Vec<String>;

#[derive(Debug, Default)]
pub(crate) struct Source {
    /// What it declares: types, traits, functions, constants, points.
    pub(crate) items: BTreeSet<String>,
    /// Its modules that are files.
    pub(crate) children: BTreeSet<String>,
    /// What it imports, by the name that it has here.
    pub(crate) imports: BTreeMap<String, Path>,
    pub(crate) globs: Vec<Path>,
    pub(crate) named: Vec<Named>,
}

/// A name of something that stands in this crate.
#[derive(Debug)]
pub(crate) struct Named {
    pub(crate) path: Path,
    pub(crate) line: usize,
    /// Whether it is handed on under a name of this file: `pub use`, `pub(crate) use`.
    pub(crate) handed_on: bool,
}

const ITEMS: [&str; 8] = ["struct", "enum", "union", "trait", "type", "fn", "const", "static"];

impl Source {
    /// Reads a file's text. What is there for tests alone is passed over, as are comments and what a `macro_rules!` writes
    /// elsewhere.
    pub(crate) fn read(module: &Path, text: &str) -> Self {
        let stream: TokenStream = text.parse().expect("the file is Rust");
        let mut source = Self::default();
        let tokens: Vec<TokenTree> = stream.into_iter().collect();
        source.children = children(&tokens);
        source.scan(&tokens, module, true);
        source
    }

    fn scan(&mut self, tokens: &[TokenTree], module: &Path, outermost: bool) {
        let mut at = 0;
        while at < tokens.len() {
            if let Some(past) = passed_over(tokens, at) {
                at = past;
                continue;
            }
            match &tokens[at] {
                TokenTree::Group(group) => {
                    let inner: Vec<TokenTree> = group.stream().into_iter().collect();
                    self.scan(&inner, module, false);
                }
                // Not the `use<'a>` of a type.
                TokenTree::Ident(ident) if ident == "use" && !is(tokens, at + 1, "<") => {
                    at = self.import(tokens, at, module);
                }
                TokenTree::Ident(ident) if ident == "mod" => {
                    // A module within this file: `super` is one step less there.
                    if let (Some(name), Some(body)) = (word(tokens, at + 1), braces(tokens, at + 2)) {
                        self.items.extend(outermost.then(|| name.clone()));
                        let inner: Path = module.iter().cloned().chain([name]).collect();
                        self.scan(&body, &inner, false);
                        at += 2;
                    }
                }
                TokenTree::Ident(ident) => {
                    let ident = ident.to_string();
                    if outermost && (ITEMS.contains(&ident.as_str()) || ident == "pub") {
                        self.items.extend(word(tokens, at + 1));
                    }
                    if outermost && ident == "hook_point" {
                        self.items.extend(points(tokens, at));
                    }
                    if outermost && ident == "list" {
                        self.items.extend(gathered(tokens, at));
                    }
                    if let Some((path, past)) = self.path(tokens, at, module) {
                        let line = tokens[at].span().start().line;
                        self.named.push(Named { path, line, handed_on: false });
                        at = past - 1;
                    }
                }
                TokenTree::Punct(_) | TokenTree::Literal(_) => {}
            }
            at += 1;
        }
    }

    /// A path of this crate that begins here: by `crate`, `super`, `self`, or one of this file's own modules.
    fn path(&self, tokens: &[TokenTree], at: usize, module: &Path) -> Option<(Path, usize)> {
        let first = word(tokens, at)?;
        let before = at.checked_sub(1).map(|before| tokens[before].to_string()).unwrap_or_default();
        if matches!(before.as_str(), "$" | ":" | "." | "fn" | "mod") || !colons(tokens, at + 1) {
            return None;
        }
        let mut path = match first.as_str() {
            "crate" => Path::new(),
            "self" => module.clone(),
            "super" => module[..module.len().checked_sub(1)?].to_vec(),
            own if self.children.contains(own) => module.iter().cloned().chain([first]).collect(),
            _ => return None,
        };
        let mut at = at + 1;
        while colons(tokens, at) {
            match word(tokens, at + 2) {
                Some(word) if word == "super" => drop(path.pop()),
                Some(word) => path.push(word),
                None => break,
            }
            at += 3;
        }
        Some((path, at))
    }

    /// A `use`, from its keyword to its semicolon.
    fn import(&mut self, tokens: &[TokenTree], at: usize, module: &Path) -> usize {
        let handed_on = match &tokens[..at] {
            [.., TokenTree::Ident(word)] | [.., TokenTree::Ident(word), TokenTree::Group(_)] => word == "pub",
            _ => false,
        };
        let end = at + tokens[at..].iter().position(|token| token.to_string() == ";").expect("it ends");
        let first = word(tokens, at + 1).unwrap_or_default();
        let start = match first.as_str() {
            "crate" => Some((Path::new(), 1)),
            "self" => Some((module.clone(), 1)),
            "super" => Some((module[..module.len() - 1].to_vec(), 1)),
            own if self.children.contains(own) => Some((module.clone(), 0)),
            _ => None,
        };
        if let Some((path, skip)) = start {
            // Past `crate` and its colons.
            self.tree(&tokens[at + 1 + skip * 3..end], path, handed_on);
        } else if handed_on {
            // Of another crate, and found here by who names it.
            let mut elsewhere = Self::default();
            elsewhere.tree(&tokens[at + 1..end], Path::new(), true);
            self.items.extend(elsewhere.imports.into_keys());
        }
        end
    }

    fn tree(&mut self, tokens: &[TokenTree], mut path: Path, handed_on: bool) {
        let mut at = 0;
        loop {
            match tokens.get(at) {
                Some(TokenTree::Group(group)) => {
                    let inner: Vec<TokenTree> = group.stream().into_iter().collect();
                    for one in inner.split(|token| token.to_string() == ",").filter(|one| !one.is_empty()) {
                        self.tree(one, path.clone(), handed_on);
                    }
                    return;
                }
                Some(TokenTree::Punct(star)) if star.as_char() == '*' => {
                    let line = star.span().start().line;
                    self.named.push(Named { path: path.clone(), line, handed_on });
                    self.globs.push(path);
                    return;
                }
                Some(TokenTree::Ident(ident)) => {
                    match ident.to_string().as_str() {
                        "self" => {}
                        "super" => drop(path.pop()),
                        name => path.push(name.to_owned()),
                    }
                    at += 1;
                    if colons(tokens, at) {
                        at += 2;
                        continue;
                    }
                    let last = path.last().cloned().unwrap_or_default();
                    let renamed = is(tokens, at, "as");
                    let name = if renamed { word(tokens, at + 1).unwrap_or(last) } else { last };
                    let line = ident.span().start().line;
                    self.named.push(Named { path: path.clone(), line, handed_on });
                    self.imports.insert(name, path);
                    return;
                }
                _ => return,
            }
        }
    }
}

fn word(tokens: &[TokenTree], at: usize) -> Option<String> {
    match tokens.get(at)? {
        TokenTree::Ident(ident) => Some(ident.to_string()),
        _ => None,
    }
}

fn is(tokens: &[TokenTree], at: usize, text: &str) -> bool {
    tokens.get(at).is_some_and(|token| token.to_string() == text)
}

fn colons(tokens: &[TokenTree], at: usize) -> bool {
    is(tokens, at, ":") && is(tokens, at + 1, ":")
}

fn braces(tokens: &[TokenTree], at: usize) -> Option<Vec<TokenTree>> {
    match tokens.get(at)? {
        TokenTree::Group(group) if group.delimiter() == Delimiter::Brace => {
            Some(group.stream().into_iter().collect())
        }
        _ => None,
    }
}

/// Where it goes on behind what does not count: an attribute, what is for tests alone, a `macro_rules!`.
fn passed_over(tokens: &[TokenTree], at: usize) -> Option<usize> {
    let (first, second) = (tokens[at].to_string(), tokens.get(at + 1)?);
    if first == "macro_rules" {
        return Some(at + 4);
    }
    let TokenTree::Group(attribute) = second else { return None };
    if first != "#" || attribute.delimiter() != Delimiter::Bracket {
        return None;
    }
    let text = attribute.stream().to_string().replace(' ', "");
    if text != "cfg(test)" && text != "cfg(doctest)" {
        return Some(at + 2);
    }
    let ends = |token: &TokenTree| {
        token.to_string() == ";"
            || matches!(token, TokenTree::Group(group) if group.delimiter() == Delimiter::Brace)
    };
    let end = tokens[at + 2..].iter().position(ends)?;
    Some(at + 2 + end + 1)
}

/// The modules that are files: `mod name;`.
fn children(tokens: &[TokenTree]) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut at = 0;
    while at < tokens.len() {
        if let Some(past) = passed_over(tokens, at) {
            at = past;
            continue;
        }
        if is(tokens, at, "mod") && is(tokens, at + 2, ";") {
            found.extend(word(tokens, at + 1));
        }
        at += 1;
    }
    found
}

/// The points that a `hook_point!` declares.
fn points(tokens: &[TokenTree], at: usize) -> Vec<String> {
    let body = braces(tokens, at + 2).unwrap_or_default();
    let public = (0..body.len()).filter(|at| body[*at].to_string() == "pub");
    public.filter_map(|at| word(&body, at + 1)).collect()
}

/// What a `list!` declares: `NAME: Type;`.
fn gathered(tokens: &[TokenTree], at: usize) -> Option<String> {
    let body = braces(tokens, at + 2)?;
    (0..body.len()).filter(|at| is(&body, at + 1, ":")).find_map(|at| word(&body, at))
}

/// The names of a file's `macro_rules!`.
pub(crate) fn macros(text: &str) -> BTreeSet<String> {
    let tokens: Vec<TokenTree> = text.parse::<TokenStream>().expect("the file is Rust").into_iter().collect();
    let all = (0..tokens.len()).filter(|at| tokens[*at].to_string() == "macro_rules");
    all.filter_map(|at| word(&tokens, at + 2)).collect()
}
