//! `hook_point!`: declarations → rules → event, twin, module, constant.

mod carrier;
mod expand;
mod own_types;
mod parse;
mod subject;
mod twin;
mod types;
mod verdicts;
mod words;

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};

use crate::errors::Errors;

pub(crate) fn expand(input: TokenStream) -> TokenStream {
    let mut errors = Errors::default();
    let mut declarations = match syn::parse2::<parse::Declarations>(input) {
        Ok(declarations) => declarations,
        Err(error) => return error.to_compile_error(),
    };
    let mut tokens = TokenStream::new();
    for point in &mut declarations.points {
        // Without a good name there is nothing to call the event; every other mistake leaves a point that
        // hooks can name, so that one mistake is one error.
        if parse::check(point, &mut errors) {
            tokens.extend(expand::expand(&declarations.core, point));
        }
    }
    tokens.extend(errors.into_tokens());
    let Some(first) = declarations.points.first() else { return tokens };
    // One item, so that rustc has one thing to refuse where no item can stand: between methods.
    let core = &declarations.core;
    let placed = quote_spanned!(first.name.span()=> impl HookPoint { points! { #tokens } });
    quote!(#[#core::__private::placed] #placed)
}
