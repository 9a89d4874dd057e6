//! What a point's macro says of a hook that does not fit: errors at the user's own words.

use proc_macro2::{Ident, TokenStream, TokenTree};
use quote::quote_spanned;
use syn::parse::{Parse, ParseStream};
use syn::{LitStr, bracketed};

use crate::nearest::nearest;

/// `name "POINT" ["path: &Path" …]`: a parameter that is no field.
struct NoField {
    written: Ident,
    point: LitStr,
    fields: Vec<String>,
}

impl Parse for NoField {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let (written, point) = (input.parse()?, input.parse()?);
        let list;
        bracketed!(list in input);
        let mut fields = Vec::new();
        while !list.is_empty() {
            fields.push(list.parse::<LitStr>()?.value());
        }
        Ok(Self { written, point, fields })
    }
}

pub(crate) fn no_field(input: TokenStream) -> TokenStream {
    match syn::parse2::<NoField>(input) {
        Ok(wrong) => syn::Error::new(wrong.written.span(), message(&wrong)).to_compile_error(),
        Err(error) => error.to_compile_error(),
    }
}

fn message(wrong: &NoField) -> String {
    let NoField { written, point, fields } = wrong;
    let (written, point) = (written.to_string(), point.value());
    let mut names: Vec<&str> = fields.iter().filter_map(|field| field.split(':').next()).collect();
    names.extend(["session", "state", "settings", "event"]);
    let near = nearest(written.strip_prefix("r#").unwrap_or(&written), &names);
    let has = match &**fields {
        [] => "it has no fields".to_owned(),
        fields => format!("its fields are `{}`", fields.join("`, `")),
    };
    format!(
        "`{point}` has no `{written}`{near}\n{has}; any hook may also take `session: &Session`, `state: &mut T`, `settings: &T` and `event`"
    )
}

/// `word "why"`: an option or keyword that the point refuses.
pub(crate) fn refusal(input: TokenStream) -> TokenStream {
    let parsed = |input: ParseStream<'_>| Ok((input.parse::<TokenTree>()?, input.parse::<LitStr>()?));
    match syn::parse::Parser::parse2(parsed, input) {
        Ok((word, why)) => quote_spanned!(word.span()=> ::core::compile_error! { #why }),
        Err(error) => error.to_compile_error(),
    }
}

/// `impl Hook { hook! { … } }`: what is in the inner braces. The shell around it is one item, so that rustc has one thing to
/// refuse where no item can stand.
pub(crate) fn placed(shell: TokenStream) -> TokenStream {
    let inside = |tokens: TokenStream| match tokens.into_iter().last() {
        Some(TokenTree::Group(group)) => group.stream(),
        _ => TokenStream::new(),
    };
    inside(inside(shell))
}

#[cfg(test)]
mod tests {
    use quote::quote;

    #[test]
    fn an_unknown_parameter_is_told_the_fields() {
        let text = super::no_field(quote!(pth "BAKE" ["path: &Path" "degrees: u32"])).to_string();
        assert!(text.contains("`BAKE` has no `pth`; did you mean `path`?"), "{text}");
        assert!(text.contains("its fields are `path: &Path`, `degrees: u32`;"), "{text}");
        assert!(super::no_field(quote!(x "BAKE" [])).to_string().contains("it has no fields"));
        assert!(super::no_field(quote!(sesion "BAKE" [])).to_string().contains("did you mean `session`?"));
    }

    #[test]
    fn the_shell_is_taken_off() {
        let items = super::placed(quote!(impl Hook { hook! { const _: () = (); fn f() {} } }));
        assert_eq!(
            items.to_string(),
            quote!(
                const _: () = ();
                fn f() {}
            )
            .to_string()
        );
        assert!(super::placed(quote!()).is_empty());
    }
}
