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
}

/// ` (did you mean …?)` for a misspelt word, or nothing.
pub(crate) fn nearest(wanted: &str, known: &[&str]) -> String {
    let shared = |name: &str| {
        let prefix = name.chars().zip(wanted.chars()).take_while(|(a, b)| a == b).count();
        let length = name.len().max(wanted.len()).max(1);
        let extra = name.len().abs_diff(wanted.len());
        let letters = wanted.chars().filter(|c| name.contains(*c)).count();
        (letters + prefix) as f64 / (2 * length) as f64 - extra as f64 * 0.05
    };
    let best = known
        .iter()
        .map(|name| (shared(name), name))
        .filter(|(score, _)| *score > 0.6)
        .max_by(|a, b| a.0.total_cmp(&b.0));
    best.map_or_else(String::new, |(_, name)| format!("; did you mean `{name}`?"))
}
