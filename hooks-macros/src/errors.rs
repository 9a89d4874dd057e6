//! A collector of errors, so that all of an expansion's mistakes are reported at once.

use proc_macro2::TokenStream;
use syn::Error;

#[derive(Default)]
pub(crate) struct Errors(Option<Error>);

impl Errors {
    pub(crate) fn add(&mut self, error: Error) {
        match &mut self.0 {
            Some(held) => held.combine(error),
            None => self.0 = Some(error),
        }
    }

    /// Underlines `tokens`.
    pub(crate) fn at(&mut self, tokens: impl quote::ToTokens, message: impl std::fmt::Display) {
        self.add(Error::new_spanned(tokens, message));
    }

    pub(crate) fn into_tokens(self) -> Option<TokenStream> {
        self.0.map(|error| error.to_compile_error())
    }

    #[cfg(test)]
    pub(crate) fn texts(self) -> Vec<String> {
        self.0.into_iter().flatten().map(|error| error.to_string()).collect()
    }
}
