//! `#[state("key")] state: &mut T`: under which key a state is saved.

use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};
use syn::{Attribute, LitStr};

use crate::errors::Errors;

/// The key, where one is given.
pub(super) fn state_key(attributes: &[Attribute], errors: &mut Errors) -> Option<LitStr> {
    let mut ours = attributes.iter().filter(|attribute| attribute.path().is_ident("state"));
    let first = ours.next()?;
    if let Some(second) = ours.next() {
        errors.at(second, "the key of a state is given twice; keep one");
    }
    let Ok(key) = first.parse_args::<LitStr>() else {
        errors
            .at(first, "the key under which a state is saved is a text: `#[state(\"notes\")] state: &mut T`");
        return None;
    };
    let fits = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
    if key.value().is_empty() || !key.value().chars().all(fits) {
        errors.at(&key, "the key of a state is made of letters, digits, `.`, `_` and `-`");
        return None;
    }
    Some(key)
}

/// The user's item without the attribute, which is ours and which rustc does not know.
pub(super) fn without(item: TokenStream) -> TokenStream {
    let mut seen_fn = false;
    let tokens = item.into_iter().map(|token| match token {
        TokenTree::Ident(ref word) if word == "fn" => {
            seen_fn = true;
            token
        }
        TokenTree::Group(group) if seen_fn && group.delimiter() == Delimiter::Parenthesis => {
            let mut whole = Group::new(Delimiter::Parenthesis, stripped(group.stream()));
            whole.set_span(group.span());
            TokenTree::Group(whole)
        }
        other => other,
    });
    tokens.collect()
}

fn stripped(parameters: TokenStream) -> TokenStream {
    let mut tokens = parameters.into_iter().peekable();
    let mut out = Vec::new();
    while let Some(token) = tokens.next() {
        let is_hash = matches!(&token, TokenTree::Punct(hash) if hash.as_char() == '#');
        if is_hash && tokens.peek().is_some_and(is_ours) {
            tokens.next();
        } else {
            out.push(token);
        }
    }
    out.into_iter().collect()
}

fn is_ours(token: &TokenTree) -> bool {
    let TokenTree::Group(group) = token else { return false };
    let first = group.stream().into_iter().next();
    group.delimiter() == Delimiter::Bracket
        && matches!(first, Some(TokenTree::Ident(word)) if word == "state")
}

#[cfg(test)]
mod tests {
    use super::*;
    use quote::quote;
    use syn::parse_quote;

    #[test]
    fn a_key_is_read_and_taken_out() {
        let mut errors = Errors::default();
        let key = state_key(&[parse_quote!(#[state("a.b")])], &mut errors);
        assert_eq!(key.map(|key| key.value()).as_deref(), Some("a.b"));
        assert!(state_key(&[parse_quote!(#[cfg(x)])], &mut errors).is_none());
        assert_eq!(errors.texts(), [""; 0]);
        for wrong in [quote!(#[state]), quote!(#[state(key)]), quote!(#[state("")]), quote!(#[state("a b")])]
        {
            let mut errors = Errors::default();
            assert!(state_key(&[parse_quote!(#wrong)], &mut errors).is_none());
            assert_eq!(errors.texts().len(), 1, "{wrong}");
        }
        let out = without(quote!(
            #[state]
            fn f(#[state("k")] state: &mut T, #[cfg(x)] a: u8) {
                g(
                    #[state]
                    h,
                )
            }
        ));
        let wanted = quote!(
            #[state]
            fn f(state: &mut T, #[cfg(x)] a: u8) {
                g(
                    #[state]
                    h,
                )
            }
        );
        assert_eq!(out.to_string(), wanted.to_string());
    }
}
