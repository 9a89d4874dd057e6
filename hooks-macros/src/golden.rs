//! The expansions in `expansions/`: each input stands beside what the macro makes of it, formatted, so that a change of one is
//! read as a diff. `EXPANSIONS=overwrite cargo test -p hookspec-macros` writes them anew.

use std::path::{Path, PathBuf};

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use quote::quote;
use syn::ItemFn;

/// What a `#[hook]` becomes.
fn hook(source: &str) -> TokenStream {
    let mut function: ItemFn = syn::parse_str(source).expect("a function");
    let at = function.attrs.iter().position(|attribute| attribute.path().is_ident("hook")).expect("a hook");
    let options = function.attrs.remove(at).meta.require_list().expect("a list").tokens.clone();
    crate::hook::expand(options, quote!(#function))
}

/// What a `hook_point!` becomes.
fn point(source: &str) -> TokenStream {
    let declaration: TokenStream = source.parse().expect("tokens");
    crate::point::expand(quote!([hookspec] #declaration))
}

/// Expands for the reader what the next macros expand: core's `__hook!` and `__gathered!`.
fn unwrapped(tokens: TokenStream) -> TokenStream {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let mut out = TokenStream::new();
    let mut rest = &*tokens;
    while let Some(token) = rest.first() {
        let text = |index: usize| rest.get(index).map(ToString::to_string).unwrap_or_default();
        let body = |index: usize| match rest.get(index) {
            Some(TokenTree::Group(group)) => group.stream(),
            _ => TokenStream::new(),
        };
        if text(1) == "!" && body(2).to_string().starts_with("@ hook") {
            // The point's path, which the word before `!` ends.
            out = without_path(out);
            out.extend(hooked(body(2)));
            rest = &rest[3..];
        } else if text(0) == "__gathered" {
            let inside: Vec<TokenTree> = body(2).into_iter().collect();
            let (slice, item) = (&inside[0], inside[1..].iter().cloned().collect::<TokenStream>());
            // `__core ::` stands before the word already.
            let written: Vec<TokenTree> = std::mem::take(&mut out).into_iter().collect();
            out.extend(written[..written.len() - 3].iter().cloned());
            out.extend(quote!(#[gathered #slice] static __ENTRY: #item));
            rest = &rest[3..];
        } else {
            out.extend([match token {
                TokenTree::Group(group) if group.delimiter() != Delimiter::None => {
                    TokenTree::Group(proc_macro2::Group::new(group.delimiter(), unwrapped(group.stream())))
                }
                other => other.clone(),
            }]);
            rest = &rest[1..];
        }
    }
    out
}

/// Drops `a :: b ::` at the end.
fn without_path(tokens: TokenStream) -> TokenStream {
    let mut tokens: Vec<TokenTree> = tokens.into_iter().collect();
    while tokens.len() >= 3 && tokens[tokens.len() - 2..].iter().all(|token| token.to_string() == ":") {
        tokens.truncate(tokens.len() - 3);
    }
    tokens.into_iter().collect()
}

/// What core's `__hook!` makes of a hook, as far as a reader wants it.
fn hooked(tokens: TokenStream) -> TokenStream {
    let tokens: Vec<TokenTree> = tokens.into_iter().skip(2).collect();
    let inside = |index: usize| match &tokens[index] {
        TokenTree::Group(group) => group.stream(),
        other => panic!("no group: {other}"),
    };
    let (name, function, docs, priority) = (&tokens[0], &tokens[2], &tokens[3], &tokens[4]);
    let (point, more, beside, call) = (inside(1), inside(5), unwrapped(inside(7)), unwrapped(inside(9)));
    let more = if more.is_empty() { quote!(None) } else { quote!(Some(&More { #more ..More::NONE })) };
    let kind = tokens[8].to_string();
    let around = kind.ends_with("_around");
    let signature = if kind.starts_with("sync") {
        let next = around.then(|| quote!(__next: #point::Next<'_>,));
        quote!(fn __call(__event: &#point::Event<'_>, __session: &Session, #next __out: &mut #point::Out))
    } else {
        let next = around.then(|| quote!(__next: #point::Next<'a>,));
        quote!(fn __call<'a>(__event: #point::Event<'a>, __session: &'a Session, #next __out: &'a mut #point::Out) -> Option<BoxFuture<'a, ()>>)
    };
    let held = match kind.as_str() {
        "sync" => quote!(Sync(__call)),
        "async" => quote!(Async(__call)),
        "sync_around" => quote!(Around(AroundCall::Sync(__call))),
        _ => quote!(Around(AroundCall::Async(__call))),
    };
    quote! {
        #[gathered[HOOKS]]
        static #name: &dyn Linked = {
            #beside
            #signature { #call }
            &Entry::<#point::Point> {
                function: #function,
                module: module_path!(),
                package: env!("CARGO_PKG_NAME"),
                file: file!(),
                line: line!(),
                docs: #docs,
                priority: #priority,
                call: Call::<#point::Point>::#held,
                more: #more,
            }
        };
    }
}

fn formatted(tokens: TokenStream) -> String {
    let file = syn::parse2(unwrapped(tokens.clone())).unwrap_or_else(|error| panic!("{error}: {tokens}"));
    prettyplease::unparse(&file)
}

fn inputs(kind: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("expansions").join(kind);
    let entries = std::fs::read_dir(folder).expect("a folder of inputs");
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    files.retain(|file| !file.to_string_lossy().ends_with(".expanded.rs"));
    files.sort();
    files
}

fn compare(kind: &str, expand: fn(&str) -> TokenStream) -> usize {
    let overwrite = std::env::var_os("EXPANSIONS").is_some_and(|value| value == "overwrite");
    let files = inputs(kind);
    for input in &files {
        let expansion = formatted(expand(&std::fs::read_to_string(input).expect("an input")));
        let kept = input.with_extension("expanded.rs");
        if overwrite {
            std::fs::write(&kept, &expansion).expect("a place to write");
        }
        let expected = std::fs::read_to_string(&kept).unwrap_or_default();
        assert!(
            expected == expansion,
            "{} is expanded otherwise than kept; if that is right, write it anew with EXPANSIONS=overwrite, and read the diff:\n{expansion}",
            input.display()
        );
    }
    files.len()
}

#[test]
fn hooks_expand_as_they_are_kept() {
    assert_eq!(compare("hooks", hook), 12);
}

#[test]
fn points_expand_as_they_are_kept() {
    assert_eq!(compare("points", point), 7);
}
