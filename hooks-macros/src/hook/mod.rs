//! `#[hook]`: options → rules → expansion.

mod expand;
mod parse;

use proc_macro2::TokenStream;

use crate::errors::Errors;
use crate::signature::fallback;

pub(crate) fn expand(options: TokenStream, item: TokenStream) -> TokenStream {
    let mut errors = Errors::default();
    let import = parse::point_import(&options, &item);
    let hook = parse::parse(options, item.clone(), &mut errors);
    match (errors.into_tokens(), hook) {
        (Some(errors), _) => fallback(quote::quote!(#import #errors), &item),
        (None, Some(hook)) => expand::expand(&hook, &item),
        (None, None) => item,
    }
}
