//! `#[data]`: what a type of one's own needs in an event, as a tool's arguments, as a state or as settings.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::{Data, DeriveInput, Ident};

use crate::core_path;

/// What is derived by std's names, and by serde's.
const STD: [&str; 2] = ["Clone", "Debug"];
const SERDE: [&str; 2] = ["Serialize", "Deserialize"];

pub(crate) fn expand(options: &TokenStream, item: TokenStream) -> TokenStream {
    match check(options, &item) {
        Ok(derived) => emit(&derived, &item),
        Err(error) => {
            let error = error.to_compile_error();
            quote!(#item #error)
        }
    }
}

/// What the item derives by itself.
fn check(options: &TokenStream, item: &TokenStream) -> syn::Result<Vec<String>> {
    if !options.is_empty() {
        let message =
            "`#[data]` takes no options: further derives stand below it, as in `#[derive(Copy, PartialEq)]`";
        return Err(syn::Error::new_spanned(options, message));
    }
    let goes_on = "`#[data]` goes on a struct or an enum";
    let parsed: DeriveInput = syn::parse2(item.clone()).map_err(|error| match syn::parse2(item.clone()) {
        Ok::<syn::Item, _>(other) => syn::Error::new_spanned(first_word(&other), goes_on),
        Err(_) => error,
    })?;
    if let Data::Union(union) = &parsed.data {
        return Err(syn::Error::new_spanned(union.union_token, goes_on));
    }
    let mut derived = Vec::new();
    for attribute in parsed.attrs.iter().filter(|attribute| attribute.path().is_ident("derive")) {
        attribute.parse_nested_meta(|meta| {
            derived.extend(meta.path.segments.last().map(|last| last.ident.to_string()));
            Ok(())
        })?;
    }
    Ok(derived)
}

/// What an error underlines of an item: not all of its lines.
fn first_word(item: &syn::Item) -> TokenStream {
    let tokens = item.to_token_stream().into_iter();
    tokens.filter(|token| matches!(token, proc_macro2::TokenTree::Ident(_))).take(1).collect()
}

fn emit(derived: &[String], item: &TokenStream) -> TokenStream {
    let core = core_path::core();
    let missing = |names: &[&str]| -> Vec<Ident> {
        let names = names.iter().filter(|name| !derived.iter().any(|held| held == *name));
        names.map(|name| Ident::new(name, proc_macro2::Span::call_site())).collect()
    };
    let (std, serde, schemars) = (missing(&STD), missing(&SERDE), missing(&["JsonSchema"]));
    let path = core.to_token_stream().to_string().replace(' ', "");
    let [serde_text, schemars_text] = ["serde", "schemars"].map(|of| format!("{path}::__private::{of}"));
    quote! {
        #core::__data! { [#(#std)*] [#(#serde)* #serde_text] [#(#schemars)* #schemars_text] #item }
    }
}

#[cfg(test)]
mod tests {
    use quote::quote;

    fn said(item: proc_macro2::TokenStream) -> String {
        super::expand(&quote!(), item).to_string()
    }

    #[test]
    fn what_is_derived_already_is_not_derived_again() {
        let text = said(quote!(
            #[derive(Copy, Clone, serde::Serialize)]
            struct A;
        ));
        assert!(text.contains("[Debug] [Deserialize \"::hookspec::__private::serde\"]"), "{text}");
        assert!(text.contains("[JsonSchema \"::hookspec::__private::schemars\"]"), "{text}");
    }

    #[test]
    fn it_goes_on_types_with_fields_or_variants() {
        for item in [
            quote!(
                fn f() {}
            ),
            quote!(union U { a: u8 }),
            quote!(
                type A = u8;
            ),
        ] {
            assert!(said(item.clone()).contains("goes on a struct or an enum"), "{item}");
        }
        let text = super::expand(
            &quote!(Copy),
            quote!(
                struct A;
            ),
        )
        .to_string();
        assert!(text.contains("takes no options"), "{text}");
    }
}
