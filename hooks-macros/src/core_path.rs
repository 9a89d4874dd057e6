//! Where core is, for attributes that no hook point tells: by the path that the user wrote for the attribute itself. Where
//! the attribute is, there is the module of its name, which knows core; whatever the package is called there, and whoever
//! re-exports it.

use proc_macro2::{Span, TokenStream, TokenTree};
use syn::Path;
use syn::parse::{ParseStream, Parser};

/// Core's path, as good as it can be told.
pub(crate) fn core() -> Path {
    match written() {
        Some(path) => syn::parse_quote!(#path::__core),
        None => syn::parse_quote!(::hookspec),
    }
}

/// The path of the attribute, as written; `None` where that cannot be seen.
fn written() -> Option<Path> {
    if !proc_macro::is_available() {
        return None;
    }
    path_of(&Span::call_site().unwrap().source_text()?)
}

/// The path in `#[path]`, `#[path(…)]`, or that alone, as in a `cfg_attr`.
fn path_of(attribute: &str) -> Option<Path> {
    let mut tokens = attribute.parse::<TokenStream>().ok()?;
    if attribute.starts_with('#') {
        tokens = match tokens.into_iter().nth(1)? {
            TokenTree::Group(group) => group.stream(),
            _ => return None,
        };
    }
    let path = |input: ParseStream<'_>| {
        let path = input.call(Path::parse_mod_style)?;
        input.parse::<TokenStream>().map(|_| path)
    };
    path.parse2(tokens).ok()
}

#[cfg(test)]
mod tests {
    use quote::quote;

    #[test]
    fn the_attribute_says_where_core_is() {
        for (text, path) in [
            ("#[tool]", "tool"),
            ("#[tool(name = \"a\")]", "tool"),
            ("#[hooks::tool(confirm)]", "hooks :: tool"),
            ("#[::kit::hooks::tool]", ":: kit :: hooks :: tool"),
            ("#[crate::a_tool]", "crate :: a_tool"),
            ("tool(name = \"a\")", "tool"),
        ] {
            let found = super::path_of(text).map(|path| quote!(#path).to_string());
            assert_eq!(found.as_deref(), Some(path), "{text}");
        }
        for text in ["", "#", "#[$crate::tool]", "5", "#[tool"] {
            assert!(super::path_of(text).is_none(), "{text}");
        }
    }
}
