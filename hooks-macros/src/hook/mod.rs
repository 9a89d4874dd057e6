//! `#[hook]`: options → rules → expansion.

mod call;
mod expand;
mod lists;
mod parse;
mod point;
mod rules;
mod state_key;

use proc_macro2::{TokenStream, TokenTree};
use quote::quote;

use parse::Hook;

use crate::errors::Errors;
use crate::signature::fallback;

pub(crate) fn expand(options: TokenStream, item: TokenStream) -> TokenStream {
    let mut errors = Errors::default();
    let hook = parse::parse(options.clone(), &item, &mut errors);
    let errors = errors.into_tokens();
    let keyed = errors.is_some() || hook.as_ref().is_some_and(Hook::has_state);
    let item = if keyed { state_key::without(item) } else { item };
    match (errors, hook) {
        (Some(errors), _) => fallback(errors, &with_import(item, &point::import(&options))),
        (None, Some(hook)) => expand::expand(&hook, &item),
        (None, None) => item,
    }
}

/// The user's item with the point named where any function may name it: in its body. In an `impl` no import can stand.
fn with_import(item: TokenStream, import: &TokenStream) -> TokenStream {
    let mut tokens: Vec<TokenTree> = item.into_iter().collect();
    let is_function = tokens.iter().any(|token| matches!(token, TokenTree::Ident(word) if word == "fn"));
    match tokens.last_mut() {
        Some(TokenTree::Group(body)) if is_function && body.delimiter() == proc_macro2::Delimiter::Brace => {
            let (inside, span) = (body.stream(), body.span());
            let mut whole = proc_macro2::Group::new(proc_macro2::Delimiter::Brace, quote!(#import #inside));
            whole.set_span(span);
            *body = whole;
            tokens.into_iter().collect()
        }
        _ => {
            let item: TokenStream = tokens.into_iter().collect();
            if is_function { item } else { quote!(#import #item) }
        }
    }
}

#[cfg(test)]
mod tests {
    use quote::quote;

    #[test]
    fn a_mistake_leaves_the_function_and_names_the_point() {
        let out = super::expand(
            quote!(BAKE, onec),
            quote!(
                fn f() {
                    g()
                }
            ),
        )
        .to_string();
        assert!(out.starts_with("fn f () { # [allow (unused_imports)] use BAKE as _ ; g () }"), "{out}");
        assert!(out.contains("did you mean `once`?"), "{out}");
    }
}
