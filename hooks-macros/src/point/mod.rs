//! `hook_point!`: declarations → rules → event, twin, module, constant.

mod expand;
mod parse;

use proc_macro2::TokenStream;

use crate::errors::Errors;

pub(crate) fn expand(input: TokenStream) -> TokenStream {
    let mut errors = Errors::default();
    let declarations = match syn::parse2::<parse::Declarations>(input) {
        Ok(declarations) => declarations,
        Err(error) => return error.to_compile_error(),
    };
    let mut tokens = TokenStream::new();
    for point in &declarations.points {
        // Without a good name there is nothing to call the event; every other mistake leaves a point that
        // hooks can name, so that one mistake is one error.
        if parse::check(point, &mut errors) {
            tokens.extend(expand::expand(&declarations.core, point));
        }
    }
    tokens.extend(errors.into_tokens());
    tokens
}
