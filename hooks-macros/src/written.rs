//! Types as a person writes them, and the user's own type in a place where its lifetimes have no names.

use proc_macro2::{Group, Ident, Span, TokenStream, TokenTree};
use quote::quote;
use syn::{Generics, Type};

/// A type as a person would write it.
pub(crate) fn plain(ty: &Type) -> String {
    let text = quote!(#ty).to_string();
    let mut out = String::new();
    let mut rest = text.as_str();
    while let Some(space) = rest.find(' ') {
        let (before, after) = rest.split_at(space);
        out.push_str(before);
        rest = &after[1..];
        let left = out.chars().last().unwrap_or(' ');
        let right = rest.chars().next().unwrap_or(' ');
        let tight = matches!(left, '<' | '&' | '[' | '(' | ':')
            || matches!(right, '<' | '>' | ']' | ')' | ',' | ':' | ';');
        if !tight || left == ',' || left == ';' {
            out.push(' ');
        }
    }
    out + rest
}

/// The type with `'_` for the lifetimes that the function names: outside of it they mean nothing.
pub(crate) fn nameless(ty: &Type, generics: &Generics) -> TokenStream {
    let names: Vec<Ident> = generics.lifetimes().map(|param| param.lifetime.ident.clone()).collect();
    if names.is_empty() { quote!(#ty) } else { rename(quote!(#ty), &names) }
}

fn rename(tokens: TokenStream, names: &[Ident]) -> TokenStream {
    let mut out = Vec::new();
    let mut tokens = tokens.into_iter();
    while let Some(token) = tokens.next() {
        match token {
            TokenTree::Group(group) => {
                let mut renamed = Group::new(group.delimiter(), rename(group.stream(), names));
                renamed.set_span(group.span());
                out.push(renamed.into());
            }
            TokenTree::Punct(tick) if tick.as_char() == '\'' => {
                out.push(tick.into());
                out.extend(tokens.next().map(|name| match name {
                    TokenTree::Ident(name) if names.contains(&name) => Ident::new("_", name.span()).into(),
                    other => other,
                }));
            }
            other => out.push(other),
        }
    }
    out.into_iter().collect()
}

/// `span`'s place in the source, for pointing only: what carries it resolves as the macro's own words do.
pub(crate) fn pointing_at(span: Span) -> Span {
    Span::call_site().located_at(span)
}

#[cfg(test)]
mod tests {
    use quote::quote;
    use syn::{Generics, Type, parse_quote};

    #[test]
    fn types_are_written_without_the_spaces_of_tokens() {
        for text in
            ["&Path", "Option<&str>", "&[Recipe]", "(u8, &str)", "crate::dough::Recipe", "Gate", "[u8; 4]"]
        {
            let ty: Type = syn::parse_str(text).unwrap_or_else(|error| panic!("{text}: {error}"));
            assert_eq!(super::plain(&ty), text);
        }
    }

    #[test]
    fn only_the_functions_own_lifetimes_lose_their_names() {
        let generics: Generics = parse_quote!(<'a, 'b>);
        let ty: Type = parse_quote!(&'a (Cow<'b, str>, &'static str, for<'c> fn(&'c u8)));
        let expected = quote!(&'_ (Cow<'_, str>, &'static str, for<'c> fn(&'c u8)));
        assert_eq!(super::nameless(&ty, &generics).to_string(), expected.to_string());
    }
}
